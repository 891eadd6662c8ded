#pragma once

// Which elements are kept, and how many.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

namespace riffle::detail::select {

/// Whether element 0 is kept without a call.
template <class IsKept>
inline constexpr bool keeps_first = requires {
  requires IsKept::keeps_first;
};

/// Returns whether element i is kept.
template <class IsKept>
KOKKOS_INLINE_FUNCTION bool keeps(IsKept const& is_kept, std::uint64_t i) {
  if constexpr (keeps_first<IsKept>) {
    return i == 0 || is_kept(i);
  } else {
    return is_kept(i);
  }
}

/// Whether an element is kept depends on a value that a kernel can load earlier: is_kept(i) is
/// is_kept.satisfies(is_kept.value(i), i); or, if keeps_first, is_kept.differs(is_kept.value(i - 1), is_kept.value(i)).
template <class IsKept>
concept TestsValues = requires(IsKept const& is_kept) {
  is_kept.value(std::uint64_t{});
};

/// The value that is tested is the element of the input.
template <class IsKept>
concept TestsInput = TestsValues<IsKept> && requires {
  requires IsKept::tests_input;
};

template <class IsKept>
using ValueOf = decltype(std::declval<IsKept const&>().value(std::uint64_t{}));

/// The number of kept elements, and the index of the last of them.
template <class Index>
struct Kept {
  Index count;
  Index last;
};

/// The right operand's elements follow the left operand's.
template <class Index>
struct JoinKept {
  using value_type = Kept<Index>;

  KOKKOS_FUNCTION static constexpr value_type identity() { return {0, 0}; }
  KOKKOS_FUNCTION constexpr value_type operator()(value_type const& left,
                                                  value_type const& right) const {
    return {static_cast<Index>(left.count + right.count), right.count > 0 ? right.last : left.last};
  }
};

}  // namespace riffle::detail::select
