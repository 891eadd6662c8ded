// Matrices transposed in place: squares, and rectangles of many extents.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/permute/transpose_in_place.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
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

namespace riffle::test::transpose_in_place_test {
namespace {

template <class Exec>
class TransposeInPlaceTest : public ::testing::Test {
 protected:
  template <class View>
  void expect_transposes(View const& view, std::size_t rows, std::size_t columns) {
    auto const data = scrambled<typename View::value_type>(rows * columns);
    fill(view, data);
    transpose_in_place(Context(exec, "transpose", workspace), view, rows, columns);
    exec.fence();
    EXPECT_TRUE(to_vector(view) == moved(data, images_of_transpose(rows, columns)))
        << rows << " x " << columns;
  }

  template <class T>
  void expect_transposes(std::size_t rows, std::size_t columns) {
    expect_transposes(zeros<Exec, T>(rows * columns), rows, columns);
  }

  template <class Layout>
  void expect_transposes_layout(std::size_t rows) {
    expect_transposes_square(make_matrix<Exec, double, Layout>(rows, rows));
  }

  template <class View>
  void expect_transposes_square(View const& view) {
    using T = typename View::value_type;
    std::size_t const rows = view.extent(0);
    auto const data = scrambled<T>(rows * rows);
    auto const expect = [&](auto const& turn) {
      fill(view, data);
      turn();
      exec.fence();
      auto const result = to_rows(view);
      bool right = true;
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < rows; ++j) {
          right = right && result[j][i] == data[i * rows + j];
        }
      }
      EXPECT_TRUE(right) << rows;
    };
    expect([&] { transpose_in_place(exec, view); });
    expect([&] { transpose_square_by_teams(exec, view); });
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(TransposeInPlaceTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(TransposeInPlaceTest, Squares) {
  for (std::size_t const rows : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 200, 512}) {
    this->template expect_transposes<float>(rows, rows);
  }
  EXPECT_EQ(this->workspace.bytes(), 0u);
}

TYPED_TEST(TransposeInPlaceTest, SquaresOfOtherValues) {
  for (std::size_t const rows : {33, 130, 144}) {
    this->template expect_transposes<std::uint8_t>(rows, rows);
    this->template expect_transposes<double>(rows, rows);
    this->template expect_transposes<NumberStruct<3>>(rows, rows);
  }
  this->template expect_transposes<NumberStruct<12>>(33, 33);
}

TYPED_TEST(TransposeInPlaceTest, SquaresOfEveryLayout) {
  for (std::size_t const rows : {1, 64, 77}) {
    this->template expect_transposes_layout<Kokkos::LayoutRight>(rows);
    this->template expect_transposes_layout<Kokkos::LayoutLeft>(rows);
    this->template expect_transposes_layout<Kokkos::LayoutStride>(rows);
  }
  this->expect_transposes(make_strided<TypeParam, float>(65 * 65), 65, 65);
}

// There are enough tiles for a grid that begins at a boundary of a memory block, wherever the matrix begins.
TYPED_TEST(TransposeInPlaceTest, LargeSquaresWithinBlocks) {
  using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, typename TypeParam::memory_space>;
  std::size_t const rows = 1024;
  auto const whole = zeros<TypeParam, float>(rows * rows + 64);
  for (std::size_t const begin : {0, 5, 16, 32, 60}) {
    this->expect_transposes_square(Matrix(whole.data() + begin, rows, rows));
  }
}

TYPED_TEST(TransposeInPlaceTest, AllSmallRectangles) {
  for (std::size_t rows = 0; rows <= 20; ++rows) {
    for (std::size_t columns = 0; columns <= 20; ++columns) {
      this->template expect_transposes<float>(rows, columns);
    }
  }
}

TYPED_TEST(TransposeInPlaceTest, LargerRectangles) {
  this->template expect_transposes<float>(64, 128);
  this->template expect_transposes<float>(128, 64);
  this->template expect_transposes<float>(97, 211);
  this->template expect_transposes<float>(1, 5000);
  this->template expect_transposes<float>(2, 5000);
  this->template expect_transposes<float>(5001, 3);
  this->template expect_transposes<float>(360, 420);
  this->template expect_transposes<float>(1000, 36);
}

TYPED_TEST(TransposeInPlaceTest, RectanglesOfOtherValues) {
  this->template expect_transposes<std::uint8_t>(200, 310);
  this->template expect_transposes<double>(150, 100);
  this->template expect_transposes<NumberStruct<3>>(55, 77);
}

// Rows or columns of more than a megabyte.
TYPED_TEST(TransposeInPlaceTest, LongLines) {
  this->template expect_transposes<double>(3, 300'000);
  this->template expect_transposes<double>(300'000, 4);
}

// The method for small matrices on a GPU, on all back ends.
TYPED_TEST(TransposeInPlaceTest, ThroughABuffer) {
  for (auto const& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{2, 3}, {97, 211}, {5001, 3}, {64, 128}}) {
    auto const data = scrambled<double>(rows * columns);
    auto const view = to_view<TypeParam>(data);
    detail::tiles::transpose_by_buffer(Context(this->exec, "buffer", this->workspace), view.data(),
                                       rows, columns);
    this->exec.fence();
    EXPECT_TRUE(to_vector(view) == moved(data, images_of_transpose(rows, columns)))
        << rows << " x " << columns;
  }
}

// On a CPU: panels of several lines and of one line, with remainders; also runs within a panel that are shorter than a
// vector.
TYPED_TEST(TransposeInPlaceTest, SeveralPanels) {
  for (auto const& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{523, 1031}, {2, 200'003}, {200'003, 3}, {512, 1024}}) {
    this->template expect_transposes<float>(rows, columns);
  }
  this->template expect_transposes<std::uint8_t>(521, 2503);
  this->template expect_transposes<NumberStruct<12>>(67, 1021);
}

// For a matrix of several MiB, the buffer has at most 2 MiB.
TYPED_TEST(TransposeInPlaceTest, BufferIsSmall) {
  if (!backend::is_cpu<TypeParam>) GTEST_SKIP() << "by panels on CPUs only";
  this->template expect_transposes<double>(3, 200'003);
  EXPECT_LE(this->workspace.bytes(), std::size_t{2} << 20);
}

TYPED_TEST(TransposeInPlaceTest, RejectsInvalidArguments) {
  auto const data = to_view<TypeParam>(iota<int>(6));
  EXPECT_EQ(thrown_message([&] { transpose_in_place(this->exec, data, 2, 4); }),
            "riffle::transpose_in_place: data.extent(0) = 6: must be 8, rows * columns");
  EXPECT_EQ(thrown_message(
                [&] { transpose_in_place(this->exec, make_strided<TypeParam, int>(6), 2, 3); }),
            "riffle::transpose_in_place: data.stride(0) = 3: must be 1, but of a square");
  EXPECT_EQ(thrown_message([&] {
              transpose_in_place(this->exec,
                                 make_matrix<TypeParam, int, Kokkos::LayoutRight>(2, 3));
            }),
            "riffle::transpose_in_place: data.extent(0) = 2 and data.extent(1) = 3: must be equal");
  EXPECT_EQ(to_vector(data), iota<int>(6));
}

TYPED_TEST(TransposeInPlaceTest, LabelsInstanceAndFences) {
  auto const data = zeros<TypeParam, float>(128 * 128);
  auto const square = [&](auto const& on) { transpose_in_place(on, data, 128, 128); };
  auto const rectangle = [&](auto const& on) { transpose_in_place(on, data, 64, 256); };
  expect_labels_and_instance(this->exec, square);
  expect_labels_and_instance(this->exec, rectangle, this->workspace);
  expect_no_fence(this->exec, square);
}

}  // namespace
}  // namespace riffle::test::transpose_in_place_test
