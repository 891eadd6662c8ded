// Transposes matrices of many extents.

#include <Kokkos_Core.hpp>
#include <riffle/permute/transpose.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_maps.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tiles_by_teams.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::transpose_test {
namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

using Extents = std::pair<std::size_t, std::size_t>;

/// Extents next to the sizes of tiles and vectors, primes, and few rows or columns.
std::vector<Extents> extents() {
  std::vector<Extents> all{{1, 1},   {1, 777}, {777, 1},  {2, 3},     {2, 3001}, {3001, 2},
                           {5, 640}, {640, 5}, {101, 37}, {257, 251}, {16, 4096}};
  for (std::size_t const a : {31, 32, 33, 63, 64, 65, 128}) {
    for (std::size_t const b : {32, 60, 63, 64, 65, 129}) all.emplace_back(a, b);
  }
  return all;
}

template <class Exec>
class TransposeTest : public ::testing::Test {
 protected:
  /// Transposes rank-1 Views.
  template <class In, class Out>
  void expect_transposes(In const& in, Out const& out, Extents const& extents) {
    using T = typename Out::value_type;
    auto const [rows, columns] = extents;
    auto const data = scrambled<T>(rows * columns);
    auto const expected = moved(data, images_of_transpose(rows, columns));
    fill(in, data);
    fill(out, std::vector<T>(data.size()));
    transpose(Context(exec, "transpose"), in, out, rows, columns);
    exec.fence();
    EXPECT_TRUE(to_vector(out) == expected) << rows << " x " << columns;
    fill(out, std::vector<T>(data.size()));
    transpose_by_teams(exec, in, out, rows, columns);
    exec.fence();
    EXPECT_TRUE(to_vector(out) == expected) << rows << " x " << columns << ", by teams";
  }

  template <class T>
  void expect_transposes(Extents const& extents) {
    std::size_t const n = extents.first * extents.second;
    expect_transposes(zeros<Exec, T>(n), zeros<Exec, T>(n), extents);
  }

  template <class InLayout, class OutLayout>
  void expect_transposes_layouts(std::size_t rows, std::size_t columns) {
    auto const data = scrambled<float>(rows * columns);
    auto const in = make_matrix<Exec, float, InLayout>(rows, columns);
    fill(in, data);
    auto const expect = [&](auto const& turn) {
      auto const out = make_matrix<Exec, float, OutLayout>(columns, rows);
      turn(out);
      exec.fence();
      auto const result = to_rows(out);
      bool right = true;
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          right = right && result[j][i] == data[i * columns + j];
        }
      }
      EXPECT_TRUE(right) << rows << " x " << columns;
    };
    expect([&](auto const& out) { transpose(exec, in, out); });
    expect([&](auto const& out) { transpose_by_teams(exec, in, out); });
  }

  template <class InLayout, class OutLayout>
  void expect_transposes_layouts() {
    for (auto const& [rows, columns] :
         {Extents{70, 68}, Extents{64, 128}, Extents{1, 300}, Extents{300, 1}, Extents{37, 211}}) {
      expect_transposes_layouts<InLayout, OutLayout>(rows, columns);
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(TransposeTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(TransposeTest, FloatsOfAllExtents) {
  for (auto const& e : extents()) this->template expect_transposes<float>(e);
}

TYPED_TEST(TransposeTest, EmptyMatrices) {
  auto const none = zeros<TypeParam, float>(0);
  transpose(this->exec, none, zeros<TypeParam, float>(0), 0, 5);
  transpose(this->exec, none, zeros<TypeParam, float>(0), 5, 0);
  this->exec.fence();
}

TYPED_TEST(TransposeTest, ManyTiles) {
  for (auto const& e : {Extents{1024, 1024}, Extents{1201, 999}, Extents{20, 40000}}) {
    this->template expect_transposes<float>(e);
  }
}

template <class Test>
void expect_edges(Test const& expect) {
  for (std::size_t const a : {30, 127, 128, 129}) {
    for (std::size_t const b : {64, 130, 144}) expect(Extents{a, b});
  }
}

TYPED_TEST(TransposeTest, ValuesOfOneByte) {
  expect_edges([&](auto const& e) { this->template expect_transposes<std::uint8_t>(e); });
}
TYPED_TEST(TransposeTest, ValuesOf2Bytes) {
  expect_edges([&](auto const& e) { this->template expect_transposes<std::uint16_t>(e); });
}
TYPED_TEST(TransposeTest, ValuesOf8Bytes) {
  expect_edges([&](auto const& e) { this->template expect_transposes<double>(e); });
}
TYPED_TEST(TransposeTest, StructsOf12Bytes) {
  expect_edges([&](auto const& e) { this->template expect_transposes<NumberStruct<3>>(e); });
}
TYPED_TEST(TransposeTest, StructsOf16Bytes) {
  expect_edges([&](auto const& e) { this->template expect_transposes<NumberStruct<4>>(e); });
}
TYPED_TEST(TransposeTest, StructsOf48Bytes) {
  this->template expect_transposes<NumberStruct<12>>({33, 70});
}

TYPED_TEST(TransposeTest, PartsOfViews) {
  Extents const e{64, 132};
  std::size_t const n = e.first * e.second;
  auto const whole_in = zeros<TypeParam, float>(n + 8);
  auto const whole_out = zeros<TypeParam, float>(n + 8);
  for (std::size_t const a : {0, 1, 4}) {
    for (std::size_t const b : {0, 3}) {
      this->expect_transposes(Kokkos::subview(whole_in, Kokkos::pair(a, a + n)),
                              Kokkos::subview(whole_out, Kokkos::pair(b, b + n)), e);
    }
  }
}

// There are enough tiles for a grid that begins at a boundary of a memory block, wherever the matrix begins.
TYPED_TEST(TransposeTest, LargePartsOfViews) {
  Extents const e{1024, 1088};
  std::size_t const n = e.first * e.second;
  auto const whole_in = zeros<TypeParam, float>(n + 64);
  auto const whole_out = zeros<TypeParam, float>(n + 64);
  for (auto const& [a, b] :
       {std::pair<std::size_t, std::size_t>{0, 0}, {16, 48}, {60, 4}, {33, 7}}) {
    this->expect_transposes(Kokkos::subview(whole_in, Kokkos::pair(a, a + n)),
                            Kokkos::subview(whole_out, Kokkos::pair(b, b + n)), e);
  }
}

TYPED_TEST(TransposeTest, ViewsWithStrides) {
  Extents const e{65, 70};
  std::size_t const n = e.first * e.second;
  auto const contiguous = zeros<TypeParam, float>(n);
  this->expect_transposes(contiguous, make_strided<TypeParam, float>(n), e);
  this->expect_transposes(make_strided<TypeParam, float>(n), contiguous, e);
}

TYPED_TEST(TransposeTest, FromEveryLayoutToEveryLayout) {
  this->template expect_transposes_layouts<LayoutRight, LayoutRight>();
  this->template expect_transposes_layouts<LayoutRight, LayoutLeft>();
  this->template expect_transposes_layouts<LayoutLeft, LayoutRight>();
  this->template expect_transposes_layouts<LayoutLeft, LayoutLeft>();
  this->template expect_transposes_layouts<LayoutRight, LayoutStride>();
  this->template expect_transposes_layouts<LayoutStride, LayoutRight>();
}

TYPED_TEST(TransposeTest, RejectsInvalidArguments) {
  auto const six = to_view<TypeParam>(std::vector<int>(6, 1));
  auto const out = to_view<TypeParam>(std::vector<int>(8, 2));
  EXPECT_EQ(thrown_message([&] { transpose(this->exec, six, out, 2, 3); }),
            "riffle::transpose: out.extent(0) = 8: must be 6, rows * columns");
  EXPECT_EQ(thrown_message([&] { transpose(this->exec, six, out, 2, 4); }),
            "riffle::transpose: in.extent(0) = 6: must be 8, rows * columns");
  EXPECT_EQ(thrown_message([&] {
              transpose(this->exec, six, out, std::uint64_t{1} << 32, std::uint64_t{1} << 32);
            }),
            "riffle::transpose: rows = 4294967296 and columns = 4294967296: their product must be "
            "less than 2^63");
  auto const part = Kokkos::subview(out, Kokkos::pair(2, 8));
  auto const first = Kokkos::subview(out, Kokkos::pair(0, 6));
  auto const text = thrown_message([&] { transpose(this->exec, first, part, 2, 3); });
  EXPECT_NE(text.find(" overlap: must share no element"), std::string::npos) << text;
  auto const matrix = make_matrix<TypeParam, int, LayoutRight>(2, 3);
  EXPECT_EQ(thrown_message([&] {
              transpose(this->exec, matrix, make_matrix<TypeParam, int, LayoutRight>(2, 3));
            }),
            "riffle::transpose: in.extent(0) = 2 and out.extent(1) = 3: must be equal");
  EXPECT_EQ(thrown_message([&] {
              transpose(this->exec, matrix, make_matrix<TypeParam, int, LayoutRight>(4, 2));
            }),
            "riffle::transpose: in.extent(1) = 3 and out.extent(0) = 4: must be equal");
  EXPECT_EQ(to_vector(out), std::vector<int>(8, 2));
}

TYPED_TEST(TransposeTest, LabelsInstanceAndFences) {
  auto const in = zeros<TypeParam, float>(1 << 14);
  auto const out = zeros<TypeParam, float>(1 << 14);
  auto const call = [&](auto const& on) { transpose(on, in, out, 64, 256); };
  expect_labels_and_instance(this->exec, call);
  expect_no_fence(this->exec, call);
}

}  // namespace
}  // namespace riffle::test::transpose_test
