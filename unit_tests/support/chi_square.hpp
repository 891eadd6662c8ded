#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle::test {

/// Pearson's chi-square of counts that are expected to be equal; counts.size() - 1 degrees of
/// freedom.
inline double chi_square(std::vector<std::uint64_t> const& counts) {
  double total = 0;
  for (auto const count : counts) total += static_cast<double>(count);
  double const expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (auto const count : counts) {
    double const deviation = static_cast<double>(count) - expected;
    sum += deviation * deviation / expected;
  }
  return sum;
}

}  // namespace riffle::test
