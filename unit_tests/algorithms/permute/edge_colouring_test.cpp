// Edge colourings of regular bipartite multigraphs.

#include <Kokkos_Core.hpp>
#include <riffle/permute/edge_colouring.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::edge_colouring_test {
namespace {

using Nodes = std::vector<std::uint32_t>;

struct Graph {
  std::uint32_t nodes = 0;
  Nodes left;
  Nodes right;

  std::size_t edges() const { return left.size(); }
  std::size_t degree() const { return edges() / nodes; }
};

/// A random graph: the ends of left nodes are joined to the ends of right nodes in random order. If there are fewer
/// nodes than edges of a node, parallel edges are frequent.
Graph random_graph(std::uint32_t nodes, std::uint32_t degree, std::uint64_t seed) {
  Graph graph{nodes, {}, {}};
  for (std::uint32_t u = 0; u < nodes; ++u) {
    graph.left.insert(graph.left.end(), degree, u);
    graph.right.insert(graph.right.end(), degree, u);
  }
  std::mt19937_64 random(seed);
  std::shuffle(graph.right.begin(), graph.right.end(), random);
  return graph;
}

/// The same edges in another order.
Graph in_other_order(Graph const& graph, std::uint64_t seed) {
  auto order = iota<std::size_t>(graph.edges());
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  Graph result{graph.nodes, {}, {}};
  for (std::size_t const i : order) {
    result.left.push_back(graph.left[i]);
    result.right.push_back(graph.right[i]);
  }
  return result;
}

/// Each left node has all its edges to one right node.
Graph parallel_graph(std::uint32_t nodes, std::uint32_t degree) {
  Graph graph = random_graph(nodes, degree, 1);
  for (std::size_t i = 0; i < graph.edges(); ++i) graph.right[i] = nodes - 1 - graph.left[i];
  return graph;
}

/// Left node u has edges to right nodes u, u + step, u + 2 step, ..., which gives long cycles.
Graph ring_graph(std::uint32_t nodes, std::uint32_t degree, std::uint32_t step) {
  Graph graph = random_graph(nodes, degree, 1);
  for (std::uint32_t i = 0; i < graph.edges(); ++i)
    graph.right[i] = (graph.left[i] + i % degree * step) % nodes;
  return graph;
}

/// Whether all colours are less than the degree, and no two edges of a node have the same colour.
bool is_proper(Graph const& graph, Nodes const& colours) {
  std::vector<bool> left(graph.edges());
  std::vector<bool> right(graph.edges());
  for (std::size_t i = 0; i < graph.edges(); ++i) {
    if (colours[i] >= graph.degree()) return false;
    std::size_t const at_left = graph.left[i] * graph.degree() + colours[i];
    std::size_t const at_right = graph.right[i] * graph.degree() + colours[i];
    if (left[at_left] || right[at_right]) return false;
    left[at_left] = true;
    right[at_right] = true;
  }
  return true;
}

template <class Exec>
class EdgeColouringTest : public ::testing::Test {
 protected:
  Nodes colours_of(Graph const& graph) {
    auto const colours = to_view<Exec>(Nodes(graph.edges(), ~0u));
    auto const degree = colour_edges(exec, graph.nodes, to_view<Exec>(graph.left),
                                     to_view<Exec>(graph.right), colours);
    EXPECT_EQ(degree, graph.degree());
    return to_vector(colours);
  }

  /// Expects a proper colouring, and returns it.
  Nodes expect_colours(Graph const& graph) {
    auto const colours = colours_of(graph);
    EXPECT_TRUE(is_proper(graph, colours)) << graph.nodes << " nodes of degree " << graph.degree();
    return colours;
  }

  Exec exec;
};
TYPED_TEST_SUITE(EdgeColouringTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(EdgeColouringTest, EveryDegree) {
  auto degrees = iota<std::uint32_t>(41);
  degrees.insert(degrees.end(), {63, 64, 96, 127, 128});
  for (std::uint32_t const degree : degrees) {
    if (degree == 0) continue;
    for (std::uint32_t const nodes : {1, 2, 3, 7, 32}) {
      this->expect_colours(random_graph(nodes, degree, degree * 100 + nodes));
    }
  }
}

TYPED_TEST(EdgeColouringTest, ManyNodes) {
  this->expect_colours(random_graph(1000, 8, 1));
  this->expect_colours(random_graph(997, 15, 2));
}

TYPED_TEST(EdgeColouringTest, ParallelEdges) {
  for (std::uint32_t const degree : {1, 2, 3, 8, 31, 64}) {
    this->expect_colours(parallel_graph(5, degree));
  }
}

TYPED_TEST(EdgeColouringTest, Rings) {
  for (std::uint32_t const degree : {2, 4, 12, 64}) {
    for (std::uint32_t const step : {1, 2, 5}) {
      this->expect_colours(ring_graph(101, degree, step));
      this->expect_colours(ring_graph(64, degree, step));
    }
  }
}

TYPED_TEST(EdgeColouringTest, EdgesInAnyOrder) {
  this->expect_colours(in_other_order(random_graph(50, 16, 3), 4));
  this->expect_colours(in_other_order(random_graph(50, 11, 5), 6));
}

TYPED_TEST(EdgeColouringTest, ManyEdges) {
  Graph const graph = random_graph(1500, 512, 7);
  auto const colours = this->colours_of(graph);
  EXPECT_TRUE(is_proper(graph, colours));
}

TYPED_TEST(EdgeColouringTest, ManyEdgesInRings) {
  for (Graph const& graph : {ring_graph(2048, 256, 1), parallel_graph(3, 1 << 17)}) {
    auto const colours = this->colours_of(graph);
    EXPECT_TRUE(is_proper(graph, colours));
  }
}

TYPED_TEST(EdgeColouringTest, MoreNodesThanSixteenBits) {
  Graph const graph = random_graph((1 << 16) + 1, 4, 8);
  auto const colours = this->colours_of(graph);
  EXPECT_TRUE(is_proper(graph, colours));
}

// The first half has the lowest edge of each cycle, and gets the lower colours.
TYPED_TEST(EdgeColouringTest, GoldenColours) {
  EXPECT_EQ(this->expect_colours(parallel_graph(2, 4)), (Nodes{0, 2, 1, 3, 0, 2, 1, 3}));
  EXPECT_EQ(this->expect_colours(ring_graph(3, 2, 1)), (Nodes{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(this->expect_colours(Graph{2, {0, 0, 1, 1}, {1, 0, 0, 1}}), (Nodes{0, 1, 0, 1}));
}

TYPED_TEST(EdgeColouringTest, OtherTypes) {
  Graph const graph = random_graph(20, 8, 9);
  auto const left =
      to_view<TypeParam>(std::vector<std::uint8_t>(graph.left.begin(), graph.left.end()));
  auto const right =
      to_view<TypeParam>(std::vector<std::int64_t>(graph.right.begin(), graph.right.end()));
  auto const colours = zeros<TypeParam, std::int8_t>(graph.edges());
  riffle::Workspace<TypeParam> workspace(this->exec);
  for (int time = 0; time < 2; ++time) {
    colour_edges(Context(this->exec, "colours", workspace), graph.nodes, left, right, colours);
    auto const found = to_vector(colours);
    EXPECT_TRUE(is_proper(graph, Nodes(found.begin(), found.end())));
  }
}

TYPED_TEST(EdgeColouringTest, StridedViews) {
  Graph const graph = random_graph(20, 12, 12);
  auto const expected = this->expect_colours(graph);
  auto const left = make_strided<TypeParam, std::uint32_t>(graph.edges());
  auto const right = make_strided<TypeParam, std::uint32_t>(graph.edges());
  fill(left, graph.left);
  fill(right, graph.right);
  auto const colours = make_strided<TypeParam, std::uint16_t>(graph.edges());
  colour_edges(this->exec, graph.nodes, left, right, colours);
  auto const found = to_vector(colours);
  EXPECT_EQ(Nodes(found.begin(), found.end()), expected);
}

TYPED_TEST(EdgeColouringTest, NoEdges) {
  auto const empty = zeros<TypeParam, int>(0);
  EXPECT_EQ(colour_edges(this->exec, 0, empty, empty, empty), 0u);
  EXPECT_EQ(colour_edges(this->exec, 5, empty, empty, empty), 0u);
}

TYPED_TEST(EdgeColouringTest, RejectsGraphsThatAreNotRegular) {
  auto const colours = to_view<TypeParam>(std::vector<int>(4, -1));
  auto const message = [&](std::uint64_t nodes, std::vector<int> const& left,
                           std::vector<int> const& right) {
    return thrown_message([&] {
      colour_edges(this->exec, nodes, to_view<TypeParam>(left), to_view<TypeParam>(right), colours);
    });
  };
  EXPECT_EQ(message(2, {0, 0, 1, 1}, {0, 1, 0}),
            "riffle::colour_edges: left.extent(0) = 4, right.extent(0) = 3 and colours.extent(0) = "
            "4: must be equal");
  EXPECT_EQ(
      message(3, {0, 0, 1, 1}, {0, 1, 0, 1}),
      "riffle::colour_edges: left.extent(0) = 4 edges and nodes = 3: edges must be a multiple "
      "of nodes");
  EXPECT_EQ(
      message(0, {0, 0, 1, 1}, {0, 1, 0, 1}),
      "riffle::colour_edges: left.extent(0) = 4 edges and nodes = 0: edges must be a multiple "
      "of nodes");
  EXPECT_EQ(message(2, {0, 0, 1, 2}, {0, 1, 0, 1}),
            "riffle::colour_edges: left(3) = 2: must be less than nodes = 2");
  EXPECT_EQ(message(2, {0, 0, 1, 1}, {0, -1, 5, 1}),
            "riffle::colour_edges: right(1) = -1: must be less than nodes = 2");
  EXPECT_EQ(message(2, {0, 0, 0, 1}, {0, 1, 0, 1}),
            "riffle::colour_edges: node 0 is 3 times in left: each must be there edges / nodes = 2 "
            "times");
  EXPECT_EQ(
      message(2, {0, 0, 1, 1}, {1, 1, 0, 1}),
      "riffle::colour_edges: node 0 is 1 times in right: each must be there edges / nodes = 2 "
      "times");
  EXPECT_EQ(to_vector(colours), std::vector<int>(4, -1));
}

TYPED_TEST(EdgeColouringTest, RejectsInvalidViews) {
  auto const ends = to_view<TypeParam>(std::vector<int>(200, 0));
  auto const narrow = zeros<TypeParam, std::int8_t>(200);
  EXPECT_EQ(thrown_message([&] { colour_edges(this->exec, 1, ends, ends, narrow); }),
            "riffle::colour_edges: n = 200: the value type of colours holds no index above 127");
  EXPECT_NE(thrown_message([&] { colour_edges(this->exec, 1, ends, ends, ends); }).find("overlap"),
            std::string::npos);
}

// Not on a GPU: host threads colour its edges, on another execution space.
TYPED_TEST(EdgeColouringTest, KernelsHaveLabels) {
  if (!backend::is_cpu<TypeParam>) GTEST_SKIP();
  Graph const graph = random_graph(40, 16, 10);
  auto const left = to_view<TypeParam>(graph.left);
  auto const right = to_view<TypeParam>(graph.right);
  auto const colours = zeros<TypeParam, std::uint32_t>(graph.edges());
  riffle::Workspace<TypeParam> workspace(this->exec);
  workspace.reserve(1 << 20);
  expect_labels_and_instance(
      this->exec, [&](auto const& on) { colour_edges(on, graph.nodes, left, right, colours); },
      workspace);
}

}  // namespace
}  // namespace riffle::test::edge_colouring_test
