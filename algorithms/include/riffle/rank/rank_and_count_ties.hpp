#pragma once

// Ranks, and the counts of ties that the tie corrections of rank tests need, with one read of the data.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/tie_counter.hpp>
#include <riffle/rank/rank.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle {

namespace detail {

/// A rank-0 View of TieStatistics that kernels of `Exec` can write.
template <class View, class Exec>
concept TiesFrom = WritableFrom<View, Exec> && has_rank<View, 0> &&
    std::is_same_v<typename View::value_type, TieStatistics>;

template <class Result>
struct ClearTies {
  Result result;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const { result() = TieStatistics(); }
};

/// The common part of the two functions below, after their checks: use() ranks n > 0 elements and counts their ties.
template <class Exec, class Result, class Use>
void rank_with_tie_count(char const* function, Context<Exec> const& context, std::uint64_t n,
                         Result const& ties, Use const& use) {
  check(n < std::uint64_t{1} << 42, function, "n = ", n, ": must be less than 2^42");
  if (n == 0) {
    run_on_calling_thread(context, ClearTies<Result>{ties});
    return;
  }
  use();
}

}  // namespace detail

/// Does the same as rank(), and sets ties() to tie_statistics(exec, sorted, options.order). If NaNs are excluded, only
/// ties between numbers are counted.
///
/// - exec, sorted, ranks, rule, options: as for rank().
/// - ties: a View of rank 0 that kernels of exec can write. It shares no memory with the other Views.
///
/// Requires: as for rank().
///
/// Throws as rank() does, and std::invalid_argument if n >= 2^42; nothing is written then.
///
/// Complexity: one read of each element and one write of each rank; for Dense, two reads. Memory of the workspace: as
/// for rank() with its default method, and 16 KiB. Does not fence, so a copy of `ties` to the host has to wait for
/// `exec`. Reproducible: the counts and sums are integers, and the same on every back end.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Sorted,
          detail::WritableArrayFrom<Exec> Ranks, detail::TiesFrom<Exec> Result,
          detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_and_count_ties(Exec const& exec, Sorted const& sorted, Ranks const& ranks,
                         Result const& ties, Rule const& rule = {}, Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_and_count_ties");
  auto const how = detail::rank_options(options);
  static_assert(detail::rank::can_hold_ranks_of<Ranks, Rule>,
                "riffle: fractional ranks are no integers");
  constexpr char const* function = "rank_and_count_ties";
  std::uint64_t const n = detail::rank::check_rank(function, "sorted", sorted, ranks, how);
  detail::rank_with_tie_count(function, context, n, ties, [&] {
    detail::rank_checked(context, sorted, ranks, rule, how, DefaultRanking{},
                         detail::rank::TieCounter<Result>{ties});
  });
}

/// Does the same as rank_unsorted(), and counts the ties of the ranked elements as rank_and_count_ties() does.
/// Blocking: as for rank_unsorted().
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Data,
          detail::WritableArrayFrom<Exec> Ranks, detail::TiesFrom<Exec> Result,
          detail::TieRule Rule = ties::Competition,
          detail::RankOptionsOrOrder Options = RankOptions<>>
void rank_unsorted_and_count_ties(Exec const& exec, Data const& data, Ranks const& ranks,
                                  Result const& ties, Rule const& rule = {},
                                  Options const& options = {}) {
  detail::Call const context(exec, "riffle::rank_unsorted_and_count_ties");
  auto const how = detail::rank_options(options);
  static_assert(detail::rank::can_hold_ranks_of<Ranks, Rule>,
                "riffle: fractional ranks are no integers");
  constexpr char const* function = "rank_unsorted_and_count_ties";
  std::uint64_t const n = detail::rank::check_rank(function, "data", data, ranks, how);
  detail::rank_with_tie_count(function, context, n, ties, [&] {
    detail::rank_unsorted_checked(context, data, ranks, rule, how,
                                  detail::rank::TieCounter<Result>{ties});
  });
}

RIFFLE_CALL_DIAGNOSTICS(rank_and_count_ties, sorted<Array>, ranks<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(rank_unsorted_and_count_ties, data<Array>, ranks<WrittenArray>)

}  // namespace riffle
