// The search of several threads for a cut: it ends after a number of steps that depends on the
// width of the range alone.

#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace riffle::test::find_cuts_test {
namespace {

using detail::sort::WideCutRange;

/// The range that is left after the steps that FindCuts makes, if places from `cut` on are after
/// the cut.
WideCutRange search(WideCutRange range, std::uint64_t cut, int probes) {
  std::uint64_t const widest = range.high - range.low;
  for (std::uint64_t width = widest; width > 0; width /= static_cast<unsigned>(probes) + 1) {
    if (range.is_found()) break;
    int first = 0;
    while (first < probes && range.place(first, probes) < cut) ++first;
    range = range.before_place(first, probes);
  }
  return range;
}

TEST(CutRangeTest, IsFoundAfterTheStepsForItsWidth) {
  for (int const probes : {1, 2, 3, 8}) {
    for (std::uint64_t width = 0; width <= 100; ++width) {
      for (std::uint64_t cut = 7; cut <= 7 + width; ++cut) {
        WideCutRange const found = search({{7, 7 + width}}, cut, probes);
        ASSERT_TRUE(found.is_found()) << probes << " probes, " << width << ", " << cut;
        ASSERT_EQ(found.low, cut) << probes << " probes, " << width;
      }
    }
  }
}

TEST(CutRangeTest, IsFoundInLongRuns) {
  for (std::uint64_t const width :
       {std::uint64_t{728}, std::uint64_t{729}, std::uint64_t{1} << 32, std::uint64_t{1} << 40}) {
    for (std::uint64_t const cut : {std::uint64_t{0}, std::uint64_t{1}, width / 9, width / 9 + 1,
                                    width / 2, width - width / 9, width - 1, width}) {
      WideCutRange const found = search({{0, width}}, cut, 8);
      ASSERT_TRUE(found.is_found()) << width << ", " << cut;
      ASSERT_EQ(found.low, cut) << width;
    }
  }
}

TEST(CutRangeTest, ProbesDivideTheRangeEvenly) {
  WideCutRange const range{{10, 13}};
  std::vector<std::uint64_t> places;
  for (int k = 0; k < 8; ++k) places.push_back(range.place(k, 8));
  EXPECT_EQ(places, (std::vector<std::uint64_t>{10, 10, 11, 11, 11, 12, 12, 12}));
}

/// For any results of the probes, the range that is left is a part of the range before, and is at
/// most as wide as FindCuts assumes for the next step.
TEST(CutRangeTest, StaysInRangeForAnyAnswers) {
  for (std::uint64_t width = 1; width <= 100; ++width) {
    WideCutRange const range{{5, 5 + width}};
    for (int first = 0; first <= 8; ++first) {
      WideCutRange const part = range.before_place(first, 8);
      EXPECT_LE(range.low, part.low);
      EXPECT_LE(part.low, range.high);
      EXPECT_LE(part.high, range.high);
      EXPECT_TRUE(part.is_found() || part.high - part.low <= width / 9) << width << ", " << first;
    }
  }
}

}  // namespace
}  // namespace riffle::test::find_cuts_test
