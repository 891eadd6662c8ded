// Ranks of unsorted data, compared with a sort and ranks by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/unsorted_ranks.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_unsorted_test {
namespace {

// All rules are tested for ascending doubles, since a rule does not depend on the data. Each other order, kind of View, and type
// that another sort or another kernel handles is tested with one rule. Types are shared, because nvcc compiles dozens of kernels
// for each combination; rank_unsorted_types_test.cpp has more of them.
template <class Exec>
class RankUnsortedTest : public RankUnsortedBase<Exec> {
 protected:
  void expect_all_rules(std::vector<double> const& data, RankOptions<> const& options = {}) {
    Ordered const ordered(data, std::less<double>{}, options.missing == Missing::first);
    this->template expect_ranks<double>(ordered, ties::Competition{}, options);
    this->template expect_ranks<double>(ordered, ties::ModifiedCompetition{}, options);
    this->template expect_ranks<double>(ordered, ties::Dense{}, options);
    this->template expect_ranks<double>(ordered, ties::Ordinal{}, options);
    this->template expect_ranks<double>(ordered, ties::Fractional{}, options);
  }
};
TYPED_TEST_SUITE(RankUnsortedTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankUnsortedTest, EveryRule) {
  for (std::size_t const n : {0, 1, 2, 17, 1000, 8193, 40'001}) {
    this->expect_all_rules(random_values<double>(n));
    this->expect_all_rules(few_values<double>(n, 100));
    this->expect_all_rules(std::vector<double>(n, 0.5));
  }
}

TYPED_TEST(RankUnsortedTest, NaNsLastFirstAndExcluded) {
  auto const data = special_values<double>(3000);
  for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
    RankOptions<> options;
    options.missing = missing;
    this->expect_all_rules(data, options);
    options.relative = true;
    this->expect_all_rules(data, options);
    RankOptions<Descending> descending;
    descending.missing = missing;
    this->template expect_ranks<double>(data, ties::Fractional{}, descending,
                                        std::greater<double>{});
  }
}

TYPED_TEST(RankUnsortedTest, AnOrderInPlaceOfOptions) {
  auto const data = to_view<TypeParam>(std::vector<double>{0.5, 7, -2, 7, 3});
  auto const sorted = to_view<TypeParam>(std::vector<double>{7, 7, 3, 0.5, -2});
  auto const ranks = zeros<TypeParam, double>(5);
  riffle::rank_unsorted(this->exec, data, ranks, ties::Fractional{}, Descending{});
  EXPECT_EQ(to_vector(ranks), (std::vector<double>{4, 1.5, 5, 1.5, 3}));
  riffle::rank_unsorted(this->exec, data, ranks, ties::Competition{}, Ascending{});
  EXPECT_EQ(to_vector(ranks), (std::vector<double>{2, 4, 1, 4, 3}));
  riffle::rank_if_sorted(this->exec, sorted, ranks, ties::Ordinal{}, Descending{});
  EXPECT_EQ(to_vector(ranks), (std::vector<double>{1, 2, 3, 4, 5}));
}

// Enough elements for several threads: in buckets of few elements, in buckets of one run, and one bucket with most
// elements.
TYPED_TEST(RankUnsortedTest, ManyTies) {
  std::size_t const n = 300'000;
  auto values = few_values<double>(n, 20);
  this->expect_all_rules(values);
  auto const random = random_values<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 4 == 0) values[i] = random[i];
    if (i % 4 > 1) values[i] = 7.5;
  }
  this->expect_all_rules(values);
}

// Nearly all elements, half of them, and all are NaNs: more than the 2^17 that one thread sorts.
TYPED_TEST(RankUnsortedTest, ManyNaNs) {
  std::size_t const n = 135'000;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> data(2 * n, nan);
  auto const values = few_values<double>(n, 100'000);
  for (std::size_t i = 0; i < n; ++i) data[i * 2] = values[i];
  this->expect_all_rules(data, {.missing = Missing::ranked});
  this->expect_all_rules(data, {.missing = Missing::first});
  this->expect_all_rules(data, {.missing = Missing::excluded, .relative = true});
  for (std::size_t const numbers : {3, 0}) {
    data.assign(n, nan);
    for (std::size_t i = 0; i < numbers; ++i) data[i * 2] = values[i];
    this->expect_all_rules(data, {.missing = Missing::ranked, .relative = true});
    this->expect_all_rules(data, {.missing = Missing::first});
    this->expect_all_rules(data, {.missing = Missing::excluded});
  }
}

TYPED_TEST(RankUnsortedTest, ToStridedViews) {
  for (std::size_t const n : {100, 30'000}) {
    auto const data = few_values<double>(n, 1000);
    Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> const matrix("matrix", n, 3);
    auto const ranks = Kokkos::subview(matrix, Kokkos::ALL, 1);
    riffle::rank_unsorted(this->exec, to_view<TypeParam>(data), ranks, ties::Ordinal{});
    this->exec.fence();
    auto const host = HostElements(matrix);
    std::vector<double> actual;
    double beside = 0;
    for (std::size_t i = 0; i < n; ++i) {
      actual.push_back(host(i, 1));
      beside += host(i, 0) + host(i, 2);
    }
    EXPECT_TRUE(same_ranks(actual, unsorted_rank_oracle(data, ties::Ordinal{}, RankOracleOptions{},
                                                        std::less<double>{})));
    EXPECT_EQ(beside, 0);
  }
}

TYPED_TEST(RankUnsortedTest, IntegersFromZero) {
  RankOptions<> options;
  options.first = 0;
  this->template expect_ranks<short>(few_values<int>(5000, 700), ties::Competition{}, options,
                                     std::less<int>{});
  this->template expect_ranks<int>(special_values<float>(5000), ties::Ordinal{},
                                   RankOptions<>{.missing = Missing::excluded}, std::less<float>{});
}

// By comparison sorts.
TYPED_TEST(RankUnsortedTest, StructsByUserComparison) {
  for (std::size_t const n : {1, 100, 20'011}) {
    auto const particles = particles_of(few_values<float>(n, 50));
    RankOptions<HigherEnergy> const options;
    this->template expect_ranks<double>(particles, ties::Fractional{}, options, HigherEnergy{});
    this->template expect_ranks<int>(particles, ties::Ordinal{}, options, HigherEnergy{});
  }
}

// The ranks of each run are permuted among its elements, differently with another seed.
TYPED_TEST(RankUnsortedTest, RandomAmongTies) {
  auto const data = few_values<int>(1000, 7);
  auto const ranks_by = [&](std::uint64_t seed) {
    auto const ranks = zeros<TypeParam, int>(data.size());
    riffle::rank_unsorted(this->exec, to_view<TypeParam>(data), ranks, ties::Random{seed});
    this->exec.fence();
    return to_vector(ranks);
  };
  auto const ranks = ranks_by(1);
  EXPECT_EQ(std::set<int>(ranks.begin(), ranks.end()).size(), data.size());
  auto const lowest =
      unsorted_rank_oracle(data, ties::Competition{}, RankOracleOptions{}, std::less<int>{});
  auto const highest = unsorted_rank_oracle(data, ties::ModifiedCompetition{}, RankOracleOptions{},
                                            std::less<int>{});
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_LE(lowest[i], ranks[i]);
    EXPECT_GE(highest[i], ranks[i]);
  }
  EXPECT_EQ(ranks, ranks_by(1));
  EXPECT_NE(ranks, ranks_by(2));
}

// Enough elements that a GPU brings ranks of near places together before it writes them; each value occurs four times.
TYPED_TEST(RankUnsortedTest, MoreThanAGpusCacheHolds) {
  std::size_t const n = backend::is_cpu<TypeParam> ? 300'000 : std::size_t{5} << 20;
  std::vector<float> data(n);
  for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<float>(i * 12'347 % n / 4);
  auto const ranks = zeros<TypeParam, double>(n);
  riffle::rank_unsorted(Context(this->exec, this->workspace), to_view<TypeParam>(data), ranks,
                        ties::Fractional{});
  auto const places = zeros<TypeParam, double>(n);
  riffle::rank_unsorted(Context(this->exec, this->workspace),
                        to_view<TypeParam>(std::vector<double>(data.begin(), data.end())), places,
                        ties::Competition{});
  this->exec.fence();
  auto const fractional = to_vector(ranks);
  auto const competition = to_vector(places);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double const before = 4.0 * data[i];
    if (fractional[i] != before + 2.5 || competition[i] != before + 1) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
}

TYPED_TEST(RankUnsortedTest, RejectsInvalidArguments) {
  auto const data = zeros<TypeParam, int>(40'000);
  EXPECT_EQ(
      thrown_message([&] { rank_unsorted(this->exec, data, zeros<TypeParam, short>(39'999)); }),
      "riffle::rank_unsorted: data.extent(0) = 40000 and ranks.extent(0) = 39999: must be equal");
  EXPECT_EQ(
      thrown_message([&] { rank_unsorted(this->exec, data, zeros<TypeParam, short>(40'000)); }),
      "riffle::rank_unsorted: n = 40000: the value type of ranks holds no rank above 32767");
  EXPECT_NE(thrown_message([&] {
              rank_unsorted(this->exec, data, data, ties::Random{1});
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::rank_unsorted_test
