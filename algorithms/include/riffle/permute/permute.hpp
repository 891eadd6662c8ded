#pragma once

// Permutations of Views by stored indices, or by a plan.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>

namespace riffle {

/// Sets out(p(i)) = in(i) for 0 <= i < n, by one scatter().
///
/// A plan costs more than it saves in a single call. For several calls with the same p, make a PlannedPermutation of p.
///
/// - in, out: as for scatter(): Views with n elements or rows, or packs of such Views.
/// - p: a permutation, as a rank-1 View of any integer type. It is not checked: an index out of range writes out of
///   bounds. scatter_if_permutation() and PlannedPermutation check p.
///
/// Throws std::invalid_argument if an extent is not n, or if out shares an element with in or p; nothing is written
/// then. Blocking: does not fence; enqueued on `exec`. Complexity: as for scatter(). Memory: none. Reproducible.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Permutation, detail::WritableRowSet<Exec> Out>
void permute(Exec const& exec, In const& in, Permutation const& p, Out const& out) {
  detail::Call const context(exec, "riffle::permute");
  std::uint64_t const n = detail::check_scatter("permute", in, p, out);
  detail::check(detail::row_count(out) == n, "permute", "p.extent(0) = ", n,
                " and out.extent(0) = ", detail::row_count(out), ": must be equal");
  detail::scatter_rows(context, in, p, out);
}

/// Overload for a plan: calls plan(exec, in, out).
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out>
void permute(Exec const& exec, In const& in, PlannedPermutation<detail::SpaceOf<Exec>> const& plan,
             Out const& out) {
  detail::Call const context(exec, "riffle::permute");
  plan(context, in, out);
}

RIFFLE_CALL_DIAGNOSTICS(permute, in<Rows>, p<OrObject<Indices>>, out<WrittenRows>)

}  // namespace riffle
