#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <riffle/random/lehmer.hpp>

#include "support/bijections.hpp"
#include "support/exceptions.hpp"
#include "support/execution_spaces.hpp"
#include "support/kernels.hpp"
#include "support/uniformity_checks.hpp"
#include "support/views.hpp"

namespace lehmer_test {
namespace {

using riffle::factorial;
using riffle::LehmerPermutation;
using riffle::uniform_below;
using riffle::test::arrangement;
using riffle::test::iota;

static_assert(std::is_trivially_copyable_v<LehmerPermutation>);
static_assert(factorial(0) == 1 && factorial(1) == 1 && factorial(5) == 120);
static_assert(factorial(20) == 2432902008176640000u);
static_assert(factorial(riffle::max_ranked_size) >
                  std::numeric_limits<std::uint64_t>::max() / (riffle::max_ranked_size + 1),
              "the next factorial does not fit");

// Removes the elements from a list, one by one.
std::vector<std::uint64_t> unrank_with_a_list(int n, std::uint64_t rank) {
  auto list = iota<std::uint64_t>(static_cast<std::size_t>(n));
  std::vector<std::uint64_t> images;
  for (int left = n; left > 0; --left) {
    auto const place = static_cast<std::ptrdiff_t>(rank / factorial(left - 1));
    rank %= factorial(left - 1);
    images.push_back(list[static_cast<std::size_t>(place)]);
    list.erase(list.begin() + place);
  }
  return images;
}

std::vector<std::uint64_t> interesting_ranks(int n) {
  std::uint64_t const last = factorial(n) - 1;
  std::vector<std::uint64_t> ranks{0, last, last / 2, last / 3};
  for (int i = 0; i < n; ++i) ranks.push_back(factorial(i) - 1);
  std::mt19937_64 generator(static_cast<unsigned>(n));
  for (int i = 0; i < 100; ++i) ranks.push_back(generator() % factorial(n));
  return ranks;
}

TEST(Factorial, IsTheProductOfItsPredecessor) {
  for (int n = 1; n <= 20; ++n)
    EXPECT_EQ(factorial(n), static_cast<std::uint64_t>(n) * factorial(n - 1));
}

TEST(LehmerPermutation, RanksFollowLexicographicOrder) {
  for (int n = 0; n <= 8; ++n) {
    auto expected = iota<std::uint64_t>(static_cast<std::size_t>(n));
    std::uint64_t rank = 0;
    do {
      ASSERT_EQ(arrangement(LehmerPermutation(n, rank)), expected) << "rank " << rank;
      ++rank;
    } while (std::next_permutation(expected.begin(), expected.end()));
    EXPECT_EQ(rank, factorial(n));
  }
}

TEST(LehmerPermutation, AgreesWithAListAtEverySize) {
  for (int n = 0; n <= 20; ++n) {
    for (auto const rank : interesting_ranks(n))
      ASSERT_EQ(arrangement(LehmerPermutation(n, rank)), unrank_with_a_list(n, rank)) << rank;
  }
}

TEST(LehmerPermutation, HasATrueInverse) {
  for (int n = 0; n <= 20; ++n) {
    for (auto const rank : interesting_ranks(n)) {
      LehmerPermutation const sigma(n, rank);
      ASSERT_EQ(sigma.size(), static_cast<std::uint64_t>(n));
      ASSERT_TRUE(riffle::test::is_bijection_on(iota<std::uint64_t>(sigma.size()), sigma))
          << "n = " << n << ", rank " << rank;
    }
  }
}

TEST(LehmerPermutation, HasNoElementsByDefault) { EXPECT_EQ(LehmerPermutation().size(), 0u); }

TEST(LehmerPermutation, RejectsBadSizesAndRanks) {
  using riffle::test::expect_invalid_argument;
  expect_invalid_argument([] { LehmerPermutation(-1, 0); }, "LehmerPermutation", "n = -1");
  expect_invalid_argument([] { LehmerPermutation(21, 0); }, "LehmerPermutation", "n = 21");
  expect_invalid_argument([] { LehmerPermutation(0, 1); }, "LehmerPermutation", "rank = 1");
  expect_invalid_argument([] { LehmerPermutation(3, 6); }, "LehmerPermutation", "rank = 6");
  expect_invalid_argument([] { LehmerPermutation(20, factorial(20)); }, "LehmerPermutation",
                          "rank = 2432902008176640000");
}

TEST(UniformBelow, StaysBelowItsBound) {
  for (std::uint64_t const bound :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, factorial(20), std::uint64_t{1} << 63,
        (std::uint64_t{1} << 63) + 1, std::numeric_limits<std::uint64_t>::max()}) {
    for (std::uint64_t stream = 0; stream < 1000; ++stream)
      ASSERT_LT(uniform_below(bound, 4, stream), bound);
  }
}

TEST(UniformBelow, TakesEveryValueEquallyOften) {
  for (std::uint64_t const bound : {2, 3, 5, 6, 7, 10, 24, 100}) {
    std::vector<std::uint64_t> by_seed(bound), by_stream(bound);
    for (std::uint64_t i = 0; i < 200 * bound; ++i) {
      ++by_seed[uniform_below(bound, i, 0)];
      ++by_stream[uniform_below(bound, 0, i)];
    }
    EXPECT_LT(std::abs(riffle::test::cells_z(by_seed)), 4.5) << bound;
    EXPECT_LT(std::abs(riffle::test::cells_z(by_stream)), 4.5) << bound;
  }
}

// The bound is three quarters of 2^64. Multiply-high maps two of four consecutive 64-bit numbers to
// a multiple of three. If none of them were rejected, the residue 0 would have probability 1/2.
TEST(UniformBelow, IsExactWhereMultiplyHighAloneIsBiased) {
  std::uint64_t const bound = std::uint64_t{3} << 62;
  std::vector<std::uint64_t> residues(3), thirds(3);
  for (std::uint64_t stream = 0; stream < 6000; ++stream) {
    auto const value = uniform_below(bound, 8, stream);
    ++residues[value % 3];
    ++thirds[value / (bound / 3)];
  }
  EXPECT_LT(std::abs(riffle::test::cells_z(residues)), 4.5);
  EXPECT_LT(std::abs(riffle::test::cells_z(thirds)), 4.5);
}

TEST(UniformBelow, GivesTheNumbersOfTheReferenceProgram) {
  auto const first = [](std::uint64_t bound) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t stream = 0; stream < 4; ++stream)
      values.push_back(uniform_below(bound, 0x243F6A8885A308D3u, stream));
    return values;
  };
  using Values = std::vector<std::uint64_t>;
  EXPECT_EQ(first(6), (Values{5, 0, 3, 1}));
  EXPECT_EQ(first(factorial(20)), (Values{2258516715403712687u, 90093644895870252u,
                                          1223613342588827207u, 598172270646168808u}));
  EXPECT_EQ(first((std::uint64_t{1} << 63) + 1),
            (Values{8562260151709021019u, 4133458673308341043u, 4638839151772687118u,
                    984317400297120996u}));
}

TEST(UniformBelow, RejectsABoundOfZero) {
  riffle::test::expect_invalid_argument([] { uniform_below(0, 1, 2); }, "uniform_below",
                                        "bound = 0");
}

struct RankQuery {
  int n;
  std::uint64_t rank;
};

struct HashOfRank {
  KOKKOS_FUNCTION std::uint64_t operator()(RankQuery const& query) const {
    LehmerPermutation const sigma(query.n, query.rank);
    riffle::test::Fingerprint hash;
    hash.add(sigma.size());
    for (std::uint64_t i = 0; i < sigma.size(); ++i) {
      hash.add(sigma(i));
      hash.add(sigma.inverse(i));
    }
    return hash.value();
  }
};

struct DrawBelow {
  std::uint64_t seed;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t bound) const {
    return uniform_below(bound, seed, bound / 3);
  }
};

template <class Exec>
class LehmerInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(LehmerInKernels, riffle::test::ExecutionSpaces, riffle::test::SpaceNames);

TYPED_TEST(LehmerInKernels, PermutationsConstructedThereMatchTheHost) {
  std::vector<RankQuery> queries;
  for (int n = 0; n <= 20; ++n) {
    for (auto const rank : interesting_ranks(n)) queries.push_back({n, rank});
  }
  EXPECT_EQ(riffle::test::map_in_kernel<TypeParam>(HashOfRank{}, queries),
            riffle::test::map_on_host(HashOfRank{}, queries));
}

TYPED_TEST(LehmerInKernels, PermutationsCopiedThereMatchTheHost) {
  for (int n : {0, 1, 2, 13, 20}) {
    LehmerPermutation const sigma(n, factorial(n) / 7);
    riffle::test::expect_same_in_kernel<TypeParam>(sigma, iota<std::uint64_t>(sigma.size()));
  }
}

TYPED_TEST(LehmerInKernels, UniformNumbersMatchTheHost) {
  std::vector<std::uint64_t> bounds;
  for (int n = 0; n <= 20; ++n) bounds.push_back(factorial(n));
  for (int bit = 0; bit < 64; ++bit) bounds.push_back((std::uint64_t{1} << bit) + 1);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(riffle::test::map_in_kernel<TypeParam>(DrawBelow{seed}, bounds),
              riffle::test::map_on_host(DrawBelow{seed}, bounds));
  }
}

}  // namespace
}  // namespace lehmer_test
