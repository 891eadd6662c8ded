#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace riffle::test::row_groups_test {
namespace {

using Index = std::uint32_t;

/// The first row, stride, number of rows and index of each row's group, and the row's number in it.
template <class Groups>
std::vector<std::vector<Index>> places(Groups const& groups) {
  std::vector<std::vector<Index>> result;
  for (Index p = 0; p < groups.processors().rows(); ++p) {
    auto const& place = groups[p];
    EXPECT_EQ(place.row(place.index), p);
    EXPECT_LT(place.index, place.rows);
    EXPECT_LE(place.rows, groups.max_rows());
    result.push_back({place.first, place.stride, place.rows, place.index, place.number});
  }
  return result;
}

using Places = std::vector<std::vector<Index>>;

TEST(RowGroups, PartsAreSuccessiveRows) {
  ModelProcessors processors(5);
  RowGroups const all(processors);
  EXPECT_TRUE(all.all_equal());
  RowGroups const parts = all.parts(2);
  EXPECT_EQ(
      places(parts),
      (Places{
          {0, 1, 2, 0, 0}, {0, 1, 2, 1, 0}, {2, 1, 2, 0, 1}, {2, 1, 2, 1, 1}, {4, 1, 1, 0, 2}}));
  EXPECT_FALSE(parts.all_equal());
  EXPECT_TRUE(all.parts(5).all_equal());
  EXPECT_EQ(all.parts(9).max_rows(), 5u);
}

TEST(RowGroups, StridesDealRowsOut) {
  ModelProcessors processors(5);
  EXPECT_EQ(
      places(RowGroups(processors).strides(2)),
      (Places{
          {0, 2, 3, 0, 0}, {1, 2, 2, 0, 1}, {0, 2, 3, 1, 0}, {1, 2, 2, 1, 1}, {0, 2, 3, 2, 0}}));
}

TEST(RowGroups, NestAsSquaresOfBalancingDo) {
  ModelProcessors processors(8);
  RowGroups const groups = RowGroups(processors).parts(4).strides(2);
  EXPECT_EQ(places(groups)[7], (std::vector<Index>{5, 2, 2, 1, 1}));
  EXPECT_TRUE(groups.all_equal());
  EXPECT_EQ(places(RowGroups(processors).strides(2).parts(3))[7],
            (std::vector<Index>{7, 2, 1, 0, 1}));
}

TEST(RowGroups, AlternatingTurnsOddOnesRound) {
  ModelProcessors processors(6);
  RowGroups const pairs = RowGroups(processors).parts(2);
  RowGroups const alternating = pairs.alternating();
  RowGroups const twice = alternating.parts(1).alternating();
  for (Index p = 0; p < 6; ++p) {
    EXPECT_FALSE(pairs[p].descending);
    EXPECT_EQ(alternating[p].descending, p / 2 == 1);
    EXPECT_EQ(twice[p].descending, (p / 2 == 1) != (p % 2 == 1));
  }
}

}  // namespace
}  // namespace riffle::test::row_groups_test
