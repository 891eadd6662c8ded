#pragma once

// A table of adjusted p-values by complete enumeration.

#include <array>
#include <string_view>

namespace riffle::test::oracles {

/// For each variable, in the order of the data. A p-value is its count divided by `arrangements`.
struct AdjustedTable {
  std::string_view test;
  /// "abs", "upper" or "lower": |t|, t or -t is large.
  std::string_view side;
  /// The number of arrangements, including the observed one.
  int arrangements;
  std::array<double, 12> statistics;
  /// The number of arrangements at least as extreme as the observed one; ties count.
  std::array<int, 12> raw;
  std::array<int, 12> single_step_max_t;
  std::array<int, 12> step_down_max_t;
  std::array<int, 12> single_step_min_p;
  std::array<int, 12> step_down_min_p;
  std::array<double, 12> benjamini_hochberg;
};

}  // namespace riffle::test::oracles
