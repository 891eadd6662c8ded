#pragma once

// Elements of rows, each by a thread of a GPU, so that wide rows are read and written in one piece.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::mpi {

/// The element of a View of rank 1 or 2; of rank 1 there is one column.
template <class View>
KOKKOS_INLINE_FUNCTION typename View::reference_type element(View const& view, std::uint64_t row,
                                                             std::uint64_t column) {
  if constexpr (View::rank() == 1) {
    return view(row);
  } else {
    return view(row, column);
  }
}

/// All columns of a row, by one thread.
template <class Visit>
struct VisitRow {
  std::uint64_t columns;
  Visit visit;

  KOKKOS_FUNCTION void operator()(std::uint64_t row) const {
    for (std::uint64_t column = 0; column < columns; ++column) visit(row, column);
  }
};

/// One element, of those that lie one after the other in rows, or else in columns.
template <class Visit>
struct VisitElement {
  bool is_by_rows;
  Divider<std::uint64_t> length;
  Visit visit;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const outer = length.quotient(i);
    std::uint64_t const inner = i - outer * length.divisor();
    if (is_by_rows) {
      visit(outer, inner);
    } else {
      visit(inner, outer);
    }
  }
};

/// Calls visit(row, column) for all elements of a View, on a GPU in the order in which they lie there.
template <class Exec, class View, class Visit>
void for_each_element(Context<Exec> const& context, View const& view, Visit const& visit) {
  if (view.size() == 0) return;
  if constexpr (View::rank() == 1) {
    context.for_each(view.extent(0), VisitRow<Visit>{1, visit});
  } else if constexpr (backend::is_cpu<Exec>) {
    context.for_each(view.extent(0), VisitRow<Visit>{view.extent(1), visit});
  } else {
    bool const is_by_rows = view.stride(1) <= view.stride(0);
    Divider<std::uint64_t> const length(view.extent(is_by_rows ? 1 : 0));
    context.for_each(view.size(), VisitElement<Visit>{is_by_rows, length, visit});
  }
}

}  // namespace riffle::detail::mpi
