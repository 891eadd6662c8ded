#pragma once

// Third pass: the tiles of the input are put in the order of parts. The order of the elements of one part is left to
// chance: they are sorted later on.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/sort/detail/gpu/by_parts/arrays_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_parts/splitters.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>

namespace riffle::detail::sort::by_parts {

/// A team per tile.
template <class In>
struct SplitTiles {
  using Element = typename In::Element;
  using Code = typename Arrays<Element>::Code;
  using Tree = SplitterTree<Code>;
  static constexpr int held = by_parts::held<Element>;
  static constexpr int threads = split_threads;
  static constexpr int teams_per_processor = 3;

  In in;
  Arrays<Element> arrays;

  // Once all parts are found, the elements are staged where the splitters were.
  static constexpr std::size_t staged_bytes =
      std::max(Tree::bytes, max_tile_size<Element> * sizeof(Element));
  static constexpr std::size_t counter_bytes = sizeof(Index) << max_depth;
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(Index);
  static constexpr std::size_t used_bytes = staged_bytes + counter_bytes + sum_bytes;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    auto* const counters = reinterpret_cast<Index*>(memory + staged_bytes);
    auto const tile = static_cast<Index>(team.league_rank());
    auto const thread = static_cast<Index>(team.team_rank());
    Index const first = tile * arrays.tile_size;
    Index const size = Kokkos::min(arrays.tile_size, arrays.size - first);
    Tree const tree(memory, arrays.depth);
    tree.clear(team);
    for (Index p = thread; p < arrays.parts; p += threads) counters[p] = 0;
    Element elements[held] = {};
    by_splitters::read_elements(in, first + thread, threads, first + size, elements);
    team.team_barrier();
    tree.fill(team, arrays.codes, arrays.indices, arrays.parts - 1);
    team.team_barrier();
    // A part, and in the upper half how many elements of the tile were counted before in the same part.
    std::uint32_t ranks[held];
    find_parts(tree, elements, first + thread, ranks);
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) >= size) continue;
      ranks[k] |= backend::fetch_add_in_scratch(counters + ranks[k], 1) << 16;
    }
    team.team_barrier();
    place_parts(team, counters, tile);
    team.team_barrier();
    auto* const staged = reinterpret_cast<Element*>(memory);
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) >= size) continue;
      staged[counters[ranks[k] & 0xFFFF] + (ranks[k] >> 16)] = elements[k];
    }
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (place(k, thread) >= size) continue;
      arrays.elements[first + place(k, thread)] = staged[place(k, thread)];
    }
  }

 private:
  KOKKOS_FUNCTION static Index place(int k, Index thread) {
    return static_cast<Index>(k * threads) + thread;
  }

  KOKKOS_FUNCTION static void find_parts(Tree const& tree, Element const (&elements)[held],
                                         Index first, std::uint32_t (&parts)[held]) {
    // To search for all at once would take more registers than there are.
    constexpr int batch = held / 2;
    RIFFLE_UNROLL
    for (int begin = 0; begin < held; begin += batch) {
      Code codes[batch];
      Index indices[batch];
      Index found[batch];
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        codes[k] = code_of(elements[begin + k]);
        indices[k] = first + static_cast<Index>((begin + k) * threads);
      }
      tree.find(codes, indices, found);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) parts[begin + k] = found[k];
    }
  }

  /// Turns counts into where parts begin in the tile, and notes that.
  template <class Member>
  KOKKOS_FUNCTION void place_parts(Member const& team, Index* counters, Index tile) const {
    auto* const sums = counters + (std::size_t{1} << max_depth);
    Index const per_thread = (arrays.parts + threads - 1) / threads;
    Index const first =
        Kokkos::min(static_cast<Index>(team.team_rank()) * per_thread, arrays.parts);
    Index const end = Kokkos::min(first + per_thread, arrays.parts);
    Index sum = 0;
    for (Index p = first; p < end; ++p) sum += counters[p];
    Index begin = exclusive_team_sum(team, sums, sum);
    std::uint16_t* const begins = arrays.part_begins + std::uint64_t{tile} * arrays.parts;
    for (Index p = first; p < end; ++p) {
      Index const count = counters[p];
      counters[p] = begin;
      begins[p] = static_cast<std::uint16_t>(begin);
      begin += count;
    }
  }
};

}  // namespace riffle::detail::sort::by_parts
