#pragma once

#include <cstddef>
#include <vector>

namespace riffle::test {

/// Whole numbers below 1009, whose sums are exact in any order, so that host and device add them alike.
inline std::vector<double> pattern(std::size_t n, std::size_t factor) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(static_cast<double>((i * i * factor + 13 * i) % 1009));
  return values;
}

}  // namespace riffle::test
