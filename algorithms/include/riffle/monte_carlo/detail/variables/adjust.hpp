#pragma once

// From counts to adjusted p-values.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle::detail::variables {

/// Makes adjusted p-values no smaller than those of more extreme variables: `p` is from the least to the most extreme.
inline void make_monotone(std::vector<double>& p) {
  for (std::size_t j = p.size(); j-- > 1;) p[j - 1] = std::max(p[j - 1], p[j]);
}

/// How many of the maxima, which are in ascending order, are at least `threshold`.
inline std::uint64_t count_from(std::vector<double> const& maxima, double threshold) {
  return static_cast<std::uint64_t>(maxima.end() -
                                    std::lower_bound(maxima.begin(), maxima.end(), threshold));
}

}  // namespace riffle::detail::variables
