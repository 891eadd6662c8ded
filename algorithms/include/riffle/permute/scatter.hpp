#pragma once

// The destination-designated permutation by stored indices, b[p[i]] <- a[i], of
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010, sec. 4.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/view_pack.hpp>

namespace riffle {

namespace detail {

template <class In, class Indices, class Out>
struct ScatterRow {
  In in;
  Indices p;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    copy_row(in, i, out, static_cast<std::uint64_t>(p(i)));
  }
};

template <class Exec, class In, class Indices, class Out>
void scatter_rows(Context<Exec> const& context, In const& in, Indices const& p, Out const& out) {
  context.for_each(p.extent(0), ScatterRow<In, Indices, Out>{in, p, out});
}

}  // namespace detail

/// Sets out(p(i)) = in(i) for 0 <= i < n, where n = p.extent(0). Other elements of out are not changed.
///
/// - in, out: rank-1 Views; or rank-2 Views, whose rows are the elements; or packs of such Views (riffle::pack(a, b)),
///   which are all scattered by the same p. They may have any layouts. in has n elements, out at least n. The value
///   type of out can represent every value of in.
/// - p: a rank-1 View of n different indices less than out.extent(0), of any integer type. The indices are not checked
///   (see scatter_if_permutation). An index out of range writes out of bounds. If several indices are equal, one of
///   their elements is written, and it is unspecified which one.
///
/// Throws std::invalid_argument if extents do not fit, or if out shares an element with in or p; nothing is written
/// then. Blocking: does not fence; enqueued on `exec`. Complexity: contiguous reads of p and in, and n writes to out,
/// in the order of p. On the Hierarchical Memory Machine of width w and latency L this takes D_w(p) + 2 n/w + 3 L - 3
/// time units. Each row is moved by one thread; for wide rows a gather() along the inverse is faster. Memory: none.
/// Reproducible.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Indices, detail::WritableRowSet<Exec> Out>
void scatter(Exec const& exec, In const& in, Indices const& p, Out const& out) {
  detail::Call const context(exec, "riffle::scatter");
  detail::check_scatter("scatter", in, p, out);
  detail::scatter_rows(context, in, p, out);
}

/// Overload for functions that kernels can call: calls out(p(i), in(i)) for 0 <= i < n. The calls must not depend on each other, so
/// out must not write data that in or p read.
template <detail::InstanceOrContext Exec, class Source, detail::StoredIndicesFrom<Exec> Indices,
          detail::RowSink<Source> Sink>
void scatter(Exec const& exec, Source const& in, Indices const& p, Sink const& out) {
  detail::Call const context(exec, "riffle::scatter");
  detail::scatter_rows(context, in, p, out);
}

/// Checks that p is a permutation, then scatters as scatter() does. out has n elements or rows. Throws
/// std::invalid_argument if p is not a permutation. The message then contains the first index that is out of range or
/// repeats an earlier one, and its position; nothing is written.
///
/// - exec: as for first_violation (riffle/permute/permutation_check.hpp).
///
/// Blocking: fences after the check. Complexity and memory: as for first_violation() and scatter().
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Indices, detail::WritableRowSet<Exec> Out>
void scatter_if_permutation(Exec const& exec, In const& in, Indices const& p, Out const& out) {
  detail::Call const context(exec, "riffle::scatter_if_permutation");
  char const* const function = "scatter_if_permutation";
  std::uint64_t const n = detail::check_scatter(function, in, p, out);
  detail::check(detail::row_count(out) == n, function, "p.extent(0) = ", n,
                " and out.extent(0) = ", detail::row_count(out), ": must be equal");
  detail::check_permutation(function, "p", context, p);
  detail::scatter_rows(context, in, p, out);
}

RIFFLE_CALL_DIAGNOSTICS(scatter, in<OrObject<Rows>>, p<Indices>, out<OrObject<WrittenRows>>)
RIFFLE_CALL_DIAGNOSTICS(scatter_if_permutation, in<Rows>, p<Indices>, out<WrittenRows>)

}  // namespace riffle
