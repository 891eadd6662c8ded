#pragma once

// The associative operation for scans from
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array", section III.
// Prefixes of pairs (datum, position) under this operation contain the competition ranks.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/order.hpp>

namespace riffle {

/// A datum with its rank. is_element is false only in the identity of the operation, whose datum is not used.
template <class T>
struct RankedDatum {
  T datum{};
  std::uint64_t rank = 0;
  bool is_element = false;
};

/// A Monoid for sorted data. Combining left and right gives `right`, but with the rank of `left` if the two data tie.
/// Not commutative. Associative if the data are sorted by `order`.
template <class T, class Order = Ascending>
struct CompetitionRankOperation {
  using value_type = RankedDatum<T>;

  Order order{};

  KOKKOS_FUNCTION static constexpr value_type identity() { return {}; }

  KOKKOS_FUNCTION constexpr value_type operator()(value_type const& left,
                                                  value_type const& right) const {
    if (!right.is_element) return left;
    if (!left.is_element || detail::differ(order, left.datum, right.datum)) return right;
    return {right.datum, left.rank, true};
  }
};

}  // namespace riffle
