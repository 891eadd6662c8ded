#pragma once

// --- GPU ---
//
// The largest number of elements for each algorithm of a GPU, measured on an H200
// (docs/performance.md, perf/notes/sort.md). Numbers are sorted by the first algorithm of this
// table whose bound is not exceeded. CUB's radix sort takes the other sizes, and data that
// splitters do not divide evenly.
//
// | algorithm | numbers | numbers with values, or with their indices | code |
// | --- | --- | --- | --- |
// | by ranks | max_by_ranks | max_by_ranks | detail/gpu/by_ranks.hpp |
// | samplesort of one level | max_one_level | max_pairs_one_level | .../samplesort/one_level.hpp |
// | samplesort of two levels | max_two_levels | max_pairs_two_levels | .../samplesort/two_levels.hpp |
//
// Data without codes, and data that a caller's comparison orders, are merged, for any number of
// elements (detail/gpu/merge_sort_gpu.hpp).

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace riffle::detail::sort {

/// By ranks: one launch up to 4096 elements, two up to this bound.
inline constexpr std::uint64_t max_by_ranks = std::uint64_t{1} << 14;

/// Up to this many 1-byte numbers, CUB's sort by one team takes no longer than a launch: a byte is
/// one digit.
inline constexpr std::uint64_t max_bytes_by_one_team = 4096;

/// Samplesort of one level: four launches, no fence. Numbers of 4 bytes have 4 digits for CUB,
/// numbers of 8 bytes 8, so CUB is faster from a smaller n on. Smaller numbers are always left to
/// CUB.
template <class T>
inline constexpr std::uint64_t max_one_level =
    sizeof(T) < 4 ? 0
                  : std::uint64_t{1} << (sizeof(T) == 4 && std::is_floating_point_v<T> ? 21 : 20);
template <class T>
inline constexpr std::uint64_t max_pairs_one_level = sizeof(T) < 4
                                                         ? 0
                                                         : std::uint64_t{1}
                                                               << (sizeof(T) == 4 ? 19 : 20);

/// Samplesort of two levels: one fence. It beats CUB by 1.5 or more for numbers of 8 bytes, but not
/// for smaller ones.
template <class T>
inline constexpr std::uint64_t max_two_levels = sizeof(T) == 8 ? std::uint64_t{1} << 30 : 0;
template <class T, class Value>
inline constexpr std::uint64_t max_pairs_two_levels = sizeof(T) == 8 && sizeof(Value) <= 4
                                                          ? std::uint64_t{1} << 26
                                                          : 0;

/// Samplesort of two levels: about one part in a thousand is too large for scratch memory if parts
/// have the usual average size, and sorting it would take longer than all others together unless
/// these are many. Up to this number of elements, parts have half the usual average size.
inline constexpr std::uint64_t max_with_small_parts = std::uint64_t{1} << 22;

/// From this many 64-bit keys with indices on, a fence that finds which bits vary is worth it,
/// since CUB then sorts by fewer bits.
inline constexpr std::uint64_t min_by_few_bits = std::uint64_t{1} << 21;

/// From this many elements on, writes to random places do not stay in a GPU's cache, so numbers are
/// sorted by window before they are written to their places.
inline constexpr std::uint64_t min_by_windows = std::uint64_t{1} << 22;
/// A window has 2^window_bits consecutive places.
inline constexpr int window_bits = 20;

}  // namespace riffle::detail::sort

// --- CPU ---
//
// Measured against half and twice the value, or the neighbouring values, by one thread of a Xeon;
// perf/notes/sort.md has the factors. The numbers of chunks and of buckets per thread were not
// measured: they only keep the wait for the last thread short.

namespace riffle::detail::sort {

/// A thread sorts a bucket by digits with somewhat more values than the bucket has items, and at
/// most this many bits.
inline constexpr int max_digit_bits = 14;

/// Slots of up to this many items are sorted by insertion; larger ones by a further digit.
inline constexpr std::uint32_t max_insertion_sorted = 24;

/// Up to this many elements are sorted by the calling thread as one bucket.
constexpr std::uint64_t max_on_calling_thread(std::uint64_t threads) {
  return std::uint64_t{1} << (threads == 1 ? 16 : 14);
}

/// The average number of items of a bucket, and the least average where each thread is to have
/// several buckets.
inline constexpr std::uint64_t bucket_size = std::uint64_t{1} << 13;
inline constexpr std::uint64_t min_bucket_size = std::uint64_t{1} << 10;

/// The largest number of buckets that is asked for; a BucketTable may make up to three times as
/// many.
inline constexpr std::size_t max_wanted_buckets = std::size_t{1} << 11;

/// The number of sampled keys per bucket, and the logarithm of the number of bins in which they are
/// counted.
inline constexpr std::size_t samples_per_bucket = 8;
inline constexpr int bucket_bin_bits = 11;

/// Each thread has memory of its own for buckets of up to this many items. It is used again and
/// again, so it stays in the thread's cache.
inline constexpr std::size_t max_in_thread_memory = std::size_t{1} << 16;

/// The number of chunks per thread, which is also the least number of buckets per thread, and the
/// least number of elements of a chunk.
inline constexpr std::uint64_t split_chunks_per_thread = 4;
inline constexpr std::uint64_t min_split_chunk_size = std::uint64_t{1} << 14;

/// From this many elements on, which are two chunks, it is tested whether the elements are already
/// sorted.
inline constexpr std::uint64_t min_checked_if_sorted = 2 * min_split_chunk_size;

/// Merge sorts: the size of runs that are sorted by insertion, and the least number of items of a
/// thread's chunk or part of a merge.
inline constexpr std::uint64_t insertion_run_size = 32;
inline constexpr std::uint64_t min_merge_chunk_size = 4096;

}  // namespace riffle::detail::sort

namespace riffle::detail::partition {

/// Partitions by label: the least number of rows of a chunk, and the number of chunks per thread.
inline constexpr std::uint64_t min_chunk_size = std::uint64_t{1} << 12;
inline constexpr std::uint64_t chunks_per_thread = 4;

}  // namespace riffle::detail::partition
