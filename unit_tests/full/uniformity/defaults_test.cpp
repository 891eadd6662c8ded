// Riffle's default permutations pass the whole battery of tests. perf_quality runs it with a million samples for each n.

#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/uniformity/uniformity_battery.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace riffle::test::defaults_test {
namespace {

/// The replicate is the stream of one seed, as in permutation tests, or it is the seed.
struct Default {
  bool by_seed;

  KOKKOS_FUNCTION RandomPermutation operator()(std::uint64_t n, std::uint64_t r) const {
    return by_seed ? RandomPermutation(n, r) : RandomPermutation(n, 20'211'106'161, r);
  }
};

struct Size {
  std::uint64_t n;
  std::uint64_t samples;
};

void PrintTo(Size const& size, std::ostream* out) { *out << "n = " << size.n; }

class DefaultPermutation : public ::testing::TestWithParam<Size> {
 protected:
  static void expect_pass(bool by_seed) {
    auto const [n, samples] = GetParam();
    auto const result =
        uniformity::battery(Kokkos::DefaultExecutionSpace(), Default{by_seed}, n, samples);
    EXPECT_TRUE(result.passes()) << result.worst().result.test
                                 << ": p = " << result.worst().result.p_value;
  }
};

TEST_P(DefaultPermutation, PassesByStreams) { expect_pass(false); }
TEST_P(DefaultPermutation, PassesBySeeds) { expect_pass(true); }

/// Sizes on both sides of each change of the method or of the number of rounds, as far as they take seconds.
std::vector<Size> sizes() {
  return {{2, 100'000},  {3, 100'000},  {5, 100'000},  {8, 250'000},  {10, 100'000}, {16, 100'000},
          {17, 100'000}, {20, 100'000}, {21, 100'000}, {32, 50'000},  {64, 50'000},  {100, 20'000},
          {128, 20'000}, {129, 20'000}, {256, 10'000}, {257, 10'000}, {1000, 2'000}, {1024, 2'000},
          {4096, 500},   {4097, 500},   {65536, 20}};
}

INSTANTIATE_TEST_SUITE_P(Battery, DefaultPermutation, ::testing::ValuesIn(sizes()),
                         [](auto const& size) { return "n" + std::to_string(size.param.n); });

}  // namespace
}  // namespace riffle::test::defaults_test
