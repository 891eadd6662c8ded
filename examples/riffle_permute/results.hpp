#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine.hpp"
#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// P-values up to this level are counted and drawn as significant.
inline constexpr double significance_level = 0.05;

/// One row per variable, in the order of the data; NA if a variable was not tested.
std::string csv_of(Task const& task, Outcome const& outcome);

/// One object with the settings, the data, the permutation scheme, the device, times, and the columns of the CSV file.
std::string json_of(Task const& task, Settings const& settings, Plan const& plan,
                    Outcome const& outcome);

/// A report in plain text.
std::string report_of(Task const& task, Settings const& settings, Plan const& plan,
                      Outcome const& outcome);

/// The variables that were tested, sorted by adjusted p-value and then by statistic, the most extreme first.
std::vector<std::size_t> by_extremeness(Task const& task, Settings const& settings,
                                        Outcome const& outcome);

/// The statistic in words, such as "t of group, 'b' - 'a'".
std::string words(Task const& task, Settings const& settings);

/// The symbol of the statistic: "t", "U", "F", ...
std::string symbol(Settings const& settings);

/// "9,999 random permutations" or "all 20 arrangements".
std::string replicates_text(Settings const& settings, Plan const& plan, std::uint64_t replicates);

/// The number of p-values that are at most 0.05. NaN does not count.
std::size_t count_significant(std::vector<double> const& p);

}  // namespace example::permute
