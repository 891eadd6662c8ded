#pragma once

// The shuffle of an array that fits in a cache: R. Durstenfeld, "Algorithm 235: random
// permutation", CACM 7 (1964), with several indices drawn from one random word by
//   N. Brackett-Rozinsky, D. Lemire, "Batched ranged random integer generation", Software: Practice
//   and Experience 55 (2025), doi 10.1002/spe.3369, algorithm 4.

#include <cstdint>
#include <utility>

#include "baselines/split_mix.hpp"

namespace perf {

/// Returns the upper half of a * b and sets a to the lower half.
inline std::uint64_t multiply_step(std::uint64_t& a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide const product = static_cast<Wide>(a) * b;
  a = static_cast<std::uint64_t>(product);
  return static_cast<std::uint64_t>(product >> 64);
}

/// Sets indices[k] uniformly below bound - k for k < Count. The product of these bounds must be below 2^64.
template <int Count>
void draw_indices(SplitMix64& random, std::uint64_t bound, std::uint64_t (&indices)[Count]) {
  auto const draw = [&] {
    std::uint64_t rest = random();
    for (int k = 0; k < Count; ++k)
      indices[k] = multiply_step(rest, bound - static_cast<std::uint64_t>(k));
    return rest;
  };
  std::uint64_t product = 1;
  for (int k = 0; k < Count; ++k) product *= bound - static_cast<std::uint64_t>(k);
  std::uint64_t rest = draw();
  if (rest >= product) return;
  std::uint64_t const threshold = (0 - product) % product;
  while (rest < threshold) rest = draw();
}

/// Swaps items with earlier ones, from the last item on while at least `fewest` are left. Returns the number left.
template <int Count, class Item>
std::uint64_t swap_down_to(SplitMix64& random, Item* items, std::uint64_t n, std::uint64_t fewest) {
  while (n >= fewest && n > Count) {
    std::uint64_t indices[Count];
    draw_indices(random, n, indices);
    for (std::uint64_t const index : indices) std::swap(items[--n], items[index]);
  }
  return n;
}

/// Shuffles items[0 .. n), n < 2^32.
template <class Item>
void fisher_yates(SplitMix64& random, Item* items, std::uint64_t n) {
  n = swap_down_to<2>(random, items, n, 1u << 19);
  n = swap_down_to<3>(random, items, n, 1u << 14);
  n = swap_down_to<4>(random, items, n, 1u << 9);
  n = swap_down_to<6>(random, items, n, 1);
  swap_down_to<1>(random, items, n, 2);
}

}  // namespace perf
