// Ranking by repeated prefix passes: the number of passes, and the run boundaries passed to the ranker.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kernel_log.hpp"
#include "support/published_rankings.hpp"
#include "support/rank_oracle.hpp"

namespace riffle::test::naive_prefix_ranking_test {
namespace {

template <class Exec>
class NaivePrefixRankingTest : public ::testing::Test {
 protected:
  /// The kernels of ranking n tied elements, by the last words of their labels.
  std::vector<std::string> kernels(std::size_t n) {
    KernelLog const log;
    starts_of<Exec>(NaivePrefixRanking{}, std::vector<int>(n));
    std::vector<std::string> ends;
    for (auto const& kernel : KernelLog::kernels()) {
      if (kernel.name.starts_with("riffle::test::")) {
        ends.push_back(kernel.name.substr(std::string("riffle::test::").size()));
      }
    }
    return ends;
  }
};
TYPED_TEST_SUITE(NaivePrefixRankingTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(NaivePrefixRankingTest, TheRankerGetsTheBeginOfTies) {
  for (auto const& sorted : data_with_runs()) {
    EXPECT_EQ(starts_of<TypeParam>(NaivePrefixRanking{}, sorted), starts_of_runs(sorted));
  }
}

// Pass k looks 2^k elements back, so there are k passes for the smallest k with 2^k >= n.
TYPED_TEST(NaivePrefixRankingTest, TakesOnePassPerBitOfN) {
  struct Passes {
    std::size_t n;
    std::ptrdiff_t passes;
  };
  for (auto const& [n, passes] : {Passes{1, 0}, Passes{2, 1}, Passes{3, 2}, Passes{4, 2},
                                  Passes{5, 3}, Passes{1024, 10}, Passes{1025, 11}}) {
    auto const kernels = this->kernels(n);
    ASSERT_EQ(kernels.size(), static_cast<std::size_t>(passes) + 2) << n;
    EXPECT_EQ(kernels.front(), "start") << n;
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "step"), passes) << n;
    EXPECT_EQ(kernels.back(), "end") << n;
  }
}

}  // namespace
}  // namespace riffle::test::naive_prefix_ranking_test
