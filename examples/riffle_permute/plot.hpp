#pragma once

#include <string>

#include "engine.hpp"
#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// The picture as gnuplot commands: sorted p-values against uniform quantiles, which they would follow without any effect,
/// both as -log10. The most extreme variables are labelled. Throws InputError if no variable was tested.
std::string plot_script(Task const& task, Settings const& settings, Plan const& plan,
                        Outcome const& outcome);

}  // namespace example::permute
