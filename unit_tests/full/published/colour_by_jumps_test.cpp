// Edge colourings by all threads of a device equal the host's.

#include <Kokkos_Core.hpp>
#include <riffle/permute/edge_colouring.hpp>
#include <riffle/published/offline_permutation/detail/colour_by_jumps.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"
#include "support/workspace_calls.hpp"

namespace riffle::test::colour_by_jumps_test {
namespace {

/// Edges, sorted by left node.
template <class Right>
struct Edges {
  Right right_nodes;

  KOKKOS_FUNCTION std::uint64_t number(std::uint64_t k) const { return k; }
  KOKKOS_FUNCTION std::uint64_t right(std::uint64_t k) const { return right_nodes(k); }
};

using Nodes = std::vector<std::uint32_t>;

/// The right node of each edge, with edges sorted by left node; shuffled.
Nodes random_graph(std::uint32_t nodes, std::uint32_t degree) {
  Nodes right;
  for (std::uint32_t i = 0; i < nodes * degree; ++i) right.push_back(i % nodes);
  std::mt19937 random(nodes + degree);
  for (std::size_t i = right.size(); i > 1; --i) std::swap(right[i - 1], right[random() % i]);
  return right;
}

/// Left node u has edges to right nodes u, u + 1, ...; with degree 2 all edges are on one cycle.
Nodes ring_graph(std::uint32_t nodes, std::uint32_t degree) {
  Nodes right;
  for (std::uint32_t i = 0; i < nodes * degree; ++i)
    right.push_back((i / degree + i % degree) % nodes);
  return right;
}

/// All edges of a left node go to the same right node.
Nodes parallel_graph(std::uint32_t nodes, std::uint32_t degree) {
  Nodes right;
  for (std::uint32_t i = 0; i < nodes * degree; ++i) right.push_back(nodes - 1 - i / degree);
  return right;
}

template <class Exec>
class ColourByJumpsTest : public ::testing::Test {
 protected:
  template <class On, class Right, class Colours>
  static void colour(On const& on, std::uint32_t nodes, Right const& right,
                     Colours const& colours) {
    detail::edge_colouring::colour_by_jumps(detail::Call(Context<Exec>(on), "riffle::jumps"), nodes,
                                            static_cast<std::uint32_t>(right.extent(0)) / nodes,
                                            Edges<Right>{right}, colours);
  }

  void expect_colours_of_colour_edges(std::uint32_t nodes, Nodes const& right) {
    auto const degree = static_cast<std::uint32_t>(right.size()) / nodes;
    Nodes left;
    for (std::uint32_t i = 0; i < right.size(); ++i) left.push_back(i / degree);
    auto const rights = to_view<Exec>(right);
    auto const expected = zeros<Exec, std::uint32_t>(right.size());
    colour_edges(exec, nodes, to_view<Exec>(left), rights, expected);
    auto const colours = zeros<Exec, std::uint32_t>(right.size());
    colour(exec, nodes, rights, colours);
    exec.fence();
    EXPECT_EQ(to_vector(colours), to_vector(expected)) << nodes << " nodes of degree " << degree;
  }

  Exec exec;
};
TYPED_TEST_SUITE(ColourByJumpsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ColourByJumpsTest, ColoursAsColourEdges) {
  for (std::uint32_t const degree : {1, 2, 4, 8, 32, 128}) {
    for (std::uint32_t const nodes : {1, 2, 3, 7, 32, 500}) {
      this->expect_colours_of_colour_edges(nodes, random_graph(nodes, degree));
    }
  }
}

// One cycle of all edges takes the most rounds of jumps; cycles of two edges take none.
TYPED_TEST(ColourByJumpsTest, ColoursRingsAndParallelEdges) {
  for (std::uint32_t const degree : {2, 4, 64}) {
    for (std::uint32_t const nodes : {3, 64, 101, 2048}) {
      this->expect_colours_of_colour_edges(nodes, ring_graph(nodes, degree));
      this->expect_colours_of_colour_edges(nodes, parallel_graph(nodes, degree));
    }
  }
}

TYPED_TEST(ColourByJumpsTest, ColoursManyEdges) {
  this->expect_colours_of_colour_edges(1500, random_graph(1500, 512));
}

TYPED_TEST(ColourByJumpsTest, KernelsHaveLabelsAndMemoryIsTheWorkspaces) {
  Workspace<TypeParam> workspace(this->exec);
  for (std::uint32_t const nodes : {40, 7000}) {
    auto const right = to_view<TypeParam>(random_graph(nodes, 8));
    auto const colours = zeros<TypeParam, std::uint32_t>(right.extent(0));
    expect_labels_and_instance(
        this->exec, [&](auto const& on) { this->colour(on, nodes, right, colours); }, workspace);
    expect_no_allocations(this->exec,
                          WorkspaceCalls<TypeParam>{{"jumps",
                                                     [&](auto& memory) {
                                                       this->colour(Context(this->exec, memory),
                                                                    nodes, right, colours);
                                                     }}},
                          [] {});
  }
}

}  // namespace
}  // namespace riffle::test::colour_by_jumps_test
