#include <Kokkos_Core.hpp>
#include <riffle/kernel/views.hpp>

#include <gtest/gtest.h>

#include <cstdint>
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

TEST(OverlapTest, NothingOverlapsWithNothing) {
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
  Kokkos::View<float*, Host> const behind(data + 16, 1);
  Kokkos::View<double const*, Host> const same = a;
  EXPECT_TRUE(detail::overlap(a, inside));
  EXPECT_TRUE(detail::overlap(inside, a));
  EXPECT_FALSE(detail::overlap(a, behind));
  EXPECT_FALSE(detail::overlap(behind, a));
  EXPECT_TRUE(detail::overlap(a, same));
}

// Every column with every column, every block of columns with every other, and columns with blocks.
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

// Where the address pattern is not told exactly, it must never be taken for apart.
TEST(OverlapTest, NoOverlapIsMissed) {
  Kokkos::View<int***, Kokkos::LayoutRight, Host> const cube("cube", 4, 3, 5);
  std::vector<Kokkos::View<int**, Kokkos::LayoutStride, Host>> planes;
  for (int i = 0; i < 3; ++i) planes.push_back(Kokkos::subview(cube, Kokkos::ALL, i, Kokkos::ALL));
  for (int i = 0; i < 5; ++i) planes.push_back(Kokkos::subview(cube, Kokkos::ALL, Kokkos::ALL, i));
  for (int i = 0; i < 4; ++i) planes.push_back(Kokkos::subview(cube, i, Kokkos::ALL, Kokkos::ALL));
  for (int i = 0; i < 4; ++i) planes.push_back(Kokkos::subview(cube, Kokkos::ALL, Range(1, 3), i));
  for (auto const& a : planes) {
    for (auto const& b : planes) {
      if (share_a_byte(a, b)) {
        EXPECT_TRUE(detail::overlap(a, b));
      }
    }
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
