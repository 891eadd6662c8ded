// Scans by Riffle's own operations, compared with the standard library's. scan_user_operations_test.cpp has users'
// operations.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/monoids.hpp"
#include "support/scans.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_test {
namespace {

template <class T>
struct Smaller {
  T operator()(T left, T right) const { return std::min(left, right); }
};
template <class T>
struct Larger {
  T operator()(T left, T right) const { return std::max(left, right); }
};

template <class Exec>
class ScanTest : public ::testing::Test {
 protected:
  // Both scans are tested for sums of each type that has vector registers (signed and unsigned are one type), and for
  // one operation without registers on integers and one on floating-point numbers. Each other operation is tested by
  // one of the scans, since only the operation itself differs.

  /// Scans random numbers of every size.
  template <class Op, class Plus>
  void expect_inclusive_scans(Op const& op, Plus const& plus,
                              std::vector<std::size_t> const& sizes = scan_edge_sizes()) {
    using T = typename Op::value_type;
    for (std::size_t const n : sizes) {
      expect_inclusive_scan(exec, op, plus, random_numbers<T>(n, n + 1));
    }
  }

  template <class Op, class Plus>
  void expect_exclusive_scans(Op const& op, Plus const& plus,
                              std::vector<std::size_t> const& sizes = scan_edge_sizes()) {
    using T = typename Op::value_type;
    for (std::size_t const n : sizes) {
      expect_exclusive_scan(exec, op, plus, random_numbers<T>(n, n + 1), T(3));
    }
  }

  template <class Op, class Plus>
  void expect_scans(Op const& op, Plus const& plus,
                    std::vector<std::size_t> const& sizes = scan_edge_sizes()) {
    expect_inclusive_scans(op, plus, sizes);
    expect_exclusive_scans(op, plus, sizes);
  }

  Exec exec;
};
TYPED_TEST_SUITE(ScanTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScanTest, SumsOfIntegers) {
  this->expect_scans(riffle::Sum<std::int8_t>{}, std::plus<std::int8_t>{});
  this->expect_scans(riffle::Sum<std::uint16_t>{}, std::plus<std::uint16_t>{});
  // Unsigned additions in the oracle wrap around, as Riffle's do.
  this->expect_scans(riffle::Sum<std::uint32_t>{}, std::plus<std::uint32_t>{});
  this->expect_exclusive_scans(riffle::Sum<std::uint64_t>{}, std::plus<std::uint64_t>{});
}

TYPED_TEST(ScanTest, SumsOfSmallSignedIntegers) {
  for (std::size_t const n : scan_edge_sizes()) {
    std::vector<std::int32_t> words(n);
    std::vector<std::int64_t> long_words(n);
    std::vector<std::int16_t> short_words(n);
    std::mt19937 generator(static_cast<std::uint32_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
      words[i] = static_cast<std::int32_t>(generator() % 20001) - 10000;
      long_words[i] = (static_cast<std::int64_t>(generator()) << 12) - words[i];
      short_words[i] = static_cast<std::int16_t>(words[i]);
    }
    expect_exclusive_scan(this->exec, riffle::Sum<std::int32_t>{}, std::plus<>{}, words, -7);
    expect_inclusive_scan(this->exec, riffle::Sum<std::int64_t>{}, std::plus<>{}, long_words);
    expect_exclusive_scan(this->exec, riffle::Sum<std::int64_t>{}, std::plus<>{}, long_words,
                          std::int64_t{-7});
    expect_inclusive_scan(this->exec, riffle::Sum<std::int16_t>{}, std::plus<std::int16_t>{},
                          short_words);
  }
}

TYPED_TEST(ScanTest, SumsOfSmallWholeNumbersAreExact) {
  this->expect_scans(riffle::Sum<float>{}, std::plus<float>{});
  this->expect_scans(riffle::Sum<double>{}, std::plus<double>{});
}

TYPED_TEST(ScanTest, MinAndMax) {
  this->expect_inclusive_scans(riffle::Min<std::int32_t>{}, Smaller<std::int32_t>{});
  this->expect_scans(riffle::Max<std::int32_t>{}, Larger<std::int32_t>{});
  this->expect_exclusive_scans(riffle::Min<std::uint8_t>{}, Smaller<std::uint8_t>{});
  this->expect_scans(riffle::Max<double>{}, Larger<double>{});
}

// Random numbers reach their extremes after a few elements; a rising or falling sequence has a new extreme at every
// element.
TYPED_TEST(ScanTest, MinAndMaxOfMonotonousSequences) {
  for (std::size_t const n : scan_edge_sizes()) {
    auto const rising = iota<std::int32_t>(n);
    std::vector<std::int32_t> const falling(rising.rbegin(), rising.rend());
    expect_inclusive_scan(this->exec, riffle::Max<std::int32_t>{}, Larger<std::int32_t>{}, rising);
    expect_inclusive_scan(this->exec, riffle::Min<std::int32_t>{}, Smaller<std::int32_t>{},
                          falling);
    expect_exclusive_scan(this->exec, riffle::Max<std::int32_t>{}, Larger<std::int32_t>{}, rising,
                          100);
  }
}

TYPED_TEST(ScanTest, Products) {
  for (std::size_t const n : scan_edge_sizes()) {
    auto values = random_numbers<std::uint32_t>(n, n + 1);
    for (auto& value : values) value |= 1;  // odd: never zero
    expect_exclusive_scan(this->exec, riffle::Product<std::uint32_t>{}, std::multiplies<>{}, values,
                          5u);
  }
}

TYPED_TEST(ScanTest, Bits) {
  this->expect_exclusive_scans(riffle::BitXor<std::uint64_t>{}, std::bit_xor<std::uint64_t>{});
  for (std::size_t const n : scan_edge_sizes()) {
    // One bit changes at a time, the last ones late.
    std::vector<std::uint32_t> rare(n, 0);
    for (std::size_t bit = 0; bit < 32 && n > 0; ++bit) rare[n * bit / 32] |= 1u << (bit * 7 % 32);
    std::vector<std::uint32_t> inverse;
    for (auto const word : rare) inverse.push_back(~word);
    expect_inclusive_scan(this->exec, riffle::BitOr<std::uint32_t>{}, std::bit_or<>{}, rare);
    expect_exclusive_scan(this->exec, riffle::BitAnd<std::uint32_t>{}, std::bit_and<>{}, inverse,
                          ~2u);
  }
}

TYPED_TEST(ScanTest, RandomSizes) {
  std::mt19937 generator(1);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 40; ++i) sizes.push_back(generator() % (std::size_t{1} << (1 + i % 18)));
  this->expect_scans(riffle::Sum<std::uint32_t>{}, std::plus<std::uint32_t>{}, sizes);
}

// A look-back has at most 32 shares (LookBack::combine), so it reaches at most 31 bundles back.
TYPED_TEST(ScanTest, MoreBundlesThanALookBackReads) {
  std::size_t const n = 33 * bundle_elements + 5;
  this->expect_scans(riffle::Sum<std::int8_t>{}, std::plus<std::int8_t>{}, {n});
  this->expect_scans(riffle::Sum<std::uint32_t>{}, std::plus<std::uint32_t>{}, {n});
}

TYPED_TEST(ScanTest, SumsByDefaultFromTheIdentity) {
  std::vector<std::int64_t> const values{5, -1, 4};
  auto const in = to_view<TypeParam>(values);
  Kokkos::View<std::int64_t*, typename TypeParam::memory_space> const out("out", 3);
  riffle::inclusive_scan(this->exec, in, out);
  this->exec.fence();
  EXPECT_EQ(to_vector(out), (std::vector<std::int64_t>{5, 4, 8}));
  riffle::exclusive_scan(this->exec, in, out);
  this->exec.fence();
  EXPECT_EQ(to_vector(out), (std::vector<std::int64_t>{0, 5, 4}));
  riffle::exclusive_scan(this->exec, in, out, riffle::Max<std::int64_t>{});
  this->exec.fence();
  EXPECT_EQ(to_vector(out),
            (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 5, 5}));
}

}  // namespace
}  // namespace riffle::test::scan_test
