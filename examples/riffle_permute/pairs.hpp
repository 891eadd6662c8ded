#pragma once

#include <string>
#include <vector>

#include "design_file.hpp"
#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// Replaces the observations with the differences of pairs, group 1 minus group 0. Throws InputError, with lines and names,
/// if a pair does not have one member of each group, or if its members are in different blocks.
void take_differences(DesignFile const& design, Settings const& settings, Task& task);

/// a - b, rounded to the number of decimals of a and b if it is at most nine: 1.1 - 0.8 gives the double nearest to 0.3.
/// Differences that are equal as decimals are therefore equal, and tie.
double decimal_difference(double a, double b);

}  // namespace example::permute
