#pragma once

// The destination-designated permutation of stored indices, b[p[i]] <- a[i], of
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

/// out(p(i)) = in(i) for i < n = p.extent(0). Other elements of out stay as they are.
///
/// - in, out: Views of rank 1, or of rank 2 whose rows move as one, any layouts; or packs of Views
///   (riffle::pack(a, b)), all moved by the one p. in has n rows, out as many or more. The value
///   type of out holds every value of in's.
/// - p: a rank-1 View of n different indices below out.extent(0), of any integer type. It is not checked: a bad index
///   writes out of bounds, and of equal indices any one may be written last (see scatter_if_permutation).
///
/// Throws std::invalid_argument where extents do not fit, or out shares an element with in or p; nothing is written
/// then. Enqueued on `exec`, does not fence. One read of p and in, contiguous, and one write of out, wherever p
/// says: D_w(p) + 2 n/w + 3 L - 3 time units on the HMM. A row is moved by one thread: wide rows go faster by
/// gather() along the inverse. No memory. Reproducible.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Indices, detail::WritableRowSet<Exec> Out>
void scatter(Exec const& exec, In const& in, Indices const& p, Out const& out) {
  detail::Call const context(exec, "riffle::scatter");
  detail::check_scatter("scatter", in, p, out);
  detail::scatter_rows(context, in, p, out);
}

/// scatter() of as many rows as out has, once p is known to be a permutation: else throws std::invalid_argument with
/// the first index that is out of range or repeats an earlier one, and its place, and writes nothing.
///
/// - exec: as for first_violation (riffle/permute/permutation_check.hpp), whose cost comes on top.
///
/// Fences before it scatters.
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

RIFFLE_CALL_DIAGNOSTICS(scatter, in<Rows>, p<Indices>, out<WrittenRows>)
RIFFLE_CALL_DIAGNOSTICS(scatter_if_permutation, in<Rows>, p<Indices>, out<WrittenRows>)

}  // namespace riffle
