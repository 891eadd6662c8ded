// Ranks of sorted data, and their ties.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/order.hpp>
#include <riffle/published/competition_ranking/hybrid_ranking.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>
#include <riffle/published/competition_ranking/ranking_operation.hpp>
#include <riffle/published/competition_ranking/segment_search_ranking.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_and_count_ties.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/scan.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>
#include <type_traits>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::ranks_cases {
namespace {

template <class Rule, class Rank>
struct OfDoubles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(sorted(special_numbers<double>(n)));
    auto const ranks = make_output<Exec, Rank>(n);
    rank(exec, data, ranks, Rule{});
    results.add("ranks", ranks);
    RankOptions<> options;
    options.missing = Missing::excluded;
    options.first = 0;
    options.relative = std::is_floating_point_v<Rank>;
    rank(Context(exec, "without NaNs"), data, ranks, Rule{}, options);
    results.add("ranks without NaNs", ranks);
  }
};

template <class Rule>
struct OfInts {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(sorted(numbers_below<std::int32_t>(n / 3 + 1, n)));
    auto const ranks = make_output<Exec, std::uint32_t>(n);
    rank(exec, data, ranks, Rule{});
    results.add("ranks", ranks);
  }
};

template <class Method>
struct ByMethod {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const data = to_array<Exec>(sorted(numbers_below<std::int32_t>(n / 3 + 1, n)));
    auto const ranks = make_output<Exec, std::uint32_t>(n);
    rank(Context(exec, workspace), data, ranks, ties::Competition{}, {}, Method{});
    results.add("ranks", ranks);
  }
};

struct OfCards {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(sorted_cards(n));
    auto const ranks = make_output<Exec, std::int64_t>(n);
    RankOptions<BySuit> const options;
    rank_if_sorted(exec, data, ranks, ties::ModifiedCompetition{}, options);
    results.add("ranks", ranks);
    Kokkos::View<TieStatistics, typename Exec::memory_space> const counted("ties");
    rank_and_count_ties(exec, data, ranks, counted, ties::Competition{}, options);
    results.add("ranks with ties counted", ranks);
    results.add("ties", counted);
    results.add("tie_statistics", tie_statistics(exec, data, BySuit{}));
    results.add("is_sorted_for", is_sorted_for(exec, data, BySuit{}));
    results.add("first_unsorted", first_unsorted(exec, to_array<Exec>(cards(n)), BySuit{}));
  }
};

struct TiesOfDoubles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const data = to_array<Exec>(sorted(special_numbers<double>(n)));
    auto const ranks = make_output<Exec, double>(n);
    Kokkos::View<TieStatistics, typename Exec::memory_space> const counted("ties");
    RankOptions<> options;
    options.missing = Missing::excluded;
    rank_and_count_ties(Context(exec, "ties", workspace), data, ranks, counted, ties::Fractional{},
                        options);
    results.add("ranks", ranks);
    results.add("ties", counted);
    auto const all = tie_statistics(Context(exec, "ties"), data);
    results.add("tie_statistics", all);
    results.add("tie_sum", all.tie_sum());
    results.add("tie_correction", all.tie_correction());
    results.add("first_unsorted", first_unsorted(exec, data));
  }
};

template <class In>
struct AsRanked {
  In in;
  KOKKOS_FUNCTION RankedDatum<std::int32_t> operator()(std::uint64_t i) const {
    return {in(i), i, true};
  }
};

template <class Out>
struct StoreRank {
  Out out;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, RankedDatum<std::int32_t> const& ranked) const {
    out(i) = ranked.rank;
  }
};

struct ByOperation {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(sorted(numbers_below<std::int32_t>(n / 3 + 1, n)));
    auto const ranks = make_output<Exec, std::uint64_t>(n);
    inclusive_scan(exec, n, AsRanked<Array<Exec, std::int32_t>>{data},
                   StoreRank<Array<Exec, std::uint64_t>>{ranks},
                   CompetitionRankOperation<std::int32_t>{});
    results.add("ranks", ranks);
  }
};

/// The default method of a space, given by its name.
struct ByNameOfDefault {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    using OfSpace = std::conditional_t<backend::is_cpu<Exec>, SegmentSearchRanking, DefaultRanking>;
    ByMethod<OfSpace>{}(exec, n, results);
  }
};

Cases const cases{
    make_case<OfDoubles<ties::Competition, std::int32_t>>("rank_competition", sizes()),
    make_case<OfDoubles<ties::Dense, double>>("rank_dense", sizes()),
    make_case<OfInts<ties::Ordinal>>("rank_ordinal", sizes()),
    make_case<OfDoubles<ties::Fractional, double>>("rank_fractional", sizes()),
    make_case<OfInts<ties::Random>>("rank_random", sizes()),
    make_case<ByMethod<NaivePrefixRanking>>("rank_by_naive_prefix", sizes()),
    make_case<ByMethod<PackedScanRanking>>("rank_by_packed_scan", sizes()),
    make_case<ByMethod<HybridRanking>>("rank_by_hybrid", sizes()),
    make_case<ByNameOfDefault>("rank_by_default_method", sizes()),
    make_case<OfCards>("rank_cards_by_users_comparison", sizes()),
    make_case<TiesOfDoubles>("rank_ties_of_doubles", sizes()),
    make_case<ByOperation>("rank_by_operation", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::ranks_cases
