#pragma once

// Partitions values by a predicate. Counts the values for which the predicate is true, then finds
// the output index of each value with a scan. Values for which the predicate is false follow all
// others. Rows are partitioned by flags: their numbers are partitioned as values, then the rows are
// gathered.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/row_flags.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::partition {

/// A value with its flag: whether the predicate is true for it.
template <class T>
struct FlaggedValue {
  T value;
  bool flag;

  KOKKOS_FUNCTION explicit operator bool() const { return flag; }
};

template <class View, class Predicate>
struct FlagValues {
  using T = typename View::non_const_value_type;

  View in;
  Predicate predicate;

  KOKKOS_FUNCTION FlaggedValue<T> operator()(std::uint64_t i) const {
    T const value = in(i);
    return {value, static_cast<bool>(predicate(value))};
  }
};

template <class Flagged>
struct CountFlagged {
  Flagged flagged_values;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    if (flagged_values(i).flag) ++count;
  }
};

/// Writes value i to its index in the output. `flagged_before` is the number of flagged values
/// before it, `count` the number of all flagged values in the input.
template <class View>
struct WriteFlagged {
  View out;
  std::uint64_t count;

  template <class Index, class T>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Index flagged_before,
                                  FlaggedValue<T> const& value) const {
    // If the predicate's results change between the count and the scan, the index could exceed the
    // end of `out`.
    auto const after_flagged =
        Kokkos::min<std::uint64_t>(count + (i - flagged_before), out.extent(0) - 1);
    out(value.flag ? flagged_before : after_flagged) = value.value;
  }
};

/// Partitions n > 0 values from `in` to `out`. Returns the number of values for which the predicate
/// is true.
template <class Exec, class In, class Out, class Predicate>
std::uint64_t copy_by_predicate(Context<Exec> const& context, In const& in, Out const& out,
                                Predicate const& predicate) {
  using Flagged = FlagValues<In, Predicate>;
  std::uint64_t const n = in.extent(0);
  Flagged const flagged_values{in, predicate};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label() + "::count", range(context.exec(), 0, n),
                          CountFlagged<Flagged>{flagged_values}, count);
  with_index_type(n + 1, [&]<class Index>(Index) {
    exclusive_scan(context.named("place"), n, flagged_values, WriteFlagged<Out>{out, count},
                   Count<Index>{}, Index{0});
  });
  return count;
}

/// Partitions n > 0 values in place, by way of a copy.
template <class Exec, class View, class Predicate>
std::uint64_t by_predicate(Context<Exec> const& context, View const& values,
                           Predicate const& predicate) {
  using T = typename View::non_const_value_type;
  using Copy =
      Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  std::uint64_t const n = values.extent(0);
  Scope scope(context);
  Copy const copy(scope.template take<T>(n), n);
  context.named("copy").for_each(n, CopyRows<View, Copy>{values, copy});
  return copy_by_predicate(context, copy, values, predicate);
}

/// The numbers 0, ..., n - 1, as a View.
template <class Index>
struct RowNumbers {
  using non_const_value_type = Index;

  std::uint64_t n;

  KOKKOS_FUNCTION std::uint64_t extent(int) const { return n; }
  KOKKOS_FUNCTION Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
};

/// The function i -> numbers(i). If the flags' results changed between the count and the scan, some
/// numbers were not written; they are replaced by a row's number.
template <class Numbers>
struct StoredRowNumbers {
  Numbers numbers;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return Kokkos::min<std::uint64_t>(numbers(i), numbers.extent(0) - 1);
  }
};

/// Calls gather(sigma) for n > 0 rows, where rows sigma(0), sigma(1), ... are the flagged rows and
/// then all others. Returns the number of flagged rows. The flags are read before gather is called.
template <class Exec, class Flags, class Gather>
std::uint64_t by_flags(Context<Exec> const& context, std::uint64_t n, Flags const& flags,
                       Gather const& gather) {
  return with_index_type(n, [&]<class Index>(Index) {
    using Numbers =
        Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Scope scope(context);
    Numbers const numbers(scope.template take<Index>(n), n);
    std::uint64_t const count =
        copy_by_predicate(context, RowNumbers<Index>{n}, numbers, IsFlagged<Flags>{flags});
    gather(StoredRowNumbers<Numbers>{numbers});
    return count;
  });
}

}  // namespace riffle::detail::partition
