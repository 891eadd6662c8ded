#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>
#include <riffle/monte_carlo/detail/subset_walk.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::subset_walk_test {
namespace {

using Integers = std::vector<std::int64_t>;

struct Sums {
  Integers values;
  Integers squares;

  friend bool operator==(Sums const& a, Sums const& b) {
    return a.values == b.values && a.squares == b.squares;
  }
};

/// Returns values such that two subsets are unlikely to have one sum.
Integers make_values(std::size_t n, std::int64_t factor) {
  Integers values;
  for (std::size_t i = 0; i < n; ++i) {
    auto const k = static_cast<std::int64_t>(i);
    values.push_back((k * factor + k * k * 12345) % 1000000007 - 500000000);
  }
  return values;
}

/// Adds up the items of group 0. A host-device function, since kernels call it and nvcc requires it.
struct AddGroupZero {
  std::int64_t const* values;
  std::int64_t const* squares;
  std::int64_t* sum;
  std::int64_t* sum_of_squares;

  KOKKOS_FUNCTION void operator()(std::uint32_t i, int group) const {
    if (group != 0) return;
    *sum += values[i];
    *sum_of_squares += squares[i];
  }
};

/// Returns the sums that the labels of walk_random_labels() give.
Sums sums_by_labels(Integers const& values, Integers const& squares, std::uint32_t subset_size,
                    std::uint64_t seed, std::uint64_t replicates) {
  detail::GroupSizes<2> groups;
  groups.count = 2;
  groups.size = {subset_size, static_cast<std::uint32_t>(values.size()) - subset_size};
  Sums result;
  for (std::uint64_t r = 0; r < replicates; ++r) {
    std::int64_t sum = 0;
    std::int64_t sum_of_squares = 0;
    detail::walk_random_labels(groups, seed, r,
                               AddGroupZero{values.data(), squares.data(), &sum, &sum_of_squares});
    result.values.push_back(sum);
    result.squares.push_back(sum_of_squares);
  }
  return result;
}

template <int Width, bool WithSquares, class Values>
struct SumSubsets {
  Values values;
  Values squares;
  std::uint32_t subset_size;
  std::uint64_t seed;
  Values out;
  Values out_squares;

  KOKKOS_FUNCTION void operator()(std::uint64_t group) const {
    std::uint64_t const first = group * Width;
    detail::SubsetSums sums[Width];
    detail::sum_random_subsets<Width, WithSquares>(values, squares, subset_size, seed, first, sums);
    for (int w = 0; w < Width; ++w) {
      out(first + static_cast<std::uint64_t>(w)) = sums[w].values;
      out_squares(first + static_cast<std::uint64_t>(w)) = sums[w].squares;
    }
  }
};

template <int Width, bool WithSquares, class Exec>
Sums sums_in_kernel(Integers const& values, Integers const& squares, std::uint32_t subset_size,
                    std::uint64_t seed, std::uint64_t replicates) {
  using Values = Kokkos::View<std::int64_t*, typename Exec::memory_space>;
  SumSubsets<Width, WithSquares, Values> const kernel{
      to_view<Exec>(values),
      WithSquares ? to_view<Exec>(squares) : Values(),
      subset_size,
      seed,
      Values("sums", replicates),
      Values("sums_of_squares", replicates)};
  Kokkos::parallel_for("sum_subsets", Kokkos::RangePolicy<Exec>(0, replicates / Width), kernel);
  Kokkos::fence();
  return {to_vector(kernel.out), to_vector(kernel.out_squares)};
}

/// Compares kernels that compute `widths` replicates in a thread.
template <class Exec, int... widths>
void expect_sums(std::size_t n, std::uint32_t subset_size, std::uint64_t replicates) {
  Integers const values = make_values(n, 7919);
  Integers const squares = make_values(n, 104729);
  auto const expected = sums_by_labels(values, squares, subset_size, 42, replicates);
  auto without_squares = expected;
  without_squares.squares.assign(replicates, 0);
  auto const expect = [&](int width, Sums const& with, Sums const& without) {
    EXPECT_TRUE(with == expected) << subset_size << " of " << n << ", width " << width;
    EXPECT_TRUE(without == without_squares)
        << subset_size << " of " << n << ", width " << width << ", no squares";
  };
  (expect(widths, sums_in_kernel<widths, true, Exec>(values, squares, subset_size, 42, replicates),
          sums_in_kernel<widths, false, Exec>(values, squares, subset_size, 42, replicates)),
   ...);
}

TEST(RandomBlocksTest, MatchRandomBlock) {
  constexpr auto width = static_cast<std::size_t>(backend::Vector::width);
  std::uint64_t const first = 0xFFFFFFFFu;  // the streams pass 2^32
  backend::Vector words[4];
  detail::random_blocks(12, first, detail::Purpose::labels, 345, words);
  for (std::size_t j = 0; j < 4; ++j) {
    std::int64_t word[width];
    words[j].store(word);
    for (std::size_t l = 0; l < width; ++l) {
      auto const block = detail::random_block(12, first + l, detail::Purpose::labels, 345);
      EXPECT_EQ(static_cast<std::uint32_t>(word[l]), block[j]) << j << ", " << l;
    }
  }
}

TEST(AcceptWordsTest, MatchAcceptWord) {
  constexpr auto width = static_cast<std::size_t>(backend::Vector::width);
  std::uint32_t constexpr bound = 3u << 29;  // a quarter of the words is rejected
  for (std::uint64_t replicate = 0; replicate < 4000; replicate += width) {
    std::int64_t words[width];
    for (std::size_t l = 0; l < width; ++l)
      words[l] = static_cast<std::int64_t>((replicate + l) * 0x9E3779B9u & 0xFFFFFFFFu);
    std::int64_t accepted[width];
    detail::accept_words(backend::Vector::load(words), bound, 99, replicate, 7).store(accepted);
    for (std::size_t l = 0; l < width; ++l) {
      EXPECT_EQ(
          static_cast<std::uint32_t>(accepted[l]),
          detail::accept_word(static_cast<std::uint32_t>(words[l]), bound, 99, replicate + l, 7));
    }
  }
}

template <class Exec>
class SubsetWalkTest : public ::testing::Test {
 protected:
  static constexpr int width = backend::problems_per_thread<Exec>;
};
TYPED_TEST_SUITE(SubsetWalkTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SubsetWalkTest, SumsMatchTheLabels) {
  struct Case {
    std::size_t n;
    std::uint32_t subset_size;
  };
  for (auto const& [n, subset_size] :
       {Case{2, 1}, Case{3, 1}, Case{3, 2}, Case{4, 2}, Case{5, 4}, Case{40, 20}, Case{41, 1},
        Case{64, 30}, Case{65, 30}, Case{250, 249}, Case{256, 100}, Case{257, 100},
        Case{4096, 2000}, Case{4097, 2000}}) {
    expect_sums<TypeParam, 1, TestFixture::width>(n, subset_size, 96);
  }
}

// With this number of items or replicates, words are drawn again in single lanes of a group of replicates.
TYPED_TEST(SubsetWalkTest, SumsMatchTheLabelsThroughRedraws) {
  expect_sums<TypeParam, 1, TestFixture::width>(60, 30, 4000);
  expect_sums<TypeParam, 1, TestFixture::width>(200000, 80000, 8);
}

}  // namespace
}  // namespace riffle::test::subset_walk_test
