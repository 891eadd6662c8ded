#pragma once

// The shuffle of one thread:
//   R. Durstenfeld, "Algorithm 235: random permutation", Commun. ACM 7 (1964); D. E. Knuth, "The Art of
//   Computer Programming", vol. 2, section 3.4.2, algorithm P (after R. A. Fisher and F. Yates, 1938),
// with as many indices from a random word as it has bits for (random/detail/index_stream.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>

#include <riffle/errors.hpp>
#include <riffle/random/detail/index_stream.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>

namespace riffle {

namespace detail {

/// Count exchanges for each random word, while Fewest items or more are left; returns how many are. There are Most items
/// at most: where that is fewer there is no loop, which a compiler would take for one beyond an array's end.
template <std::uint64_t Most, int Count, std::uint64_t Fewest, class Random, class Exchange>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t exchange_down_to(Random& random, std::uint64_t left,
                                                           Exchange const& exchange) {
  if constexpr (Most >= Fewest) {
    std::uint64_t indices[Count];
    while (left >= Fewest) {
      draw_indices(random, left, indices);
      for (int k = 0; k < Count; ++k) exchange(--left, indices[k]);
    }
  }
  return left;
}

/// Each count from the bounds on whose product it leaves so far below 2^64 that hardly a word is refused. n <= Most.
template <std::uint64_t Most, class Random, class Exchange>
KOKKOS_INLINE_FUNCTION void exchange_all(Random& random, std::uint64_t n,
                                         Exchange const& exchange) {
  n = exchange_down_to<Most, 1, (std::uint64_t{1} << 30) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 2, (std::uint64_t{1} << 19) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 3, (std::uint64_t{1} << 14) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 4, (std::uint64_t{1} << 11) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 5, (std::uint64_t{1} << 9) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 6, 7>(random, n, exchange);
  exchange_down_to<Most, 1, 2>(random, n, exchange);
}

/// For any n.
inline constexpr std::uint64_t any_size = std::numeric_limits<std::uint64_t>::max();

/// fisher_yates_exchanges(n, seed, stream, exchange) with n <= Most.
template <std::uint64_t Most, class Exchange>
KOKKOS_FUNCTION void exchange_at_random(std::uint64_t n, std::uint64_t seed, std::uint64_t stream,
                                        Exchange const& exchange) {
  KOKKOS_IF_ON_HOST((VectorWordStream random(seed, stream, Purpose::fisher_yates);
                     exchange_all<Most>(random, n, exchange);))
  KOKKOS_IF_ON_DEVICE((WordStream random(seed, stream, Purpose::fisher_yates);
                       exchange_all<Most>(random, n, exchange);))
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
  detail::exchange_at_random<detail::any_size>(n, seed, stream, exchange);
}

template <class... Arguments>
requires detail::LoseAFraction<Arguments...>
void fisher_yates_exchanges(Arguments const&...) = delete;

namespace detail {

template <class T>
inline constexpr bool is_kokkos_array = false;
template <class T, std::size_t N>
inline constexpr bool is_kokkos_array<Kokkos::Array<T, N>> = true;

/// How many items there are, where their type tells.
template <class Items>
inline constexpr std::uint64_t max_items = any_size;
template <class T, std::size_t N>
inline constexpr std::uint64_t max_items<T[N]> = N;
template <class T, std::size_t N>
inline constexpr std::uint64_t max_items<Kokkos::Array<T, N>> = N;

/// What only the host can index and knows its size: std::vector, std::array, std::span.
template <class Items>
concept HostRange =
    std::ranges::contiguous_range<Items> && !std::is_array_v<std::remove_reference_t<Items>> &&
    !is_kokkos_array<std::remove_cvref_t<Items>>;

/// Exchanges items[i] and items[j] by moving them.
template <class Items>
struct ExchangeItems {
  using Reference = decltype(std::declval<Items&>()[std::uint64_t{}]);
  using Item = std::remove_reference_t<Reference>;
  static_assert(
      std::is_lvalue_reference_v<Reference>,
      "riffle: fisher_yates: items[i] must be a reference to an element, not a stand-in for one");
  static_assert(!std::is_const_v<Item>, "riffle: fisher_yates: items must not be const");

  Items& items;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t j) const {
    // Whether an item may be moved to itself is its type's affair.
    if constexpr (!std::is_trivially_copyable_v<Item>) {
      if (i == j) return;
    }
    Item item = static_cast<Item&&>(items[i]);
    items[i] = static_cast<Item&&>(items[j]);
    items[j] = static_cast<Item&&>(item);
  }
};

}  // namespace detail

/// Shuffles items[0], ..., items[n - 1], by one thread of any kernel or on the host.
///
/// - items: a pointer, an array such as `int cards[12]`, a Kokkos::Array, a rank-1 View, or whatever has [] that
///   kernels can call and gives references to elements that can be moved.
/// - n: at most as many as there are items, which is not checked, as a kernel cannot throw.
/// - seed, stream: shuffles of different streams are independent. The permutation is a function of
///   (n, seed, stream), the same on every back end.
template <class Items>
KOKKOS_FUNCTION void fisher_yates(Items&& items, std::uint64_t n, std::uint64_t seed,
                                  std::uint64_t stream = 0) {
  using All = std::remove_reference_t<Items>;
  detail::exchange_at_random<detail::max_items<All>>(n, seed, stream,
                                                     detail::ExchangeItems<All>{items});
}

/// Shuffles items[0], ..., items[n - 1] of a std::vector, std::array or std::span, on the host alone, as fisher_yates of a
/// pointer to them. Throws std::invalid_argument where n is more than its size; nothing is exchanged then.
template <detail::HostRange Range>
void fisher_yates(Range&& items, std::uint64_t n, std::uint64_t seed, std::uint64_t stream = 0) {
  auto const size = static_cast<std::uint64_t>(std::ranges::size(items));
  detail::check(n <= size, "fisher_yates", "n = ", n, ": must be at most items.size() = ", size);
  fisher_yates(std::ranges::data(items), n, seed, stream);
}

template <class Items, class... Numbers>
requires detail::LoseAFraction<Numbers...>
void fisher_yates(Items&&, Numbers const&...) = delete;

}  // namespace riffle
