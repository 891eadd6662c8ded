#pragma once

// Ranks of sorted data, by every rule for ties. The algorithms are those of
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition rankings
//   over a sorted array" [1],
// each callable by name; the default reads each element once and writes its rank once.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <riffle/detail/rank/count_missing.hpp>
#include <riffle/detail/rank/first_unsorted.hpp>
#include <riffle/detail/rank/header.hpp>
#include <riffle/detail/rank/methods.hpp>
#include <riffle/detail/rank/ranker.hpp>
#include <riffle/detail/scan/access.hpp>
#include <riffle/detail/views.hpp>
#include <riffle/detail/workspaces.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/ties.hpp>
#include <riffle/workspace.hpp>

namespace riffle {

/// What becomes of NaNs, which lie together at one end of sorted data. They never tie with a number.
enum class Missing {
  ranked,  ///< They are ranked where they lie, and tie with each other.
  excluded  ///< Their ranks are NaN (-1 for integers), and others are ranked as if they were not there.
};

/// How data are sorted and ranks are written.
template <class Order = Ascending>
struct RankOptions {
  /// order(a, b): a is before b. Neighbours that are not before one another are tied.
  Order order{};
  Missing missing = Missing::ranked;
  /// The rank of the first element: 1 or 0.
  int first = 1;
  /// Ranks divided by the number of ranked elements (dense ones: of different values); for ranks of floating
  /// point.
  bool relative = false;
};

// --- methods ---

/// [1], section III.A: competition ranks in log2 n passes, each of which reads and writes everything. For
/// comparison. Memory: 2 n indices in the workspace.
struct NaivePrefixRanking {
  static std::size_t buffer_bytes(std::uint64_t n) { return detail::rank::prefix_bytes(n); }

  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(std::string const& label, Exec const& exec, std::uint64_t n, Source const& source,
            Order const& order, Ranker const& ranker, Sink const& sink,
            Workspace<Exec>& workspace) const {
    static_assert(!Ranker::needs_end,
                  "NaivePrefixRanking knows where ties begin, not where they end");
    detail::rank::rank_by_prefix(label, exec, n, source, order, ranker, sink, workspace);
  }
};

/// [1], section III.B: competition ranks by a scan of words that hold a place and a flag, of 32 bits up to
/// n = 2^31 and of 64 bits beyond. Riffle's scan has one pass where the paper's has several.
struct PackedScanRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(std::string const& label, Exec const& exec, std::uint64_t n, Source const& source,
            Order const& order, Ranker const& ranker, Sink const& sink,
            Workspace<Exec>& workspace) const {
    static_assert(!Ranker::needs_end,
                  "PackedScanRanking knows where ties begin, not where they end");
    detail::rank::rank_by_packed_scan(label, exec, n, source, order, ranker, sink, workspace);
  }
};

/// [1], section III.C: one pass; groups of lanes rank by ballots. On a GPU, where runs go beyond the tiles of teams is
/// searched for beforehand; memory: at most 16 bytes for each 1024 elements in the workspace.
struct HybridRanking {
  static std::size_t buffer_bytes(std::uint64_t n) { return detail::rank::hybrid_bytes(n); }

  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(std::string const& label, Exec const& exec, std::uint64_t n, Source const& source,
            Order const& order, Ranker const& ranker, Sink const& sink,
            Workspace<Exec>& workspace) const {
    detail::rank::rank_by_hybrid(label, exec, n, source, order, ranker, sink, workspace);
  }
};

/// [1], section III.D: one pass on a CPU; each thread searches for where its segments' first runs begin.
struct SegmentSearchRanking {
  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(std::string const& label, Exec const& exec, std::uint64_t n, Source const& source,
            Order const& order, Ranker const& ranker, Sink const& sink, Workspace<Exec>&) const {
    static_assert(lanes::has_vector_threads<Exec>,
                  "SegmentSearchRanking is for the threads of a CPU; of a GPU: HybridRanking");
    detail::rank::rank_by_segment_search(label, exec, n, source, order, ranker, sink);
  }
};

/// HybridRanking on a GPU, SegmentSearchRanking on a CPU.
struct DefaultRanking {
  static std::size_t buffer_bytes(std::uint64_t n) { return HybridRanking::buffer_bytes(n); }

  template <class Exec, class Source, class Order, class Ranker, class Sink>
  void rank(std::string const& label, Exec const& exec, std::uint64_t n, Source const& source,
            Order const& order, Ranker const& ranker, Sink const& sink,
            Workspace<Exec>& workspace) const {
    if constexpr (lanes::has_vector_threads<Exec>) {
      SegmentSearchRanking{}.rank(label, exec, n, source, order, ranker, sink, workspace);
    } else {
      HybridRanking{}.rank(label, exec, n, source, order, ranker, sink, workspace);
    }
  }
};

namespace detail {

/// Throws unless ranks of n elements can be written to `ranks`.
template <class Ranks>
void check_can_rank(char const* function, Ranks const&, std::uint64_t n, int first, bool relative) {
  using Rank = typename Ranks::non_const_value_type;
  constexpr bool is_floating = std::is_floating_point_v<Rank>;
  static_assert(is_floating || std::is_integral_v<Rank>, "ranks are numbers");
  check(first == 0 || first == 1, function, "options.first = ", first, ": must be 0 or 1");
  check(is_floating || !relative, function,
        "options.relative = true: relative ranks are no integers; ranks must be of floating point");
  if (relative || n == 0) return;
  // Of floating point, so that halves are exact, too.
  auto const largest = is_floating ? std::uint64_t{1} << (std::numeric_limits<Rank>::digits - 1)
                                   : static_cast<std::uint64_t>(std::numeric_limits<Rank>::max());
  std::uint64_t const last = n - 1 + static_cast<std::uint64_t>(first);
  check(last <= largest, function, "n = ", n, ": the value type of ranks holds no rank above ",
        largest);
}

/// Throws unless `sorted` can be ranked to `ranks`; returns n.
template <class Sorted, class Ranks>
std::uint64_t check_rank(char const* function, Sorted const& sorted, Ranks const& ranks, int first,
                         bool relative) {
  check(sorted.extent(0) == ranks.extent(0), function, "sorted.extent(0) = ", sorted.extent(0),
        " and ranks.extent(0) = ", ranks.extent(0), ": must be equal");
  check(!overlap(sorted, ranks), function, "sorted at ", static_cast<void const*>(sorted.data()),
        " and ranks at ", static_cast<void const*>(ranks.data()),
        " overlap: must share no element");
  check_can_rank(function, ranks, ranks.extent(0), first, relative);
  return ranks.extent(0);
}

template <class T, class Order>
inline constexpr bool may_miss = std::is_floating_point_v<T>&& is_numerical_order<Order>;

/// Ranks n > 0 elements, all of which has been checked.
template <class Exec, class Sorted, class Ranks, class Rule, class Order, class Method>
void rank_checked(std::string const& label, Exec const& exec, Sorted const& sorted,
                  Ranks const& ranks, Rule const& rule, RankOptions<Order> const& options,
                  Method const& method, Workspace<Exec>& workspace) {
  using Rank = typename Ranks::non_const_value_type;
  std::uint64_t const n = ranks.extent(0);
  scan::ViewSource<Sorted> const source(sorted);
  scan::ViewSink<Ranks> const sink(ranks);
  rank::MissingCounts* missing = nullptr;
  if constexpr (may_miss<typename Sorted::non_const_value_type, Order>) {
    if (options.missing == Missing::excluded) {
      std::size_t more = 0;
      if constexpr (requires { Method::buffer_bytes(n); }) more = Method::buffer_bytes(n);
      missing = &rank::header_in(workspace, label, exec, more)->missing;
      rank::count_missing(label + "::missing", exec, n, source, missing);
    }
  }
  if constexpr (std::is_same_v<Rule, ties::Dense>) {
    rank::DenseRankSink<Rank, scan::ViewSink<Ranks>> const dense(sink, options.first, n, missing);
    rank::rank_densely(label, exec, n, source, options.order, dense, workspace);
    if constexpr (std::is_floating_point_v<Rank>) {
      if (options.relative) {
        rank::divide_by_last(label, exec, ranks, options.first, missing != nullptr, workspace);
      }
    }
  } else {
    rank::Ranker<Rule, Rank> const ranker(rule, {options.first, options.relative}, n, missing);
    if constexpr (!Rule::needs_start && !Rule::needs_end) {
      rank::rank_places(label, exec, n, ranker, sink);
    } else {
      method.rank(label, exec, n, source, options.order, ranker, sink, workspace);
    }
  }
}

}  // namespace detail

/// ranks(i) = the rank of sorted(i) among all of sorted, ties by a rule.
///
/// - sorted: a rank-1 View of any type that options.order compares, sorted by it, which is not checked (see
///   is_sorted_for). Of data that are not, ranks may be wrong, but nothing outside the Views is read or
///   written.
/// - ranks: a rank-1 View of as many integers, or floating-point numbers, that hold n; it shares no element with
///   sorted.
/// - rule: ties::Competition, ModifiedCompetition, Dense, Ordinal, Fractional (for ranks of floating point) or
///   Random.
/// - options: order of the data, NaNs, rank of the first, relative ranks (RankOptions).
/// - method: DefaultRanking, or an algorithm of [1] by name; of no account for Dense and Ordinal.
/// - memory: a Workspace of exec's device, of which Dense ranks take the messages of a scan, the naive prefix
///   2 n indices, the default on a GPU at most 16 bytes for each 1024 elements, and relative dense ranks and
///   excluded NaNs 64 bytes.
///
/// Throws std::invalid_argument where extents differ, Views overlap, the ranks' type cannot hold n, options
/// contradict the type, or the workspace is on another device; nothing is written then. Enqueued on
/// `exec`, does not fence. One read of each element and one write of each rank; of Random ties an evaluation
/// of a RandomPermutation for each element that is tied. Reproducible: the same bits on every back end.
template <detail::ExecutionSpace Exec, class Sorted, class Ranks, class Rule = ties::Competition,
          class Order = Ascending, class Method = DefaultRanking,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::AccessibleFrom<Sorted, Exec>&& detail::has_rank<Sorted, 1>&&
             detail::WritableFrom<Ranks, Exec>&&
                 detail::has_rank<Ranks, 1>) void rank(std::string const& label, Exec const& exec,
                                                       Sorted const& sorted, Ranks const& ranks,
                                                       Rule const& rule = {},
                                                       RankOptions<Order> const& options = {},
                                                       Method const& method = {},
                                                       Memory&& memory = {}) {
  using Rank = typename Ranks::non_const_value_type;
  static_assert(std::is_floating_point_v<Rank> || !std::is_same_v<Rule, ties::Fractional>,
                "fractional ranks are no integers");
  std::uint64_t const n =
      detail::check_rank("rank", sorted, ranks, options.first, options.relative);
  detail::check_workspace("rank", exec, memory);
  if (n == 0) return;
  detail::with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
    detail::rank_checked(label, exec, sorted, ranks, rule, options, method, workspace);
  });
}

template <detail::ExecutionSpace Exec, class Sorted, class Ranks, class Rule = ties::Competition,
          class Order = Ascending, class Method = DefaultRanking,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::AccessibleFrom<Sorted, Exec>&& detail::has_rank<Sorted, 1>&&
             detail::WritableFrom<Ranks, Exec>&&
                 detail::has_rank<Ranks, 1>) void rank(Exec const& exec, Sorted const& sorted,
                                                       Ranks const& ranks, Rule const& rule = {},
                                                       RankOptions<Order> const& options = {},
                                                       Method const& method = {},
                                                       Memory&& memory = {}) {
  rank("riffle::rank", exec, sorted, ranks, rule, options, method, memory);
}

/// The first i >= 1 where sorted(i) is before sorted(i - 1), or n where there is none. NaNs may lie together at
/// either end: numbers behind NaNs that follow numbers, and NaNs behind numbers that follow NaNs, are out of
/// order.
///
/// Fences. One read of each element.
template <detail::ExecutionSpace Exec, class Sorted, class Order = Ascending>
requires(detail::AccessibleFrom<Sorted, Exec>&& detail::has_rank<Sorted, 1>) std::uint64_t
    first_unsorted(Exec const& exec, Sorted const& sorted, Order const& order = {}) {
  std::uint64_t const n = sorted.extent(0);
  std::uint64_t first = n;
  if (n > 1) {
    detail::rank::FirstUnsorted<Sorted, Order> const find{sorted, order, n};
    Kokkos::parallel_reduce("riffle::first_unsorted", detail::range(exec, 1, n), find,
                            Kokkos::Min<std::uint64_t>(first));
    first = std::min(first, n);
  }
  return first;
}

/// Whether `sorted` is as rank() wants it. Fences.
template <detail::ExecutionSpace Exec, class Sorted, class Order = Ascending>
requires(detail::AccessibleFrom<Sorted, Exec>&& detail::has_rank<Sorted, 1>) bool is_sorted_for(
    Exec const& exec, Sorted const& sorted, Order const& order = {}) {
  return first_unsorted(exec, sorted, order) == sorted.extent(0);
}

/// rank(), once the data are known to be sorted: else throws std::invalid_argument with the first index that
/// is out of order, and writes nothing. Fences before it ranks. Two reads of each element.
template <detail::ExecutionSpace Exec, class Sorted, class Ranks, class Rule = ties::Competition,
          class Order = Ascending, class Method = DefaultRanking,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::AccessibleFrom<Sorted, Exec>&& detail::has_rank<Sorted, 1>&&
             detail::WritableFrom<Ranks, Exec>&& detail::has_rank<
                 Ranks, 1>) void rank_if_sorted(Exec const& exec, Sorted const& sorted,
                                                Ranks const& ranks, Rule const& rule = {},
                                                RankOptions<Order> const& options = {},
                                                Method const& method = {}, Memory&& memory = {}) {
  detail::check_rank("rank_if_sorted", sorted, ranks, options.first, options.relative);
  detail::check_workspace("rank_if_sorted", exec, memory);
  std::uint64_t const first = first_unsorted(exec, sorted, options.order);
  detail::check(first == sorted.extent(0), "rank_if_sorted", "sorted(", first,
                ") is before sorted(", first - 1, "): must be sorted by options.order");
  rank("riffle::rank_if_sorted", exec, sorted, ranks, rule, options, method, memory);
}

}  // namespace riffle
