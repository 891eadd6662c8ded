#pragma once

// The rows of a rank, which a verb takes from Views and writes to others.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// Calls visit(in, out) for each View of `out` and that of `in` that it takes its rows from.
template <class In, class Out, class Visit>
void for_each_pair(In const& in, Out const& out, Visit const& visit) {
  if constexpr (!is_view_pack<Out>) {
    visit(in, out);
  } else if constexpr (requires { out.first; }) {
    visit(in.first, out.first);
    for_each_pair(in.rest, out.rest, visit);
  }
}

/// Throws unless `in` can be permuted into `out`, of which this rank may own as many rows as it likes.
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

}  // namespace riffle::detail::mpi
