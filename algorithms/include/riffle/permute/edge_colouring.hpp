#pragma once

// Proper edge colourings of regular bipartite multigraphs. A graph with degree d has a colouring with d colours (D.
// Koenig, 1916). The edges with one colour are a perfect matching. Riffle uses edge colourings to schedule
// permutations: the elements with one colour move at the same time, and no two of them access the same bank, row or
// column.
//
// A graph with even degree is divided into two graphs with half the degree by an Euler split (H. N. Gabow, "Using Euler
// partitions to edge color bipartite multigraphs", International Journal of Computer and Information Sciences 5, 1976).
// If the degree is odd, a perfect matching is removed first (N. Alon, "A simple algorithm for edge-coloring bipartite
// multigraphs", Information Processing Letters 85, 2003).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/colour_by_walks.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/argsort.hpp>

namespace riffle::detail::edge_colouring {

// --- checks ---
//
// Two arrays give the left node and the right node of each edge. The graph is regular if every node occurs `degree`
// times in its array.

template <class Ends>
struct FindNodeOutOfRange {
  Ends ends;
  std::uint64_t nodes;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& first) const {
    if (static_cast<std::uint64_t>(ends(i)) >= nodes && i < first) first = i;
  }
};

template <class Ends>
struct CountEdges {
  Ends ends;
  std::uint32_t* counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    Kokkos::atomic_inc(&counts[static_cast<std::uint64_t>(ends(i))]);
  }
};

struct FindOtherDegree {
  std::uint32_t const* counts;
  std::uint64_t degree;

  KOKKOS_FUNCTION void operator()(std::uint64_t node, std::uint64_t& first) const {
    if (counts[node] != degree && node < first) first = node;
  }
};

template <class Exec, class Find>
std::uint64_t find_first(Context<Exec> const& context, std::uint64_t n, Find const& find) {
  std::uint64_t first = n;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, n), find,
                          Kokkos::Min<std::uint64_t>(first));
  return first < n ? first : n;
}

/// Throws unless each node occurs `degree` times in `ends`. Fences.
template <class Exec, class Ends>
void check_ends(Context<Exec> const& context, char const* function, char const* name,
                Ends const& ends, std::uint64_t nodes, std::uint64_t degree) {
  std::uint64_t const n = ends.extent(0);
  std::uint64_t const beyond =
      find_first(context.named("check"), n, FindNodeOutOfRange<Ends>{ends, nodes});
  if (beyond < n) {
    typename Ends::non_const_value_type value;
    Kokkos::deep_copy(context.exec(), Kokkos::View<decltype(value), Kokkos::HostSpace>(&value),
                      Kokkos::subview(ends, beyond));
    context.exec().fence(context.label() + "::check");
    check(false, function, name, "(", beyond, ") = ", +value,
          ": must be less than nodes = ", nodes);
  }
  using Counts = Kokkos::View<std::uint32_t*, typename Exec::memory_space>;
  Scope scope(context);
  Counts const counts(scope.template take<std::uint32_t>(nodes), nodes);
  context.named("zero").for_each(nodes, FillZero<Counts>{counts});
  context.named("check").for_each(n, CountEdges<Ends>{ends, counts.data()});
  std::uint64_t const other =
      find_first(context.named("check"), nodes, FindOtherDegree{counts.data(), degree});
  if (other == nodes) return;
  std::uint32_t found = 0;
  Kokkos::deep_copy(context.exec(), Kokkos::View<std::uint32_t, Kokkos::HostSpace>(&found),
                    Kokkos::subview(counts, other));
  context.exec().fence(context.label() + "::check");
  check(false, function, "node ", other, " is ", found, " times in ", name,
        ": each must be there edges / nodes = ", degree, " times");
}

}  // namespace riffle::detail::edge_colouring

namespace riffle {

namespace detail::edge_colouring {

/// The edges sorted by left node. number(k) is the index, in the caller's arrays, of the k-th edge in this order.
template <class Order, class Right>
struct OrderedEdges {
  Order order;
  Right right_nodes;

  KOKKOS_FUNCTION std::uint64_t number(std::uint64_t k) const { return order(k); }
  KOKKOS_FUNCTION std::uint64_t right(std::uint64_t k) const {
    return static_cast<std::uint64_t>(right_nodes(order(k)));
  }
};

template <class Colours>
struct StoreColours {
  using Colour = typename Colours::non_const_value_type;

  Colours colours;
  std::uint32_t nodes;

  void operator()(std::uint32_t colour, std::uint32_t const* numbers) const {
    for (std::uint32_t u = 0; u < nodes; ++u) colours(numbers[u]) = static_cast<Colour>(colour);
  }
};

/// Colours a graph. Requires: host threads can access `source` and call `set_colour`. If the graph has at most 2^16
/// nodes, node numbers are stored in 16 bits.
template <class Host, class Source, class SetColour>
void colour_on_host(Context<Host> const& context, std::uint32_t nodes, std::uint32_t degree,
                    Source const& source, SetColour const& set_colour) {
  if (nodes <= 1u << 16) {
    colour_by_walks<std::uint16_t>(context, nodes, degree, source, set_colour);
  } else {
    colour_by_walks<std::uint32_t>(context, nodes, degree, source, set_colour);
  }
}

/// Colours the edges with host threads. If Exec is a GPU, the graph is copied to host memory, and the colours are
/// copied back.
template <class Exec, class Order, class Right, class Colours>
void colour_with_host_threads(Context<Exec> const& context, std::uint32_t nodes,
                              std::uint32_t degree, OrderedEdges<Order, Right> const& edges,
                              Colours const& colours) {
  if constexpr (backend::is_cpu<Exec>) {
    context.exec().fence(context.label() + "::edges");
    colour_on_host(context, nodes, degree, edges, StoreColours<Colours>{colours, nodes});
  } else {
    Kokkos::DefaultHostExecutionSpace const host;
    OrderedEdges<HostView<Order>, HostView<Right>> const source{
        copy_view_to_host(context, edges.order), copy_view_to_host(context, edges.right_nodes)};
    HostView<Colours> const host_colours = make_host_view(context, colours);
    Call const on_host(Context(host, context.label()), "");
    colour_on_host(on_host, nodes, degree, source,
                   StoreColours<HostView<Colours>>{host_colours, nodes});
    copy_view_from_host(context, host_colours, colours);
  }
}

/// The maximum number of edges: edge numbers have 32 bits, and colour_graph.hpp uses the largest values as marks.
inline constexpr std::uint64_t max_edges = std::uint64_t{1} << 31;

/// Throws unless the extents are possible for a regular graph. Returns the degree.
template <class Left, class Right, class Colours>
std::uint64_t check_extents(char const* function, std::uint64_t nodes, Left const& left,
                            Right const& right, Colours const& colours) {
  std::uint64_t const n = left.extent(0);
  check(right.extent(0) == n && colours.extent(0) == n, function, "left.extent(0) = ", n,
        ", right.extent(0) = ", right.extent(0), " and colours.extent(0) = ", colours.extent(0),
        ": must be equal");
  check(n <= max_edges, function, "left.extent(0) = ", n, ": must be at most ", max_edges);
  check(nodes == 0 ? n == 0 : n % nodes == 0, function, "left.extent(0) = ", n,
        " edges and nodes = ", nodes, ": edges must be a multiple of nodes");
  return nodes == 0 ? 0 : n / nodes;
}

}  // namespace detail::edge_colouring

/// Colours the edges of a regular bipartite multigraph: colours(i) < degree is the colour of the edge from left node
/// left(i) to right node right(i), and no two edges of a node have the same colour. Several edges may join the same
/// two nodes.
///
/// - exec: an execution space instance, or a Context of one.
/// - nodes: the number of left nodes, which is also the number of right nodes; degree = edges / nodes.
/// - left, right: rank-1 Views of the same number of integers less than nodes, in any order.
/// - colours: a rank-1 View of the same number of integers, of a type that can represent degree - 1. It shares no
///   element with left and right.
///
/// Returns the degree. Throws std::invalid_argument if extents differ or are not a multiple of nodes, if Views overlap,
/// if there are more than 2^31 edges, or if the graph is not regular (the message names the first entry that is not a
/// node, or the first node of another degree); nothing is written then.
///
/// Blocking: fences. Complexity: the edges are sorted by left node; then log2(degree) splits read and write all edges a
/// few times each. Host threads do the splits and the colouring; only a few threads work on the first splits. Memory:
/// the memory for sorting, and 12 bytes and two node numbers per edge, or about twice that if the degree is not a power
/// of two. A node number has 2 bytes, or 4 if there are more than 2^16 nodes. If `exec` is a GPU, this memory is on the
/// host, and the graph is copied to the host. Reproducible: the colours are the same on every back end.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Left,
          detail::ArrayFrom<Exec> Right, detail::WritableArrayFrom<Exec> Colours>
std::uint64_t colour_edges(Exec const& exec, std::uint64_t nodes, Left const& left,
                           Right const& right, Colours const& colours) {
  detail::Call const context(exec, "riffle::colour_edges");
  namespace ec = detail::edge_colouring;
  char const* const function = "colour_edges";
  std::uint64_t const degree = ec::check_extents(function, nodes, left, right, colours);
  detail::check_disjoint(function, "left", left, "colours", colours);
  detail::check_disjoint(function, "right", right, "colours", colours);
  detail::check_can_index(function, "colours", colours, degree);
  if (degree == 0) return 0;
  std::uint64_t const n = left.extent(0);
  auto const d = static_cast<std::uint32_t>(degree);
  auto const u = static_cast<std::uint32_t>(nodes);
  using Space = detail::SpaceOf<Exec>;
  using Order = Kokkos::View<std::uint32_t*, typename Space::memory_space>;
  ec::check_ends(context, function, "left", left, nodes, degree);
  ec::check_ends(context, function, "right", right, nodes, degree);
  detail::Scope scope(context);
  Order const order(scope.template take<std::uint32_t>(n), n);
  argsort(context.named("sort"), left, order, Ascending{});
  ec::OrderedEdges<Order, Right> const edges{order, right};
  ec::colour_with_host_threads(context, u, d, edges, colours);
  context.exec().fence(context.label() + "::colours");
  return degree;
}

RIFFLE_CALL_DIAGNOSTICS(colour_edges, nodes<WholeNumber>, left<Array>, right<Array>,
                        colours<WrittenArray>)

}  // namespace riffle
