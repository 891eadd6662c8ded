#pragma once

#include <string>
#include <vector>

#include "design_file.hpp"
#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// Puts the differences of pairs, group 1 less group 0, in place of the observations. Throws InputError, with lines and
/// names, where a pair has not one member of each group, or where its members are in two blocks.
void take_differences(DesignFile const& design, Settings const& settings, Task& task);

/// a - b, rounded to as many decimals as both have, if at most nine: 0.3 of 1.1 and 0.8, so that differences tie where
/// they tie on paper.
double decimal_difference(double a, double b);

}  // namespace example::permute
