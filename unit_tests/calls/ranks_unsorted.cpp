// Ranks of unsorted data. Each type and rule takes half a minute to compile: errors in sorts of other types are found by the
// cases of argsort(), and errors in other rules by the cases of sorted data.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_and_count_ties.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::ranks_unsorted_cases {
namespace {

template <class T, class Rank, class Rule>
struct RanksOf {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(special_numbers<T>(n));
    auto const ranks = make_output<Exec, Rank>(n);
    for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
      if (std::is_integral_v<T> && missing != Missing::ranked) continue;
      RankOptions<> options;
      options.missing = missing;
      rank_unsorted(Context(exec, "ranks"), data, ranks, Rule{}, options);
      results.add("ranks", ranks);
    }
    rank_unsorted(exec, to_array<Exec>(plain_numbers<T>(n)), ranks, Rule{});
    results.add("ranks of plain numbers", ranks);
  }
};

struct RanksAndTies {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const data = to_array<Exec>(special_numbers<double>(n));
    auto const ranks = make_output<Exec, double>(n);
    Kokkos::View<TieStatistics, typename Exec::memory_space> const counted("ties");
    rank_unsorted_and_count_ties(Context(exec, "ties", workspace), data, ranks, counted,
                                 ties::Fractional{}, RankOptions<Descending>{});
    results.add("ranks", ranks);
    results.add("ties", counted);
  }
};

struct RanksOfCards {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(cards(n));
    auto const ranks = make_output<Exec, std::uint32_t>(n);
    rank_unsorted(exec, data, ranks, ties::Ordinal{}, RankOptions<BySuit>{});
    results.add("ranks", ranks);
  }
};

Cases const cases{
    make_case<RanksOf<double, std::int32_t, ties::Competition>>("rank_unsorted_doubles",
                                                                large_sizes()),
    make_case<RanksOf<std::int32_t, std::int32_t, ties::Dense>>("rank_unsorted_int32s",
                                                                large_sizes()),
    make_case<RanksAndTies>("rank_unsorted_and_count_ties", large_sizes()),
    make_case<RanksOfCards>("rank_unsorted_cards_by_users_comparison", large_sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::ranks_unsorted_cases
