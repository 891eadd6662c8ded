#pragma once

// Access to the rows that a rank owns, in Views and in temporary memory.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// Throws unless rows of `in` can be permuted into `out`. `in` and `out` may have different numbers
/// of rows on this rank.
template <class In, class Out>
void check_rows_of_rank(char const* function, In const& in, Out const& out) {
  static_assert(is_view_pack<In> == is_view_pack<Out>,
                "riffle: in and out are both Views or both packs");
  check_row_counts(function, in);
  check_row_set(function, out);
  for_each_pair(in, out, [&](auto const& from, auto const& to) {
    using From = std::decay_t<decltype(from)>;
    using To = std::decay_t<decltype(to)>;
    check_values<From, To>();
    static_assert(std::is_trivially_copyable_v<typename To::value_type>,
                  "riffle: values that go from rank to rank are trivially copyable");
    for (std::size_t r = 1; r < From::rank(); ++r) {
      check(from.extent(r) == to.extent(r), function, "in.extent(", r, ") = ", from.extent(r),
            " and out.extent(", r, ") = ", to.extent(r), ": must be equal");
    }
  });
}

/// An unmanaged View of an array in the memory space of Exec.
template <class T, class Exec>
using ArrayInMemory =
    Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A contiguous buffer for rows of a View, in temporary memory.
template <class View>
struct RowBuffer {
  static constexpr bool is_array = View::rank() == 1;
  using Value = typename View::non_const_value_type;
  using Data = std::conditional_t<is_array, Value*, Value**>;
  using Rows = Kokkos::View<Data, Kokkos::LayoutRight, typename View::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static std::size_t row_bytes(View const& view) {
    if constexpr (is_array) {
      return sizeof(Value);
    } else {
      return sizeof(Value) * view.extent(1);
    }
  }

  static Rows in(std::byte* memory, std::uint64_t rows, View const& view) {
    auto* const values = reinterpret_cast<Value*>(memory);
    if constexpr (is_array) {
      return Rows(values, rows);
    } else {
      return Rows(values, rows, view.extent(1));
    }
  }
};

/// A hash of the row sizes in bytes, one per View.
template <class Rows>
std::uint64_t row_bytes_of(Rows const& rows) {
  std::uint64_t number = 0;
  for_each_view(rows, [&]<class View>(View const& view) {
    number = number * 1000003 + RowBuffer<View>::row_bytes(view);
  });
  return number;
}

/// The maximum, over all Views, of the number of bytes in a row.
template <class Rows>
std::size_t most_row_bytes(Rows const& rows) {
  std::size_t most = 0;
  for_each_view(rows, [&]<class View>(View const& view) {
    most = std::max(most, RowBuffer<View>::row_bytes(view));
  });
  return most;
}

/// Prepares a redistribution for each View.
template <class Exec, class Rows>
void prepare_redistributions(RedistributionsOfViews<Exec>& redistributions,
                             riffle::mpi::Communicator const& comm, Rows const& rows,
                             Shares const& sent, Shares const& received) {
  for_each_view(rows, [&]<class View>(View const& view) {
    redistributions.emplace_back(comm, RowBuffer<View>::row_bytes(view), sent, received);
  });
}

// --- elements ---
//
// On a GPU each thread moves one element, not one row, so that a warp accesses wide rows with
// coalesced loads and stores.

/// Element (row, column) of a View of rank 1 or 2. A View of rank 1 has one column.
template <class View>
KOKKOS_INLINE_FUNCTION typename View::reference_type element(View const& view, std::uint64_t row,
                                                             std::uint64_t column) {
  if constexpr (View::rank() == 1) {
    return view(row);
  } else {
    return view(row, column);
  }
}

/// Visits all columns of a row, with one thread.
template <class Visit>
struct VisitRow {
  std::uint64_t columns;
  Visit visit;

  KOKKOS_FUNCTION void operator()(std::uint64_t row) const {
    for (std::uint64_t column = 0; column < columns; ++column) visit(row, column);
  }
};

/// Visits one element. Elements are numbered row by row if is_by_rows, otherwise column by column.
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

/// Calls visit(row, column) for all elements of a View; on a GPU, consecutive threads visit
/// elements in memory order.
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
