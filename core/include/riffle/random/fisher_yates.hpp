#pragma once

// Shuffles a few elements by one thread:
//   R. Durstenfeld, "Algorithm 235: random permutation", Commun. ACM 7 (1964); D. E. Knuth, "The Art of
//   Computer Programming", vol. 2, section 3.4.2, algorithm P (after R. A. Fisher and F. Yates, 1938).
// Several indices are drawn from each random word (random/detail/index_stream.hpp).

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

/// `count` indices are drawn from one random word while more than this number of items is left, for count = 1, ..., 6.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t end_of_batches(int count) {
  constexpr std::uint64_t ends[] = {1u << 30, 1u << 19, 1u << 14, 1u << 11, 1u << 9, 6};
  return ends[count - 1];
}

/// While at least Fewest items are left, draws Count indices from one random word and makes Count swaps. Returns the
/// number of items left. There are at most Most items. If Most < Fewest, the loop is not compiled, because compilers
/// would warn that it accesses elements after the end of an array.
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

/// Makes all swaps of a shuffle of n items. Count indices are drawn from one random word, where Count depends on the
/// number of items left. It is the largest number for which the product of the bounds of the indices is so far below
/// 2^64 that words are rarely rejected. Requires n <= Most.
template <std::uint64_t Most, class Random, class Exchange>
KOKKOS_INLINE_FUNCTION void exchange_all(Random& random, std::uint64_t n,
                                         Exchange const& exchange) {
  n = exchange_down_to<Most, 1, end_of_batches(1) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 2, end_of_batches(2) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 3, end_of_batches(3) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 4, end_of_batches(4) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 5, end_of_batches(5) + 1>(random, n, exchange);
  n = exchange_down_to<Most, 6, end_of_batches(6) + 1>(random, n, exchange);
  exchange_down_to<Most, 1, 2>(random, n, exchange);
}

/// Returns how many words exchange_all draws for n items if no word is rejected.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t words_of_exchanges(std::uint64_t n) {
  std::uint64_t words = 0;
  for (int count = 1; count <= 6; ++count) {
    std::uint64_t const end = end_of_batches(count);
    auto const indices = static_cast<std::uint64_t>(count);
    std::uint64_t const drawn = n > end ? (n - end + indices - 1) / indices : 0;
    words += drawn;
    n -= drawn * indices;
  }
  return words + (n > 1 ? n - 1 : 0);
}

/// The value of Most that permits any n.
inline constexpr std::uint64_t any_size = std::numeric_limits<std::uint64_t>::max();

/// Implements fisher_yates_exchanges(n, seed, stream, exchange). Requires n <= Most.
template <std::uint64_t Most, class Exchange>
KOKKOS_FUNCTION void exchange_at_random(std::uint64_t n, std::uint64_t seed, std::uint64_t stream,
                                        Exchange const& exchange) {
  KOKKOS_IF_ON_HOST((VectorWordStream random(seed, stream, Purpose::fisher_yates);
                     exchange_all<Most>(random, n, exchange);))
  KOKKOS_IF_ON_DEVICE((WordStream random(seed, stream, Purpose::fisher_yates);
                       exchange_all<Most>(random, n, exchange);))
}

}  // namespace detail

/// Calls exchange(i, j) for i = n - 1, ..., 1, where the j are independent and j is uniform on 0, ..., i. If each call
/// swaps elements i and j of an array, the array is shuffled: all n! orders are equally likely.
///
/// May be called by one thread of any kernel, or on the host, for example for many small shuffles, each with a stream
/// of its own. The indices are a function of (n, seed, stream).
///
/// Complexity: n - 1 calls of exchange. Memory: none. One random word serves one call for i < 6; for larger i, the
/// number of calls per word depends on i:
///
///     i less than        2^9   2^11   2^14   2^19   2^30   2^64
///     calls per word     6     5      4      3      2      1
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

/// The number of items if their type determines it, otherwise any_size.
template <class Items>
inline constexpr std::uint64_t max_items = any_size;
template <class T, std::size_t N>
inline constexpr std::uint64_t max_items<T[N]> = N;
template <class T, std::size_t N>
inline constexpr std::uint64_t max_items<Kokkos::Array<T, N>> = N;

/// Ranges with a size that can be indexed on the host only: std::vector, std::array, std::span.
template <class Items>
concept HostRange =
    std::ranges::contiguous_range<Items> && !std::is_array_v<std::remove_reference_t<Items>> &&
    !is_kokkos_array<std::remove_cvref_t<Items>>;

/// Swaps items[i] and items[j] by moving them.
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
    // A type need not support moving an object to itself.
    if constexpr (!std::is_trivially_copyable_v<Item>) {
      if (i == j) return;
    }
    Item item = static_cast<Item&&>(items[i]);
    items[i] = static_cast<Item&&>(items[j]);
    items[j] = static_cast<Item&&>(item);
  }
};

}  // namespace detail

/// Shuffles items[0], ..., items[n - 1]. May be called by one thread of any kernel, or on the host.
///
/// - items: a pointer, an array such as `int cards[12]`, a Kokkos::Array, a rank-1 View, or an
///   object whose operator[] can be called in kernels and returns references to elements that can
///   be moved.
/// - n: the number of items to shuffle.
/// - seed, stream: shuffles with different streams are independent. The permutation is a function of (n, seed, stream),
///   the same on every back end.
///
/// Requires: n is at most the number of items. This is not checked, because a kernel cannot throw.
template <class Items>
KOKKOS_FUNCTION void fisher_yates(Items&& items, std::uint64_t n, std::uint64_t seed,
                                  std::uint64_t stream = 0) {
  using All = std::remove_reference_t<Items>;
  detail::exchange_at_random<detail::max_items<All>>(n, seed, stream,
                                                     detail::ExchangeItems<All>{items});
}

/// Overload for std::vector, std::array and std::span, on the host only. Throws
/// std::invalid_argument if n is greater than the size; nothing is swapped then.
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
