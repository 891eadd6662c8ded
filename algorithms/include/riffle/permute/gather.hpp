#pragma once

// The source-designated permutation by stored indices, b[i] <- a[q[i]], of
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

/// Sets out(i) = in(q(i)) for 0 <= i < n, where n = q.extent(0).
///
/// - in, out: rank-1 Views; or rank-2 Views, whose rows are the elements; or packs of such Views (riffle::pack(a, b)),
///   which are all gathered by the same q. They may have any layouts. out has n elements; in may have more or fewer.
///   The value type of out can represent every value of in.
/// - q: a rank-1 View of n indices less than in.extent(0), of any integer type; indices may repeat. The indices are not
///   checked: an index out of range reads out of bounds (see gather_if_valid).
///
/// Throws std::invalid_argument if extents differ, if in is empty and q is not, or if out shares an element with in or
/// q; nothing is written then. Blocking: does not fence; enqueued on `exec`. Complexity: reads n indices and n
/// elements, and writes n elements. Only the reads of in are not contiguous. On the Hierarchical Memory Machine of
/// width w and latency L, this takes 2 n/w + D_w(q) + 3 L - 3 time units. Memory: none. Reproducible.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Indices, detail::WritableRowSet<Exec> Out>
void gather(Exec const& exec, In const& in, Indices const& q, Out const& out) {
  detail::Call const context(exec, "riffle::gather");
  std::uint64_t const n = detail::check_gather("gather", in, q, out);
  detail::gather_rows(context, n, detail::StoredIndices<Indices>{q}, in, out);
}

/// Overload for functions that kernels can call: calls out(i, in(q(i))) for 0 <= i < n. The calls must not depend on each other, so
/// out must not write data that in or q read.
template <detail::InstanceOrContext Exec, class Source, detail::StoredIndicesFrom<Exec> Indices,
          detail::RowSink<Source> Sink>
void gather(Exec const& exec, Source const& in, Indices const& q, Sink const& out) {
  detail::Call const context(exec, "riffle::gather");
  detail::gather_rows(context, q.extent(0), detail::StoredIndices<Indices>{q}, in, out);
}

/// Checks the indices, then gathers as gather() does. Throws std::invalid_argument if an index is out of range; the
/// message contains the first such index and its position in q, and nothing is written. Blocking: fences after the
/// check. Complexity: reads q twice.
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

RIFFLE_CALL_DIAGNOSTICS(gather, in<OrObject<Rows>>, q<Indices>, out<OrObject<WrittenRows>>)
RIFFLE_CALL_DIAGNOSTICS(gather_if_valid, in<Rows>, q<Indices>, out<WrittenRows>)

}  // namespace riffle
