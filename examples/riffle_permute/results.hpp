#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine.hpp"
#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// P-values up to this one are counted and drawn as significant.
inline constexpr double significance_level = 0.05;

/// A row for each variable, in the order of the data; NA where a variable was left out.
std::string csv_of(Task const& task, Outcome const& outcome);

/// One object: settings, data, what is exchanged, where it ran, times, and the columns of the CSV file.
std::string json_of(Task const& task, Settings const& settings, Plan const& plan,
                    Outcome const& outcome);

/// The result for people: some lines.
std::string report_of(Task const& task, Settings const& settings, Plan const& plan,
                      Outcome const& outcome);

/// The variables that were tested, the most extreme first.
std::vector<std::size_t> by_extremeness(Task const& task, Settings const& settings,
                                        Outcome const& outcome);

/// "t of 'b' less 'a'", for instance.
std::string words(Task const& task, Settings const& settings);

/// "t", "U", "F", ...
std::string symbol(Settings const& settings);

/// "9,999 random permutations", "all 20 arrangements".
std::string replicates_text(Settings const& settings, Plan const& plan, std::uint64_t replicates);

/// How many p-values are at most 0.05; NaNs are not.
std::size_t count_significant(std::vector<double> const& p);

}  // namespace example::permute
