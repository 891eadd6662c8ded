#pragma once

// From counts to adjusted p-values.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace riffle::detail::variables {

/// Makes adjusted p-values no smaller than those of more extreme variables: `p` is from the least to the most extreme.
inline void make_monotone(std::vector<double>& p) {
  for (std::size_t j = p.size(); j-- > 1;) p[j - 1] = std::max(p[j - 1], p[j]);
}

}  // namespace riffle::detail::variables
