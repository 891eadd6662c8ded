// Sums over all permutations in order, compared with std::next_permutation.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/permutation_sums.hpp>
#include <riffle/random/lehmer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace riffle::test::permutation_sums_test {
namespace {

std::uint64_t term(int i, int image) {
  return static_cast<std::uint64_t>(i * i + 3) * static_cast<std::uint64_t>(7919 * image + 1) *
         1000003u;
}

std::uint64_t sum_of(std::vector<int> const& images) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < images.size(); ++i) sum += term(static_cast<int>(i), images[i]);
  return sum;
}

std::vector<std::uint64_t> sums_of(int n) {
  std::vector<int> images(static_cast<std::size_t>(n));
  std::iota(images.begin(), images.end(), 0);
  std::vector<std::uint64_t> sums;
  do {
    sums.push_back(sum_of(images));
  } while (std::next_permutation(images.begin(), images.end()));
  return sums;
}

std::vector<std::uint64_t> ranked_sums(int n, std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> sums;
  detail::sum_ranked_permutations<std::uint64_t>(n, first, count, term,
                                                 [&](std::uint64_t sum) { sums.push_back(sum); });
  return sums;
}

TEST(PermutationSumsTest, MatchNextPermutation) {
  for (int n = 0; n <= 8; ++n) {
    EXPECT_EQ(ranked_sums(n, 0, factorial(n)), sums_of(n)) << n;
  }
}

TEST(PermutationSumsTest, BeginAndEndAnywhere) {
  for (int const n : {1, 3, 4, 5}) {
    auto const all = sums_of(n);
    for (std::size_t first = 0; first < all.size(); ++first) {
      for (std::size_t last = first; last <= all.size(); ++last) {
        std::vector<std::uint64_t> const expected(all.begin() + static_cast<std::ptrdiff_t>(first),
                                                  all.begin() + static_cast<std::ptrdiff_t>(last));
        ASSERT_EQ(ranked_sums(n, first, last - first), expected) << n << ": " << first;
      }
    }
  }
}

TEST(PermutationSumsTest, MatchTheirRanksForTheLargestN) {
  int const n = max_ranked_size;
  for (std::uint64_t const first : {std::uint64_t{0}, factorial(n) / 7, factorial(n) - 60}) {
    auto const sums = ranked_sums(n, first, 60);
    ASSERT_EQ(sums.size(), 60u);
    for (std::uint64_t w = 0; w < 60; ++w) {
      LehmerPermutation const sigma(n, first + w);
      std::vector<int> images;
      for (std::uint64_t i = 0; i < sigma.size(); ++i) images.push_back(static_cast<int>(sigma(i)));
      ASSERT_EQ(sums[w], sum_of(images)) << first + w;
    }
  }
}

}  // namespace
}  // namespace riffle::test::permutation_sums_test
