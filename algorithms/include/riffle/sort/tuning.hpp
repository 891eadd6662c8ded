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
// | one-level samplesort | max_one_level | max_pairs_one_level | .../samplesort/one_level.hpp |
// | two-level samplesort | max_two_levels | max_pairs_two_levels | .../samplesort/two_levels.hpp |
//
// Data without codes, and data that a caller's comparison orders, take a merge sort for any number
// of elements (detail/gpu/merge_sort_gpu.hpp).

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace riffle::detail::sort {

/// The bound for sorts by ranks, which take one launch for up to 4096 elements and two launches for
/// more.
inline constexpr std::uint64_t max_by_ranks = std::uint64_t{1} << 14;

/// Up to this number of 1-byte numbers, CUB's radix sort launches a single block, which takes about
/// as long as any launch, because a byte is one digit.
inline constexpr std::uint64_t max_bytes_by_one_team = 4096;

/// The bounds for one-level samplesort, which takes four launches and no fence. CUB's radix sort
/// takes one pass per byte of a number, so it is faster for numbers of few bytes. Therefore CUB
/// sorts numbers of 4 bytes above these bounds, and smaller numbers always.
template <class T>
inline constexpr std::uint64_t max_one_level =
    sizeof(T) < 4 ? 0
                  : std::uint64_t{1} << (sizeof(T) == 4 && std::is_floating_point_v<T> ? 21 : 20);
template <class T>
inline constexpr std::uint64_t max_pairs_one_level = sizeof(T) < 4
                                                         ? 0
                                                         : std::uint64_t{1}
                                                               << (sizeof(T) == 4 ? 19 : 20);

/// The bounds for two-level samplesort, which takes one fence, or two for more than 2^26
/// numbers, because their sample is also sorted by a two-level samplesort. For numbers of 8
/// bytes this samplesort is at least 1.5 times as fast as CUB, but not for smaller numbers.
template <class T>
inline constexpr std::uint64_t max_two_levels = sizeof(T) == 8 ? std::uint64_t{1} << 30 : 0;
template <class T, class Value>
inline constexpr std::uint64_t max_pairs_two_levels = sizeof(T) == 8 && sizeof(Value) <= 4
                                                          ? std::uint64_t{1} << 26
                                                          : 0;

/// Two-level samplesort: up to this number of elements, parts are half as large as usual. About one
/// part in a thousand of the usual size does not fit in scratch memory. With so few elements,
/// sorting these overfull parts would take longer than sorting all others.
inline constexpr std::uint64_t max_with_small_parts = std::uint64_t{1} << 22;

/// The minimum number of 64-bit keys with indices for which a sort finds the bits that vary, which
/// takes a fence. CUB then sorts by fewer bits.
inline constexpr std::uint64_t min_by_few_bits = std::uint64_t{1} << 21;

/// The minimum number of elements for which move_to_places() is used. Writes to random indices then
/// miss a GPU's cache, so it pays to sort numbers by window before they are written.
inline constexpr std::uint64_t min_by_windows = std::uint64_t{1} << 22;
/// A window is 2^window_bits consecutive elements of the output.
inline constexpr int window_bits = 20;

}  // namespace riffle::detail::sort

// --- CPU ---
//
// Each constant below was compared with half and twice its value, or with neighbouring values,
// using one thread of a Xeon (perf/notes/sort.md). The numbers of chunks and buckets per thread
// were not measured; they only have to keep the wait for the last thread short.

namespace riffle::detail::sort {

/// The maximum number of bits in a digit by which a thread sorts a bucket. Shorter digits are
/// chosen such that a digit has somewhat more values than the bucket has items.
inline constexpr int max_digit_bits = 14;

/// Slots of at most this number of items are sorted by insertion, larger slots by a further digit.
inline constexpr std::uint32_t max_insertion_sorted = 24;

/// Up to this number of elements, the calling thread sorts all elements as one bucket.
constexpr std::uint64_t max_on_calling_thread(std::uint64_t threads) {
  return std::uint64_t{1} << (threads == 1 ? 16 : 14);
}

/// The usual average number of items in a bucket. If there would then be too few buckets for the
/// threads, the average is smaller, but at least min_bucket_size.
inline constexpr std::uint64_t bucket_size = std::uint64_t{1} << 13;
inline constexpr std::uint64_t min_bucket_size = std::uint64_t{1} << 10;

/// The largest number of buckets that is requested from a BucketTable, which may make up to three
/// times the requested number.
inline constexpr std::size_t max_wanted_buckets = std::size_t{1} << 11;

/// The number of sampled keys per bucket, and the base-2 logarithm of the number of bins in which
/// the samples are counted.
inline constexpr std::size_t samples_per_bucket = 8;
inline constexpr int bucket_bin_bits = 11;

/// The size, in items, of the buffer with which a thread sorts buckets. Each thread reuses one
/// buffer for all its buckets, so the buffer stays in the thread's cache. Larger buckets do not use
/// it.
inline constexpr std::size_t max_in_thread_memory = std::size_t{1} << 16;

/// The number of chunks per thread, which is also the minimum number of buckets per thread, and the
/// minimum number of elements in a chunk.
inline constexpr std::uint64_t split_chunks_per_thread = 4;
inline constexpr std::uint64_t min_split_chunk_size = std::uint64_t{1} << 14;

/// The minimum number of elements, two chunks, for which a sort first tests whether they are
/// already sorted.
inline constexpr std::uint64_t min_checked_if_sorted = 2 * min_split_chunk_size;

/// Merge sorts: the size of the runs that are sorted by insertion, and the minimum number of items
/// in a chunk that a thread sorts, or in a part of a merge.
inline constexpr std::uint64_t insertion_run_size = 32;
inline constexpr std::uint64_t min_merge_chunk_size = 4096;

}  // namespace riffle::detail::sort

namespace riffle::detail::partition {

/// Partitions by label: the minimum number of rows in a chunk, and the number of chunks per thread.
inline constexpr std::uint64_t min_chunk_size = std::uint64_t{1} << 12;
inline constexpr std::uint64_t chunks_per_thread = 4;

}  // namespace riffle::detail::partition

// Histograms on a GPU: the threads of a team, the teams that run on a multiprocessor at a time, and the elements that a thread loads
// before it counts them. Three teams of 512 threads leave each thread 40 registers, and each team may use 45 KB of scratch memory.

namespace riffle::detail::histogram {

inline constexpr int count_threads = 512;
inline constexpr int count_teams_per_processor = 3;
inline constexpr int count_items = 8;

}  // namespace riffle::detail::histogram
