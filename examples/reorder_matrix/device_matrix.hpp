#pragma once

#include <Kokkos_Core.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/scan.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "csr_matrix.hpp"

namespace reorder {

using Exec = Kokkos::DefaultExecutionSpace;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

template <class T>
Kokkos::View<T*> to_device(std::string const& label, std::vector<T> const& values) {
  Kokkos::View<T*> const view(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
                              values.size());
  Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(values.data(),
                                                                                values.size());
  Kokkos::deep_copy(view, host);
  return view;
}

struct DeviceMatrix {
  Kokkos::View<std::uint64_t*> row_begins;
  Kokkos::View<std::uint32_t*> columns;
  Kokkos::View<double*> values;

  std::uint64_t rows() const { return row_begins.extent(0) - 1; }
};

inline DeviceMatrix to_device(CsrMatrix const& matrix) {
  return {to_device("row_begins", matrix.row_begins), to_device("columns", matrix.columns),
          to_device("values", matrix.values)};
}

/// r = b - A x
struct Residual {
  DeviceMatrix a;
  Kokkos::View<double const*> x;
  Kokkos::View<double const*> b;
  Kokkos::View<double*> r;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    double sum = b(i);
    for (std::uint64_t k = a.row_begins(i); k < a.row_begins(i + 1); ++k) {
      sum -= a.values(k) * x(a.columns(k));
    }
    r(i) = sum;
  }
};

struct RowLengths {
  Kokkos::View<std::uint64_t*> row_begins;
  Kokkos::View<std::uint64_t*> lengths;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    lengths(i) = row_begins(i + 1) - row_begins(i);
  }
};

/// Copies the entries of a row in their order, so that sums over them are bitwise equal.
struct MoveRow {
  DeviceMatrix from;
  Kokkos::View<std::uint64_t*> from_begins;  // begin of each row of `to`
  Kokkos::View<std::uint32_t*> places;
  DeviceMatrix to;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const length = to.row_begins(i + 1) - to.row_begins(i);
    for (std::uint64_t k = 0; k < length; ++k) {
      to.columns(to.row_begins(i) + k) = places(from.columns(from_begins(i) + k));
      to.values(to.row_begins(i) + k) = from.values(from_begins(i) + k);
    }
  }
};

/// Moves row and column i to places(i). The plan must have been made from `places`.
inline DeviceMatrix reordered(riffle::Context<Exec> const& context, DeviceMatrix const& matrix,
                              riffle::ScheduledPermutation<Exec> const& plan,
                              Kokkos::View<std::uint32_t*> const& places) {
  Exec const& exec = context.exec();
  std::uint64_t const n = matrix.rows();
  using Numbers = Kokkos::View<std::uint64_t*>;
  Numbers const lengths("lengths", n);
  Numbers const new_lengths("new_lengths", n);
  Numbers const old_begins("old_begins", n);
  DeviceMatrix const result{Numbers("row_begins", n + 1),
                            Kokkos::View<std::uint32_t*>("columns", matrix.columns.extent(0)),
                            Kokkos::View<double*>("values", matrix.values.extent(0))};
  auto const part = [n](Numbers const& begins, std::uint64_t first) {
    return Kokkos::subview(begins, Kokkos::pair<std::uint64_t, std::uint64_t>(first, first + n));
  };

  Kokkos::parallel_for("row_lengths", Range(exec, 0, n), RowLengths{matrix.row_begins, lengths});
  // The length of each new row, and the present place of its entries.
  plan(context, riffle::pack(lengths, part(matrix.row_begins, 0)),
       riffle::pack(new_lengths, old_begins));
  riffle::inclusive_scan(context, new_lengths, part(result.row_begins, 1));
  Kokkos::parallel_for("move_rows", Range(exec, 0, n), MoveRow{matrix, old_begins, places, result});
  return result;
}

}  // namespace reorder
