#pragma once

// How data are ordered, and ranks written.

#include <Kokkos_Core.hpp>

#include <riffle/order.hpp>

namespace riffle {

/// The treatment of NaNs, which lie together at one end of sorted data. They never tie with a number.
enum class Missing {
  ranked,  ///< They tie with each other, and are ranked where they lie; of unsorted data, behind all numbers.
  first,  ///< As ranked, but of unsorted data before all numbers.
  /// Their ranks are NaN (-1 for integers, which must be signed), and others are ranked as if they were not there.
  excluded
};

/// How data are sorted and ranks are written.
template <class Order = Ascending>
struct RankOptions {
  /// order(a, b): a is before b. Neighbours that are not before one another are tied.
  Order order{};
  Missing missing = Missing::ranked;
  /// The rank of the first element: 1 or 0.
  int first = 1;
  /// Whether ranks, of a floating-point type, are divided by the number of ranked elements (dense ranks by the number
  /// of different values).
  bool relative = false;
};

}  // namespace riffle
