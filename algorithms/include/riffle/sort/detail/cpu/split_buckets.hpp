#pragma once

// Items written to their buckets, chunk by chunk (part of
// riffle/sort/detail/cpu/by_digits.hpp)

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/primitives/loops.hpp>
#include <riffle/sort/detail/cpu/bucket_table.hpp>
#include <riffle/sort/detail/cpu/digit_sources.hpp>

namespace riffle::detail::sort {

/// counts[chunk * buckets + b]: how many of a chunk's elements belong in bucket b.
template <class Item, class Count>
struct CountBuckets {
  ItemSource<Item, Count> source;
  Chunks chunks;
  BucketOf<typename Item::Word> bucket_of;
  std::size_t buckets;
  Count* counts;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((count(chunk);))
  }

 private:
  void count(std::uint64_t chunk) const {
    Count* const own = counts + chunk * buckets;
    std::fill_n(own, buckets, Count{0});
    source.count(chunks.begin(chunk), chunks.begin(chunk + 1), bucket_of, own);
  }
};

/// The counts of all chunks in the order of places: bucket by bucket, and for a bucket chunk by chunk.
template <class Count>
struct CountsByBucket {
  Count* counts;
  std::uint64_t chunks;
  std::uint64_t buckets;

  KOKKOS_FUNCTION Count& at(std::uint64_t i) const {
    return counts[(i % chunks) * buckets + i / chunks];
  }
  KOKKOS_FUNCTION Count operator()(std::uint64_t i) const { return at(i); }
};

/// Replaces the counts by places.
template <class Count>
struct PlacesByBucket {
  CountsByBucket<Count> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Count before) const { counts.at(i) = before; }
};

/// Writes each element to the next place of its chunk in its bucket.
template <class Item, class Count>
struct WriteBuckets {
  ItemSource<Item, Count> source;
  Chunks chunks;
  BucketOf<typename Item::Word> bucket_of;
  std::size_t buckets;
  Count* places;
  Item* to;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((source.split(chunks.begin(chunk), chunks.begin(chunk + 1), bucket_of,
                                    places + chunk * buckets, to);))
  }
};

}  // namespace riffle::detail::sort
