#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/random/fisher_yates.hpp>

#include "support/chi_square.hpp"
#include "support/exceptions.hpp"
#include "support/execution_spaces.hpp"
#include "support/fisher_yates_oracle.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test::fisher_yates_test {
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
  return to_rows(kernel.rows);
}

template <class Exec>
class FisherYatesTest : public ::testing::Test {};
TYPED_TEST_SUITE(FisherYatesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(FisherYatesTest, MatchesTheTextbook) {
  // Sizes on both sides of every change of the number of indices that are drawn at a time.
  for (std::size_t const n : {0,   1,   2,   3,    6,    7,    8,    13,    100,   511,
                              512, 513, 519, 2047, 2048, 2049, 2054, 16384, 16385, 16390}) {
    auto const rows = shuffled_rows<TypeParam>(3, n, 7);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      auto const expected = FisherYatesOracle(7, r).sigma(n);
      EXPECT_EQ(rows[r], Images(expected.begin(), expected.end())) << "n = " << n << ", " << r;
    }
  }
}

TEST(FisherYatesOnTheHostTest, MatchesTheTextbookForLargeN) {
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

/// Each thread shuffles an array of its own, which it then copies to a row.
template <class Exec, class Cards>
struct ShuffleCards {
  static constexpr std::uint32_t count = 12;
  Kokkos::View<std::uint32_t* [count], typename Exec::memory_space> hands;

  KOKKOS_FUNCTION void operator()(int r) const {
    Cards cards;
    for (std::uint32_t i = 0; i < count; ++i) cards[i] = i;
    riffle::fisher_yates(cards, count, 7, static_cast<std::uint64_t>(r));
    for (std::uint32_t i = 0; i < count; ++i) hands(r, i) = cards[i];
  }
};

template <class Exec, class Cards>
void expect_shuffled_cards() {
  using Kernel = ShuffleCards<Exec, Cards>;
  Kernel const kernel{decltype(Kernel::hands)("hands", 5)};
  Kokkos::parallel_for("shuffle", Kokkos::RangePolicy<Exec>(0, 5), kernel);
  auto const hands = HostElements(kernel.hands);
  for (std::size_t r = 0; r < 5; ++r) {
    auto const sigma = FisherYatesOracle(7, r).sigma(Kernel::count);
    for (std::size_t i = 0; i < sigma.size(); ++i) EXPECT_EQ(hands(r, i), sigma[i]) << r;
  }
}

TYPED_TEST(FisherYatesTest, ShufflesAnArrayOfAThread) {
  expect_shuffled_cards<TypeParam, std::uint32_t[12]>();
}

TYPED_TEST(FisherYatesTest, ShufflesAKokkosArrayOfAThread) {
  expect_shuffled_cards<TypeParam, Kokkos::Array<std::uint32_t, 12>>();
}

TEST(FisherYatesOnTheHostTest, ShufflesContainers) {
  auto const sigma = FisherYatesOracle(3, 5).sigma(12);
  auto vector = iota<std::uint64_t>(12);
  riffle::fisher_yates(vector, 12, 3, 5);
  EXPECT_EQ(vector, sigma);

  std::array<std::uint64_t, 12> array;
  for (std::size_t i = 0; i < 12; ++i) array[i] = i;
  riffle::fisher_yates(std::span(array), 12, 3, 5);
  EXPECT_EQ(std::vector(array.begin(), array.end()), sigma);

  Kokkos::View<std::uint64_t*, Kokkos::HostSpace> const view("view", 12);
  for (std::size_t i = 0; i < 12; ++i) view(i) = i;
  riffle::fisher_yates(view, 12, 3, 5);
  EXPECT_EQ(std::vector(view.data(), view.data() + 12), sigma);
}

TEST(FisherYatesOnTheHostTest, RejectsMoreThanAContainerHas) {
  auto items = iota<int>(12);
  expect_invalid_argument([&] { riffle::fisher_yates(items, 13, 3); }, "fisher_yates", "n = 13");
  EXPECT_EQ(items, iota<int>(12));
}

/// Cannot be copied, and loses its value if it is moved to itself.
class MoveOnly {
 public:
  explicit MoveOnly(int value) : value_(value) {}
  KOKKOS_FUNCTION MoveOnly(MoveOnly&& other) noexcept : value_(other.value_) { other.value_ = -1; }
  KOKKOS_FUNCTION MoveOnly& operator=(MoveOnly&& other) noexcept {
    value_ = other.value_;
    other.value_ = -1;
    return *this;
  }
  int value() const { return value_; }

 private:
  int value_;
};

TEST(FisherYatesOnTheHostTest, ItemsNeedOnlyBeMoved) {
  std::vector<MoveOnly> items;
  for (int i = 0; i < 40; ++i) items.emplace_back(i);
  riffle::fisher_yates(items, 40, 1);
  auto const sigma = FisherYatesOracle(1, 0).sigma(40);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(items[i].value(), static_cast<int>(sigma[i]));
}

}  // namespace
}  // namespace riffle::test::fisher_yates_test
