#pragma once

#include <cstddef>
#include <vector>

namespace riffle::test {

// Student (1908): additional hours of sleep after two drugs.
inline std::vector<double> const sleep_x{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
inline std::vector<double> const sleep_y{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

/// Integers below 1009, whose sums are exact in any order, so that host and device compute equal sums.
inline std::vector<double> pattern(std::size_t n, std::size_t factor) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(static_cast<double>((i * i * factor + 13 * i) % 1009));
  return values;
}

}  // namespace riffle::test
