#pragma once

// Whether the columns of a file are permutations, and from which number on it counts.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/detail/exchanges/text_columns.hpp>

namespace riffle::detail {

/// The number that stands for observation 0, which each permutation has: 0 or 1.
inline std::int64_t first_index(ColumnReader const& file, TextColumns const& columns) {
  if (columns.values.empty()) return 1;
  auto const least = std::min_element(columns.values.begin(), columns.values.end());
  auto const line = static_cast<std::uint64_t>(least - columns.values.begin()) / columns.replicates;
  file.check_line(*least == 0 || *least == 1, columns.line_numbers[line], "index ", *least,
                  " is the least of the file: must be 0 or 1");
  return *least;
}

inline void check_permutations_in(ColumnReader const& file, TextColumns const& columns,
                                  std::int64_t first) {
  std::uint64_t const n = columns.observations();
  std::vector<std::uint64_t> line_of(n);  // 0: not met
  for (std::uint64_t r = 0; r < columns.replicates; ++r) {
    std::fill(line_of.begin(), line_of.end(), 0);
    for (std::uint64_t i = 0; i < n; ++i) {
      auto const index = columns.value(r, i);
      auto const line = columns.line_numbers[i];
      auto const image = static_cast<std::uint64_t>(index - first);
      file.check_line(image < n, line, "index ", index, " in column ", r + 1, ": must be at most ",
                      first + static_cast<std::int64_t>(n) - 1, ", as there are ", n,
                      " observations");
      file.check_line(line_of[image] == 0, line, "index ", index, " in column ", r + 1,
                      " is in line ", line_of[image], ", too: a column must be a permutation");
      line_of[image] = line;
    }
  }
}

inline void check_signs_in(ColumnReader const& file, TextColumns const& columns) {
  for (std::uint64_t k = 0; k < columns.values.size(); ++k) {
    auto const sign = columns.values[k];
    file.check_line(sign == 1 || sign == -1, columns.line_numbers[k / columns.replicates], "sign ",
                    sign, " in column ", k % columns.replicates + 1, ": must be 1 or -1");
  }
}

}  // namespace riffle::detail
