#pragma once

// The permutation problem of Afshani and Sitchinava (2015, section 3) on the model: each item stores its destination.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <riffle/permute/edge_colouring.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_permute.hpp>

#include "published/memory_machine/model_problem.hpp"

namespace perf {

namespace matrix_permute = riffle::detail::matrix_permute;

/// The destination of each item: its rank among the values of the input.
inline std::vector<std::uint32_t> targets_of(Input input, Shape const& shape) {
  auto const values = values_of(input, shape);
  std::vector<std::uint32_t> order(values.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto i, auto j) { return values[i] < values[j]; });
  std::vector<std::uint32_t> targets(order.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) targets[order[rank]] = rank;
  return targets;
}

/// Uses a colouring made in advance, whose time is not counted.
struct Offline {
  static constexpr char const* name = "Offline";
  static std::vector<Shape> shapes() {
    return {{32, 32}, {32, 64}, {32, 128}, {32, 256}, {32, 512}};
  }
  static double bound(Shape const& shape) { return shape.m; }
  static ModelCost run(Shape const& shape, Input input) {
    auto const targets = targets_of(input, shape);
    ModelProblem problem(shape, {});
    auto const result = problem.processors.matrix<std::uint32_t>(shape.m);
    std::uint32_t const n = shape.w * shape.m;
    for (std::uint32_t cell = 0; cell < n; ++cell) problem.matrix.data()[cell] = targets[cell];
    auto const [from, to] = schedule(shape, targets);
    matrix_permute::permute_by_schedule(problem.processors, problem.matrix, result,
                                        Cells{from.data()}, Cells{to.data()});
    for (std::uint32_t cell = 0; cell < n; ++cell) check_right(result.data()[cell] == cell);
    return cost_of(problem.processors);
  }

 private:
  struct Cells {
    std::uint32_t const* cells;
    KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t k) const { return cells[k]; }
  };

  struct Steps {
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> to;
  };

  static Steps schedule(Shape const& shape, std::vector<std::uint32_t> const& targets) {
    using Words = Kokkos::View<std::uint32_t*, Kokkos::HostSpace>;
    auto const n = static_cast<std::uint32_t>(targets.size());
    Words const left("left", n), right("right", n), colours("colours", n);
    for (std::uint32_t cell = 0; cell < n; ++cell) {
      left(cell) = cell % shape.w;
      right(cell) = targets[cell] % shape.w;
    }
    riffle::colour_edges(Kokkos::DefaultHostExecutionSpace(), shape.w, left, right, colours);
    Steps steps{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n)};
    for (std::uint32_t cell = 0; cell < n; ++cell) {
      std::uint32_t const step = colours(cell) * shape.w + cell % shape.w;
      steps.from[step] = cell;
      steps.to[step] = targets[cell];
    }
    return steps;
  }
};

/// m logloglog_m w, which is m for every size that can be run.
struct Theorem4 {
  static constexpr char const* name = "Theorem4";
  static std::vector<Shape> shapes() {
    return {{32, 32}, {32, 64}, {32, 128}, {32, 256}, {32, 512}, {32, 1024}};
  }
  static double bound(Shape const& shape) { return shape.m; }
  static ModelCost run(Shape const& shape, Input input) {
    auto const targets = targets_of(input, shape);
    ModelProblem labels(shape, {});
    auto& processors = labels.processors;
    auto const words = [&] { return processors.matrix<std::uint32_t>(shape.m); };
    auto const values = words();
    for (std::uint32_t cell = 0; cell < targets.size(); ++cell) {
      labels.matrix.data()[cell] = values.data()[cell] = targets[cell];
    }
    using Matrix = ModelProblem::Matrix;
    using Tallies = riffle::ModelMatrix<matrix_permute::Tally>;
    riffle::detail::LabelledItems<Matrix, Matrix> const items(labels.matrix, values);
    matrix_permute::Memory<Matrix, Matrix, Tallies> const memory{
        words(), {words(), words()}, processors.matrix<matrix_permute::Tally>(1)};
    auto const result = matrix_permute::permute_checked(processors, items, memory, 1, 2);
    check_right(result.status == riffle::TeamPermuteStatus::permuted);
    for (std::uint32_t cell = 0; cell < targets.size(); ++cell) {
      check_right(values.data()[cell] == cell);
    }
    return cost_of(processors);
  }
};

struct Theorem4Tall : Theorem4 {
  static constexpr char const* name = "Theorem4Tall";
  static std::vector<Shape> shapes() {
    return {{32, 32}, {64, 32}, {128, 32}, {256, 32}, {512, 32}, {1024, 32}};
  }
};

}  // namespace perf
