#pragma once

// A stable sort by any comparison, of indices or of values, on a CPU: each chunk by one thread, then merges of two and
// two, each in as many parts as there are threads for it (S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge
// path - parallel merging made simple", 2012).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include <riffle/detail/range.hpp>
#include <riffle/order.hpp>

namespace riffle::detail::sort {

/// Whether element a of a View is before element b. In numerical orders, NaNs are before or behind all numbers.
template <class View, class Order>
struct IsBefore {
  View view;
  Order order;
  bool has_nans_first;

  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index const& a, Index const& b) const {
    if constexpr (is_numerical_order<Order>) {
      bool const a_missing = is_missing(view(a));
      if (a_missing != is_missing(view(b))) return a_missing == has_nans_first;
    }
    return static_cast<bool>(order(view(a), view(b)));
  }
};

/// Whether a value is before another, as IsBefore has it for elements.
template <class T, class Order>
struct IsValueBefore {
  Order order;

  KOKKOS_FUNCTION bool operator()(T const& a, T const& b) const {
    if constexpr (is_numerical_order<Order>) {
      if (is_missing(a) != is_missing(b)) return is_missing(b);
    }
    return static_cast<bool>(order(a, b));
  }
};

/// What is there first.
enum class Content { values, indices_to_make };

/// Sorts the items of each chunk.
template <Content content, class Item, class Before>
struct SortChunks {
  Item* items;
  std::uint64_t n;
  std::uint64_t chunk_size;
  Before before;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((sort(chunk);))
  }

 private:
  void sort(std::uint64_t chunk) const {
    std::uint64_t const begin = std::min(n, chunk * chunk_size);
    std::uint64_t const end = std::min(n, begin + chunk_size);
    if constexpr (content == Content::indices_to_make) {
      std::iota(items + begin, items + end, static_cast<Item>(begin));
    }
    std::stable_sort(items + begin, items + end, before);
  }
};

/// Merges runs of `run_size` two and two; a part is `part_size` elements of the result, which divides 2 run_size.
template <class Item, class Before>
struct MergeRuns {
  Item const* from;
  Item* to;
  std::uint64_t n;
  std::uint64_t run_size;
  std::uint64_t part_size;
  Before before;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t part) const {
    KOKKOS_IF_ON_HOST((merge(part);))
  }

 private:
  void merge(std::uint64_t part) const {
    std::uint64_t const out = part * part_size;
    std::uint64_t const left = out / (2 * run_size) * (2 * run_size);
    std::uint64_t const right = std::min(n, left + run_size);
    std::uint64_t const end = std::min(n, right + run_size);
    std::uint64_t const first = out - left;
    std::uint64_t const last = std::min(end - left, first + part_size);
    std::uint64_t const l0 = from_left(left, right, end, first);
    std::uint64_t const l1 = from_left(left, right, end, last);
    std::merge(from + left + l0, from + left + l1, from + right + (first - l0),
               from + right + (last - l1), to + out, before);
  }

  /// Of the first `count` elements of a merge, how many are the left run's.
  std::uint64_t from_left(std::uint64_t left, std::uint64_t right, std::uint64_t end,
                          std::uint64_t count) const {
    std::uint64_t const others = end - right;
    std::uint64_t low = count > others ? count - others : 0;
    std::uint64_t high = std::min(count, right - left);
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      // Of ties the left one comes first.
      if (before(from[right + (count - middle - 1)], from[left + middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// Chunks, and so runs, double until one is all.
inline std::uint64_t merge_chunk_size(std::uint64_t n, std::uint64_t threads) {
  constexpr std::uint64_t fewest = 4096;
  std::uint64_t const chunks = std::bit_ceil(threads == 1 ? threads : 4 * threads);
  return std::max(fewest, std::bit_ceil((n + chunks - 1) / chunks));
}

/// n > 0 items in order: at `items`, or at `spare`, which has as many. Indices to make are those of the n elements.
template <Content content, class Exec, class Item, class Before>
Item* sort_by_merges(std::string const& label, Exec const& exec, std::uint64_t n, Item* items,
                     Item* spare, Before const& before) {
  std::uint64_t const chunk_size =
      merge_chunk_size(n, static_cast<std::uint64_t>(exec.concurrency()));
  std::uint64_t const chunks = (n + chunk_size - 1) / chunk_size;
  Kokkos::parallel_for(label + "::chunks", dynamic_range(exec, 0, chunks),
                       SortChunks<content, Item, Before>{items, n, chunk_size, before});
  for (std::uint64_t run_size = chunk_size; run_size < n; run_size *= 2) {
    Kokkos::parallel_for(label + "::merge", dynamic_range(exec, 0, chunks),
                         MergeRuns<Item, Before>{items, spare, n, run_size, chunk_size, before});
    std::swap(items, spare);
  }
  return items;
}

}  // namespace riffle::detail::sort
