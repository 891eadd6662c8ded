#pragma once

// --- GPU ---
//
// Which sort of a GPU is for how many elements (measured on an H200: docs/performance.md, perf/notes/sort.md). A sort of
// numbers takes the first line that holds. Sizes without a line, and data that splitters do not divide evenly, go by CUB's
// radix sort.
//
// | sort | numbers | numbers with values, or with their indices |
// | --- | --- | --- |
// | by ranks | max_by_ranks | max_by_ranks |
// | by parts: splitters of one level | max_one_level | max_pairs_one_level |
// | by estimates: splitters of two levels, 8 bytes | max_two_levels | max_pairs_two_levels, values of up to 4 bytes |
//
// The code is in detail/gpu/by_ranks.hpp and, in a file for each of the others, in detail/gpu/samplesort/. Data that have no
// codes, by a comparison, go by merges, whatever their number.

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace riffle::detail::sort {

/// The rank of each is counted: in one launch up to 4096, in two up to this number.
inline constexpr std::uint64_t max_by_ranks = std::uint64_t{1} << 14;

/// A byte is one digit: one team of the vendor's sort takes no longer than a launch for so many.
inline constexpr std::uint64_t max_bytes_by_one_team = 4096;

/// In four launches, without a fence. Numbers of 4 bytes have half as many digits, so that the vendor's sort is as fast for
/// many; numbers of fewer bytes are left to it.
template <class T>
inline constexpr std::uint64_t max_one_level =
    sizeof(T) < 4 ? 0
                  : std::uint64_t{1} << (sizeof(T) == 4 && std::is_floating_point_v<T> ? 21 : 20);
template <class T>
inline constexpr std::uint64_t max_pairs_one_level = sizeof(T) < 4
                                                         ? 0
                                                         : std::uint64_t{1}
                                                               << (sizeof(T) == 4 ? 19 : 20);

/// In two levels, with a fence: 1.5 times as fast as the vendor's sort, or more, for numbers of 8 bytes, but not for others.
template <class T>
inline constexpr std::uint64_t max_two_levels = sizeof(T) == 8 ? std::uint64_t{1} << 30 : 0;
template <class T, class Value>
inline constexpr std::uint64_t max_pairs_two_levels = sizeof(T) == 8 && sizeof(Value) <= 4
                                                          ? std::uint64_t{1} << 26
                                                          : 0;

/// Of parts of the average size of a sort of two levels there is one in a thousand that scratch memory does not hold. To
/// sort it takes longer than all others together, unless these are many; up to this number, parts have half of that size.
inline constexpr std::uint64_t max_with_small_parts = std::uint64_t{1} << 22;

/// From so many keys of 64 bits on, with their indices, sorting by fewer bits is worth waiting for which of them matter.
inline constexpr std::uint64_t min_by_few_bits = std::uint64_t{1} << 21;

/// The number of elements from which on their places are further apart than a GPU's cache has room for.
inline constexpr std::uint64_t min_by_windows = std::uint64_t{1} << 22;
/// The bits of a window of consecutive places that are written together.
inline constexpr int window_bits = 20;

}  // namespace riffle::detail::sort

// --- CPU ---
//
// Each size was measured against its half and its double, or its neighbours, by one thread of a Xeon (g++ 14 -O3) that
// sorts 1000 to 8 million random doubles and 32-bit integers, their indices, and integers by a comparison. Factors say how
// much longer the others take. How many chunks and buckets a thread has was not measured: the last thread to end is to be
// waited for briefly.

namespace riffle::detail::sort {

/// A thread sorts a bucket by digits of as many bits as it takes for somewhat more slots than items, at most so many. (12
/// bits: 1.1 to 1.9 from 16,000 elements on; 16 bits: the same.)
inline constexpr int max_digit_bits = 14;

/// Slots of so many items are sorted by insertion, more by another digit. (16: 1.05 to 1.15 for 1000 and 16,000 doubles or
/// indices; 8: 1.1 to 1.3; 32: the same there, 1.02 for a million.)
inline constexpr std::uint32_t max_insertion_sorted = 24;

/// So many elements are sorted by the caller as one bucket, more are split. (One thread: 2^14 1.3 to 1.9 for 40,000
/// elements. Several threads: 2^12 1.3 to 2 for 16,000, even for one of them.)
constexpr std::uint64_t max_on_calling_thread(std::uint64_t threads) {
  return std::uint64_t{1} << (threads == 1 ? 16 : 14);
}

/// The items of a bucket on average (2^11: up to 1.2 from a million elements on; 2^15: 1.1 to 1.2), and the least number
/// where each thread is to have some buckets.
inline constexpr std::uint64_t bucket_size = std::uint64_t{1} << 13;
inline constexpr std::uint64_t min_bucket_size = std::uint64_t{1} << 10;

/// The most buckets that are asked for. (2^10: up to 1.06; 2^12: the same.)
inline constexpr std::size_t max_wanted_buckets = std::size_t{1} << 11;

/// The sampled keys for each bucket (4: up to 1.05; 16: up to 1.05), and the logarithm of the bins that they are counted in
/// (9: up to 1.08).
inline constexpr std::size_t samples_per_bucket = 8;
inline constexpr int bucket_bin_bits = 11;

/// The items of a bucket for which a thread has memory of its own, which stays in its cache. (2^13: up to 1.08.)
inline constexpr std::size_t max_in_thread_memory = std::size_t{1} << 16;

/// A thread has so many chunks to split, of so many elements at least, and as many buckets at least.
inline constexpr std::uint64_t split_chunks_per_thread = 4;
inline constexpr std::uint64_t min_split_chunk_size = std::uint64_t{1} << 14;

/// From so many elements on, two chunks, it is looked at whether they are sorted.
inline constexpr std::uint64_t min_checked_if_sorted = 2 * min_split_chunk_size;

/// Sorts by a comparison: the items that are sorted by insertion (16: 1.06 from 16,000 elements on; 8: 1.07), and those of
/// a thread's chunk or merge, at least.
inline constexpr std::uint64_t insertion_run_size = 32;
inline constexpr std::uint64_t min_merge_chunk_size = 4096;

}  // namespace riffle::detail::sort

namespace riffle::detail::partition {

/// The rows of a chunk whose labels a thread counts, at least, and how many chunks a thread has.
inline constexpr std::uint64_t min_chunk_size = std::uint64_t{1} << 12;
inline constexpr std::uint64_t chunks_per_thread = 4;

}  // namespace riffle::detail::partition
