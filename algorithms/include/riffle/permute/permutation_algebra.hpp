#pragma once

// The inverse and the composition of permutations that are stored as indices.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

namespace detail {

template <class Permutation, class Out>
struct WriteInverse {
  Permutation p;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    out(static_cast<std::uint64_t>(p(i))) = static_cast<typename Out::value_type>(i);
  }
};

/// Throws unless `out` can hold as many indices as `p`, which the caller calls `name`.
template <class Permutation, class Out>
void check_index_output(char const* function, char const* name, Permutation const& p,
                        Out const& out) {
  check(p.extent(0) == out.extent(0), function, name, ".extent(0) = ", p.extent(0),
        " and out.extent(0) = ", out.extent(0), ": must be equal");
  check_disjoint(function, name, p, "out", out);
  check_can_index(function, "out", out, out.extent(0));
}

}  // namespace detail

/// out(p(i)) = i for i < n: out is the inverse of p.
///
/// - p: a permutation, as a rank-1 View of any integer type. It is not checked: a value out of range writes out of
///   bounds (see inverse_if_permutation).
/// - out: a rank-1 View of n integers of a type that holds n - 1.
///
/// Throws std::invalid_argument where extents differ, Views overlap or the type does not hold n - 1; nothing is
/// written then. Enqueued on `exec`, does not fence. One contiguous read and one write wherever p says; no memory.
/// Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation,
          detail::WritableArrayFrom<Exec> Out>
void inverse(Exec const& exec, Permutation const& p, Out const& out) {
  detail::Call const context(exec, "riffle::inverse");
  detail::check_index_output("inverse", "p", p, out);
  context.for_each(p.extent(0), detail::WriteInverse<Permutation, Out>{p, out});
}

/// inverse(), once p is known to be a permutation: else throws std::invalid_argument with the first index that is out
/// of range or repeats an earlier one, and its place, and writes nothing. Fences before it writes.
///
/// - exec: as for first_violation (riffle/permute/permutation_check.hpp), whose cost comes on top.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation,
          detail::WritableArrayFrom<Exec> Out>
void inverse_if_permutation(Exec const& exec, Permutation const& p, Out const& out) {
  detail::Call const context(exec, "riffle::inverse_if_permutation");
  char const* const function = "inverse_if_permutation";
  detail::check_index_output(function, "p", p, out);
  detail::check_permutation(function, "p", context, p);
  context.for_each(p.extent(0), detail::WriteInverse<Permutation, Out>{p, out});
}

/// out(i) = p(q(i)) for i < n: first q, then p. To scatter along it is to scatter along q and then along p; to
/// gather along it is to gather along p and then along q.
///
/// - p, q: permutations of one n, as rank-1 Views of any integer types. They are not checked: a value of q out of
///   range reads out of bounds (see compose_if_permutations).
/// - out: a rank-1 View of n integers of a type that holds n - 1.
///
/// Throws std::invalid_argument where extents differ, out overlaps p or q, or its type does not hold n - 1; nothing
/// is written then. Enqueued on `exec`, does not fence. A gather: reads q and p and writes out once; no memory.
/// Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> P,
          detail::StoredIndicesFrom<Exec> Q, detail::WritableArrayFrom<Exec> Out>
void compose(Exec const& exec, P const& p, Q const& q, Out const& out) {
  detail::Call const context(exec, "riffle::compose");
  detail::check_index_output("compose", "p", p, out);
  detail::check_index_output("compose", "q", q, out);
  detail::gather_rows(context, q.extent(0), detail::StoredIndices<Q>{q}, p, out);
}

/// compose(), once p and q are known to be permutations: else throws std::invalid_argument with the first index that is
/// out of range or repeats an earlier one, and its place, and writes nothing. Fences before it writes.
///
/// - exec: as for first_violation (riffle/permute/permutation_check.hpp), whose cost comes on top, twice.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> P,
          detail::StoredIndicesFrom<Exec> Q, detail::WritableArrayFrom<Exec> Out>
void compose_if_permutations(Exec const& exec, P const& p, Q const& q, Out const& out) {
  detail::Call const context(exec, "riffle::compose_if_permutations");
  char const* const function = "compose_if_permutations";
  detail::check_index_output(function, "p", p, out);
  detail::check_index_output(function, "q", q, out);
  detail::check_permutation(function, "p", context, p);
  detail::check_permutation(function, "q", context, q);
  detail::gather_rows(context, q.extent(0), detail::StoredIndices<Q>{q}, p, out);
}

RIFFLE_CALL_DIAGNOSTICS(inverse, p<Indices>, out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(inverse_if_permutation, p<Indices>, out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(compose, p<Indices>, q<Indices>, out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(compose_if_permutations, p<Indices>, q<Indices>, out<WrittenArray>)

}  // namespace riffle
