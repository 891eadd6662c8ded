// Ranks of unsorted data of more types, orders and kinds of Views than in rank_unsorted_test.cpp, compared with a sort and ranks
// by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/unsorted_data.hpp"
#include "support/unsorted_ranks.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_unsorted_types_test {
namespace {

template <class Exec>
class RankUnsortedTypesTest : public RankUnsortedBase<Exec> {};
TYPED_TEST_SUITE(RankUnsortedTypesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankUnsortedTypesTest, DenseRanksOfDescendingNumbers) {
  auto const data = special_values<double>(3000);
  for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
    RankOptions<Descending> options;
    options.missing = missing;
    this->template expect_ranks<double>(data, ties::Dense{}, options, std::greater<double>{});
  }
}

TYPED_TEST(RankUnsortedTypesTest, DenseIntegersForNaNs) {
  this->template expect_ranks<int>(special_values<float>(5000), ties::Dense{},
                                   RankOptions<>{.missing = Missing::excluded}, std::less<float>{});
}

TYPED_TEST(RankUnsortedTypesTest, IntegersByAnOrderInPlaceOfOptions) {
  auto const data = to_view<TypeParam>(std::vector<double>{0.5, 7, -2, 7, 3});
  auto const sorted = to_view<TypeParam>(std::vector<double>{7, 7, 3, 0.5, -2});
  auto const ranks = zeros<TypeParam, int>(5);
  riffle::rank_unsorted(this->exec, data, ranks, ties::Competition{}, Descending{});
  EXPECT_EQ(to_vector(ranks), (std::vector{4, 1, 5, 1, 3}));
  riffle::rank_unsorted(this->exec, data, ranks, ties::Competition{}, Ascending{});
  EXPECT_EQ(to_vector(ranks), (std::vector{2, 4, 1, 4, 3}));
  riffle::rank_if_sorted(this->exec, sorted, ranks, ties::Dense{}, Descending{});
  EXPECT_EQ(to_vector(ranks), (std::vector{1, 1, 2, 3, 4}));
}

TYPED_TEST(RankUnsortedTypesTest, ToStridedViews) {
  for (std::size_t const n : {100, 30'000}) {
    auto const data = few_values<double>(n, 1000);
    Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> const matrix("matrix", n, 3);
    auto const ranks = Kokkos::subview(matrix, Kokkos::ALL, 1);
    riffle::rank_unsorted(this->exec, to_view<TypeParam>(data), ranks, ties::Fractional{});
    this->exec.fence();
    EXPECT_TRUE(same_ranks(
        to_vector(ranks), unsorted_rank_oracle(data, ties::Fractional{}, {}, std::less<double>{})));
    for (int const other : {0, 2}) {
      EXPECT_EQ(to_vector(Kokkos::subview(matrix, Kokkos::ALL, other)), std::vector<double>(n));
    }
  }
}

TYPED_TEST(RankUnsortedTypesTest, DenseRanksOfStructs) {
  for (std::size_t const n : {1, 100, 20'011}) {
    this->template expect_ranks<int>(particles_of(few_values<float>(n, 50)), ties::Dense{},
                                     RankOptions<HigherEnergy>{}, HigherEnergy{});
  }
}

// Enough elements that a GPU brings ranks of near places together before it writes them; each value occurs four times.
TYPED_TEST(RankUnsortedTypesTest, IntegersMoreThanAGpusCacheHolds) {
  std::size_t const n = backend::is_cpu<TypeParam> ? 300'000 : std::size_t{5} << 20;
  std::vector<float> data(n);
  for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<float>(i * 12'347 % n / 4);
  auto const ranks = zeros<TypeParam, int>(n);
  riffle::rank_unsorted(Context(this->exec, this->workspace), to_view<TypeParam>(data), ranks,
                        ties::Competition{});
  this->exec.fence();
  auto const competition = to_vector(ranks);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (competition[i] != static_cast<int>(4 * data[i]) + 1) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace riffle::test::rank_unsorted_types_test
