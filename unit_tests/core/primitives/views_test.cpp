#include <Kokkos_Core.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/views.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/matrices.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test::views_test {
namespace {

using Host = Kokkos::HostSpace;
using Range = Kokkos::pair<int, int>;

/// The addresses of all bytes of a View.
template <class View>
std::set<std::uintptr_t> bytes_of(View const& view) {
  std::set<std::uintptr_t> bytes;
  auto const add = [&](auto const& element) {
    auto const begin = reinterpret_cast<std::uintptr_t>(&element);
    for (std::size_t k = 0; k < sizeof(element); ++k) bytes.insert(begin + k);
  };
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    if constexpr (View::rank() == 1) {
      add(view(i));
    } else {
      for (std::size_t j = 0; j < view.extent(1); ++j) add(view(i, j));
    }
  }
  return bytes;
}

template <class A, class B>
bool share_a_byte(A const& a, B const& b) {
  auto const in_a = bytes_of(a);
  for (auto const byte : bytes_of(b))
    if (in_a.count(byte) > 0) return true;
  return false;
}

template <class A, class B>
void expect_exact(A const& a, B const& b, std::string const& which) {
  bool const expected = share_a_byte(a, b);
  EXPECT_EQ(detail::overlap(a, b), expected) << which;
  EXPECT_EQ(detail::overlap(b, a), expected) << which << ", the other way round";
}

TEST(OverlapTest, SeparateAllocations) {
  Kokkos::View<int*, Host> const a("a", 10), b("b", 10);
  EXPECT_FALSE(detail::overlap(a, b));
  EXPECT_TRUE(detail::overlap(a, a));
}

TEST(OverlapTest, EmptyViewsDoNotOverlap) {
  Kokkos::View<int*, Host> const a("a", 10);
  Kokkos::View<int*, Host> const none;
  EXPECT_FALSE(detail::overlap(a, none));
  EXPECT_FALSE(detail::overlap(none, a));
  EXPECT_FALSE(detail::overlap(none, none));
  EXPECT_FALSE(detail::overlap(a, Kokkos::subview(a, Range(3, 3))));
  Kokkos::View<int**, Host> const no_columns("no_columns", 10, 0);
  EXPECT_FALSE(detail::overlap(no_columns, no_columns));
}

TEST(OverlapTest, RangesOfAVector) {
  Kokkos::View<double*, Host> const a("a", 6);
  for (int b0 = 0; b0 <= 6; ++b0)
    for (int e0 = b0; e0 <= 6; ++e0)
      for (int b1 = 0; b1 <= 6; ++b1)
        for (int e1 = b1; e1 <= 6; ++e1)
          expect_exact(Kokkos::subview(a, Range(b0, e0)), Kokkos::subview(a, Range(b1, e1)),
                       "ranges");
}

TEST(OverlapTest, OtherValueTypesAndConst) {
  Kokkos::View<double*, Host> const a("a", 8);
  auto* const data = reinterpret_cast<float*>(a.data());
  Kokkos::View<float*, Host> const inside(data + 15, 1);
  Kokkos::View<float*, Host> const adjacent(data + 16, 1);
  Kokkos::View<double const*, Host> const same = a;
  EXPECT_TRUE(detail::overlap(a, inside));
  EXPECT_TRUE(detail::overlap(inside, a));
  EXPECT_FALSE(detail::overlap(a, adjacent));
  EXPECT_FALSE(detail::overlap(adjacent, a));
  EXPECT_TRUE(detail::overlap(a, same));
}

// Compares every column with every column, every block of columns with every block, and columns with blocks.
template <class Layout>
void expect_exact_columns() {
  int constexpr width = 5;
  Kokkos::View<short**, Layout, Host> const matrix("matrix", 7, width);
  auto const column = [&](int j) { return Kokkos::subview(matrix, Kokkos::ALL, j); };
  auto const block = [&](int b, int e) {
    return Kokkos::subview(matrix, Kokkos::ALL, Range(b, e));
  };
  for (int j = 0; j < width; ++j) {
    for (int k = 0; k < width; ++k) expect_exact(column(j), column(k), "columns");
    for (int b = 0; b < width; ++b) {
      for (int e = b + 1; e <= width; ++e) {
        expect_exact(column(j), block(b, e), "column and block");
        for (int f = j + 1; f <= width; ++f) expect_exact(block(j, f), block(b, e), "blocks");
      }
    }
  }
}

TEST(OverlapTest, ColumnsOfLayoutRight) { expect_exact_columns<Kokkos::LayoutRight>(); }
TEST(OverlapTest, ColumnsOfLayoutLeft) { expect_exact_columns<Kokkos::LayoutLeft>(); }

template <class Layout>
void expect_exact_rows() {
  int constexpr height = 5;
  Kokkos::View<short**, Layout, Host> const matrix("matrix", height, 7);
  auto const block = [&](int b, int e) {
    return Kokkos::subview(matrix, Range(b, e), Kokkos::ALL);
  };
  for (int b0 = 0; b0 < height; ++b0)
    for (int e0 = b0 + 1; e0 <= height; ++e0)
      for (int b1 = 0; b1 < height; ++b1)
        for (int e1 = b1 + 1; e1 <= height; ++e1)
          expect_exact(block(b0, e0), block(b1, e1), "blocks of rows");
}

TEST(OverlapTest, BlocksOfRowsOfLayoutRight) { expect_exact_rows<Kokkos::LayoutRight>(); }
TEST(OverlapTest, BlocksOfRowsOfLayoutLeft) { expect_exact_rows<Kokkos::LayoutLeft>(); }

TEST(OverlapTest, EveryOtherElement) {
  Kokkos::View<int**, Kokkos::LayoutRight, Host> const pairs("pairs", 9, 2);
  auto const even = Kokkos::subview(pairs, Kokkos::ALL, 0);
  auto const odd = Kokkos::subview(pairs, Kokkos::ALL, 1);
  expect_exact(even, odd, "even and odd");
  expect_exact(even, even, "even and even");
  expect_exact(Kokkos::subview(even, Range(0, 4)), Kokkos::subview(odd, Range(2, 9)), "parts");
  expect_exact(Kokkos::subview(even, Range(0, 4)), Kokkos::subview(even, Range(3, 9)), "parts");
}

// --- runs of bytes, without Views ---

/// A View of rank 1 or 2, in bytes.
struct Strided {
  std::uint64_t begin;
  std::uint64_t length;
  detail::StridedItems inner;
  detail::StridedItems outer;

  detail::ByteRuns runs() const {
    detail::ByteRuns all(begin, length);
    bool const in_order = inner.pitch <= outer.pitch;
    all.repeat(in_order ? inner : outer);
    all.repeat(in_order ? outer : inner);
    return all;
  }

  template <class Visit>
  void visit_bytes(Visit const& visit) const {
    for (std::uint64_t j = 0; j < outer.count; ++j)
      for (std::uint64_t i = 0; i < inner.count; ++i)
        for (std::uint64_t k = 0; k < length; ++k)
          visit(begin + i * inner.pitch + j * outer.pitch + k);
  }

  std::uint64_t end() const {
    return begin + (inner.count - 1) * inner.pitch + (outer.count - 1) * outer.pitch + length;
  }
};

bool share_a_byte(Strided const& a, Strided const& b) {
  std::vector<bool> in_a(std::max(a.end(), b.end()));
  a.visit_bytes([&](std::uint64_t byte) { in_a[byte] = true; });
  bool found = false;
  b.visit_bytes([&](std::uint64_t byte) { found |= in_a[byte]; });
  return found;
}

void expect_exact(Strided const& a, Strided const& b) {
  auto const text = [](Strided const& x) {
    return detail::concatenate("from ", x.begin, " ", x.length, " bytes, ", x.inner.count,
                               " times by ", x.inner.pitch, ", ", x.outer.count, " times by ",
                               x.outer.pitch, "; ");
  };
  bool const expected = share_a_byte(a, b);
  ASSERT_EQ(detail::overlap(a.runs(), b.runs()), expected) << text(a) << text(b);
  ASSERT_EQ(detail::overlap(b.runs(), a.runs()), expected) << text(b) << text(a);
}

// All runs of 1 to 4 elements of 1 to 3 bytes, at pitches that leave gaps or not, from each beginning.
TEST(ByteRuns, OverlapOfRank1IsExact) {
  std::vector<Strided> all;
  for (std::uint64_t length = 1; length <= 3; ++length)
    for (std::uint64_t count = 1; count <= 4; ++count)
      for (std::uint64_t pitch : {1, 3, 4, 5, 6}) all.push_back({0, length, {count, pitch}, {}});
  for (auto const& a : all) {
    for (auto b : all) {
      for (b.begin = 0; b.begin <= a.end(); ++b.begin) expect_exact(a, b);
    }
  }
}

// The result depends on the numbers of elements and on the pitches.
TEST(ByteRuns, OverlapOfManyElementsIsExact) {
  std::mt19937_64 generator(1);
  auto const below = [&](std::uint64_t n) { return generator() % n; };
  int disjoint = 0;
  for (int k = 0; k < 3000; ++k) {
    Strided const a{below(300), 1 + below(3), {1 + below(40), 1 + below(60)}, {}};
    Strided const b{below(300), 1 + below(3), {1 + below(40), 1 + below(60)}, {}};
    expect_exact(a, b);
    disjoint += share_a_byte(a, b) ? 0 : 1;
  }
  EXPECT_GT(disjoint, 500);
  EXPECT_LT(disjoint, 2500);
}

TEST(ByteRuns, OverlapOfRank2IsExact) {
  std::mt19937_64 generator(2);
  auto const below = [&](std::uint64_t n) { return generator() % n; };
  auto const any = [&] {
    return Strided{
        below(40), 1 + below(2), {1 + below(4), 1 + below(9)}, {1 + below(4), 1 + below(30)}};
  };
  int disjoint = 0;
  for (int k = 0; k < 10000; ++k) {
    auto const a = any();
    auto const b = any();
    expect_exact(a, b);
    bool const interleave = a.begin < b.end() && b.begin < a.end();
    disjoint += interleave && !share_a_byte(a, b) ? 1 : 0;
  }
  EXPECT_GT(disjoint, 500);
}

// With more rows than are compared, an answer may be wrong only by reporting an overlap.
TEST(ByteRuns, OverlapOfManyRowsIsNeverMissed) {
  std::mt19937_64 generator(3);
  auto const below = [&](std::uint64_t n) { return generator() % n; };
  int found_disjoint = 0;
  for (int k = 0; k < 200; ++k) {
    auto const any = [&, outer = 110 + below(30)] {
      return Strided{below(200), 1, {17 + below(10), 2 + below(3)}, {17 + below(10), outer}};
    };
    auto const a = any();
    auto const b = any();
    bool const may_overlap = detail::overlap(a.runs(), b.runs());
    EXPECT_EQ(detail::overlap(b.runs(), a.runs()), may_overlap);
    if (!may_overlap) {
      ++found_disjoint;
      EXPECT_FALSE(share_a_byte(a, b));
    }
  }
  EXPECT_GT(found_disjoint, 10);
  EXPECT_LT(found_disjoint, 190);
}

// 2^40 elements, too many to compare one by one.
TEST(ByteRuns, OverlapOfHugeViewsIsExact) {
  std::uint64_t const n = std::uint64_t{1} << 40;
  auto const runs = [](std::uint64_t begin, std::uint64_t pitch) {
    return Strided{begin, 8, {n, pitch}, {}}.runs();
  };
  EXPECT_FALSE(detail::overlap(runs(0, 16), runs(8, 32)));
  EXPECT_TRUE(detail::overlap(runs(0, 16), runs(16, 32)));
  EXPECT_TRUE(detail::overlap(runs(0, 24), runs(8, 16)));
  EXPECT_FALSE(detail::overlap(runs(0, 48), runs(8, 24)));
  EXPECT_TRUE(detail::overlap(runs(0, 24), runs(7, 48)));
  // Both have an element at 104729 * 1299709 * 8 bytes, and no common element before it.
  auto const multiples = [](std::uint64_t count, std::uint64_t prime) {
    return Strided{prime * 8, 8, {count, prime * 8}, {}}.runs();
  };
  EXPECT_FALSE(detail::overlap(multiples(1299708, 104729), multiples(104728, 1299709)));
  EXPECT_FALSE(detail::overlap(multiples(1299709, 104729), multiples(104728, 1299709)));
  EXPECT_FALSE(detail::overlap(multiples(1299708, 104729), multiples(104729, 1299709)));
  EXPECT_TRUE(detail::overlap(multiples(1299709, 104729), multiples(104729, 1299709)));
}

TEST(OverlapTest, DifferentStridesOfOneArray) {
  using View = Kokkos::View<double*, Kokkos::LayoutStride, Host>;
  Kokkos::View<double*, Host> const data("data", 100);
  View const by_twos(data.data(), Kokkos::LayoutStride(20, 2));
  View const by_fours(data.data() + 1, Kokkos::LayoutStride(20, 4));
  expect_exact(by_twos, by_fours, "2 k and 4 k + 1");
  View const by_threes(data.data() + 1, Kokkos::LayoutStride(20, 3));
  expect_exact(by_twos, by_threes, "2 k and 3 k + 1");
  // 6 k + 3 is 4 m + 9 from k = 5 on.
  View const by_sixes(data.data() + 3, Kokkos::LayoutStride(5, 6));
  View const beyond_sixes(data.data() + 9 + 16, Kokkos::LayoutStride(2, 4));
  expect_exact(by_sixes, beyond_sixes, "6 k + 3 and 4 m + 25");
}

TEST(OverlapTest, PlanesOfACube) {
  Kokkos::View<int***, Kokkos::LayoutRight, Host> const cube("cube", 4, 3, 5);
  std::vector<Kokkos::View<int**, Kokkos::LayoutStride, Host>> planes;
  for (int i = 0; i < 3; ++i) planes.push_back(Kokkos::subview(cube, Kokkos::ALL, i, Kokkos::ALL));
  for (int i = 0; i < 5; ++i) planes.push_back(Kokkos::subview(cube, Kokkos::ALL, Kokkos::ALL, i));
  for (int i = 0; i < 4; ++i) planes.push_back(Kokkos::subview(cube, i, Kokkos::ALL, Kokkos::ALL));
  for (int i = 0; i < 4; ++i) planes.push_back(Kokkos::subview(cube, Kokkos::ALL, Range(1, 3), i));
  for (auto const& a : planes) {
    for (auto const& b : planes) expect_exact(a, b, "planes");
  }
}

TEST(CheckCanIndexTest, KnowsTheLargestIndex) {
  auto const message = [](auto value, std::uint64_t n) {
    Kokkos::View<decltype(value)*, Host> const out;
    return thrown_message([&] { detail::check_can_index("f", "out", out, n); });
  };
  std::string const fine = "nothing was thrown";
  EXPECT_EQ(message(std::int8_t{}, 128), fine);
  EXPECT_EQ(message(std::int8_t{}, 129),
            "riffle::f: n = 129: the value type of out holds no index above 127");
  EXPECT_EQ(message(std::uint8_t{}, 256), fine);
  EXPECT_EQ(message(std::uint8_t{}, 257),
            "riffle::f: n = 257: the value type of out holds no index above 255");
  EXPECT_EQ(message(std::int16_t{}, 32769),
            "riffle::f: n = 32769: the value type of out holds no index above 32767");
  EXPECT_EQ(message(int{}, std::uint64_t{1} << 31), fine);
  EXPECT_EQ(message(int{}, (std::uint64_t{1} << 31) + 1),
            "riffle::f: n = 2147483649: the value type of out holds no index above 2147483647");
  EXPECT_EQ(message(std::int64_t{}, std::uint64_t{1} << 63), fine);
  EXPECT_EQ(message(std::uint64_t{}, ~std::uint64_t{0}), fine);
  EXPECT_EQ(message(std::int8_t{}, 0), fine);
}

}  // namespace
}  // namespace riffle::test::views_test
