#pragma once

// Last pass: teams sort a part each, from where the tiles have it to where it belongs.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_parts/arrays_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_splitters/classes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/part_network.hpp>
#include <riffle/sort/detail/gpu/by_splitters/runs.hpp>

namespace riffle::detail::sort::by_parts {

/// Sorts a part by classes [1]; one that is too large for that, or too crowded, by a network.
template <class Out>
struct SortParts {
  using Word = typename Out::Element;
  static constexpr int threads = 128;
  static constexpr int teams_per_processor = sizeof(Word) <= 4 ? 6 : sizeof(Word) <= 8 ? 8 : 5;

  Out out;
  Arrays<Word> arrays;

  int teams() const { return static_cast<int>(arrays.parts); }
  using Classes = by_splitters::ClassesOfTeam<Word, threads>;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Classes::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    // Once a part is given up, a network takes the same memory.
    auto const scratch = team.team_scratch(0);
    void* const memory = scratch.get_shmem_aligned(std::size_t{Classes::bytes},
                                                   static_cast<std::ptrdiff_t>(alignment));
    auto const thread = static_cast<Index>(team.team_rank());
    auto const own_part = static_cast<Index>(team.league_rank());
    // The runs lie where the words come later on.
    Runs const runs(team, memory,
                    {arrays.elements, arrays.part_begins, arrays.parts, 0, arrays.size,
                     arrays.tile_size, arrays.tiles},
                    own_part);
    if (runs.size() == 0) return;
    if (runs.size() > Classes::most) {
      keep(runs, thread);
    } else if (sort(team, runs, Classes(memory, thread), bounds_of(own_part))) {
      return;
    }
    Network(out, runs.begin(), runs.size(), memory).sort(team);
    for (Index i = thread; i < runs.size(); i += threads) {
      out.write(runs.begin() + i, out.kept(runs.begin() + i));
    }
  }

 private:
  using Runs = by_splitters::PartRuns<Word, threads>;
  using Bounds = by_splitters::Bounds<Word>;
  using Network = by_splitters::PartNetwork<Word, Out, threads>;
  static constexpr int batch = 4;
  static_assert(Runs::bytes <= Classes::words_bytes);
  static_assert(Network::bytes <= Classes::words_bytes);

  KOKKOS_FUNCTION Bounds bounds_of(Index part) const {
    if (part == 0 || part + 1 == arrays.parts) return {Word{}, Word{}, false};
    return {splitter(part - 1), splitter(part)};
  }

  /// Of words with an index, classes take the index only where both bounds have one code, when splitters tell ties
  /// apart.
  KOKKOS_FUNCTION Word splitter(Index i) const {
    if constexpr (by_splitters::has_index<Word>) {
      return {arrays.codes[i], arrays.indices[i], 0};
    } else {
      return arrays.codes[i];
    }
  }

  KOKKOS_FUNCTION void keep(Runs const& runs, Index thread) const {
    for (Index first = thread; first < runs.size(); first += batch * threads) {
      Word words[batch] = {};
      runs.template load<batch>(first, threads, words);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        Index const i = first + static_cast<Index>(k * threads);
        if (i < runs.size()) out.keep(runs.begin() + i, words[k]);
      }
    }
  }

  template <class Member>
  KOKKOS_FUNCTION bool sort(Member const& team, Runs const& runs, Classes const& classes,
                            Bounds const& bounds) const {
    Word words[Classes::held] = {};
    runs.template load_own<batch>(static_cast<Index>(team.team_rank()), words);
    return classes.sort(
        team, words, runs.size(), bounds,
        [&](Index i, Word const& word) { out.write(runs.begin() + i, word); },
        [&](Index i, Word const& word) { out.keep(runs.begin() + i, word); });
  }
};

}  // namespace riffle::detail::sort::by_parts
