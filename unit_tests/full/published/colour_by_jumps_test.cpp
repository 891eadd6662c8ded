// Edges coloured by all threads of a device: the colours are those that a host finds.

#include <Kokkos_Core.hpp>
#include <riffle/permute/edge_colouring.hpp>
#include <riffle/published/offline_permutation/detail/colour_by_jumps.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::colour_by_jumps_test {
namespace {

/// Edges in the order of their left nodes.
template <class Right>
struct Edges {
  Right right_nodes;

  KOKKOS_FUNCTION std::uint64_t number(std::uint64_t k) const { return k; }
  KOKKOS_FUNCTION std::uint64_t right(std::uint64_t k) const { return right_nodes(k); }
};

template <class Exec>
class ColourByJumpsTest : public ::testing::Test {
 protected:
  void expect_colours_of_colour_edges(std::uint32_t nodes, std::uint32_t degree) {
    std::vector<std::uint32_t> left, right;
    for (std::uint32_t i = 0; i < nodes * degree; ++i) {
      left.push_back(i / degree);
      right.push_back(i % nodes);
    }
    std::mt19937 random(nodes + degree);
    for (std::size_t i = right.size(); i > 1; --i) std::swap(right[i - 1], right[random() % i]);
    auto const rights = to_view<Exec>(right);
    auto const expected = zeros<Exec, std::uint32_t>(right.size());
    colour_edges(exec, nodes, to_view<Exec>(left), rights, expected);
    auto const colours = zeros<Exec, std::uint32_t>(right.size());
    Context<Exec> const context(exec, "jumps");
    detail::edge_colouring::colour_by_jumps(detail::Call(context, ""), nodes, degree,
                                            Edges<decltype(rights)>{rights}, colours);
    exec.fence();
    EXPECT_EQ(to_vector(colours), to_vector(expected)) << nodes << " nodes of degree " << degree;
  }

  Exec exec;
};
TYPED_TEST_SUITE(ColourByJumpsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ColourByJumpsTest, ColoursAsColourEdges) {
  for (std::uint32_t const degree : {1, 2, 4, 8, 32, 128}) {
    for (std::uint32_t const nodes : {1, 2, 3, 7, 32, 500}) {
      this->expect_colours_of_colour_edges(nodes, degree);
    }
  }
}

// More edges than a chunk of a host's walks.
TYPED_TEST(ColourByJumpsTest, ColoursManyEdges) { this->expect_colours_of_colour_edges(1500, 512); }

}  // namespace
}  // namespace riffle::test::colour_by_jumps_test
