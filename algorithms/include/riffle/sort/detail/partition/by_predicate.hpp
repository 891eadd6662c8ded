#pragma once

// Counts the values for which a predicate flag, and then scans them for where each value goes: values for which it
// does not hold go behind the last one of the others.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::partition {

/// A value, and whether the predicate flag.
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

/// Writes element i to its place. The predicate flag for `flagged_before` of the elements before it.
template <class View>
struct WriteFlagged {
  View out;
  std::uint64_t count;

  template <class Index, class T>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Index flagged_before,
                                  FlaggedValue<T> const& value) const {
    // A predicate that changed its answer since it was counted must not write behind the end.
    auto const behind = Kokkos::min<std::uint64_t>(count + (i - flagged_before), out.extent(0) - 1);
    out(value.flag ? flagged_before : behind) = value.value;
  }
};

/// Copies n > 0 values. Returns for how many of them the predicate flag.
template <class Exec, class In, class Out, class Predicate>
std::uint64_t copy_by_predicate(Context<Exec> const& context, In const& in, Out const& out,
                                Predicate const& predicate) {
  using FlagValues = FlagValues<In, Predicate>;
  std::uint64_t const n = in.extent(0);
  FlagValues const flagged_values{in, predicate};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label() + "::count", range(context.exec(), 0, n),
                          CountFlagged<FlagValues>{flagged_values}, count);
  with_index_type(n + 1, [&]<class Index>(Index) {
    exclusive_scan(context.named("place"), n, flagged_values, WriteFlagged<Out>{out, count},
                   Count<Index>{}, Index{0});
  });
  return count;
}

/// The same in place.
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

}  // namespace riffle::detail::partition
