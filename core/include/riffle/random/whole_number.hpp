#pragma once

// Seeds, counts and sizes are std::uint64_t, to which C++ converts a fraction in silence.

#include <cstdint>
#include <limits>
#include <type_traits>

namespace riffle::detail {

/// Whether a T is passed where a std::uint64_t is wanted: an integer or an enumerator of at most 64 bits, or an object
/// that converts to one. Negative integers are those modulo 2^64; a count is checked where it is used.
template <class T>
inline constexpr bool is_whole_number = std::is_convertible_v<T const&, std::uint64_t> &&
                                        (std::numeric_limits<T>::is_integer ||
                                         !std::numeric_limits<T>::is_specialized) &&
                                        (!std::is_integral_v<T> ||
                                         sizeof(T) <= sizeof(std::uint64_t));

/// Arguments of which one would lose a fraction as a std::uint64_t. Functions that take them are deleted.
template <class... T>
concept LoseAFraction = (std::is_floating_point_v<T> || ...);

}  // namespace riffle::detail
