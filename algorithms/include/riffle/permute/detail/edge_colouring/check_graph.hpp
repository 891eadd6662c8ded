#pragma once

// Checks whether edges given by their end nodes are a regular bipartite multigraph.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::edge_colouring {

template <class Ends>
struct FirstBeyond {
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

struct FirstOtherDegree {
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

/// Throws unless each node is the end of `degree` edges. Fences.
template <class Exec, class Ends>
void check_ends(Context<Exec> const& context, char const* function, char const* name,
                Ends const& ends, std::uint64_t nodes, std::uint64_t degree) {
  std::uint64_t const n = ends.extent(0);
  std::uint64_t const beyond =
      find_first(context.named("check"), n, FirstBeyond<Ends>{ends, nodes});
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
      find_first(context.named("check"), nodes, FirstOtherDegree{counts.data(), degree});
  if (other == nodes) return;
  std::uint32_t found = 0;
  Kokkos::deep_copy(context.exec(), Kokkos::View<std::uint32_t, Kokkos::HostSpace>(&found),
                    Kokkos::subview(counts, other));
  context.exec().fence(context.label() + "::check");
  check(false, function, "node ", other, " is ", found, " times in ", name,
        ": each must be there edges / nodes = ", degree, " times");
}

}  // namespace riffle::detail::edge_colouring
