#pragma once

// Items written to their buckets, chunk by chunk (part of
// riffle/sort/detail/cpu/by_digits.hpp)

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/primitives/chunks.hpp>
#include <riffle/sort/detail/cpu/bucket_table.hpp>
#include <riffle/sort/detail/cpu/digit_sources.hpp>

namespace riffle::detail::sort {

/// counts[chunk * buckets + b]: how many of a chunk's elements belong in bucket b.
template <class Source, class Count>
struct CountBuckets {
  Source source;
  Chunks chunks;
  BucketOf<typename Source::Word> bucket_of;
  std::size_t buckets;
  Count* counts;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((count(chunk);))
  }

 private:
  void count(std::uint64_t chunk) const {
    auto const own_bucket_of = bucket_of;
    Count* const own = counts + chunk * buckets;
    std::fill_n(own, buckets, Count{0});
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t i = chunks.begin(chunk); i < end; ++i) ++own[own_bucket_of(source.word(i))];
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
template <class Source, class Count, class Item>
struct WriteBuckets {
  Source source;
  Chunks chunks;
  BucketOf<typename Source::Word> bucket_of;
  std::size_t buckets;
  Count* places;
  Item* to;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((write(chunk);))
  }

 private:
  void write(std::uint64_t chunk) const {
    auto const own_bucket_of = bucket_of;
    Item* const own_to = to;
    Count* const own = places + chunk * buckets;
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t i = chunks.begin(chunk); i < end; ++i) {
      std::uint32_t const bucket = own_bucket_of(source.word(i));
      own_to[own[bucket]++] = source(i);
    }
  }
};

}  // namespace riffle::detail::sort
