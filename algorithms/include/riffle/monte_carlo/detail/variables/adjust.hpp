#pragma once

// p-values from counts.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace riffle::detail::variables {

/// b / m of all arrangements, (b + 1) / (m + 1) of random ones (B. Phipson, G. K. Smyth, Stat. Appl. Genet. Mol. Biol.
/// 9, 2010).
inline double p_of_count(std::uint64_t count, std::uint64_t replicates, bool is_exact) {
  double const added = is_exact ? 0 : 1;
  return (static_cast<double>(count) + added) / (static_cast<double>(replicates) + added);
}

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
