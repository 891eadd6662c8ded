// argsort of 64-bit numbers at sizes for which a GPU sorts by some of their bits: with data for which these bits suffice, and
// with data for which they do not.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/sort/argsort.hpp>
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
#include "support/number_order.hpp"
#include "support/views.hpp"

namespace riffle::test::argsort_large_test {
namespace {

double uniform(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

template <class Exec>
class ArgsortLargeTest : public ::testing::Test {
 protected:
  /// A host sorts by all bits, so it gets fewer elements.
  static constexpr std::size_t n = (std::size_t{1} << (backend::is_cpu<Exec> ? 17 : 21)) + 3;

  /// The numbers are make(random word, index).
  template <class T, class Make>
  void expect_order(Make const& make) {
    std::mt19937_64 generator(7);
    std::vector<T> data(n);
    for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<T>(make(generator(), i));
    auto const indices = to_view<Exec>(std::vector<std::uint32_t>(n));
    riffle::argsort(Context(exec, workspace), to_view<Exec>(data), indices);
    exec.fence();
    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0u);
    auto const is_before = [&](std::uint32_t a, std::uint32_t b) {
      return is_sorted_before<Ascending>(data[a], data[b]);
    };
    std::stable_sort(expected.begin(), expected.end(), is_before);
    EXPECT_TRUE(to_vector(indices) == expected);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(ArgsortLargeTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ArgsortLargeTest, UniformDoublesWithNaNsAndZeros) {
  this->template expect_order<double>([](std::uint64_t word, std::size_t i) {
    if (i % 100'000 == 7) return std::numeric_limits<double>::quiet_NaN();
    if (i % 10'000 == 3) return i % 20'000 == 3 ? 0.0 : -0.0;
    return uniform(word) - 0.25;
  });
}

TYPED_TEST(ArgsortLargeTest, AllBitsOfIntegers) {
  this->template expect_order<std::int64_t>([](std::uint64_t word, std::size_t) { return word; });
}

// Fewer varying bits than the number of bits that are sorted by, and none.
TYPED_TEST(ArgsortLargeTest, FewVaryingBits) {
  this->template expect_order<std::int64_t>(
      [](std::uint64_t word, std::size_t) { return (word % 1000) << 30; });
  this->template expect_order<double>([](std::uint64_t, std::size_t) { return 0.1; });
}

// Each number has many close neighbours, which a sample finds.
TYPED_TEST(ArgsortLargeTest, ClustersOfClose) {
  this->template expect_order<double>([](std::uint64_t word, std::size_t i) {
    return static_cast<double>(i % 100) + 1e-12 * uniform(word);
  });
}

// Few close numbers, which a sample does not find: the largest number of neighbours that is corrected after the sort, and more.
TYPED_TEST(ArgsortLargeTest, FewOfClose) {
  for (std::size_t const close : {2, 16, 17, 5000}) {
    this->template expect_order<std::uint64_t>([close](std::uint64_t word, std::size_t i) {
      std::size_t const place = i - TestFixture::n / 2;
      return place < close ? (std::uint64_t{1} << 60) + close - place : word;
    });
  }
}

TYPED_TEST(ArgsortLargeTest, Reversed) {
  this->template expect_order<double>(
      [](std::uint64_t, std::size_t i) { return -1.0 / (1.0 + static_cast<double>(i)); });
}

}  // namespace
}  // namespace riffle::test::argsort_large_test
