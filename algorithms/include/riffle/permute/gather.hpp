#pragma once

// The source-designated permutation of stored indices, b[i] <- a[q[i]], of
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010, sec. 4.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/view_pack.hpp>

namespace riffle {

/// out(i) = in(q(i)) for i < n = q.extent(0).
///
/// - in, out: Views of rank 1, or of rank 2 whose rows move as one, any layouts; or packs of Views
///   (riffle::pack(a, b)), all moved by the one q. out has n rows; in may have more or fewer.
///   The value type of out holds every value of in's.
/// - q: a rank-1 View of n indices below in.extent(0), of any integer type; some may be equal. It is not checked: a
///   bad index reads out of bounds (see gather_if_valid).
///
/// Throws std::invalid_argument where extents differ, in is empty and q is not, or out shares an element with in or q;
/// nothing is written then. Enqueued on `exec`, does not fence. One read of q and of each element asked for, and one
/// write of out, all contiguous but the reads of in: 2 n/w + D_w(q) + 3 L - 3 time units on the HMM. No memory.
/// Reproducible.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Indices, detail::WritableRowSet<Exec> Out>
void gather(Exec const& exec, In const& in, Indices const& q, Out const& out) {
  detail::Call const context(exec, "riffle::gather");
  std::uint64_t const n = detail::check_gather("gather", in, q, out);
  detail::gather_rows(context, n, detail::StoredIndices<Indices>{q}, in, out);
}

/// gather(), once all indices are known to be in range: else throws std::invalid_argument with the first index that is
/// not, and its place, and writes nothing. Fences before it gathers. Two reads of q.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Indices, detail::WritableRowSet<Exec> Out>
void gather_if_valid(Exec const& exec, In const& in, Indices const& q, Out const& out) {
  detail::Call const context(exec, "riffle::gather_if_valid");
  std::uint64_t const n = detail::check_gather("gather_if_valid", in, q, out);
  std::uint64_t const rows = detail::row_count(in);
  auto const bad = detail::first_index_where(context.named("check"), q, detail::IsOutOfRange{rows});
  detail::check(bad.place == n, "gather_if_valid", "q(", bad.place, ") = ", +bad.index,
                ": must be at least 0 and less than in.extent(0) = ", rows);
  detail::gather_rows(context, n, detail::StoredIndices<Indices>{q}, in, out);
}

RIFFLE_CALL_DIAGNOSTICS(gather, in<Rows>, q<Indices>, out<WrittenRows>)
RIFFLE_CALL_DIAGNOSTICS(gather_if_valid, in<Rows>, q<Indices>, out<WrittenRows>)

}  // namespace riffle
