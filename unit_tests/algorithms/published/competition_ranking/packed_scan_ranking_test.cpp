// Ranking by a scan of packed places: the words, their operation, and the run boundaries passed to the ranker.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/published_rankings.hpp"

namespace riffle::test::packed_scan_ranking_test {
namespace {

template <class Exec>
class PackedScanRankingTest : public ::testing::Test {};
TYPED_TEST_SUITE(PackedScanRankingTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PackedScanRankingTest, TheRankerGetsTheBeginOfTies) {
  for (auto const& sorted : data_with_runs()) {
    EXPECT_EQ(starts_of<TypeParam>(PackedScanRanking{}, sorted), starts_of_runs(sorted));
  }
}

TYPED_TEST(PackedScanRankingTest, EmptyRange) {
  EXPECT_TRUE(starts_of<TypeParam>(PackedScanRanking{}, {}).empty());
}

/// Data that say of each place whether it begins a run, without memory for the places before it.
struct PairsFrom {
  std::uint64_t first;
  KOKKOS_FUNCTION std::int64_t operator()(std::uint64_t i) const {
    return static_cast<std::int64_t>((i - first + 2) / 2);
  }
};

// The last places that a word can represent, each followed by a tie.
template <class Word>
void expect_words_at(Word last) {
  detail::rank::PackedPlace<PairsFrom, Ascending, Word> const pack{{last - 1}, {}};
  Word const flag = static_cast<Word>(Word{1} << (std::numeric_limits<Word>::digits - 1));
  EXPECT_EQ(pack(last - 1), flag + (last - 1));
  EXPECT_EQ(pack(last), 0u);
  detail::rank::PackedPlace<PairsFrom, Ascending, Word> const next{{last}, {}};
  EXPECT_EQ(next(last), flag + last);
}

TEST(PackedPlaceTest, TheHighestBitIsTheFlag) {
  expect_words_at(std::uint32_t{5});
  expect_words_at((std::uint32_t{1} << 31) - 1);  // 32-bit words are used up to n = 2^31
  expect_words_at(std::uint64_t{1} << 31);
  expect_words_at((std::uint64_t{1} << 63) - 1);
}

// Place 0 begins a run; its word differs from the word of a tie.
TEST(PackedPlaceTest, TheFirstPlaceIsFlagged) {
  detail::rank::PackedPlace<PairsFrom, Ascending, std::uint32_t> const pack{{0}, {}};
  EXPECT_EQ(pack(0), std::uint32_t{1} << 31);
}

TEST(LastFlaggedTest, IsTheRightmostWordWithAFlag) {
  detail::rank::LastFlagged<std::uint32_t> const last;
  std::uint32_t const flag = std::uint32_t{1} << 31;
  for (std::uint32_t const a : {0u, flag, flag + 7}) {
    EXPECT_EQ(last(last.identity(), a), a);
    EXPECT_EQ(last(a, last.identity()), a);
    EXPECT_EQ(last(a, flag + 9), flag + 9);
    for (std::uint32_t const b : {0u, flag + 1}) {
      for (std::uint32_t const c : {0u, flag + 2}) {
        EXPECT_EQ(last(last(a, b), c), last(a, last(b, c)));
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::packed_scan_ranking_test
