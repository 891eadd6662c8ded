#pragma once

// What gathers and scatters along stored indices ask of their arguments. Unlike those of a shuffle, in and out may
// have different first extents.

#include <cstddef>
#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

/// Throws unless rows of `in` fit rows of `out`.
template <class In, class Out>
void check_same_rows(char const* function, In const& in, Out const& out) {
  check_values<In, Out>();
  for (std::size_t r = 1; r < In::rank(); ++r) {
    check(in.extent(r) == out.extent(r), function, "in.extent(", r, ") = ", in.extent(r),
          " and out.extent(", r, ") = ", out.extent(r), ": must be equal");
  }
}

inline void check_same_rows(char const*, ViewPack<> const&, ViewPack<> const&) {}

template <class In, class... Ins, class Out, class... Outs>
void check_same_rows(char const* function, ViewPack<In, Ins...> const& in,
                     ViewPack<Out, Outs...> const& out) {
  static_assert(sizeof...(Ins) == sizeof...(Outs), "riffle: in and out are packs of as many Views");
  check_same_rows(function, in.first, out.first);
  check_same_rows(function, in.rest, out.rest);
}

/// Throws unless rows of `in` can be moved to `out`, which shares no element with another View. The caller calls the
/// indices by the name given.
template <class In, class Indices, class Out>
void check_moved_rows(char const* function, In const& in, char const* name_of_indices,
                      Indices const& indices, Out const& out) {
  static_assert(is_view_pack<In> == is_view_pack<Out>,
                "riffle: in and out are both Views or both packs");
  check_same_rows(function, in, out);
  check_row_counts(function, in);
  check_row_set(function, out);
  for_each_view(out, [&](auto const& target) {
    check_rows_disjoint(function, "in", in, "out", target);
    check_disjoint(function, name_of_indices, indices, "out", target);
  });
}

/// Throws unless out(i) = in(q(i)) makes sense; returns the number of indices.
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

/// Throws unless out(p(i)) = in(i) makes sense; returns the number of indices.
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
