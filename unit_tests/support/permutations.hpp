#pragma once

// Checks of permutations on the host; sigma[i] is the image of i.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle::test {

/// Sizes at which shuffles may change algorithms: the smallest sizes, powers of two, and their neighbours.
inline std::vector<std::size_t> edge_sizes(int max_power = 12) {
  std::vector<std::size_t> sizes{0, 1, 2, 3, 5};
  for (int k = 3; k <= max_power; ++k) {
    std::size_t const power = std::size_t{1} << k;
    sizes.insert(sizes.end(), {power - 1, power, power + 1});
  }
  return sizes;
}

/// Whether out[i] = in[sigma[i]] for every i.
template <class T, class Index>
bool is_gather(std::vector<T> const& in, std::vector<T> const& out,
               std::vector<Index> const& sigma) {
  if (in.size() != sigma.size() || out.size() != sigma.size()) return false;
  for (std::size_t i = 0; i < sigma.size(); ++i)
    if (!(out[i] == in[static_cast<std::size_t>(sigma[i])])) return false;
  return true;
}

template <class Index>
std::vector<Index> inverse_of(std::vector<Index> const& sigma) {
  std::vector<Index> inverse(sigma.size());
  for (std::size_t i = 0; i < sigma.size(); ++i)
    inverse[static_cast<std::size_t>(sigma[i])] = static_cast<Index>(i);
  return inverse;
}

/// Whether sigma is an odd permutation: n minus the number of cycles is odd.
template <class Index>
bool is_odd(std::vector<Index> const& sigma) {
  std::vector<bool> seen(sigma.size(), false);
  std::size_t cycles = 0;
  for (std::size_t start = 0; start < sigma.size(); ++start) {
    if (seen[start]) continue;
    ++cycles;
    for (std::size_t i = start; !seen[i]; i = static_cast<std::size_t>(sigma[i])) seen[i] = true;
  }
  return (sigma.size() - cycles) % 2 == 1;
}

/// The position of sigma among all permutations of its length, in lexicographic order.
template <class Index>
std::size_t rank_of(std::vector<Index> const& sigma) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    std::size_t smaller = 0;
    for (std::size_t j = i + 1; j < sigma.size(); ++j) smaller += sigma[j] < sigma[i];
    rank = rank * (sigma.size() - i) + smaller;
  }
  return rank;
}

/// FNV-1a over 64-bit words: a golden value for a sequence too long to write down.
template <class T>
std::uint64_t checksum(std::vector<T> const& values) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (auto const& value : values)
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x100000001B3u;
  return hash;
}

}  // namespace riffle::test
