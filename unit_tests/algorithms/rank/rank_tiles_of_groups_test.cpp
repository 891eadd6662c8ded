// The kernel that ranks within groups on a GPU in one pass, on an emulated GPU: groups by keys, by offsets, and of one
// length.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/gpu/rank_by_warps.hpp>
#include <riffle/rank/detail/gpu/run_bounds.hpp>
#include <riffle/rank/detail/gpu/tile_groups.hpp>
#include <riffle/rank/detail/matrix_lines.hpp>
#include <riffle/rank/detail/rank_in_groups.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/lines.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/segments.hpp"
#include "support/type_names.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_tiles_of_groups_test {
namespace {

namespace rank = detail::rank;

using Host = Kokkos::DefaultHostExecutionSpace;
using Pair = Kokkos::pair<std::size_t, std::size_t>;

template <class Kernel>
void emulate(int max_teams, std::size_t seed, Kernel const& kernel) {
  int const teams = std::min(static_cast<int>(kernel.teams()), max_teams);
  EmulatedGpu(2, seed).run(teams, Kernel::threads, Kernel::scratch_bytes, kernel);
}

/// Searches as search_bounds_of_groups does; a team searches for 32 tiles.
template <class Ranker, class Index, class Tiles, class Source>
void search(std::size_t n, std::uint64_t tile_size, Tiles const& tiles, Source const& source,
            rank::TieAndGroupBounds<rank::StoredBounds<Index>> const& bounds) {
  constexpr bool has_ties = Ranker::needs_start || Ranker::needs_end;
  auto const run = [n](auto const& kernel) {
    emulate(static_cast<int>(kernel.teams()), n, kernel);
  };
  if constexpr (has_ties && Tiles::are_searched) {
    run(rank::TwoSearches(rank::run_bound_search<Index, Ranker>(n, tile_size, tiles, source,
                                                                Ascending{}, bounds.ties),
                          rank::group_start_search(n, tile_size, tiles, bounds.groups)));
  } else if constexpr (has_ties) {
    run(rank::run_bound_search<Index, Ranker>(n, tile_size, tiles, source, Ascending{},
                                              bounds.ties));
  } else if constexpr (Tiles::are_searched) {
    run(rank::group_start_search(n, tile_size, tiles, bounds.groups));
  }
}

/// Ranks as rank_by_warps does, by at most `max_teams` teams; if there are more tiles, after a search.
/// make_tiles(tile_size) makes the groups.
template <class Index, class MakeTiles, class Source, class Ranker, class Sink>
void rank_by_emulated_gpu(std::size_t n, MakeTiles const& make_tiles, Source const& source,
                          Ranker const& ranker, Sink const& sink, int max_teams) {
  using Tiles = decltype(make_tiles(std::uint64_t{}));
  auto const run = [&]<class Bounds>(Tiles const& tiles,
                                     rank::TieAndGroupBounds<Bounds> const& bounds) {
    rank::RankByWarps<Tiles, Source, Ascending, Ranker, Sink, Bounds> const kernel(
        n, tiles, source, Ascending{}, ranker, sink, bounds);
    emulate(max_teams, n, kernel);
  };
  using Searched = rank::SearchedBounds<Index>;
  constexpr std::uint64_t tile_size =
      rank::RankByWarps<Tiles, Source, Ascending, Ranker, Sink, Searched>::tile_size;
  Tiles const tiles = make_tiles(tile_size);
  std::uint64_t const count = (n + tile_size - 1) / tile_size;
  if (count <= static_cast<std::uint64_t>(max_teams)) {
    run(tiles, rank::TieAndGroupBounds<Searched>{});
    return;
  }
  std::vector<Index> memory(4 * count, Index{77});
  Index* const m = memory.data();
  rank::TieAndGroupBounds<rank::StoredBounds<Index>> const bounds{{m, m + count},
                                                                  {m + 2 * count, m + 3 * count}};
  search<Ranker>(n, tile_size, tiles, source, bounds);
  run(tiles, bounds);
}

/// Returns a make_tiles() for groups between offsets.
template <class Offsets>
auto tiles_by_offset(std::size_t n, Offsets const& offsets, std::vector<std::uint64_t>& memory) {
  return [n, offsets, &memory](std::uint64_t tile_size) {
    rank::SegmentOffsets<Offsets> const segments{offsets};
    memory.assign((n + tile_size - 1) / tile_size + 1, 0);
    rank::FindSegmentsOfTiles<Offsets> const find{segments, n, tile_size, memory.data()};
    for (std::size_t tile = 0; tile < memory.size(); ++tile) find(tile);
    return rank::TileGroupsByOffset<Offsets>(segments, memory.data());
  };
}

template <class Keys>
auto tiles_by_key(Keys const& keys) {
  using Source = detail::ViewSource<Keys>;
  return [keys](std::uint64_t) { return rank::TileGroupsByKey<Source>(Source(keys)); };
}

/// The type of ranks: double for Fractional, otherwise an integer.
template <class Rule>
using RankOf = std::conditional_t<std::is_same_v<Rule, ties::Fractional>, double, std::int32_t>;

template <class Rule>
class RankTilesOfGroups : public ::testing::Test {
 protected:
  using Rank = RankOf<Rule>;

  /// Tests segments by offsets and by keys.
  void expect_ranks(Segments<float> const& segments, int max_teams = 2) {
    auto const expected =
        segments.values_by([](auto const& s) { return rank_oracle(s, Rule{}, {.first = 0}); });
    std::size_t const n = segments.values.size();
    std::vector<std::uint64_t> memory;
    expect(segments, tiles_by_offset(n, to_view<Host>(segments.offsets), memory), expected,
           max_teams, "offsets");
    expect(segments, tiles_by_key(to_view<Host>(segments.keys())), expected, max_teams, "keys");
  }

  template <class Index = std::uint32_t, class In, class Out, class MakeTiles>
  void rank(In const& in, Out const& out, MakeTiles const& make_tiles, int max_teams = 2) {
    rank_by_emulated_gpu<Index>(
        in.extent(0), make_tiles, detail::ViewSource<In>(in),
        rank::RankerFromGroupStart<Rule, typename Out::value_type>(Rule{}, {0, false}, 0),
        detail::ViewSink<Out>(out), max_teams);
  }

 private:
  template <class MakeTiles>
  void expect(Segments<float> const& segments, MakeTiles const& make_tiles,
              std::vector<double> const& expected, int max_teams, std::string const& by) {
    auto const out = to_view<Host>(std::vector<Rank>(segments.values.size(), Rank(-7)));
    rank(to_view<Host>(segments.values), out, make_tiles, max_teams);
    EXPECT_TRUE(same_ranks(to_vector(out), expected)) << "by " << by;
  }
};
using Rules =
    ::testing::Types<ties::Competition, ties::ModifiedCompetition, ties::Ordinal, ties::Fractional>;
TYPED_TEST_SUITE(RankTilesOfGroups, Rules, TypeNames);

/// Adds a segment of runs, with values that other segments have, too.
void add_runs(Segments<float>& segments, std::size_t size, double recurring) {
  auto const seed = static_cast<unsigned>(segments.values.size());
  segments.add(random_runs<float>(size, recurring, seed));
}

// A warp reads 512 elements at a time; tiles have 4096.
TYPED_TEST(RankTilesOfGroups, SegmentsOfAllSizes) {
  for (double const recurring : {0.0, 0.7, 0.999, 1.0}) {
    Segments<float> segments;
    for (std::size_t const size : {1, 0, 2, 3, 0, 0, 31, 4, 33, 1, 1, 127, 128, 129, 1000, 5000}) {
      add_runs(segments, size, recurring);
    }
    for (int s = 0; s < 900; ++s) add_runs(segments, static_cast<std::size_t>(s % 4), recurring);
    this->expect_ranks(segments);
    this->expect_ranks(segments, 1000);
  }
}

TYPED_TEST(RankTilesOfGroups, FewElements) {
  for (std::size_t const size : {1, 2, 5}) {
    Segments<float> segments;
    for (std::size_t s = 0; s < size; ++s) add_runs(segments, s % 3, 0.5);
    if (segments.values.empty()) add_runs(segments, size, 1);
    this->expect_ranks(segments);
  }
}

TYPED_TEST(RankTilesOfGroups, GroupsThatEndNearQuadsAndStepsAndTiles) {
  for (std::size_t const edge : {4, 128, 256, 512, 2048, 4096}) {
    SCOPED_TRACE(edge);
    for (double const recurring : {0.5, 1.0}) {
      for (std::size_t const first : {edge - 1, edge, edge + 1}) {
        Segments<float> segments;
        add_runs(segments, first, recurring);
        for (std::size_t k = 0; k * edge < 5000; ++k) add_runs(segments, edge, recurring);
        this->expect_ranks(segments);
      }
    }
  }
}

// More tiles than one team searches for at a time.
TYPED_TEST(RankTilesOfGroups, LongGroupsAndLongTies) {
  for (double const recurring : {0.999, 0.9999, 1.0}) {
    Segments<float> segments;
    for (std::size_t const size : {20'000, 1, 4096, 150'000, 100}) {
      add_runs(segments, size, recurring);
    }
    this->expect_ranks(segments, 1);
  }
}

// The group ends before the equal values do: near the tile, further than near_elements, and far away.
TYPED_TEST(RankTilesOfGroups, TiesEndWithTheGroup) {
  for (std::size_t const distance : {1, 127, 128, 129, 1000, 5000}) {
    SCOPED_TRACE(distance);
    Segments<float> segments;
    for (std::size_t const size : {8192 - distance, 2 * distance, std::size_t{9000}}) {
      add_runs(segments, size, 1);
    }
    this->expect_ranks(segments, 1);
    this->expect_ranks(segments, 1000);
  }
}

// After a group's end and before its start there are values of the same runs, which searches must not count.
TYPED_TEST(RankTilesOfGroups, EqualValuesInOtherGroups) {
  for (std::size_t const size : {300, 1000, 3000, 6000}) {
    Segments<float> segments;
    for (std::size_t k = 0; k < 30'000 / size; ++k) {
      std::vector<float> values(size, 1.0f);
      std::fill_n(values.begin(), (137 * k) % size, 0.0f);
      segments.add(values);
    }
    this->expect_ranks(segments, 1);
    this->expect_ranks(segments, 1000);
  }
}

// Enough offsets that each element searches for its segment.
TYPED_TEST(RankTilesOfGroups, ManyEmptySegments) {
  Segments<float> segments;
  auto const add_empty = [&](std::size_t count) {
    segments.offsets.insert(segments.offsets.end(), count, segments.offsets.back());
  };
  add_empty(5);
  add_runs(segments, 1000, 0.9);
  add_empty(140'000);
  for (std::size_t const size : {1, 2, 700, 1}) add_runs(segments, size, 0.9);
  add_empty(3);
  for (std::size_t const size : {4096, 600}) add_runs(segments, size, 0.9);
  add_empty(20);
  this->expect_ranks(segments);
  this->expect_ranks(segments, 1000);
}

// Views that cannot be read or written four elements at a time; and places of 64 bits.
TYPED_TEST(RankTilesOfGroups, StridedAndUnalignedViews) {
  using Rank = typename TestFixture::Rank;
  Segments<float> segments;
  for (std::size_t const size : {1, 300, 4096, 5, 1500}) add_runs(segments, size, 0.9);
  std::size_t const n = segments.values.size();
  auto const expected =
      segments.values_by([](auto const& s) { return rank_oracle(s, TypeParam{}, {.first = 0}); });
  auto const in = make_strided<Host, float>(n);
  auto const keys = make_strided<Host, short>(n);
  auto const out = make_strided<Host, Rank>(n);
  fill(in, segments.values);
  fill(keys, segments.keys());
  this->template rank<std::uint64_t>(in, out, tiles_by_key(keys));
  EXPECT_TRUE(same_ranks(to_vector(out), expected));

  auto const in_part = Kokkos::subview(zeros<Host, float>(n + 2), Pair(1, n + 1));
  auto const whole = to_view<Host>(std::vector<Rank>(n + 2, Rank(-7)));
  auto const out_part = Kokkos::subview(whole, Pair(1, n + 1));
  fill(in_part, segments.values);
  std::vector<std::uint64_t> memory;
  this->template rank<std::uint64_t>(
      in_part, out_part, tiles_by_offset(n, to_view<Host>(segments.offsets), memory), 1);
  EXPECT_TRUE(same_ranks(to_vector(out_part), expected));
  EXPECT_EQ(whole(0), Rank(-7));
  EXPECT_EQ(whole(n + 1), Rank(-7));
}

// For invalid offsets ranks are unspecified, but the kernel ends, writes one rank for each element, and nothing outside
// of the View.
TYPED_TEST(RankTilesOfGroups, RejectsInvalidOffsets) {
  using Rank = typename TestFixture::Rank;
  std::size_t const n = 9001;
  auto const in = to_view<Host>(random_runs<float>(n, 0.99));
  auto const whole = zeros<Host, Rank>(n + 200);
  std::vector<std::vector<long>> const all{{0},
                                           {7},
                                           {-5, 20'000},
                                           {0, 5'000'000'000, 4000, -1, 8000, 9001},
                                           {9000, 8000, 7000, 4097, 4096, 4095, 1, 0},
                                           {0, 100, 50, 9001, 20, 9001}};
  for (auto const& offsets : all) {
    Kokkos::deep_copy(whole, Rank(-7));
    std::vector<std::uint64_t> memory;
    this->rank(in, Kokkos::subview(whole, Pair(100, n + 100)),
               tiles_by_offset(n, to_view<Host>(offsets), memory), offsets.size() % 2 ? 1 : 1000);
    auto const ranks = to_vector(whole);
    EXPECT_EQ(std::count(ranks.begin(), ranks.begin() + 100, Rank(-7)), 100);
    EXPECT_EQ(std::count(ranks.end() - 100, ranks.end(), Rank(-7)), 100);
  }
}

// --- groups of one length ---

template <class Rule>
class RankTilesOfLines : public RankTilesOfGroups<Rule> {
 protected:
  template <class Layout, detail::Along along>
  void expect_ranks(std::size_t count, std::size_t length, double recurring, bool relative) {
    bool const by_rows = along == detail::Along::rows;
    LinesOf<float> lines;
    std::vector<std::vector<double>> expected;
    for (std::size_t s = 0; s < count; ++s) {
      lines.push_back(random_runs<float>(length, recurring, static_cast<unsigned>(s)));
      expected.push_back(rank_oracle(lines.back(), Rule{}, {.is_relative = relative}));
    }
    auto const sorted = matrix_of_lines<Host, float, Layout>(lines, by_rows);
    auto const ranks = make_matrix<Host, double, Layout>(sorted.extent(0), sorted.extent(1));
    for (int const max_teams : {1, 1000}) {
      rank_by_emulated_gpu<std::uint32_t>(
          count * length,
          [&](std::uint64_t) { return rank::TileGroupsOfLength<std::uint32_t>(length); },
          detail::LinesSource<std::decay_t<decltype(sorted)>, along>(sorted),
          rank::RankerFromGroupStart<Rule, double>(Rule{}, {1, relative}, length),
          detail::LinesSink<std::decay_t<decltype(ranks)>, along>(ranks), max_teams);
      EXPECT_TRUE(same_lines(lines_of_matrix(ranks, by_rows), expected)) << count << ", " << length;
      Kokkos::deep_copy(ranks, 0.0);
    }
  }
};
using RulesOfTies =
    ::testing::Types<ties::Competition, ties::ModifiedCompetition, ties::Fractional>;
TYPED_TEST_SUITE(RankTilesOfLines, RulesOfTies, TypeNames);

TYPED_TEST(RankTilesOfLines, ContiguousRows) {
  for (std::size_t const length : {1, 2, 3, 4, 5, 129, 2047, 4096, 4097, 20'000}) {
    for (double const recurring : {0.5, 1.0}) {
      this->template expect_ranks<Kokkos::LayoutRight, detail::Along::rows>(
          9000 / length + 2, length, recurring, length % 2 == 0);
    }
  }
}

TYPED_TEST(RankTilesOfLines, StridedRowsAndColumns) {
  this->template expect_ranks<Kokkos::LayoutRight, detail::Along::columns>(37, 130, 0.9, false);
  this->template expect_ranks<Kokkos::LayoutLeft, detail::Along::rows>(3, 2000, 0.9, false);
  this->template expect_ranks<Kokkos::LayoutStride, detail::Along::rows>(3, 2000, 0.9, false);
}

}  // namespace
}  // namespace riffle::test::rank_tiles_of_groups_test
