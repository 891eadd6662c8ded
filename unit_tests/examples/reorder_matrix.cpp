// examples/reorder_matrix: its parts, and the program as users run it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cuthill_mckee.hpp"
#include "grid_laplacian.hpp"
#include "subprocess.hpp"

namespace example::reorder_matrix_test {

using namespace reorder;
using Numbers = std::vector<std::uint32_t>;

Numbers random_numbers(std::uint32_t n, unsigned seed) {
  Numbers numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(seed));
  return numbers;
}

std::map<std::pair<std::uint32_t, std::uint32_t>, double> entries_of(CsrMatrix const& matrix) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> entries;
  for (std::uint32_t i = 0; i < matrix.rows(); ++i) {
    for (auto k = matrix.row_begins[i]; k < matrix.row_begins[i + 1]; ++k) {
      EXPECT_TRUE(entries.emplace(std::pair{i, matrix.columns[k]}, matrix.values[k]).second);
    }
  }
  return entries;
}

CsrMatrix matrix_of(std::uint32_t rows,
                    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges) {
  for (std::size_t k = edges.size(); k-- > 0;) edges.emplace_back(edges[k].second, edges[k].first);
  std::sort(edges.begin(), edges.end());
  CsrMatrix matrix;
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (auto const& [from, to] : edges) {
      if (from == i) matrix.columns.push_back(to);
    }
    matrix.row_begins.push_back(matrix.columns.size());
  }
  matrix.values.assign(matrix.columns.size(), 1);
  return matrix;
}

/// The bandwidth after reordering; expects that the places are a permutation.
std::uint32_t reordered_bandwidth(CsrMatrix const& matrix) {
  auto const places = reverse_cuthill_mckee(matrix);
  auto sorted = places;
  std::sort(sorted.begin(), sorted.end());
  Numbers all(matrix.rows());
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(sorted, all);
  return bandwidth(matrix, places);
}

example::Finished run_reorder_matrix(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RIFFLE_REORDER_MATRIX_PROGRAM);
  return example::run_program(arguments);
}

/// The number after these words in the program's output.
double number_after(std::string const& output, std::string const& words) {
  auto const at = output.find(words);
  EXPECT_NE(at, std::string::npos) << words << "\nin\n" << output;
  return at == std::string::npos ? -1 : std::strtod(output.c_str() + at + words.size(), nullptr);
}

TEST(ReorderMatrix, laplacian_of_a_small_grid) {
  // Points    0 1 2    are unknowns    4 0 3
  //           3 4 5                    1 5 2
  auto const entries = entries_of(grid_laplacian(3, 2, {4, 0, 3, 1, 5, 2}));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> const edges{{4, 0}, {0, 3}, {1, 5}, {5, 2},
                                                                   {4, 1}, {0, 5}, {3, 2}};
  ASSERT_EQ(entries.size(), 6 + 2 * edges.size());
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(entries.at({i, i}), 4);
  for (auto const& [i, j] : edges) {
    EXPECT_EQ(entries.at({i, j}), -1);
    EXPECT_EQ(entries.at({j, i}), -1);
  }
}

TEST(ReorderMatrix, bandwidth_is_of_the_furthest_entry) {
  auto const path = matrix_of(4, {{0, 1}, {1, 2}, {2, 3}});
  EXPECT_EQ(bandwidth(path, {0, 1, 2, 3}), 1u);
  EXPECT_EQ(bandwidth(path, {0, 3, 1, 2}), 3u);
  EXPECT_EQ(bandwidth(matrix_of(3, {}), {0, 1, 2}), 0u);
}

// Starting from an end, a path is found in order; no other order has bandwidth 1.
TEST(ReorderMatrix, paths_become_tridiagonal) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    EXPECT_EQ(reordered_bandwidth(grid_laplacian(500, 1, random_numbers(500, seed))), 1u);
  }
}

// A level of the search is a diagonal of the grid.
TEST(ReorderMatrix, grids_get_the_bandwidth_of_their_shorter_side) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    auto const numbers = random_numbers(40 * 90, seed);
    EXPECT_LE(reordered_bandwidth(grid_laplacian(40, 90, numbers)), 41u);
    EXPECT_LE(reordered_bandwidth(grid_laplacian(90, 40, numbers)), 41u);
  }
}

TEST(ReorderMatrix, unconnected_parts) {
  EXPECT_EQ(reordered_bandwidth(matrix_of(0, {})), 0u);
  EXPECT_EQ(reordered_bandwidth(matrix_of(3, {})), 0u);
  EXPECT_EQ(reordered_bandwidth(matrix_of(7, {{0, 6}, {6, 3}, {1, 5}})), 1u);
}

TEST(ReorderMatrix, program) {
  auto const finished =
      run_reorder_matrix({"--width", "70", "--height", "150", "--seed", "3", "--repeats", "1"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  auto const& output = finished.output;
  EXPECT_EQ(number_after(output, "matrix     "), 70 * 150);
  EXPECT_EQ(number_after(output, " rows, "), 5 * 70 * 150 - 2 * (70 + 150));
  EXPECT_GT(number_after(output, "bandwidth  "), 9000);
  EXPECT_LE(number_after(output, " -> "), 71);
  EXPECT_GT(number_after(output, "plan       "), 0);
  EXPECT_EQ(number_after(output, "differs in "), 0);
}

TEST(ReorderMatrix, command_line) {
  auto const help = run_reorder_matrix({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.output.find("--height"), std::string::npos);
  for (auto const& arguments : std::vector<std::vector<std::string>>{
           {"--width", "0"}, {"--height", "70000"}, {"--repeats", "many"}, {"--depth", "3"}}) {
    auto const finished = run_reorder_matrix(arguments);
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_EQ(finished.output, "");
    EXPECT_NE(finished.errors.find(arguments[0]), std::string::npos) << finished.errors;
  }
}

}  // namespace example::reorder_matrix_test
