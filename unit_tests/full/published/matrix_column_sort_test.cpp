// Sorts of columns without bank conflicts, on the model: by squares, and by Batcher's network.

#include <riffle/order.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/column_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/heap_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "support/model_matrices.hpp"

namespace riffle::test::matrix_column_sort_test {
namespace {

namespace ms = detail::matrix_sort;

using Index = std::uint32_t;
using Groups = RowGroups<ModelProcessors>;

ms::HeapSort<Ascending> const by_comparisons{Ascending()};

/// The values with the columns of each group sorted.
std::vector<Index> with_sorted_columns(std::vector<Index> values, Index m, Groups const& groups) {
  for (Index p = 0; p < groups.processors().rows(); ++p) {
    auto const& place = groups[p];
    if (place.index != 0) continue;
    for (Index c = 0; c < m; ++c) {
      std::vector<Index> column(place.rows);
      for (Index i = 0; i < place.rows; ++i) column[i] = values[place.row(i) * m + c];
      std::stable_sort(column.begin(), column.end());
      if (place.descending) std::reverse(column.begin(), column.end());
      for (Index i = 0; i < place.rows; ++i) values[place.row(i) * m + c] = column[i];
    }
  }
  return values;
}

void expect_columns_sorted(ModelledMatrix<Index>& model, Groups const& groups, Pattern pattern) {
  Index const w = model.matrix.rows();
  Index const m = model.matrix.columns();
  auto const values = pattern_values(pattern, w, m);
  model.set_row_major(values);
  ms::sort_columns(model.matrix, groups, by_comparisons);
  ASSERT_EQ(model.row_major(), with_sorted_columns(values, m, groups)) << shape(w, m);
  expect_no_conflicts(model.processors, shape(w, m));
}

TEST(ColumnSort, EveryShape) {
  for (Index w = 1; w <= 34; ++w) {
    for (Index m = 1; m <= 34; ++m) {
      ModelledMatrix<Index> model(w, m);
      expect_columns_sorted(model, Groups(model.processors), all_patterns[(w + m) % 8]);
    }
  }
}

TEST(ColumnSort, GroupsSideBySide) {
  for (Index const m : {1u, 4u, 6u, 7u, 13u, 30u}) {
    ModelledMatrix<Index> model(27, m);
    Groups const all(model.processors);
    for (auto const& groups :
         {all.parts(6), all.parts(13), all.strides(4), all.parts(10).strides(3)}) {
      expect_columns_sorted(model, groups, Pattern::random);
      expect_columns_sorted(model, groups.alternating(), Pattern::random);
    }
  }
}

TEST(ColumnSort, TheNetworkSortsEveryColumnOfZerosAndOnes) {
  for (Index w = 2; w <= 13; ++w) {
    Index const columns = 128;
    for (Index first = 0; first < Index{1} << w; first += columns) {
      ModelledMatrix<Index> model(w, columns);
      for (Index r = 0; r < w; ++r) {
        for (Index c = 0; c < columns; ++c) model.at(r, c) = (first + c) >> r & 1;
      }
      ms::merge_exchange_columns(model.matrix, Groups(model.processors), by_comparisons);
      for (Index c = 0; c < columns; ++c) {
        auto const ones = static_cast<Index>(std::popcount((first + c) & ((Index{1} << w) - 1)));
        for (Index r = 0; r < w; ++r) ASSERT_EQ(model.at(r, c), r >= w - ones) << w;
      }
    }
  }
}

TEST(ColumnSort, TheNetworkTakesTwoTimeUnitsForEachStageAndColumn) {
  for (Index log_w = 1; log_w <= 8; ++log_w) {
    for (Index const m : {2u, 4u, 10u}) {
      ModelledMatrix<Index> model(1u << log_w, m);
      ms::merge_exchange_columns(model.matrix, Groups(model.processors), by_comparisons);
      EXPECT_EQ(model.processors.time(), 2 * m * (log_w * (log_w + 1) / 2)) << log_w;
    }
  }
}

TEST(ColumnSort, SquaresTakeTimeOfMLogW) {
  for (Index w = 2; w <= 64; w *= 2) {
    for (Index const m : {w, 2 * w + 1, 7 * w}) {
      ModelledMatrix<Index> model(w, m);
      expect_columns_sorted(model, Groups(model.processors), Pattern::random);
      EXPECT_LE(model.processors.time(), 2 * m * (4 + 4 * std::bit_width(w))) << shape(w, m);
    }
  }
}

}  // namespace
}  // namespace riffle::test::matrix_column_sort_test
