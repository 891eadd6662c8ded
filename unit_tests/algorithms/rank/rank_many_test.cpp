// Ranks of enough elements for a GPU's kernels for many tiles: teams that take tile after tile, and searches for run
// boundaries before tiles are ranked.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_many_test {
namespace {

/// An order with a member.
struct ByUnits {
  int unit;

  KOKKOS_FUNCTION bool operator()(int a, int b) const { return a / unit < b / unit; }
};

template <class Exec>
class RankManyTest : public ::testing::Test {
 protected:
  static constexpr std::size_t n = backend::is_cpu<Exec> ? 200'003 : (std::size_t{14} << 20) + 77;

  template <class Rank, class T, class Rule, class Order = Ascending>
  std::vector<Rank> ranks(std::vector<T> const& data, Rule const& rule,
                          RankOptions<Order> const& options = {}) {
    auto const out = zeros<Exec, Rank>(data.size());
    riffle::rank(Context(exec, workspace), to_view<Exec>(data), out, rule, options);
    exec.fence();
    return to_vector(out);
  }

  Exec exec;
  Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankManyTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankManyTest, Densely) {
  for (double const recurring : {0.0, 0.9, 0.9999, 1.0}) {
    auto const data = random_runs(this->n, recurring);
    auto const expected = rank_oracle(data, ties::Dense{});
    EXPECT_TRUE(same_ranks(this->template ranks<std::int32_t>(data, ties::Dense{}), expected));
    EXPECT_TRUE(same_ranks(this->template ranks<double>(data, ties::Dense{}), expected));
  }
}

TYPED_TEST(RankManyTest, DenselyByAComparisonWithState) {
  auto data = random_runs(this->n, 0.5);
  RankOptions<ByUnits> options;
  options.order = {10};
  auto const ranks = this->template ranks<std::int32_t>(data, ties::Dense{}, options);
  for (int& x : data) x /= 10;
  EXPECT_TRUE(same_ranks(ranks, rank_oracle(data, ties::Dense{})));
}

TYPED_TEST(RankManyTest, DenselyWithoutMissingValues) {
  auto data = random_runs<double>(this->n, 0.7);
  data.resize(this->n + 1000, std::numeric_limits<double>::quiet_NaN());
  RankOptions<> options;
  options.missing = Missing::excluded;
  RankOracleOptions expected;
  expected.excludes_missing = true;
  EXPECT_TRUE(same_ranks(this->template ranks<std::int64_t>(data, ties::Dense{}, options),
                         rank_oracle(data, ties::Dense{}, expected)));
}

TYPED_TEST(RankManyTest, ByPlaces) {
  for (double const recurring : {0.5, 0.999, 0.99999, 1.0}) {
    auto const data = random_runs(this->n, recurring);
    EXPECT_TRUE(same_ranks(this->template ranks<std::int32_t>(data, ties::Competition{}),
                           rank_oracle(data, ties::Competition{})));
    EXPECT_TRUE(same_ranks(this->template ranks<std::int32_t>(data, ties::ModifiedCompetition{}),
                           rank_oracle(data, ties::ModifiedCompetition{})));
    EXPECT_TRUE(same_ranks(this->template ranks<double>(data, ties::Fractional{}),
                           rank_oracle(data, ties::Fractional{})));
  }
}

// Kernels of two instances, whose teams may run at the same time.
TYPED_TEST(RankManyTest, TwoAtATime) {
  auto const instances = Kokkos::Experimental::partition_space(this->exec, 1, 1);
  auto const data = random_runs(this->n, 0.9);
  auto const in = to_view<TypeParam>(data);
  auto const first = zeros<TypeParam, std::int32_t>(data.size());
  auto const second = zeros<TypeParam, std::int32_t>(data.size());
  for (int time = 0; time < 3; ++time) {
    riffle::rank(instances[0], in, first, ties::Dense{});
    riffle::rank(instances[1], in, second, ties::Dense{});
  }
  instances[0].fence();
  instances[1].fence();
  auto const expected = rank_oracle(data, ties::Dense{});
  EXPECT_TRUE(same_ranks(to_vector(first), expected));
  EXPECT_TRUE(same_ranks(to_vector(second), expected));
}

}  // namespace
}  // namespace riffle::test::rank_many_test
