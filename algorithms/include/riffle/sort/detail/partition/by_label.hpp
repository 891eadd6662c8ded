#pragma once

// Rows by their labels: on a CPU by counts of each chunk, on a GPU by a sort of the labels.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/fill_zero.hpp>
#include <riffle/primitives/first_index_where.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/index_type.hpp>
#include <riffle/primitives/moved_rows.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/stored_indices.hpp>
#include <riffle/sort/detail/partition/by_counts.hpp>
#include <riffle/sort/detail/store_order.hpp>
#include <riffle/sort/sorter.hpp>

namespace riffle::detail::partition {

template <class In, class Labels, class Out, class Offsets>
void check_by_label(In const& in, Labels const& labels, Out const& out, Offsets const& offsets) {
  constexpr char const* function = "partition_by_label";
  static_assert(std::is_integral_v<typename Offsets::value_type>, "riffle: offsets are integers");
  std::uint64_t const n = labels.extent(0);
  check(row_count(in) == n, function, "in.extent(0) = ", row_count(in),
        " and labels.extent(0) = ", n, ": must be equal");
  check(row_count(out) == n, function, "out.extent(0) = ", row_count(out),
        " and labels.extent(0) = ", n, ": must be equal");
  check(offsets.extent(0) >= 2, function, "offsets.extent(0) = ", offsets.extent(0),
        ": must be one more than the number of parts, which is at least 1");
  auto const largest =
      static_cast<std::uint64_t>(std::numeric_limits<typename Offsets::value_type>::max());
  check(n <= largest, function, "n = ", n, ": the offsets' value type holds no more than ",
        largest);
  check_moved_rows(function, in, "labels", labels, out);
  check_rows_disjoint(function, "in", in, "offsets", offsets);
  check_rows_disjoint(function, "out", out, "offsets", offsets);
  check_disjoint(function, "labels", labels, "offsets", offsets);
}

template <class Exec, class Labels>
void check_labels(Context<Exec> const& context, Labels const& labels, std::uint64_t parts) {
  auto const bad = first_index_where(context.named("check"), labels, IsOutOfRange{parts});
  check(bad.place == labels.extent(0), "partition_by_label", "labels(", bad.place,
        ") = ", +bad.index, ": must be at least 0 and less than offsets.extent(0) - 1 = ", parts);
}

/// Sets offsets(k) to the number of labels less than k: the place in the sorted labels where k is reached or passed.
template <class Labels, class Indices, class Offsets>
struct FindOffsets {
  using Offset = typename Offsets::value_type;

  Labels labels;
  Indices indices;
  Offsets offsets;

  /// Called for i = 0, ..., n.
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const n = indices.extent(0);
    std::uint64_t const first = i == 0 ? 0 : label(i - 1) + 1;
    std::uint64_t const last = i == n ? offsets.extent(0) - 1 : label(i);
    for (std::uint64_t k = first; k <= last; ++k) offsets(k) = static_cast<Offset>(i);
  }

 private:
  KOKKOS_FUNCTION std::uint64_t label(std::uint64_t i) const {
    return static_cast<std::uint64_t>(labels(indices(i)));
  }
};

template <class Exec, class In, class Labels, class Out, class Offsets>
void by_sort(Context<Exec> const& context, In const& in, Labels const& labels, Out const& out,
             Offsets const& offsets) {
  std::uint64_t const n = labels.extent(0);
  sort::Sorter<Exec, Labels, Ascending> const sorter(context, labels, Ascending{});
  with_index_type(n, [&]<class Index>(Index) {
    using Indices =
        Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Scope scope(context);
    Indices const indices(scope.template take<Index>(n), n);
    sort::store_order(context, sorter, indices);
    context.named("offsets").for_each(
        n + 1, FindOffsets<Labels, Indices, Offsets>{labels, indices, offsets});
    gather_rows(context.named("gather"), n, StoredIndices<Indices>{indices}, in, out);
  });
}

template <class Exec, class In, class Labels, class Out, class Offsets>
void by_label(Context<Exec> const& context, In const& in, Labels const& labels, Out const& out,
              Offsets const& offsets) {
  if (labels.extent(0) == 0) {
    context.named("zero").for_each(offsets.extent(0), FillZero<Offsets>{offsets});
    return;
  }
  if constexpr (backend::is_cpu<Exec>) {
    by_counts(context, in, labels, out, offsets);
  } else {
    by_sort(context, in, labels, out, offsets);
  }
}

}  // namespace riffle::detail::partition
