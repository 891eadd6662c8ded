#pragma once

// The flags of rows, which select some of the rows.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail {

/// The flags of rows: a rank-1 View of bool or of integers, or a function of the row's number.
template <class Flags, class Exec>
concept RowFlags = (ArrayFrom<Flags, Exec> && std::is_integral_v<typename Flags::value_type>) ||
                   (!Kokkos::is_view_v<Flags> &&
                    std::is_invocable_r_v<bool, Flags const&, std::uint64_t>);

template <class Flags>
struct IsFlagged {
  Flags flags;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return static_cast<bool>(flags(i)); }

  /// A kernel can load the flag first, and test it later.
  KOKKOS_FUNCTION auto value(std::uint64_t i) const requires(Kokkos::is_view_v<Flags>) {
    return flags(i);
  }
  template <class Value>
  KOKKOS_FUNCTION bool satisfies(Value const& value, std::uint64_t) const {
    return static_cast<bool>(value);
  }
};

/// Throws if `flags` is a View without one flag for each of the n rows of the argument `rows`.
template <class Flags>
void check_flag_count(char const* function, char const* rows, std::uint64_t n, Flags const& flags) {
  if constexpr (Kokkos::is_view_v<Flags>) {
    check(flags.extent(0) == n, function, "flags.extent(0) = ", flags.extent(0), " and ", rows,
          ".extent(0) = ", n, ": must be equal");
  }
}

}  // namespace riffle::detail
