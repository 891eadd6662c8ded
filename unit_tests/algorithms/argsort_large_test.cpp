// The order of as many 64-bit numbers as a GPU sorts by a part of their bits: data for which that does, and for which
// it does not.

#include <Kokkos_Core.hpp>
#include <riffle/argsort.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test {
namespace {

constexpr std::size_t n = (std::size_t{1} << 21) + 3;

template <class T, class Make>
std::vector<T> make_data(Make const& make) {
  std::mt19937_64 generator(7);
  std::vector<T> data(n);
  for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<T>(make(generator(), i));
  return data;
}

double uniform(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

template <class Exec>
class ArgsortLargeTest : public ::testing::Test {
 protected:
  template <class T>
  void expect_order(std::vector<T> const& data) {
    auto const indices = to_view<Exec>(std::vector<std::uint32_t>(n));
    riffle::argsort(exec, to_view<Exec>(data), indices, Ascending{}, workspace);
    exec.fence();
    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0u);
    auto const is_before = [&](std::uint32_t a, std::uint32_t b) {
      if (data[b] != data[b]) return data[a] == data[a];
      return data[a] < data[b];
    };
    std::stable_sort(expected.begin(), expected.end(), is_before);
    EXPECT_TRUE(to_vector(indices) == expected);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(ArgsortLargeTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ArgsortLargeTest, UniformDoublesWithNaNsAndZeros) {
  this->expect_order(make_data<double>([](std::uint64_t word, std::size_t i) {
    if (i % 100'000 == 7) return std::numeric_limits<double>::quiet_NaN();
    if (i % 10'000 == 3) return i % 20'000 == 3 ? 0.0 : -0.0;
    return uniform(word) - 0.25;
  }));
}

TYPED_TEST(ArgsortLargeTest, AllBitsOfIntegers) {
  this->expect_order(make_data<std::int64_t>([](std::uint64_t word, std::size_t) { return word; }));
}

// Fewer bits than are sorted by; and none.
TYPED_TEST(ArgsortLargeTest, FewVaryingBits) {
  this->expect_order(
      make_data<std::int64_t>([](std::uint64_t word, std::size_t) { return (word % 1000) << 30; }));
  this->expect_order(make_data<double>([](std::uint64_t, std::size_t) { return 0.1; }));
}

// Each number has many that are nearly the same: a sample says so.
TYPED_TEST(ArgsortLargeTest, ClustersOfClose) {
  this->expect_order(make_data<double>([](std::uint64_t word, std::size_t i) {
    return static_cast<double>(i % 100) + 1e-12 * uniform(word);
  }));
}

// A few numbers only, which no sample sees: neighbours that are mended, and more of them than are.
TYPED_TEST(ArgsortLargeTest, FewOfClose) {
  for (std::size_t const close : {2, 16, 17, 5000}) {
    this->expect_order(make_data<std::uint64_t>([close](std::uint64_t word, std::size_t i) {
      std::size_t const place = i - 1'000'001;
      return place < close ? (std::uint64_t{1} << 60) + close - place : word;
    }));
  }
}

TYPED_TEST(ArgsortLargeTest, Reversed) {
  this->expect_order(make_data<double>(
      [](std::uint64_t, std::size_t i) { return -1.0 / (1.0 + static_cast<double>(i)); }));
}

}  // namespace
}  // namespace riffle::test
