#pragma once

// Permutations of data that several ranks own, along stored indices, or along a plan made of them.

#include <Kokkos_Core.hpp>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/planned_permutation.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>

namespace riffle::mpi {

/// out(p(i)) = in(i) for i < n, once, where all ranks' rows follow each other in the order of the ranks: the same bits as
/// by riffle::permute on one device, for any number of ranks. It makes a PlannedPermutation for the call; for more calls
/// along one p, make that and keep it.
///
/// - exec, comm, in, out: as for PlannedPermutation, by which the call throws and what it costs. Each rank may own another
///   number of rows of `out` than of `in`.
/// - p: the destinations of this rank's rows, as a rank-1 View of any integer type. It is checked.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Permutation, detail::WritableRowSet<Exec> Out>
void permute(Exec const& exec, Communicator const& comm, In const& in, Permutation const& p,
             Out const& out) {
  detail::Call const context(exec, "riffle::mpi::permute");
  PlannedPermutation const plan(context, comm, p, detail::row_count(out));
  plan(context, comm, in, out);
}

/// out(p(i)) = in(i) for i < n, along a plan: plan(exec, comm, in, out).
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out>
void permute(Exec const& exec, Communicator const& comm, In const& in,
             PlannedPermutation<detail::SpaceOf<Exec>> const& plan, Out const& out) {
  detail::Call const context(exec, "riffle::mpi::permute");
  plan(context, comm, in, out);
}

RIFFLE_EXPLAIN_MISTAKES(permute, Comm, in<Rows>, p<OrObject<Indices>>, out<WrittenRows>)

}  // namespace riffle::mpi
