#pragma once

#include <Kokkos_Core.hpp>

#include <riffle/monoid.hpp>

namespace riffle::detail::scan {

/// An element converted to the operation's value type.
template <class Op, class Item>
KOKKOS_INLINE_FUNCTION typename Op::value_type to_value(Item const& item) {
  if constexpr (IsCount<Op>::value) {
    return typename Op::value_type(static_cast<bool>(item));
  } else {
    return static_cast<typename Op::value_type>(item);
  }
}

}  // namespace riffle::detail::scan
