#pragma once

// Permutes along stored indices, or along a plan made of them, by the algorithm that is fastest for n and D_w(P):
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010, sec. 4, 7 and 8.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/address_groups.hpp>
#include <riffle/permute/detail/planning.hpp>
#include <riffle/permute/detail/schedule/build_schedule.hpp>
#include <riffle/permute/detail/schedule/move_by_schedule.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/mistakes.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle {

namespace detail::planning {

/// Whether one call for all arrays should build a schedule. Reads p, and fences, only where that is possible.
template <class Exec, class Permutation, class Out>
bool pays_at_once(Context<Exec> const& context, Permutation const& p, Out const& out) {
  std::uint64_t const n = p.extent(0);
  auto const rates = rates_of(context.exec());
  double scheduled = plan_time(rates, n);
  for_each_view(out, [&]<class View>(View const&) {
    scheduled += schedule_time(rates, {n, 1, sizeof(typename View::value_type)});
  });
  auto const scattered = [&](double spread) {
    double sum = 0;
    for_each_view(out, [&]<class View>(View const&) {
      sum += scatter_time(rates, {n, spread, sizeof(typename View::value_type)});
    });
    return sum;
  };
  if (scattered(1) <= scheduled) return false;
  std::uint64_t const w = width(rates);
  return scattered(spread(count_address_groups(context.named("address_groups"), p, w), n, w)) >
         scheduled;
}

/// Permutes by a plan for this call alone, which lies in the workspace.
template <class Exec, class In, class Permutation, class Out>
void permute_by_schedule(Context<Exec> const& context, In const& in, Permutation const& p,
                         Out const& out) {
  check_permutation("permute", "p", context, p);
  schedule::Builder<Exec> const builder(context);
  Scope scope(context);
  auto const plan =
      builder.build_in(scope.template take<std::byte>(builder.plan_bytes(p.extent(0))), p);
  schedule::Mover<Exec>(context, plan, true).move(in, out);
}

}  // namespace detail::planning

/// out(p(i)) = in(i) for i < n, once, along indices of which nothing else is known.
///
/// For one array this is a scatter(), since no other way earns what it costs to prepare. For a pack, a
/// ScheduledPermutation is built for the call where n and D_w(p) let one expect that this is faster (on an H200, from
/// two arrays of 2^26 floats in random order on). For more calls along one p, make a PlannedPermutation of it.
///
/// - exec: an execution space instance, or a Context of one, whose workspace is for count_address_groups() and for the
///   whole schedule, with its plan.
/// - in, out: as for scatter(): Views or packs of them, with n elements or rows.
/// - p: a permutation, as a rank-1 View of any integer type. It is not checked where the call scatters: a bad index
///   writes out of bounds (scatter_if_permutation() and PlannedPermutation do check).
///
/// Throws std::invalid_argument where extents are not n or out shares an element with in or p, and where a schedule is
/// built and p is no permutation; nothing is written then. Enqueued on `exec`. Does not fence where even D_w(p) = n
/// would make it a scatter, as for one array; else computes D_w(p) by count_address_groups(), which fences. Costs what
/// scatter() does, or building and applying a schedule. Reproducible.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Permutation, detail::WritableRowSet<Exec> Out>
void permute(Exec const& exec, In const& in, Permutation const& p, Out const& out) {
  detail::Call const context(exec, "riffle::permute");
  std::uint64_t const n = detail::check_scatter("permute", in, p, out);
  detail::check(detail::row_count(out) == n, "permute", "p.extent(0) = ", n,
                " and out.extent(0) = ", detail::row_count(out), ": must be equal");
  // A plan moves elements of one type, as bytes.
  if constexpr (detail::ValuesFrom<In, Exec> && detail::HaveOneType<In, Out>::value &&
                detail::HaveBytes<In>::value) {
    if (detail::planning::pays_at_once(context, p, out)) {
      detail::planning::permute_by_schedule(context, in, p, out);
      return;
    }
  }
  detail::scatter_rows(context, in, p, out);
}

/// out(p(i)) = in(i) for i < n, along a plan: plan(exec, in, out).
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out>
void permute(Exec const& exec, In const& in, PlannedPermutation<detail::SpaceOf<Exec>> const& plan,
             Out const& out) {
  detail::Call const context(exec, "riffle::permute");
  plan(context, in, out);
}

RIFFLE_EXPLAIN_MISTAKES(permute, in<Rows>, p<OrObject<Indices>>, out<WrittenRows>)

}  // namespace riffle
