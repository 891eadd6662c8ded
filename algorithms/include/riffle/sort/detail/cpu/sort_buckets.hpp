#pragma once

// Buckets that fit a cache, sorted by one thread each and handed on (part of
// riffle/sort/detail/cpu/by_digits.hpp)

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/primitives/loops.hpp>
#include <riffle/sort/detail/cpu/bucket.hpp>
#include <riffle/sort/detail/cpu/digit_sources.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// The memory that each thread has to itself.
template <class Item>
struct OwnMemory {
  static constexpr std::size_t max_items = max_in_own_memory;

  Item items[max_items];
  std::uint32_t counts[BucketSort<Item>::max_counts];
};

/// Sorts buckets that are not too large, each by the thread that is free next, and hands them on to `use`.
template <class Item, class Count>
struct SortBuckets {
  Count const* ends;
  std::size_t buckets;
  std::uint64_t largest;
  Item* items;
  Item* others;
  std::uint64_t first;
  OwnMemory<Item>* memory;
  std::uint64_t* next;
  BucketUse<Item> use;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t worker) const {
    KOKKOS_IF_ON_HOST((sort_next(memory[worker]);))
  }

 private:
  void sort_next(OwnMemory<Item>& own) const {
    for (auto b = take(); b < buckets; b = take()) {
      std::uint64_t const begin = b == 0 ? 0 : ends[b - 1];
      std::uint64_t const count = ends[b] - begin;
      if (count == 0 || count > largest) continue;
      // The thread's own memory is written again and again, and so stays in the cache.
      Item* const other = count <= own.max_items ? own.items : others + begin;
      Item* const sorted = BucketSort<Item>(own.counts).sort(items + begin, other, count);
      use.bucket(first + begin, sorted, count, sorted == other ? items + begin : other);
    }
  }

  std::uint64_t take() const { return Kokkos::atomic_fetch_add(next, std::uint64_t{1}); }
};

/// Sorts few elements, by one thread.
template <class Item, class Count>
struct SortAtOnce {
  ItemSource<Item, Count> source;
  std::uint64_t n;
  Item* items;
  Item* others;
  std::uint32_t* counts;
  BucketUse<Item> use;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const { KOKKOS_IF_ON_HOST((run();)) }

  void run() const {
    source.copy(n, items);
    Item* const sorted = BucketSort<Item>(counts).sort(items, others, n);
    use.bucket(0, sorted, n, sorted == others ? items : others);
  }
};

/// Hands on items that are all tied, chunk by chunk.
template <class Item>
struct UseTied {
  Item const* items;
  Chunks chunks;
  std::uint64_t first;
  BucketUse<Item> use;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((run(chunk);))
  }

 private:
  void run(std::uint64_t chunk) const {
    std::uint64_t const begin = chunks.begin(chunk);
    use.tied(first + begin, items + begin, chunks.begin(chunk + 1) - begin, first,
             first + chunks.n);
  }
};

}  // namespace riffle::detail::sort
