#pragma once

// The partition problem of Afshani and Sitchinava (2015, section 2) on the model: items with m copies of each label in [w].

#include <algorithm>
#include <cstdint>
#include <vector>

#include <riffle/published/bank_conflict_free_sorting/detail/partition/run.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>
#include <riffle/published/bank_conflict_free_sorting/tall_partition.hpp>

#include "published/memory_machine/model_problem.hpp"

namespace perf {

namespace matrix_partition = riffle::detail::matrix_partition;

/// The label of an item is its value.
struct ItsOwnLabel {
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t item) const { return item; }
};

/// The input of labels by the kind of values, except `equal`: there, all labels of a row are equal, and each row has the next label.
inline std::vector<std::uint32_t> labels_of(Input input, Shape const& shape) {
  auto const values = values_of(input == Input::equal ? Input::sorted : input, shape);
  std::vector<std::uint32_t> order(values.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto i, auto j) { return values[i] < values[j]; });
  std::vector<std::uint32_t> labels(order.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) labels[order[rank]] = rank / shape.m;
  if (input == Input::equal) std::rotate(labels.begin(), labels.begin() + shape.m, labels.end());
  return labels;
}

/// Runs partition(processors, items, words of memory, row sorter).
template <class Partition>
ModelCost run_partition(Shape const& shape, Input input, Partition const& partition) {
  auto labels = labels_of(input, shape);
  ModelProblem problem(shape, labels);
  auto& processors = problem.processors;
  matrix_partition::PartitionMemory<ModelProblem::Matrix, ModelProblem::Matrix> const memory{
      processors.matrix<std::uint32_t>(riffle::detail::matrix_sort::mark_columns(shape.m)),
      processors.matrix<std::uint32_t>(matrix_partition::counter_columns(shape.m, shape.w)),
      processors.matrix<std::uint32_t>(matrix_partition::aside_columns(shape.m, shape.w))};
  matrix_partition::RadixSort const sorter(memory.counters, memory.aside, shape.w, ItsOwnLabel());
  partition(problem, memory, sorter);
  std::sort(labels.begin(), labels.end());
  check_right(problem.row_major() == labels);
  return cost_of(processors);
}

struct Corollary1 {
  static constexpr char const* name = "Corollary1";
  static std::vector<Shape> shapes() {
    return {{8, 64}, {8, 128}, {8, 256}, {8, 512}, {8, 1024}, {8, 2048}, {8, 4096}};
  }
  static double bound(Shape const& shape) { return shape.m; }
  static ModelCost run(Shape const& shape, Input input) {
    return run_partition(shape, input, [](auto& problem, auto const& memory, auto const& sorter) {
      riffle::detail::matrix_sort::sort_short(problem.matrix, riffle::RowGroups(problem.processors),
                                              memory.marks, sorter);
    });
  }
};

struct Theorem1Partition {
  static constexpr char const* name = "Theorem1Partition";
  static std::vector<Shape> shapes() {
    return {{8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}, {256, 256}, {101, 101}};
  }
  static double bound(Shape const& shape) { return shape.m; }
  static ModelCost run(Shape const& shape, Input input) {
    return run_partition(shape, input, [](auto& problem, auto const& memory, auto const& sorter) {
      riffle::detail::matrix_sort::sort_square(
          problem.matrix, riffle::RowGroups(problem.processors), memory.marks, sorter);
    });
  }
};

struct Lemma2 {
  static constexpr char const* name = "Lemma2";
  static std::vector<Shape> shapes() {
    return {{32, 16}, {64, 16}, {128, 16}, {256, 16}, {512, 16}, {1024, 16}, {300, 16}};
  }
  static double bound(Shape const& shape) {
    double const log = log_m_of_w(shape);
    return shape.m * log * log * log;
  }
  static ModelCost run(Shape const& shape, Input input) {
    return run_partition(shape, input, [](auto& problem, auto const& memory, auto const& sorter) {
      matrix_partition::partition_tall(problem.processors, problem.matrix, memory.marks,
                                       memory.counters, sorter, ItsOwnLabel());
    });
  }
};

}  // namespace perf
