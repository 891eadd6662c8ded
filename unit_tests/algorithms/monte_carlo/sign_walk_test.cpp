#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/monte_carlo/detail/sign_walk.hpp>
#include <riffle/random/philox.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::sign_walk_test {
namespace {

using Integers = std::vector<std::int64_t>;

/// Returns numbers such that all choices of signs have different sums: 40 bits, mixed.
Integers make_numbers(std::size_t n) {
  Integers numbers;
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint64_t bits = (i + 1) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 29) * 0xBF58476D1CE4E5B9u;
    numbers.push_back(static_cast<std::int64_t>(bits >> 24) - (std::int64_t{1} << 39));
  }
  return numbers;
}

/// Returns sign i of a replicate by its definition: a bit of 32, of a word of four, of a block that four replicates
/// share for up to 32 signs, and two for up to 64.
bool is_negative(std::size_t n, std::uint64_t seed, std::uint64_t replicate, std::size_t i) {
  std::size_t const sharing = n <= 32 ? 4 : n <= 64 ? 2 : 1;
  auto const block = detail::random_block(seed, replicate / sharing, detail::Purpose::signs,
                                          sharing > 1 ? 0 : i / 128);
  std::size_t const word = replicate % sharing * (4 / sharing) + i / 32;
  return (block[word % 4] >> i % 32 & 1) != 0;
}

Integers random_sums(Integers const& numbers, std::uint64_t seed, std::uint64_t replicates) {
  Integers sums;
  for (std::uint64_t r = 0; r < replicates; ++r) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sum += is_negative(numbers.size(), seed, r, i) ? -numbers[i] : numbers[i];
    }
    sums.push_back(sum);
  }
  return sums;
}

Integers pattern_sums(Integers const& numbers, std::uint64_t patterns) {
  Integers sums;
  for (std::uint64_t r = 0; r < patterns; ++r) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sum += (r >> i & 1) != 0 ? -numbers[i] : numbers[i];
    }
    sums.push_back(sum);
  }
  return sums;
}

template <int Width, class Table, class Values>
struct SumSigns {
  Table table;
  bool random;
  std::uint64_t seed;
  Values out;

  KOKKOS_FUNCTION void operator()(std::uint64_t group) const {
    std::uint64_t const first = group * Width;
    std::int64_t sums[Width];
    if (random) {
      detail::sum_random_signs(table, seed, first, sums);
    } else {
      detail::sum_sign_patterns(table, first, sums);
    }
    for (int w = 0; w < Width; ++w) {
      std::uint64_t const r = first + static_cast<std::uint64_t>(w);
      if (r < out.extent(0)) out(r) = sums[w];
    }
  }
};

template <int Width, class Exec>
Integers sums_in_kernel(Integers const& numbers, bool random, std::uint64_t seed,
                        std::uint64_t replicates) {
  using Values = Kokkos::View<std::int64_t*, typename Exec::memory_space>;
  auto const table = detail::make_sign_table(Context(Exec(), "table"), to_view<Exec>(numbers));
  SumSigns<Width, std::remove_const_t<decltype(table)>, Values> const kernel{
      table, random, seed, Values("sums", replicates)};
  Kokkos::parallel_for("sum_signs", Kokkos::RangePolicy<Exec>(0, (replicates + Width - 1) / Width),
                       kernel);
  Kokkos::fence();
  return to_vector(kernel.out);
}

template <class Exec>
class SignWalkTest : public ::testing::Test {
 protected:
  static constexpr int width = backend::problems_per_thread<Exec>;
};
TYPED_TEST_SUITE(SignWalkTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SignWalkTest, RandomSumsMatchTheirSigns) {
  std::uint64_t const seed = 12345678901234567890u;
  for (std::size_t const n : {1,  2,  3,  4,  5,  15,  20,  28,  29,  31,  32,  33,  61,   63,
                              64, 65, 96, 97, 99, 127, 128, 129, 132, 159, 160, 161, 1000, 1025}) {
    Integers const numbers = make_numbers(n);
    Integers const expected = random_sums(numbers, seed, 101);
    EXPECT_EQ((sums_in_kernel<1, TypeParam>(numbers, true, seed, 101)), expected) << n;
    EXPECT_EQ((sums_in_kernel<TestFixture::width, TypeParam>(numbers, true, seed, 101)), expected)
        << n;
  }
}

TYPED_TEST(SignWalkTest, PatternsAreEachTheirNumber) {
  for (std::size_t const n : {1, 2, 3, 4, 5, 7, 8, 9, 12, 13}) {
    Integers const numbers = make_numbers(n);
    std::uint64_t const patterns = std::uint64_t{1} << n;
    Integers const expected = pattern_sums(numbers, patterns);
    EXPECT_EQ((sums_in_kernel<1, TypeParam>(numbers, false, 0, patterns)), expected) << n;
    EXPECT_EQ((sums_in_kernel<TestFixture::width, TypeParam>(numbers, false, 0, patterns)),
              expected)
        << n;
    EXPECT_EQ(std::set<std::int64_t>(expected.begin(), expected.end()).size(), patterns);
  }
}

// The largest n that can be enumerated uses all sixteen choices of a pattern.
TYPED_TEST(SignWalkTest, PatternsOf63Signs) {
  Integers numbers;
  for (int i = 0; i < 62; ++i) numbers.push_back(std::int64_t{1} << i);
  numbers.push_back(0);
  auto const table =
      detail::make_sign_table(Context(TypeParam(), "table"), to_view<TypeParam>(numbers));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table.sums);
  detail::SignTable<decltype(host)> const on_host{host, table.n};
  // The sum of all numbers minus twice the subtracted ones.
  std::int64_t const all = (std::int64_t{1} << 62) - 1;
  for (std::uint64_t const pattern :
       {std::uint64_t{0}, std::uint64_t{1} << 61, (std::uint64_t{1} << 62) - 1,
        std::uint64_t{0x123456789ABCDEF0}}) {
    std::int64_t sums[1];
    detail::sum_sign_patterns(on_host, pattern, sums);
    auto const taken = static_cast<std::int64_t>(pattern % (std::uint64_t{1} << 62));
    EXPECT_EQ(sums[0], all - taken - taken) << pattern;
  }
}

}  // namespace
}  // namespace riffle::test::sign_walk_test
