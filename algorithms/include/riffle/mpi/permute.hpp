#pragma once

// Permutations of distributed rows, by stored indices or by a plan.

#include <Kokkos_Core.hpp>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/planned_permutation.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>

namespace riffle::mpi {

/// Sets out(p(i)) = in(i) for 0 <= i < n, where in, p and out are the concatenations of all ranks'
/// rows in the order of the ranks. For any number of ranks, the result is bitwise identical to the
/// result of riffle::permute on one device. The call makes a PlannedPermutation and applies it. For
/// several calls with the same p, make the plan once and keep it.
///
/// - exec, comm, in, out: as for PlannedPermutation, where Throws and Complexity are stated, too. A
///   rank may own different numbers of rows of `in` and of `out`.
/// - p: the destinations of this rank's rows, as a rank-1 View of any integer type. It is checked.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Permutation, detail::WritableRowSet<Exec> Out>
void permute(Exec const& exec, Communicator const& comm, In const& in, Permutation const& p,
             Out const& out) {
  detail::Call const context(exec, "riffle::mpi::permute");
  PlannedPermutation const plan(context, comm, p, detail::row_count(out));
  plan(context, comm, in, out);
}

/// Overload for a plan: calls plan(exec, comm, in, out).
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out>
void permute(Exec const& exec, Communicator const& comm, In const& in,
             PlannedPermutation<detail::SpaceOf<Exec>> const& plan, Out const& out) {
  detail::Call const context(exec, "riffle::mpi::permute");
  plan(context, comm, in, out);
}

RIFFLE_CALL_DIAGNOSTICS(permute, Comm, in<Rows>, p<OrObject<Indices>>, out<WrittenRows>)

}  // namespace riffle::mpi
