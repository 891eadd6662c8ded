#pragma once

// The shuffle of one thread:
//   R. Durstenfeld, "Algorithm 235: random permutation", Commun. ACM 7 (1964); D. E. Knuth, "The Art of
//   Computer Programming", vol. 2, section 3.4.2, algorithm P (after R. A. Fisher and F. Yates, 1938),
// with as many indices from a random word as it has bits for (detail/batched_indices.hpp).

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/batched_indices.hpp>
#include <riffle/detail/word_stream.hpp>
#include <riffle/philox.hpp>

namespace riffle {

namespace detail {

/// Count exchanges for each random word, while `left` items or more are left; returns how many are.
template <int Count, class Random, class Exchange>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t exchange_down_to(Random& random, std::uint64_t fewest,
                                                           std::uint64_t left,
                                                           Exchange const& exchange) {
  std::uint64_t indices[Count];
  while (left >= fewest) {
    draw_indices(random, left, indices);
    for (int k = 0; k < Count; ++k) exchange(--left, indices[k]);
  }
  return left;
}

/// Each count from the bounds on whose product it leaves so far below 2^64 that hardly a word is refused.
template <class Random, class Exchange>
KOKKOS_INLINE_FUNCTION void exchange_all(Random& random, std::uint64_t n,
                                         Exchange const& exchange) {
  n = exchange_down_to<1>(random, (std::uint64_t{1} << 30) + 1, n, exchange);
  n = exchange_down_to<2>(random, (std::uint64_t{1} << 19) + 1, n, exchange);
  n = exchange_down_to<3>(random, (std::uint64_t{1} << 14) + 1, n, exchange);
  n = exchange_down_to<4>(random, (std::uint64_t{1} << 11) + 1, n, exchange);
  n = exchange_down_to<5>(random, (std::uint64_t{1} << 9) + 1, n, exchange);
  n = exchange_down_to<6>(random, 7, n, exchange);
  exchange_down_to<1>(random, 2, n, exchange);
}

}  // namespace detail

/// Calls exchange(i, j) for i = n - 1, ..., 1, with j independent and uniform in 0, ..., i. Exchanging the
/// elements i and j of an array each time shuffles it: all n! orders are equally likely.
///
/// By one thread of any kernel, or on the host: many small shuffles at once, a stream each. The indices
/// are a function of (n, seed, stream). n - 1 calls and, for n of 512 / 2^14 / 2^19 / 2^30, a random word
/// for every 6 / 4 / 3 / 2 of them; no memory.
template <class Exchange>
KOKKOS_FUNCTION void fisher_yates_exchanges(std::uint64_t n, std::uint64_t seed,
                                            std::uint64_t stream, Exchange const& exchange) {
  KOKKOS_IF_ON_HOST((detail::VectorWordStream random(seed, stream, detail::Purpose::fisher_yates);
                     detail::exchange_all(random, n, exchange);))
  KOKKOS_IF_ON_DEVICE((detail::WordStream random(seed, stream, detail::Purpose::fisher_yates);
                       detail::exchange_all(random, n, exchange);))
}

/// Shuffles items[0], ..., items[n - 1], by one thread of any kernel or on the host.
///
/// - items: a pointer, a rank-1 View, or whatever has [] and elements that can be moved.
/// - seed, stream: shuffles of different streams are independent. The permutation is a function of
///   (n, seed, stream), the same on every back end.
template <class Items>
KOKKOS_FUNCTION void fisher_yates(Items const& items, std::uint64_t n, std::uint64_t seed,
                                  std::uint64_t stream = 0) {
  fisher_yates_exchanges(n, seed, stream, [&](std::uint64_t i, std::uint64_t j) {
    auto const item = items[i];
    items[i] = items[j];
    items[j] = item;
  });
}

}  // namespace riffle
