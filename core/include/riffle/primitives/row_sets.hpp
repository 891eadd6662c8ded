#pragma once

// Row sets: the data that one permutation moves, either one View or a pack of Views with equal first extents. Also
// checks of row sets, and of gathers and scatters by stored indices, where `in` and `out` may have different first
// extents.

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

template <class T, class Exec>
struct RowSetTraits {
  static constexpr bool readable = RowsFrom<T, Exec>;
  static constexpr bool writable = WritableRowsFrom<T, Exec>;
};

template <class... Views, class Exec>
struct RowSetTraits<ViewPack<Views...>, Exec> {
  static constexpr bool readable = sizeof...(Views) > 0 && (RowsFrom<Views, Exec> && ...);
  static constexpr bool writable = sizeof...(Views) > 0 && (WritableRowsFrom<Views, Exec> && ...);
};

/// Whether two Views have the same value type. For two packs: whether this is true for each View of one pack and the
/// corresponding View of the other.
template <class In, class Out>
struct HaveSameTypes {
  static constexpr bool value = has_value_type_of<In, Out>;
};

template <class... Ins, class... Outs>
requires(sizeof...(Ins) ==
         sizeof...(Outs)) struct HaveSameTypes<ViewPack<Ins...>, ViewPack<Outs...>> {
  static constexpr bool value = (has_value_type_of<Ins, Outs> && ...);
};

/// Whether the values of a View (for a pack: of every View) may be moved as bytes.
template <class Rows>
inline constexpr bool are_trivially_copyable =
    std::is_trivially_copyable_v<typename Rows::non_const_value_type>;
template <class... Views>
inline constexpr bool are_trivially_copyable<ViewPack<Views...>> = (are_trivially_copyable<Views> &&
                                                                    ...);

template <class T, class Exec>
concept RowSet = RowSetTraits<T, Exec>::readable;

template <class T, class Exec>
concept WritableRowSet = RowSetTraits<T, Exec>::writable;

/// A function of a row's number and a row of In, which is a function of the row's number.
template <class Out, class In>
concept RowSink = NotAView<In> && NotAView<Out> &&
    std::invocable<Out const&, std::uint64_t, std::invoke_result_t<In const&, std::uint64_t>>;

/// Whether a row set is one View of rank 1.
template <class Out>
inline constexpr bool is_value_array = false;
template <class Out>
requires(Kokkos::is_view_v<Out>) inline constexpr bool is_value_array<Out> = has_rank<Out, 1>;

template <class View>
std::uint64_t row_count(View const& view) {
  return view.extent(0);
}

template <class First, class... Rest>
std::uint64_t row_count(ViewPack<First, Rest...> const& views) {
  return views.first.extent(0);
}

/// Calls visit(view) for each View of a row set.
template <class View, class Visit>
void for_each_view(View const& view, Visit const& visit) {
  visit(view);
}

template <class Visit>
void for_each_view(ViewPack<> const&, Visit const&) {}

template <class First, class... Rest, class Visit>
void for_each_view(ViewPack<First, Rest...> const& views, Visit const& visit) {
  visit(views.first);
  for_each_view(views.rest, visit);
}

/// Calls visit(from, to) for each View `to` of `out` and the corresponding View `from` of `in`.
template <class In, class Out, class Visit>
void for_each_pair(In const& in, Out const& out, Visit const& visit) {
  if constexpr (!is_view_pack<Out>) {
    visit(in, out);
  } else if constexpr (requires { out.first; }) {
    visit(in.first, out.first);
    for_each_pair(in.rest, out.rest, visit);
  }
}

/// Throws unless the Views of a row set have equal first extents. Returns that extent.
template <class Rows>
std::uint64_t check_row_counts(char const* function, Rows const& rows) {
  std::uint64_t const n = row_count(rows);
  for_each_view(rows, [&](auto const& view) {
    check(view.extent(0) == n, function, "a View of the pack has extent(0) = ", view.extent(0),
          ", the first one ", n, ": must be equal");
  });
  return n;
}

/// Throws if a View of `rows` shares an element with `target`. The two names are the names of the caller's arguments.
template <class Rows, class Target>
void check_rows_disjoint(char const* function, char const* name_of_rows, Rows const& rows,
                         char const* name_of_target, Target const& target) {
  for_each_view(rows, [&](auto const& view) {
    check_disjoint(function, name_of_rows, view, name_of_target, target);
  });
}

inline void check_disjoint_views(char const*, ViewPack<> const&) {}

template <class View>
requires(!is_view_pack<View>) void check_disjoint_views(char const*, View const&) {}

template <class First, class... Rest>
void check_disjoint_views(char const* function, ViewPack<First, Rest...> const& views) {
  check_rows_disjoint(function, "a View of the pack", views.rest, "another", views.first);
  check_disjoint_views(function, views.rest);
}

/// Throws unless `rows` can be permuted in place. Returns the number of rows.
template <class Rows>
std::uint64_t check_row_set(char const* function, Rows const& rows) {
  std::uint64_t const n = check_row_counts(function, rows);
  check_disjoint_views(function, rows);
  return n;
}

/// Does not compile unless `in` and `out` have the same rank, and values of `in` can be stored in `out`.
template <class In, class Out>
constexpr void check_values() {
  static_assert(In::rank() == Out::rank(), "riffle: in and out have one rank");
  static_assert(
      can_hold_values_of<In, Out>,
      "riffle: the value type of out must hold every value of in: convert them in a kernel");
}

/// Throws unless the extents of `in` and `out` are equal in all dimensions >= `first`.
template <class In, class Out>
void check_same_shape(char const* function, In const& in, Out const& out, std::size_t first = 0) {
  check_values<In, Out>();
  for (std::size_t r = first; r < In::rank(); ++r) {
    check(in.extent(r) == out.extent(r), function, "in.extent(", r, ") = ", in.extent(r),
          " and out.extent(", r, ") = ", out.extent(r), ": must be equal");
  }
}

inline void check_same_shape(char const*, ViewPack<> const&, ViewPack<> const&, std::size_t = 0) {}

template <class In, class... Ins, class Out, class... Outs>
void check_same_shape(char const* function, ViewPack<In, Ins...> const& in,
                      ViewPack<Out, Outs...> const& out, std::size_t first = 0) {
  static_assert(sizeof...(Ins) == sizeof...(Outs), "riffle: in and out are packs of as many Views");
  check_same_shape(function, in.first, out.first, first);
  check_same_shape(function, in.rest, out.rest, first);
}

/// Throws unless `in` can be permuted into `out`. Returns the number of rows of `out`. `first` is the first dimension
/// whose extents must be equal: if it is 1, `in` and `out` may have different numbers of rows.
template <class In, class Out>
std::uint64_t check_row_sets(char const* function, In const& in, Out const& out,
                             std::size_t first = 0) {
  static_assert(is_view_pack<In> == is_view_pack<Out>,
                "riffle: in and out are both Views or both packs");
  check_same_shape(function, in, out, first);
  std::uint64_t const n = check_row_set(function, out);
  check_row_counts(function, in);
  for_each_view(
      out, [&](auto const& target) { check_rows_disjoint(function, "in", in, "out", target); });
  return n;
}

template <class In, class Out>
struct CopyRows {
  In in;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { copy_row(in, i, out, i); }
};

template <class First, class... Rest>
ViewPack<First, Rest...> prepend(First const& first, ViewPack<Rest...> const& rest) {
  return {first, rest};
}

/// Throws unless rows of `in` can be moved to `out`. Also throws if a View of `out` shares an element with `in`, with
/// `indices` or with another View of `out`. `name_of_indices` is the name of the caller's argument for the indices.
template <class In, class Indices, class Out>
void check_moved_rows(char const* function, In const& in, char const* name_of_indices,
                      Indices const& indices, Out const& out) {
  check_row_sets(function, in, out, 1);
  for_each_view(out, [&](auto const& target) {
    check_disjoint(function, name_of_indices, indices, "out", target);
  });
}

/// Throws unless the Views are valid for out(i) = in(q(i)). Returns the number of indices.
template <class In, class Indices, class Out>
std::uint64_t check_gather(char const* function, In const& in, Indices const& q, Out const& out) {
  std::uint64_t const n = q.extent(0);
  check(row_count(out) == n, function, "q.extent(0) = ", n, " and out.extent(0) = ", row_count(out),
        ": must be equal");
  check(n == 0 || row_count(in) > 0, function, "in.extent(0) = 0 and q.extent(0) = ", n,
        ": there is nothing that an index can be of");
  check_moved_rows(function, in, "q", q, out);
  return n;
}

/// Throws unless the Views are valid for out(p(i)) = in(i). Returns the number of indices.
template <class In, class Indices, class Out>
std::uint64_t check_scatter(char const* function, In const& in, Indices const& p, Out const& out) {
  std::uint64_t const n = p.extent(0);
  check(row_count(in) == n, function, "p.extent(0) = ", n, " and in.extent(0) = ", row_count(in),
        ": must be equal");
  check(row_count(out) >= n, function, "out.extent(0) = ", row_count(out), " and p.extent(0) = ", n,
        ": indices that differ need as many places");
  check_moved_rows(function, in, "p", p, out);
  return n;
}

}  // namespace riffle::detail
