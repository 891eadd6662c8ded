// Permutations of the rows and columns of matrices, planned by colouring edges.

#include <Kokkos_Core.hpp>
#include <riffle/permute/edge_colouring.hpp>
#include <riffle/permute/row_permutation.hpp>
#include <riffle/published/offline_permutation/coloured_permutation.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::plans_of_matrices_cases {
namespace {

struct Coloured {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const p = to_array<Exec>(permutation_of<std::int32_t>(n));
    ColouredPermutation<Exec> const plan(Context(exec, "plan", workspace), p);
    auto const in = to_array<Exec>(cards(n));
    auto const out = make_output<Exec, Card>(n);
    plan(Context(exec, workspace), in, out);
    results.add("cards", out);
    plan.inverse()(Context(exec, "back"), out, in);
    results.add("back again", in);
  }
};

/// A random permutation for each row of a matrix.
std::vector<std::int32_t> row_images(std::uint64_t rows, std::uint64_t columns) {
  std::vector<std::int32_t> images;
  for (std::uint64_t i = 0; i < rows; ++i) {
    auto const row = permutation_of<std::int32_t>(columns, i + 1);
    images.insert(images.end(), row.begin(), row.end());
  }
  return images;
}

struct Rows {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::uint64_t const rows = 5;
    auto const p = to_matrix<Exec>(row_images(rows, n), n);
    auto const in = to_matrix<Exec>(plain_numbers<double>(p.size()), n);
    auto const out = make_output<Exec, double>(p.extent(0), n);
    RowPermutation<Exec> const plan(exec, p);
    plan(exec, in, out);
    results.add("rows", out);
    LinePermutation<Exec, MatrixLines::rows> const inverse = plan.inverse();
    inverse(Context(exec, "back"), out, in);
    results.add("back again", in);
  }
};

struct Columns {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    std::uint64_t const columns = 5;
    auto const by_rows = row_images(columns, n);
    std::vector<std::int32_t> images(by_rows.size());
    for (std::uint64_t i = 0; i < n; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) images[i * columns + j] = by_rows[j * n + i];
    }
    auto const p = to_matrix<Exec>(images, columns);
    auto const in = to_matrix<Exec>(cards(columns * n), columns);
    auto const out = make_output<Exec, Card>(n, columns);
    ColumnPermutation<Exec> const plan(Context(exec, "plan"), p);
    plan(Context(exec, workspace), in, out);
    results.add("columns", out);
    plan.inverse()(exec, out, in);
    results.add("back again", in);
  }
};

struct Colours {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    // One degree is a power of two, the other is not.
    for (std::uint64_t const degree : {32, 12}) {
      std::uint64_t const nodes = n / degree + 1;
      auto left_nodes = permutation_of<std::uint32_t>(nodes * degree, 1);
      auto right_nodes = permutation_of<std::uint32_t>(nodes * degree, 2);
      for (auto& node : left_nodes) node %= static_cast<std::uint32_t>(nodes);
      for (auto& node : right_nodes) node %= static_cast<std::uint32_t>(nodes);
      auto const left = to_array<Exec>(left_nodes);
      auto const right = to_array<Exec>(right_nodes);
      auto const colours = make_output<Exec, std::uint32_t>(nodes * degree);
      results.add("degree", colour_edges(exec, nodes, left, right, colours));
      results.add("colours", colours);
    }
  }
};

/// Row lengths around the largest that a team with 48 KiB of scratch memory can hold, with 8-byte elements.
std::vector<std::uint64_t> sizes_of_rows() { return {0, 1, 2, 31, 1000, 2047, 2048, 2049}; }

Cases const cases{
    make_case<Coloured>("coloured_permutation", sizes()),
    make_case<Rows>("row_permutation", sizes_of_rows()),
    make_case<Columns>("column_permutation", sizes_of_rows()),
    make_case<Colours>("edge_colouring", up_to(65537)),
};

}  // namespace
}  // namespace riffle::test::calls::plans_of_matrices_cases
