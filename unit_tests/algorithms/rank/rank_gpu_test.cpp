// The kernel that ranks on a GPU, and its searches for run boundaries, on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/gpu/rank_by_warps.hpp>
#include <riffle/rank/detail/gpu/run_bounds.hpp>
#include <riffle/rank/detail/gpu/tile_groups.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/run_search.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/type_names.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_gpu_test {
namespace {

namespace rank = detail::rank;

using Host = Kokkos::DefaultHostExecutionSpace;
using Pair = Kokkos::pair<std::size_t, std::size_t>;

// --- the kernel ---

/// Ranks as rank_by_warps does, by at most `max_teams` teams. If there are more tiles, another kernel searches before for
/// the bounds of runs at their edges.
template <class Index, class In, class Out, class Rule>
void rank_by_emulated_gpu(In const& in, Out const& out, Rule const& rule, int max_teams = 2) {
  using Source = detail::ViewSource<In>;
  using Sink = detail::ViewSink<Out>;
  using Ranker = rank::Ranker<Rule, typename Out::value_type>;
  std::size_t const n = in.extent(0);
  Source const source(in);
  auto const run = [&](auto const& bounds) {
    using Bounds = std::decay_t<decltype(bounds)>;
    using Kernel = rank::RankByWarps<rank::TileGroupOfAll, Source, Ascending, Ranker, Sink, Bounds>;
    Kernel const kernel(n, {}, source, Ascending{}, Ranker(rule, {1, false}, n, nullptr), Sink(out),
                        {bounds, {}});
    int const teams = std::min(static_cast<int>(kernel.teams()), max_teams);
    EmulatedGpu(2, n).run(teams, Kernel::threads, Kernel::scratch_bytes, kernel);
  };
  using Searched = rank::SearchedBounds<Index>;
  constexpr auto tile =
      rank::RankByWarps<rank::TileGroupOfAll, Source, Ascending, Ranker, Sink, Searched>::tile_size;
  std::uint64_t const tiles = (n + tile - 1) / tile;
  if (tiles <= static_cast<std::uint64_t>(max_teams)) return run(Searched{});

  using Search =
      rank::SearchBounds<Ranker::needs_start, Ranker::needs_end, Source, Ascending, Index>;
  std::vector<Index> starts(tiles);
  std::vector<Index> ends(tiles);
  rank::StoredBounds<Index> const bounds{starts.data(), ends.data()};
  Search const search(n, tile, source, Ascending{}, bounds);
  EmulatedGpu(1, n).run(static_cast<int>(search.teams()), Search::threads, Search::scratch_bytes,
                        search);
  run(bounds);
}

/// Elements of 4 bytes: a warp reads 512, and a tile has 4096.
template <class Rule>
class RankOnEmulatedGpu : public ::testing::Test {
 protected:
  using Rank = std::conditional_t<std::is_same_v<Rule, ties::Fractional>, double, std::int32_t>;

  void expect_ranks(std::vector<int> const& data, int max_teams = 2) {
    auto const out = to_view<Host>(std::vector<Rank>(data.size(), Rank(-7)));
    rank_by_emulated_gpu<std::uint32_t>(to_view<Host>(data), out, Rule{}, max_teams);
    EXPECT_TRUE(same_ranks(to_vector(out), rank_oracle(data, Rule{})));
  }
};
using Rules = ::testing::Types<ties::Competition, ties::ModifiedCompetition, ties::Fractional>;
TYPED_TEST_SUITE(RankOnEmulatedGpu, Rules, TypeNames);

TYPED_TEST(RankOnEmulatedGpu, RandomRuns) {
  for (std::size_t const n : {1, 5, 129, 512, 513}) this->expect_ranks(random_runs(n, 0.9));
  for (std::size_t const n : {4095, 4096, 4097, 9000}) {
    for (double const probability : {0.5, 0.99, 1.0}) {
      this->expect_ranks(random_runs(n, probability));
    }
  }
}

TYPED_TEST(RankOnEmulatedGpu, RunsThatEndNearQuadsAndLanes) {
  for (std::size_t const edge : {4, 128}) {
    SCOPED_TRACE(edge);
    for (auto const& data : runs_near(edge, 2000 / edge)) this->expect_ranks(data);
  }
}

TYPED_TEST(RankOnEmulatedGpu, RunsThatEndNearStepsAndTiles) {
  for (std::size_t const edge : {512, 4096, 8192}) {
    SCOPED_TRACE(edge);
    for (auto const& data : runs_near(edge, edge == 512 ? 17 : 3)) this->expect_ranks(data);
  }
}

TYPED_TEST(RankOnEmulatedGpu, LongRunsNearTileEdges) {
  for (std::size_t const tile : {4096, 8192}) {
    for (auto const& data : long_runs(tile, 4)) this->expect_ranks(data);
  }
}

// Searches beyond the last tile end with the data.
TYPED_TEST(RankOnEmulatedGpu, FewElementsAfterTheLastStep) {
  this->expect_ranks(runs_that_end_at(513, {512}));
  this->expect_ranks(runs_that_end_at(545, {513}));
  this->expect_ranks(runs_that_end_at(545, {544}));
  this->expect_ranks(runs_that_end_at(4097, {4096}));
  this->expect_ranks(runs_that_end_at(8193, {8192}));
}

// One team for each tile; and one team for all tiles, which are more than one team searches for at a time.
TYPED_TEST(RankOnEmulatedGpu, ManyTeamsAndOne) {
  this->expect_ranks(random_runs(40'000, 0.999), 1000);
  this->expect_ranks(random_runs(140'000, 0.9999), 1);
  this->expect_ranks(random_runs(40'000, 0.999), 1);
}

// Views that cannot be read or written four elements at a time; and places of 64 bits.
TYPED_TEST(RankOnEmulatedGpu, StridedAndUnalignedViews) {
  using Rank = typename TestFixture::Rank;
  std::size_t const n = 5000;
  auto const data = random_runs(n, 0.99);
  auto const expected = rank_oracle(data, TypeParam{});
  auto const in = make_strided<Host, int>(n);
  auto const out = make_strided<Host, Rank>(n);
  fill(in, data);
  rank_by_emulated_gpu<std::uint64_t>(in, out, TypeParam{});
  EXPECT_TRUE(same_ranks(to_vector(out), expected));

  // Elements that are read by quads, but not written by quads.
  Kokkos::deep_copy(out, Rank(0));
  rank_by_emulated_gpu<std::uint64_t>(to_view<Host>(data), out, TypeParam{});
  EXPECT_TRUE(same_ranks(to_vector(out), expected));

  auto const in_part = Kokkos::subview(zeros<Host, int>(n + 2), Pair(1, n + 1));
  auto const whole = to_view<Host>(std::vector<Rank>(n + 2, Rank(-7)));
  auto const out_part = Kokkos::subview(whole, Pair(1, n + 1));
  fill(in_part, data);
  rank_by_emulated_gpu<std::uint64_t>(in_part, out_part, TypeParam{});
  EXPECT_TRUE(same_ranks(to_vector(out_part), expected));
  EXPECT_EQ(whole(0), Rank(-7));
  EXPECT_EQ(whole(n + 1), Rank(-7));
}

// Larger elements, of which a lane reads fewer: of 8 bytes two quads, of 24 bytes one quad.
struct Long {
  double payload[2];
  std::int64_t key;

  KOKKOS_FUNCTION friend bool operator<(Long const& a, Long const& b) { return a.key < b.key; }
};

TEST(RankElementsOnEmulatedGpu, OfEightBytes) {
  for (std::size_t const edge : {256, 2048}) {
    for (auto const& data : runs_near(edge, 3)) {
      auto const in = to_view<Host>(std::vector<double>(data.begin(), data.end()));
      auto const out = zeros<Host, double>(data.size());
      rank_by_emulated_gpu<std::uint32_t>(in, out, ties::Fractional{});
      EXPECT_TRUE(same_ranks(to_vector(out), rank_oracle(data, ties::Fractional{})));
    }
  }
}

TEST(RankElementsOnEmulatedGpu, OfManyBytes) {
  for (std::size_t const edge : {128, 1024}) {
    for (auto const& data : runs_near(edge, 3)) {
      std::vector<Long> elements;
      for (int const key : data) elements.push_back({{}, key});
      auto const in = to_view<Host>(elements);
      auto const out = zeros<Host, double>(data.size());
      rank_by_emulated_gpu<std::uint32_t>(in, out, ties::Fractional{});
      EXPECT_TRUE(same_ranks(to_vector(out), rank_oracle(data, ties::Fractional{})));
    }
  }
}

// For unsorted elements ranks are unspecified, but the kernel ends, and writes nothing outside of the View.
TYPED_TEST(RankOnEmulatedGpu, UnsortedElements) {
  using Rank = typename TestFixture::Rank;
  std::size_t const n = 9001;
  auto const in = zeros<Host, int>(n);
  auto const whole = zeros<Host, Rank>(n + 200);
  for (unsigned const kind : {0, 1, 2}) {
    for (std::size_t i = 0; i < n; ++i) {
      auto const place = static_cast<unsigned>(i);
      in(i) = static_cast<int>(kind == 0   ? place * 2654435761u >> 30
                               : kind == 1 ? (9001 - place) / 100
                                           : place % 2);
    }
    Kokkos::deep_copy(whole, Rank(-7));
    rank_by_emulated_gpu<std::uint32_t>(in, Kokkos::subview(whole, Pair(100, n + 100)),
                                        TypeParam{});
    auto const ranks = to_vector(whole);
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(ranks[i], Rank(-7));
      EXPECT_EQ(ranks[n + 100 + i], Rank(-7));
    }
    EXPECT_EQ(std::count(ranks.begin() + 100, ranks.end() - 100, Rank(-7)), 0);
  }
}

// --- the search ---

/// A predicate that is true up to a length, or for k chosen by bits; it counts calls with numbers that are out of range.
template <class Index>
struct Predicate {
  enum Kind { up_to, odd, not_every_32nd, at_random, not_first };

  Index limit;
  Index length;
  Kind kind;
  int* wrong_questions;

  KOKKOS_FUNCTION bool operator()(Index k) const {
    if (k < 1 || k > limit) ++*wrong_questions;
    switch (kind) {
      case odd: return k % 2 == 1;
      case not_every_32nd: return k % 32 != 0;
      case at_random: return (static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u >> 60) != 0;
      case not_first: return k != 1;
      default: return k <= length;
    }
  }
};

/// Searches for several predicates, each by `Lanes` lanes together.
template <class Index, int Lanes>
struct Searches {
  std::vector<Predicate<Index>> const& predicates;
  std::vector<Index>& found;  // Lanes a search

  void operator()(EmulatedMember const& member) const {
    constexpr int at_once = backend::width / Lanes;
    int const lane = member.team_rank();
    for (std::size_t base = 0; base < predicates.size(); base += at_once) {
      std::size_t const own = base + static_cast<std::size_t>(lane / Lanes);
      auto const& predicate = predicates[std::min(own, predicates.size() - 1)];
      Index const limit = own < predicates.size() ? predicate.limit : 0;
      auto const length = rank::WarpSearch<Lanes, Index>(limit, lane).run(predicate);
      if (own < predicates.size()) {
        found[Lanes * own + static_cast<std::size_t>(lane % Lanes)] = length;
      }
    }
  }
};

template <class Index>
class SearchOnEmulatedGpu : public ::testing::Test {
 protected:
  void add(Index limit, Index length,
           typename Predicate<Index>::Kind kind = Predicate<Index>::up_to) {
    predicates_.push_back({limit, length, kind, &wrong_questions_});
  }

  /// The results of the lanes: one for each search, if its lanes agree and call the predicate only for 1, ..., limit.
  template <int Lanes>
  std::vector<Index> search() {
    std::vector<Index> found(Lanes * predicates_.size());
    Searches<Index, Lanes> const kernel{predicates_, found};
    EmulatedGpu(1, 7).run(1, backend::width, 0, kernel);
    EXPECT_EQ(wrong_questions_, 0);
    std::vector<Index> results;
    for (std::size_t k = 0; k < found.size(); k += Lanes) {
      results.push_back(found[k]);
      for (std::size_t lane = 1; lane < Lanes; ++lane) EXPECT_EQ(found[k + lane], found[k]);
    }
    return results;
  }

  /// Expects that a whole warp and a quarter of one find the same as one thread, which counts in 64 bits.
  void expect_lengths() {
    auto const together = search<backend::width>();
    auto const by_quarters = search<backend::width / 4>();
    for (std::size_t k = 0; k < predicates_.size(); ++k) {
      auto const& predicate = predicates_[k];
      auto const alone = rank::run_length(std::uint64_t{predicate.limit}, predicate);
      Index const expected = std::min(predicate.limit, predicate.length);
      EXPECT_EQ(together[k], expected) << predicate.limit << ", " << predicate.length;
      EXPECT_EQ(by_quarters[k], expected) << predicate.limit << ", " << predicate.length;
      EXPECT_EQ(alone, expected) << predicate.limit << ", " << predicate.length;
    }
    EXPECT_EQ(wrong_questions_, 0);
  }

  std::vector<Predicate<Index>> predicates_;

 private:
  int wrong_questions_ = 0;
};
using Indices = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(SearchOnEmulatedGpu, Indices, TypeNames);

std::vector<std::uint32_t> lengths() {
  return {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 1000, 4095, 4096, 4097, 1u << 20};
}

TYPED_TEST(SearchOnEmulatedGpu, LengthsWithinAllLimits) {
  for (auto const limit : lengths()) {
    for (auto const length : lengths()) {
      if (length <= limit || length == limit + 1) this->add(limit, length);
    }
    this->add(limit, std::numeric_limits<TypeParam>::max());
  }
  this->expect_lengths();
}

// Lengths near the numbers that are tested first: 32, and powers of two after it.
TYPED_TEST(SearchOnEmulatedGpu, LengthsNearProbes) {
  for (int bits = 0; bits <= 29; ++bits) {
    TypeParam const place = 32 + (TypeParam(1) << bits);
    for (int shift = -1; shift <= 1; ++shift) {
      this->add(1u << 30, static_cast<TypeParam>(place + static_cast<TypeParam>(shift)));
      this->add(static_cast<TypeParam>(place + static_cast<TypeParam>(shift)), 1u << 30);
    }
  }
  this->expect_lengths();
}

TYPED_TEST(SearchOnEmulatedGpu, LimitsNearTheLargestOf32Bits) {
  for (std::uint32_t const below : {0u, 1u, 2u, 31u, 32u, 33u}) {
    TypeParam const limit = 0xFFFFFFFFu - below;
    for (std::uint32_t const length : {0u, 5u, 1000u, 1u << 31, 0xFFFFFFF0u, 0xFFFFFFFFu}) {
      this->add(limit, length);
    }
  }
  this->expect_lengths();
}

using WideSearchOnEmulatedGpu = SearchOnEmulatedGpu<std::uint64_t>;

TEST_F(WideSearchOnEmulatedGpu, LimitsBeyond36Bits) {
  std::uint64_t const large = std::uint64_t{1} << 36;
  for (std::uint64_t const limit : {large - 1, large, large + 1, large + 12'345'678}) {
    for (std::uint64_t const length : {std::uint64_t{0}, std::uint64_t{33}, large / 3, large - 1,
                                       large, large + 1, large + 12'345'678}) {
      add(limit, length);
    }
  }
  expect_lengths();
}

TEST_F(WideSearchOnEmulatedGpu, LimitsBeyond37Bits) {
  std::uint64_t const large = std::uint64_t{1} << 37;
  for (std::uint64_t const length : {std::uint64_t{5}, large - 1, large, large + 5, 5 * large}) {
    add(8 * large, length);
  }
  expect_lengths();
}

// Predicates that do not come from runs of ties: the search still ends, within the limit.
TYPED_TEST(SearchOnEmulatedGpu, PredicatesThatAreNotMonotonic) {
  using Kind = Predicate<TypeParam>;
  for (auto const limit : {0u, 1u, 31u, 32u, 33u, 1000u, 1u << 20, 0xFFFFFFFEu}) {
    for (auto const kind : {Kind::odd, Kind::not_every_32nd, Kind::at_random, Kind::not_first}) {
      this->add(limit, 0, kind);
    }
  }
  auto const together = this->template search<backend::width>();
  auto const by_quarters = this->template search<backend::width / 4>();
  for (std::size_t k = 0; k < this->predicates_.size(); ++k) {
    auto const& predicate = this->predicates_[k];
    EXPECT_LE(together[k], predicate.limit);
    EXPECT_LE(by_quarters[k], predicate.limit);
    EXPECT_LE(rank::run_length(std::uint64_t{predicate.limit}, predicate), predicate.limit);
  }
}

// --- NaNs ---

void expect_counts(std::size_t before, std::size_t numbers, std::size_t after) {
  using View = decltype(zeros<Host, double>(0));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> data(before, nan);
  data.resize(before + numbers, 1.0);
  data.resize(before + numbers + after, nan);
  rank::MissingCounts counts{77, 77};
  detail::ViewSource<View> const source(to_view<Host>(data));
  using Count = rank::CountMissing<detail::ViewSource<View>>;
  rank::SearchOnce<Count> const kernel{Count{source, data.size(), &counts}};
  EmulatedGpu(1, 1).run(1, kernel.threads, 0, kernel);
  EXPECT_EQ(counts.before, before) << numbers << " numbers, " << after << " NaNs behind";
  EXPECT_EQ(counts.after, after) << numbers << " numbers, " << before << " NaNs before";
}

TEST(CountMissingOnEmulatedGpu, AtOneEnd) {
  for (std::size_t const missing : {0, 1, 31, 32, 33, 500}) {
    for (std::size_t const numbers : {1, 40, 1000}) {
      expect_counts(missing, numbers, 0);
      expect_counts(0, numbers, missing);
    }
    if (missing > 0) expect_counts(missing, 0, 0);  // all of them before
  }
}

}  // namespace
}  // namespace riffle::test::rank_gpu_test
