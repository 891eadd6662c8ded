#pragma once

// Rows by their labels: on a CPU by counts of each chunk, on a GPU by a sort of words of labels and indices.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/sort/detail/partition/by_counts.hpp>
#include <riffle/sort/detail/partition/by_words.hpp>

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
    static_assert(backend::has_vendor_sort<Exec>,
                  "riffle: sorts run on CPUs, and on GPUs with CUDA");
    by_words<backend::VendorSort<Exec>>(context, in, labels, out, offsets);
  }
}

}  // namespace riffle::detail::partition
