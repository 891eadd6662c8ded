#pragma once

// Where the tiles of a merge are cut from its runs (S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge path -
// parallel merging made simple", 2012). Each cut is searched for by several threads, each of which looks at one place
// [1]: a thread alone would wait for memory as often as the runs' size has bits, which for few tiles took longer than
// merging them.
//
// [1] M. Snir, "On parallel searching", SIAM J. Comput. 14 (1985).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/merge_parts.hpp>
#include <riffle/sort/detail/gpu/merge_tile.hpp>

namespace riffle::detail::sort {

/// A search that looks at several places in each step.
struct WideCutRange : CutRange<std::uint64_t> {
  /// The k-th of `probes` places that divide the range evenly.
  KOKKOS_FUNCTION std::uint64_t place(int k, int probes) const {
    return low + (high - low) * static_cast<std::uint64_t>(k + 1) /
                     static_cast<std::uint64_t>(probes + 1);
  }

  /// The part of it before the first of the places that is behind the cut.
  KOKKOS_FUNCTION WideCutRange before_place(int first, int probes) const {
    return {{first > 0 ? place(first - 1, probes) + 1 : low,
             first < probes ? place(first, probes) : high}};
  }
};

/// A tile of the result of merging pairs of neighbouring runs.
template <class Item>
struct MergedTile {
  static constexpr std::uint64_t tile_size = MergeTileShape<Item>::size;

  TwoRuns runs;         // the pair
  std::uint64_t begin;  // of the tile, in the merge of the pair
  std::uint64_t end;

  KOKKOS_FUNCTION MergedTile(std::uint64_t tile, std::uint64_t run_size, std::uint64_t n) {
    std::uint64_t const tiles = 2 * run_size / tile_size;
    runs = runs_from(Kokkos::min(n, tile / tiles * (2 * run_size)), run_size, n);
    begin = Kokkos::min(tile % tiles * tile_size, runs.size());
    end = Kokkos::min(begin + tile_size, runs.size());
  }

  KOKKOS_FUNCTION bool is_last() const { return end == runs.size(); }
  /// The items of the left run.
  KOKKOS_FUNCTION std::uint64_t left() const { return runs.left_end - runs.left; }

  /// What it is merged from, if so many items of the left run come before its begin and its end.
  KOKKOS_FUNCTION TwoRuns between(std::uint64_t cut, std::uint64_t next) const {
    return {runs.left + cut, runs.left + next, runs.right + (begin - cut),
            runs.right + (end - next)};
  }
};

/// Finds for each tile of the result how many items of its left run come before it, each by a search of its own. If a
/// tile would end before it begins, the comparison is no order, which `disorder` says from then on.
template <class Item, class Before>
struct FindCuts {
  using Tile = MergedTile<Item>;

  static constexpr int threads = 128;
  static constexpr int teams_per_processor = 8;
  /// The threads of a search.
  static constexpr int probes = 8;
  static constexpr int searches = threads / probes;
  /// The last search's cut is the next team's first.
  static constexpr int tiles_of_team = searches - 1;

  struct State {
    /// Whether a thread's place is behind the cut, of this step and of the one before.
    bool is_behind[2][threads];
    std::uint64_t cuts[searches];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  Item const* from;
  std::uint64_t n;
  std::uint64_t run_size;
  Before before;
  std::uint64_t* cuts;
  std::uint32_t* disorder;

  static constexpr std::uint64_t teams(std::uint64_t tiles) {
    return (tiles + tiles_of_team - 1) / tiles_of_team;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    int const search = team.team_rank() / probes;
    std::uint64_t const number = static_cast<std::uint64_t>(team.league_rank()) * tiles_of_team +
                                 static_cast<std::uint64_t>(search);
    Tile const tile(number, run_size, n);
    std::uint64_t const cut = find(team, state, tile);
    bool const is_first = team.team_rank() % probes == 0;
    if (is_first) state.cuts[search] = cut;
    team.team_barrier();
    if (!is_first || search == tiles_of_team || tile.begin == tile.end) return;
    cuts[number] = cut;
    std::uint64_t const next = tile.is_last() ? tile.left() : state.cuts[search + 1];
    bool const is_part = cut <= next && next - cut <= tile.end - tile.begin;
    if (!is_part) Kokkos::atomic_store(disorder, std::uint32_t{1});
  }

 private:
  template <class Member>
  KOKKOS_FUNCTION std::uint64_t find(Member const& team, State& state, Tile const& tile) const {
    int const own = team.team_rank() % probes;
    WideCutRange range{cuts_behind(tile.runs, tile.begin)};
    int parity = 0;
    // A step leaves of a range of `width` places at most so many as the loop does.
    for (std::uint64_t width = run_size; width > 0; width /= probes + 1, parity ^= 1) {
      bool* const is_behind = state.is_behind[parity] + (team.team_rank() - own);
      if (!range.is_found()) {
        is_behind[own] =
            is_behind_cut(from, tile.runs, tile.begin, range.place(own, probes), before);
      }
      team.team_barrier();
      if (!range.is_found()) range = range.before_place(first_of(is_behind), probes);
    }
    return range.low;
  }

  /// The first that is true, or else their number.
  KOKKOS_FUNCTION static int first_of(bool const* is_behind) {
    int first = 0;
    bool is_before = true;
    RIFFLE_UNROLL
    for (int k = 0; k < probes; ++k) {
      is_before = is_before && !is_behind[k];
      first += is_before ? 1 : 0;
    }
    return first;
  }
};

}  // namespace riffle::detail::sort
