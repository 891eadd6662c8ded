// The steps of bank-conflict-free sorting, on the model: results, conflicts and time.

#include <riffle/order.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/heap_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/transposition.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/model_matrices.hpp"
#include "support/views.hpp"

namespace riffle::test::matrix_conversion_test {
namespace {

namespace ms = detail::matrix_sort;

using Index = std::uint32_t;

TEST(Conversion, RowMajorBecomesColumnMajorAndBackForEveryShape) {
  for (Index w = 1; w <= 40; ++w) {
    for (Index m = 1; m <= 40; ++m) {
      ModelledMatrix<Index> model(w, m);
      auto const numbers = iota<Index>(w * m);
      model.set_row_major(numbers);
      RowGroups const all(model.processors);
      ms::convert_to_column_major(model.matrix, all, model.marks);
      ASSERT_EQ(model.column_major(), numbers) << shape(w, m);
      ms::convert_to_row_major(model.matrix, all, model.marks);
      ASSERT_EQ(model.row_major(), numbers) << shape(w, m);
      expect_no_conflicts(model.processors, shape(w, m));
    }
  }
}

/// Expects that each group, in row-major order before, is in column-major order after.
void expect_converted(std::vector<Index> const& before, std::vector<Index> const& after, Index m,
                      RowGroups<ModelProcessors> const& groups) {
  for (Index p = 0; p < groups.processors().rows(); ++p) {
    auto const& place = groups[p];
    for (Index c = 0; c < m; ++c) {
      Index const k = c * place.rows + place.index;
      ASSERT_EQ(after[p * m + c], before[place.row(k / m) * m + k % m]);
    }
  }
}

TEST(Conversion, GroupsSideBySide) {
  for (Index const m : {1u, 6u, 12u, 35u}) {
    ModelledMatrix<Index> model(29, m);
    RowGroups const all(model.processors);
    for (auto const& groups : {all.parts(6), all.strides(4), all.parts(12).strides(3)}) {
      auto const numbers = iota<Index>(29 * m);
      model.set_row_major(numbers);
      ms::convert_to_column_major(model.matrix, groups, model.marks);
      expect_converted(numbers, model.row_major(), m, groups);
      ms::convert_to_row_major(model.matrix, groups, model.marks);
      EXPECT_EQ(model.row_major(), numbers);
      expect_no_conflicts(model.processors, shape(29, m));
    }
  }
}

TEST(Conversion, TakesTimeInProportionToTheColumns) {
  for (Index const w : {2u, 31u, 32u, 100u}) {
    for (Index m = 1; m <= 400; m = m * 3 / 2 + 1) {
      ModelledMatrix<Index> model(w, m);
      ms::convert_to_column_major(model.matrix, RowGroups(model.processors), model.marks);
      EXPECT_LE(model.processors.time(), 10 * m) << shape(w, m);
      EXPECT_GE(model.processors.time(), 2 * m) << shape(w, m);
    }
  }
}

struct TwoSquaresFromOne {
  template <class Group>
  KOKKOS_FUNCTION ms::Squares operator()(Group const&) const {
    return {1, 2};
  }
};

TEST(Transposition, SquaresOfAllGroups) {
  for (Index h = 1; h <= 33; ++h) {
    Index const m = 2 * h + h / 2;
    ModelledMatrix<Index> model(2 * h, m);
    auto const numbers = iota<Index>(2 * h * m);
    model.set_row_major(numbers);
    RowGroups const groups = RowGroups(model.processors).parts(h);
    ms::transpose_squares(model.matrix, groups, TwoSquaresFromOne());
    auto const after = model.row_major();
    for (Index row = 0; row < 2 * h; ++row) {
      for (Index c = 0; c < m; ++c) {
        bool const inside = c >= 1 && c < 1 + 2 * h;
        Index const square = inside ? (c - 1) / h : 0;
        Index const from_row = inside ? row / h * h + (c - 1) % h : row;
        Index const from_column = inside ? 1 + square * h + row % h : c;
        ASSERT_EQ(after[row * m + c], from_row * m + from_column) << h;
      }
    }
    expect_no_conflicts(model.processors, shape(h, m));
    EXPECT_LE(model.processors.time(), 4 * h);
  }
}

TEST(RowSort, EveryRowInItsOwnTime) {
  for (Index m = 1; m <= 300; m = m < 20 ? m + 1 : m * 2) {
    for (Pattern const pattern : all_patterns) {
      ModelledMatrix<Index> model(9, m);
      auto const values = pattern_values(pattern, 9, m);
      model.set_row_major(values);
      RowGroups const groups = RowGroups(model.processors).parts(3).alternating();
      ms::sort_rows(model.matrix, groups, ms::HeapSort<Ascending>(Ascending()),
                    ms::RowOrder::alternating);
      auto const after = model.row_major();
      for (Index row = 0; row < 9; ++row) {
        auto expected =
            sorted(std::vector<Index>(values.begin() + row * m, values.begin() + (row + 1) * m));
        if ((row / 3 == 1) != (row % 3 == 1)) std::reverse(expected.begin(), expected.end());
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), after.begin() + row * m));
      }
      expect_no_conflicts(model.processors, shape(9, m));
      EXPECT_LE(model.processors.time(), 5 * m * static_cast<Index>(std::bit_width(m)));
    }
  }
}

}  // namespace
}  // namespace riffle::test::matrix_conversion_test
