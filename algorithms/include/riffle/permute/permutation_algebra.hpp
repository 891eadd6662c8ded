#pragma once

// Inverses and compositions of permutations that are stored as indices.

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

/// Throws unless `out` has the same extent as `p` and a value type that can represent all indices of `p`. `name` is the
/// name of `p` in the caller's interface, for the message.
template <class Permutation, class Out>
void check_index_output(char const* function, char const* name, Permutation const& p,
                        Out const& out) {
  check(p.extent(0) == out.extent(0), function, name, ".extent(0) = ", p.extent(0),
        " and out.extent(0) = ", out.extent(0), ": must be equal");
  check_disjoint(function, name, p, "out", out);
  check_can_index(function, "out", out, out.extent(0));
}

}  // namespace detail

/// Stores the inverse of p: out(p(i)) = i for 0 <= i < n.
///
/// - p: a permutation, as a rank-1 View of any integer type. It is not checked: a value out of range writes out of
///   bounds (see inverse_if_permutation).
/// - out: a rank-1 View of n integers of a type that can represent n - 1.
///
/// Throws std::invalid_argument if extents differ, if Views overlap, or if the value type of out cannot represent
/// n - 1; nothing is written then. Blocking: does not fence; enqueued on `exec`. Complexity: for each element one
/// contiguous read and one write, to index p(i). Memory: none. Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation,
          detail::WritableArrayFrom<Exec> Out>
void inverse(Exec const& exec, Permutation const& p, Out const& out) {
  detail::Call const context(exec, "riffle::inverse");
  detail::check_index_output("inverse", "p", p, out);
  context.for_each(p.extent(0), detail::WriteInverse<Permutation, Out>{p, out});
}

/// Checks that p is a permutation, then writes out as inverse() does. Throws std::invalid_argument if p is not a
/// permutation. The message then contains the first index that is out of range or repeats an earlier one, and its
/// position; nothing is written. Blocking: fences after the check.
///
/// - exec: as for first_violation (riffle/permute/permutation_check.hpp). The cost of first_violation is added.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Permutation,
          detail::WritableArrayFrom<Exec> Out>
void inverse_if_permutation(Exec const& exec, Permutation const& p, Out const& out) {
  detail::Call const context(exec, "riffle::inverse_if_permutation");
  char const* const function = "inverse_if_permutation";
  detail::check_index_output(function, "p", p, out);
  detail::check_permutation(function, "p", context, p);
  context.for_each(p.extent(0), detail::WriteInverse<Permutation, Out>{p, out});
}

/// Stores the composition of p and q: out(i) = p(q(i)) for 0 <= i < n. A scatter along out equals a scatter along q
/// followed by one along p; a gather along out equals a gather along p followed by one along q.
///
/// - p, q: permutations of the same n, as rank-1 Views of any integer types. They are not checked: a value of q out of
///   range reads out of bounds (see compose_if_permutations).
/// - out: a rank-1 View of n integers of a type that can represent n - 1.
///
/// Throws std::invalid_argument if extents differ, if out overlaps p or q, or if the value type of out cannot represent
/// n - 1; nothing is written then. Blocking: does not fence; enqueued on `exec`. Complexity: a gather, that is, one
/// read of q, one read of p and one write of out for each element. Memory: none. Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> P,
          detail::StoredIndicesFrom<Exec> Q, detail::WritableArrayFrom<Exec> Out>
void compose(Exec const& exec, P const& p, Q const& q, Out const& out) {
  detail::Call const context(exec, "riffle::compose");
  detail::check_index_output("compose", "p", p, out);
  detail::check_index_output("compose", "q", q, out);
  detail::gather_rows(context, q.extent(0), detail::StoredIndices<Q>{q}, p, out);
}

/// Checks that p and q are permutations, then writes out as compose() does. Throws std::invalid_argument if p or q is
/// not a permutation. The message then contains the first index that is out of range or repeats an earlier one, and its
/// position; nothing is written. Blocking: fences after the checks.
///
/// - exec: as for first_violation (riffle/permute/permutation_check.hpp). The cost of first_violation is added twice.
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
