// Transposes rectangles in place by units, on all back ends, and tests the parts of that: cycles that are cut at marked
// positions, rows that move together and apart, blocks and squares.

#include <Kokkos_Core.hpp>
#include <riffle/permute/detail/tiles/rectangle_by_units.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_maps.hpp"
#include "support/matrices.hpp"
#include "support/views.hpp"

namespace riffle::test::rectangle_by_units_test {
namespace {

namespace tiles = riffle::detail::tiles;

// --- cycles ---

/// The number of times that a unit is moved to each position by the chains of all threads.
template <class Word>
std::vector<int> moves_to(tiles::UnitTransposition<Word> const& cycles) {
  std::vector<int> moves(cycles.units());
  for (Word mark = 0; mark < cycles.marks(); ++mark) {
    Word at = cycles.marked(mark);
    EXPECT_EQ(cycles.mark_at(at), mark);
    do {
      ++moves[at];
      at = cycles.source(at);
    } while (!cycles.is_marked(at));
  }
  for (Word position = 0; position < cycles.units(); ++position) {
    if (!cycles.is_leader(position)) continue;
    Word at = position;
    do {
      EXPECT_GE(at, position);
      ++moves[at];
      at = cycles.source(at);
    } while (at != position);
  }
  return moves;
}

template <class Word>
void expect_cycles(Word rows, Word columns) {
  tiles::UnitTransposition<Word> const cycles(rows, columns);
  Images const images = images_of_transpose(rows, columns);
  for (Word u = 0; u < cycles.units(); ++u)
    EXPECT_EQ(cycles.source(static_cast<Word>(images[u])), u);
  std::vector<int> const moves = moves_to(cycles);
  for (Word u = 0; u < cycles.units(); ++u) {
    bool const may_stay = images[u] == u;
    EXPECT_TRUE(moves[u] == 1 || (may_stay && moves[u] == 0))
        << rows << " x " << columns << ": " << u;
  }
}

TEST(UnitTransposition, EveryUnitIsMovedOnce) {
  for (std::uint32_t rows = 1; rows <= 12; ++rows) {
    for (std::uint32_t columns = 1; columns <= 12; ++columns) expect_cycles(rows, columns);
  }
  expect_cycles<std::uint32_t>(64, 64);    // cycles of two
  expect_cycles<std::uint32_t>(64, 256);   // short cycles
  expect_cycles<std::uint32_t>(101, 330);  // long cycles
  expect_cycles<std::uint64_t>(7, 4000);
}

// --- all of it ---

template <class Exec>
class RectangleByUnits : public ::testing::Test {
 protected:
  /// offset: the number of elements of the allocation before the matrix.
  template <class T>
  void expect_transposes(std::size_t rows, std::size_t columns, std::size_t offset = 0) {
    auto const data = scrambled<T>(rows * columns);
    auto const whole = zeros<Exec, T>(offset + rows * columns);
    auto const view = Kokkos::subview(whole, Kokkos::pair(offset, offset + rows * columns));
    fill(view, data);
    Context<Exec> const context(exec, "transpose", workspace);
    tiles::transpose_by_units(context, view.data(), rows, columns);
    exec.fence();
    EXPECT_TRUE(to_vector(view) == moved(data, images_of_transpose(rows, columns)))
        << rows << " x " << columns << " of " << sizeof(T) << " bytes";
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RectangleByUnits, ExecutionSpaces, SpaceNames);

TYPED_TEST(RectangleByUnits, FewRowsOrColumns) {
  for (std::size_t const few : {2, 3, 7, 50}) {
    for (std::size_t const many : {65, 1024, 1031}) {
      this->template expect_transposes<double>(few, many);
      this->template expect_transposes<double>(many, few);
    }
  }
}

TYPED_TEST(RectangleByUnits, Blocks) {
  this->template expect_transposes<double>(128, 320);
  this->template expect_transposes<double>(350, 120);
  this->template expect_transposes<float>(180, 270);
}

// Prime extents leave a remainder for every block.
TYPED_TEST(RectangleByUnits, RemaindersOfBlocks) {
  this->template expect_transposes<double>(97, 128);
  this->template expect_transposes<double>(128, 97);
  this->template expect_transposes<double>(97, 211);
  this->template expect_transposes<double>(211, 131);
  this->template expect_transposes<float>(509, 307);
}

TYPED_TEST(RectangleByUnits, Squares) {
  for (std::size_t const side : {65, 96, 100}) {
    for (std::size_t const squares : {2, 3, 5}) {
      this->template expect_transposes<double>(side, squares * side);
      this->template expect_transposes<double>(squares * side, side);
    }
  }
  this->template expect_transposes<float>(1024,
                                          2048);  // tiles begin at block boundaries
}

TYPED_TEST(RectangleByUnits, OtherValues) {
  this->template expect_transposes<std::uint8_t>(200, 310);
  this->template expect_transposes<std::uint8_t>(211, 307);
  this->template expect_transposes<std::uint16_t>(250, 375);
  this->template expect_transposes<NumberStruct<3>>(55, 77);
  this->template expect_transposes<NumberStruct<12>>(33, 66);
  this->template expect_transposes<NumberStruct<100>>(5, 7);
}

TYPED_TEST(RectangleByUnits, MatricesThatAreNotAligned) {
  for (std::size_t const offset : {1, 2, 3}) {
    this->template expect_transposes<double>(128, 192, offset);
    this->template expect_transposes<float>(100, 203, offset);
    this->template expect_transposes<std::uint8_t>(200, 400, offset);
  }
}

TYPED_TEST(RectangleByUnits, MemoryIsWithinTheDocumentedBound) {
  for (auto const& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{128, 3200}, {97, 4001}, {3001, 3}, {1009, 509}}) {
    riffle::Workspace<TypeParam> workspace{this->exec};
    auto const view = zeros<TypeParam, double>(rows * columns);
    Context<TypeParam> const context(this->exec, "transpose", workspace);
    tiles::transpose_by_units(context, view.data(), rows, columns);
    this->exec.fence();
    std::size_t const bytes = sizeof(double) * rows * columns;
    EXPECT_LE(workspace.bytes(), bytes * 27 / 100 + 4096) << rows << " x " << columns;
  }
}

// --- parts ---

TYPED_TEST(RectangleByUnits, SeveralMatricesOfUnits) {
  std::size_t const matrices = 3;
  std::size_t const rows = 20;
  std::size_t const columns = 33;
  std::size_t const unit = 5;
  auto const data = scrambled<double>(matrices * rows * columns * unit);
  std::vector<double> expected(data.size());
  Images const images = images_of_transpose(rows, columns);
  for (std::size_t k = 0; k < data.size(); ++k) {
    std::size_t const place = k / unit;
    std::size_t const matrix = place / (rows * columns);
    std::uint64_t const image = matrix * rows * columns + images[place % (rows * columns)];
    expected[image * unit + k % unit] = data[k];
  }
  auto const view = zeros<TypeParam, double>(data.size());
  Context<TypeParam> const context(this->exec, "units", this->workspace);
  fill(view, data);
  tiles::transpose_units(context, view.data(), {matrices, rows, columns, unit});
  this->exec.fence();
  EXPECT_TRUE(to_vector(view) == expected);
  fill(view, data);
  tiles::transpose_units_as<8, std::uint64_t>(context, view.data(),
                                              {matrices, rows, columns, unit});
  this->exec.fence();
  EXPECT_TRUE(to_vector(view) == expected);
}

// Several tiles, whose first elements are saved, and gaps of many elements.
TYPED_TEST(RectangleByUnits, RowsMoveTogetherAndApart) {
  Context<TypeParam> const context(this->exec, "rows", this->workspace);
  for (std::size_t const gap : {1, 13, 400}) {
    std::size_t const rows = 150;
    std::size_t const length = 700;
    auto const data = scrambled<float>(rows * (length + gap));
    std::vector<float> together;
    for (std::size_t i = 0; i < rows; ++i) {
      auto const row = data.begin() + static_cast<std::ptrdiff_t>(i * (length + gap));
      together.insert(together.end(), row, row + static_cast<std::ptrdiff_t>(length));
    }
    auto const view = zeros<TypeParam, float>(data.size());
    fill(view, data);
    tiles::shift_rows<tiles::Shift::together>(context, view.data(), {rows, length, gap});
    this->exec.fence();
    auto const moved_together = to_vector(view);
    EXPECT_TRUE(std::equal(together.begin(), together.end(), moved_together.begin())) << gap;
    tiles::shift_rows<tiles::Shift::apart>(context, view.data(), {rows, length, gap});
    this->exec.fence();
    auto const moved_apart = to_vector(view);
    for (std::size_t i = 0; i < rows; ++i) {
      auto const row = moved_apart.begin() + static_cast<std::ptrdiff_t>(i * (length + gap));
      auto const expected = together.begin() + static_cast<std::ptrdiff_t>(i * length);
      EXPECT_TRUE(std::equal(row, row + static_cast<std::ptrdiff_t>(length), expected))
          << gap << ": " << i;
    }
  }
}

}  // namespace
}  // namespace riffle::test::rectangle_by_units_test
