#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <riffle/fisher_yates.hpp>

#include "support/chi_square.hpp"
#include "support/execution_spaces.hpp"
#include "support/fisher_yates_oracle.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test {
namespace {

using Images = std::vector<std::uint32_t>;

/// Each thread shuffles a row of its own, by its number's stream.
template <class Exec>
struct ShuffleRows {
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, typename Exec::memory_space> rows;
  std::uint64_t seed;

  KOKKOS_FUNCTION void operator()(int r) const {
    std::uint64_t const n = rows.extent(1);
    std::uint32_t* const row = rows.data() + static_cast<std::uint64_t>(r) * n;
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    riffle::fisher_yates(row, n, seed, static_cast<std::uint64_t>(r));
  }
};

template <class Exec>
std::vector<Images> shuffled_rows(std::size_t count, std::size_t n, std::uint64_t seed) {
  using Rows = decltype(ShuffleRows<Exec>::rows);
  ShuffleRows<Exec> const kernel{Rows("rows", count, n), seed};
  Kokkos::parallel_for("shuffle", Kokkos::RangePolicy<Exec>(0, static_cast<int>(count)), kernel);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.rows);
  std::vector<Images> rows(count);
  for (std::size_t r = 0; r < count; ++r)
    rows[r].assign(host.data() + r * n, host.data() + (r + 1) * n);
  return rows;
}

template <class Exec>
class FisherYatesTest : public ::testing::Test {};
TYPED_TEST_SUITE(FisherYatesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FisherYatesTest, IsThatOfTheBook) {
  // Both sides of every change of the number of indices drawn at once.
  for (std::size_t const n : {0,   1,   2,   3,    6,    7,    8,    13,    100,   511,
                              512, 513, 519, 2047, 2048, 2049, 2054, 16384, 16385, 16390}) {
    auto const rows = shuffled_rows<TypeParam>(3, n, 7);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      auto const expected = FisherYatesOracle(7, r).sigma(n);
      EXPECT_EQ(rows[r], Images(expected.begin(), expected.end())) << "n = " << n << ", " << r;
    }
  }
}

TEST(FisherYatesOnTheHostTest, IsThatOfTheBookWhereFewIndicesFitAWord) {
  for (std::size_t const n : {std::size_t{1} << 19, (std::size_t{1} << 19) + 3}) {
    auto items = iota<std::uint64_t>(n);
    riffle::fisher_yates(items.data(), n, 3, 5);
    EXPECT_EQ(items, FisherYatesOracle(3, 5).sigma(n)) << n;
  }
}

TYPED_TEST(FisherYatesTest, GoldenValues) {
  auto const rows = shuffled_rows<TypeParam>(2, 20, 1);
  EXPECT_EQ(rows[0],
            (Images{19, 3, 13, 16, 1, 0, 8, 2, 15, 4, 12, 14, 9, 10, 6, 18, 11, 17, 5, 7}));
  EXPECT_EQ(rows[1],
            (Images{9, 11, 1, 2, 14, 7, 15, 4, 19, 0, 13, 10, 17, 12, 18, 3, 5, 6, 16, 8}));
}

TYPED_TEST(FisherYatesTest, AllOrdersAreEquallyLikely) {
  constexpr std::size_t n = 5;
  constexpr std::size_t samples = 120'000;
  std::vector<std::uint64_t> counts(120, 0);
  for (auto const& row : shuffled_rows<TypeParam>(samples, n, 11)) ++counts[rank_of(row)];
  EXPECT_LT(chi_square(counts), 180) << "119 degrees of freedom: p = 3e-4";
}

TEST(FisherYatesOnTheHostTest, ItemsNeedOnlyBeCopied) {
  struct Pair {
    double key;
    int value;
  };
  std::vector<Pair> pairs(50);
  for (int i = 0; i < 50; ++i) pairs[static_cast<std::size_t>(i)] = {0.5 * i, i};
  riffle::fisher_yates(pairs.data(), pairs.size(), 1);
  auto const sigma = FisherYatesOracle(1, 0).sigma(50);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].value, static_cast<int>(sigma[i]));
    EXPECT_EQ(pairs[i].key, 0.5 * pairs[i].value);
  }
}

}  // namespace
}  // namespace riffle::test
