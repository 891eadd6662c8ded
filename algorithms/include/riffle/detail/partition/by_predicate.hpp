#pragma once

// A count of the values for which a predicate holds, and then a scan of the same, which knows where each value goes:
// those for which it does not hold begin behind the last one of the others.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/detail/index_type.hpp>
#include <riffle/detail/range.hpp>
#include <riffle/detail/row_sets.hpp>
#include <riffle/detail/sort/view_as_array.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/monoid.hpp>
#include <riffle/scan.hpp>

namespace riffle::detail::partition {

/// A value, and whether the predicate holds.
template <class T>
struct Judged {
  T value;
  bool holds;

  KOKKOS_FUNCTION explicit operator bool() const { return holds; }
};

template <class View, class Predicate>
struct Judge {
  using T = typename View::non_const_value_type;

  View in;
  Predicate predicate;

  KOKKOS_FUNCTION Judged<T> operator()(std::uint64_t i) const {
    T const value = in(i);
    return {value, static_cast<bool>(predicate(value))};
  }
};

template <class Judge>
struct CountHolding {
  Judge judge;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    if (judge(i).holds) ++count;
  }
};

/// Before element i there are `holding` for which the predicate holds.
template <class View>
struct PlaceJudged {
  View out;
  std::uint64_t count;

  template <class Index, class T>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Index holding, Judged<T> const& judged) const {
    // A predicate that changed its answer since it was counted must not write behind the end.
    auto const behind = Kokkos::min<std::uint64_t>(count + (i - holding), out.extent(0) - 1);
    out(judged.holds ? holding : behind) = judged.value;
  }
};

/// n > 0. Returns how many there are for which the predicate holds.
template <class Exec, class In, class Out, class Predicate>
std::uint64_t copy_by_predicate(Context<Exec> const& context, In const& in, Out const& out,
                                Predicate const& predicate) {
  using Judge = Judge<In, Predicate>;
  std::uint64_t const n = in.extent(0);
  Judge const judge{in, predicate};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label() + "::count", range(context.exec(), 0, n),
                          CountHolding<Judge>{judge}, count);
  with_index_type(n + 1, [&]<class Index>(Index) {
    exclusive_scan(context.named("place"), n, judge, PlaceJudged<Out>{out, count}, Count<Index>{},
                   Index{0});
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
