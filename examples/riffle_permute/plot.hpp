#pragma once

#include <string>

#include "engine.hpp"
#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// The picture as gnuplot commands: p-values in order against the uniform quantiles that they would follow if nothing had
/// an effect, both as -log10, with the most extreme variables named. Throws InputError where no variable was tested.
std::string plot_script(Task const& task, Settings const& settings, Plan const& plan,
                        Outcome const& outcome);

}  // namespace example::permute
