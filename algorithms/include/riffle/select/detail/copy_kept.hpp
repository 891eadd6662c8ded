#pragma once

// Copies of some rows, in their order. One scan finds for each row the number of kept rows before it, which is the row's place in
// the output, and its sink copies the row.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/scan.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

/// A rank-0 View of an integer, into which kernels write a number of rows.
template <class View, class Exec>
concept CountFrom =
    WritableFrom<View, Exec> && has_rank<View, 0> && is_index_type<typename View::value_type>;

/// The flags of rows: a rank-1 View of bool or of integers, or a function of the row's number.
template <class Flags, class Exec>
concept RowFlags = (ArrayFrom<Flags, Exec> && std::is_integral_v<typename Flags::value_type>) ||
                   (!Kokkos::is_view_v<Flags> &&
                    std::is_invocable_r_v<bool, Flags const&, std::uint64_t>);

namespace select {

/// Whether a row is kept.
template <class Flags>
struct IsKept {
  Flags flags;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return static_cast<bool>(flags(i)); }
};

template <class In, class Predicate>
struct SatisfiesPredicate {
  In in;
  Predicate predicate;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const {
    return static_cast<bool>(predicate(in(i)));
  }
};

/// Whether a value differs from the value before it.
template <class In, class Equal>
struct BeginsRun {
  In in;
  Equal equal;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const {
    return i == 0 || !static_cast<bool>(equal(in(i - 1), in(i)));
  }
};

struct EqualValues {
  template <class T>
  KOKKOS_FUNCTION bool operator()(T const& a, T const& b) const {
    return a == b;
  }
};

/// Copies row i to row `before` of the output if it is kept; the last row writes the number of all kept rows.
template <class In, class Out, class CountView>
struct CopyKept {
  In in;
  Out out;
  CountView count;
  std::uint64_t last;

  template <class Index>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Index before, bool is_kept) const {
    if (is_kept) copy_row(in, i, out, static_cast<std::uint64_t>(before));
    if (i == last)
      count() = static_cast<typename CountView::value_type>(before + (is_kept ? 1 : 0));
  }
};

template <class Exec, class CountView>
void set_count(Context<Exec> const& context, CountView const& count, std::uint64_t value) {
  Kokkos::deep_copy(context.exec(), count, static_cast<typename CountView::value_type>(value));
}

/// Copies those of n rows for which is_kept(i) is true.
template <class Exec, class In, class Out, class Kept, class CountView>
void copy_kept(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
               Kept const& is_kept, CountView const& count) {
  if (n == 0) return set_count(context, count, 0);
  with_index_type(n + 1, [&]<class Index>(Index) {
    exclusive_scan(context, n, is_kept, CopyKept<In, Out, CountView>{in, out, count, n - 1},
                   Count<Index>{}, Index{0});
  });
}

// --- runs ---

/// The number of runs that have begun, and the index at which the last of them began.
template <class Index>
struct Runs {
  Index count;
  Index begin;
};

/// The right operand's elements follow the left operand's.
template <class Index>
struct JoinRuns {
  using value_type = Runs<Index>;

  KOKKOS_FUNCTION static constexpr value_type identity() { return {0, 0}; }
  KOKKOS_FUNCTION constexpr value_type operator()(value_type const& left,
                                                  value_type const& right) const {
    return {static_cast<Index>(left.count + right.count),
            right.count > 0 ? right.begin : left.begin};
  }
};

template <class Index, class In, class Equal>
struct RunOfElement {
  BeginsRun<In, Equal> begins_run;

  KOKKOS_FUNCTION Runs<Index> operator()(std::uint64_t i) const {
    bool const begins = begins_run(i);
    return {static_cast<Index>(begins ? 1 : 0), static_cast<Index>(begins ? i : 0)};
  }
};

/// The first element of a run writes the run's value and the length of the run before it; the last element of all writes the
/// length of the last run, and the number of runs.
template <class In, class Values, class Lengths, class CountView>
struct WriteRuns {
  In in;
  Values values;
  Lengths lengths;
  CountView count;
  std::uint64_t last;

  template <class Index>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Runs<Index> const& before,
                                  Runs<Index> const& own) const {
    if (own.count > 0) {
      values(before.count) = in(i);
      if (before.count > 0) set_length(before.count - 1, i - before.begin);
    }
    if (i != last) return;
    Runs<Index> const all = JoinRuns<Index>{}(before, own);
    set_length(all.count - 1, i + 1 - all.begin);
    count() = static_cast<typename CountView::value_type>(all.count);
  }

 private:
  KOKKOS_FUNCTION void set_length(std::uint64_t run, std::uint64_t length) const {
    lengths(run) = static_cast<typename Lengths::value_type>(length);
  }
};

template <class Exec, class In, class Values, class Lengths, class Equal, class CountView>
void encode_runs(Context<Exec> const& context, In const& in, Values const& values,
                 Lengths const& lengths, Equal const& equal, CountView const& count) {
  std::uint64_t const n = in.extent(0);
  if (n == 0) return set_count(context, count, 0);
  with_index_type(n + 1, [&]<class Index>(Index) {
    exclusive_scan(context, n, RunOfElement<Index, In, Equal>{{in, equal}},
                   WriteRuns<In, Values, Lengths, CountView>{in, values, lengths, count, n - 1},
                   JoinRuns<Index>{}, Runs<Index>{0, 0});
  });
}

// --- arguments ---

/// Throws unless `rows`, the argument `name`, has n rows or more, and its Views share no element with the count.
template <class Rows, class CountView>
void check_written(char const* function, char const* name, Rows const& rows, std::uint64_t n,
                   CountView const& count) {
  std::uint64_t const size = check_row_set(function, rows);
  check(size >= n, function, name, ".extent(0) = ", size, ": must be at least in.extent(0) = ", n);
  check_rows_disjoint(function, name, rows, "count", count);
}

/// Throws unless the count can be n, and is not in `in`.
template <class In, class CountView>
void check_count(char const* function, std::uint64_t n, In const& in, CountView const& count) {
  using Value = typename CountView::value_type;
  auto const largest = static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
  check(n <= largest, function, "in.extent(0) = ", n,
        ": the value type of count holds no number above ", largest);
  check_rows_disjoint(function, "in", in, "count", count);
}

/// Throws unless rows of `in` can be copied to `out`. Returns the number of rows of `in`.
template <class In, class Out, class CountView>
std::uint64_t check_copy(char const* function, In const& in, Out const& out,
                         CountView const& count) {
  check_row_sets(function, in, out, 1);
  std::uint64_t const n = row_count(in);
  check_written(function, "out", out, n, count);
  check_count(function, n, in, count);
  return n;
}

template <class Flags, class Out, class CountView>
void check_flags(char const* function, std::uint64_t n, Flags const& flags, Out const& out,
                 CountView const& count) {
  if constexpr (Kokkos::is_view_v<Flags>) {
    check(flags.extent(0) == n, function, "flags.extent(0) = ", flags.extent(0),
          " and in.extent(0) = ", n, ": must be equal");
    for_each_view(
        out, [&](auto const& target) { check_disjoint(function, "flags", flags, "out", target); });
    check_disjoint(function, "flags", flags, "count", count);
  }
}

template <class In, class Values, class Lengths, class CountView>
void check_runs(char const* function, In const& in, Values const& values, Lengths const& lengths,
                CountView const& count) {
  check_values<In, Values>();
  std::uint64_t const n = in.extent(0);
  check_written(function, "values", values, n, count);
  check_written(function, "lengths", lengths, n, count);
  check_can_index(function, "lengths", lengths, n + 1);
  check_count(function, n, in, count);
  check_disjoint(function, "in", in, "values", values);
  check_disjoint(function, "in", in, "lengths", lengths);
  check_disjoint(function, "values", values, "lengths", lengths);
}

/// Calls call(count) with a count in temporary memory, and returns the count. Fences.
template <class Exec, class Call>
std::uint64_t returned_count(Context<Exec> const& context, Call const& call) {
  Scope scope(context);
  Kokkos::View<std::uint64_t, typename Exec::memory_space, Kokkos::MemoryUnmanaged> const count(
      scope.template take<std::uint64_t>(1));
  call(count);
  std::uint64_t result = 0;
  Kokkos::deep_copy(
      context.exec(),
      Kokkos::View<std::uint64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&result), count);
  context.exec().fence(context.label() + ": the count");
  return result;
}

}  // namespace select

}  // namespace riffle::detail
