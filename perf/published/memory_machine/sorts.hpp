#pragma once

// The sorting algorithms of Afshani and Sitchinava (2015, section 2) and their building blocks on the model: run(shape, input)
// returns the costs of a run, and bound(shape) the bound of the theorem without its constant factor.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <riffle/order.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/heap_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_permutation.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/tall_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>
#include <riffle/published/bank_conflict_free_sorting/short_sort_by_conversions.hpp>

#include "published/memory_machine/model_problem.hpp"

namespace perf {

namespace matrix_sort = riffle::detail::matrix_sort;

/// Runs sort(problem, groups, marks, row sorter).
template <class Sort>
ModelCost run_sort(Shape const& shape, Input input, Sort const& sort) {
  auto values = values_of(input, shape);
  ModelProblem problem(shape, values);
  auto const marks = problem.processors.matrix<std::uint32_t>(matrix_sort::mark_columns(shape.m));
  matrix_sort::HeapSort<riffle::Ascending> const by_comparisons{riffle::Ascending()};
  sort(problem.matrix, riffle::RowGroups(problem.processors), marks, by_comparisons);
  std::sort(values.begin(), values.end());
  check_right(problem.row_major() == values);
  return cost_of(problem.processors);
}

struct Conversion {
  static constexpr char const* name = "Conversion";
  static std::vector<Shape> shapes() {
    return {{32, 32}, {32, 64}, {32, 128}, {32, 256}, {32, 512}, {32, 1024}, {32, 1000}, {24, 640}};
  }
  static double bound(Shape const& shape) { return shape.m; }
  static ModelCost run(Shape const& shape, Input input) {
    auto const values = values_of(input, shape);
    ModelProblem problem(shape, values);
    auto const marks = problem.processors.matrix<std::uint32_t>(matrix_sort::mark_columns(shape.m));
    matrix_sort::convert_to_column_major(problem.matrix, riffle::RowGroups(problem.processors),
                                         marks);
    check_right(std::equal(values.begin(), values.end(), problem.matrix.data()));
    return cost_of(problem.processors);
  }
};

struct Shearsort {
  static constexpr char const* name = "Shearsort";
  static std::vector<Shape> shapes() {
    return {{8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}, {48, 48}};
  }
  static double bound(Shape const& shape) {
    double const log = log2_of(shape.w);
    return shape.w * log * log;
  }
  static ModelCost run(Shape const& shape, Input input) {
    return run_sort(shape, input,
                    [](auto const& matrix, auto const& groups, auto const&, auto const& sorter) {
                      matrix_sort::shearsort(matrix, groups, sorter);
                    });
  }
};

struct Lemma1 {
  static constexpr char const* name = "Lemma1";
  static std::vector<Shape> shapes() {
    return {{8, 64}, {8, 128}, {8, 256}, {8, 512}, {8, 1024}, {8, 2048}, {8, 4096}};
  }
  static double bound(Shape const& shape) { return shape.m * log2_of(shape.m); }
  static ModelCost run(Shape const& shape, Input input) {
    return run_sort(shape, input,
                    [](auto const&... arguments) { matrix_sort::sort_short(arguments...); });
  }
};

/// Lemma 1 with the paper's second round.
struct Lemma1ByConversions : Lemma1 {
  static constexpr char const* name = "Lemma1ByConversions";
  static ModelCost run(Shape const& shape, Input input) {
    return run_sort(shape, input, [](auto const&... arguments) {
      matrix_sort::sort_short_by_conversions(arguments...);
    });
  }
};

struct Theorem1 {
  static constexpr char const* name = "Theorem1";
  static std::vector<Shape> shapes() {
    return {{8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}, {48, 48}, {101, 101}};
  }
  static double bound(Shape const& shape) { return shape.m * log2_of(shape.m); }
  static ModelCost run(Shape const& shape, Input input) {
    return run_sort(shape, input,
                    [](auto const&... arguments) { matrix_sort::sort_square(arguments...); });
  }
};

/// The bound m log w of the theorem is for Cole's sort of columns; Batcher's network, which is used here, needs m log^2 w.
struct Theorem2 {
  static constexpr char const* name = "Theorem2";
  static std::vector<Shape> shapes() {
    return {{32, 32}, {64, 32}, {128, 32}, {256, 32}, {512, 32}, {1024, 32}, {300, 32}};
  }
  static double bound(Shape const& shape) { return shape.m * log2_of(shape.w); }
  static ModelCost run(Shape const& shape, Input input) {
    return run_sort(shape, input,
                    [](auto const&... arguments) { matrix_sort::sort_tall(arguments...); });
  }
};

}  // namespace perf
