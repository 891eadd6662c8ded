#pragma once

// Which sort of a GPU is for how many elements (measured on an H200: docs/speed.md, perf/results). A sort of numbers takes
// the first line that holds; what has no line, or what splitters do not divide evenly, goes by the vendor's radix sort.
//
// | sort | numbers | numbers with values, or with their indices |
// | --- | --- | --- |
// | by ranks | max_by_ranks | max_by_ranks |
// | by parts: splitters of one level | max_by_parts | max_pairs_by_parts |
// | by splitters of two levels, 8 bytes | max_by_splitters | max_pairs_by_splitters, values of up to 4 bytes |
//
// Data that have no codes, by a comparison, go by merges, whatever their number.

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
inline constexpr std::uint64_t max_by_parts =
    sizeof(T) < 4 ? 0
                  : std::uint64_t{1} << (sizeof(T) == 4 && std::is_floating_point_v<T> ? 21 : 20);
template <class T>
inline constexpr std::uint64_t max_pairs_by_parts = sizeof(T) < 4
                                                        ? 0
                                                        : std::uint64_t{1}
                                                              << (sizeof(T) == 4 ? 19 : 20);

/// In two levels, with a fence: 1.5 times as fast as the vendor's sort, or more, for numbers of 8 bytes, but not for others.
template <class T>
inline constexpr std::uint64_t max_by_splitters = sizeof(T) == 8 ? std::uint64_t{1} << 30 : 0;
template <class T, class Value>
inline constexpr std::uint64_t max_pairs_by_splitters = sizeof(T) == 8 && sizeof(Value) <= 4
                                                            ? std::uint64_t{1} << 26
                                                            : 0;

/// From so many keys of 64 bits on, with their indices, sorting by fewer bits is worth waiting for which of them matter.
inline constexpr std::uint64_t few_bits_from = std::uint64_t{1} << 21;

}  // namespace riffle::detail::sort
