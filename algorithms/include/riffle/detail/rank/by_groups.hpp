#pragma once

// Ranks of sorted data on a GPU in one pass, without messages between teams: the hybrid algorithm of J. Liang
// et al. (riffle/rank.hpp), section III.C. Within a step of a group of lanes, ballots say where runs begin,
// and the nearest lane with a beginning hands over its place. The groups of a team have the steps of a tile,
// and tell each other where runs begin in theirs. A team has a few tiles, one after the other, so that memory is
// read and written nearly in order, as by a copy: with a chunk of many steps for each group, as the paper has
// it, that is a tenth slower. What reaches into the first tile is searched for, what reaches into the next
// ones is known from those before.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <riffle/detail/rank/bounds.hpp>
#include <riffle/detail/rank/step.hpp>
#include <riffle/detail/scan/access.hpp>
#include <riffle/detail/scan/gpu.hpp>
#include <riffle/lanes.hpp>
#include <riffle/order.hpp>

namespace riffle::detail::rank {

/// Ranks of n > 0 sorted elements, with places of type Index.
template <class Index, class Source, class Order, class Ranker, class Sink>
class RankByGroups {
 public:
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 5;

 private:
  using T = typename Source::Item;
  using GroupStep = Step<Source, Order, Index>;

  static constexpr int groups = threads / lanes::width;
#ifndef RIFFLE_TPT
#define RIFFLE_TPT 4
#endif
  static constexpr std::uint64_t tiles_per_team = RIFFLE_TPT;

  /// Where the run of a tile's first element begins, and the one of its last ends.
  struct Ends {
    Index start;
    Index end;
  };

  /// What the groups tell each other of a tile. Places are counted from 1, so that 0 is none.
  struct State {
    Index last_heads[groups];
    Index first_heads[groups];
    Ends run;
  };

  /// Of a tile and of the next one.
  struct States {
    State of_tile[2];
  };

 public:
  static constexpr std::size_t scratch_bytes = scan::team_state_bytes<States>;
  static constexpr std::uint64_t tile_size = groups * GroupStep::size;

  RankByGroups(std::uint64_t n, Source const& source, Order const& order, Ranker const& ranker,
               Sink const& sink)
      : n_(static_cast<Index>(n)), source_(source), order_(order), ranker_(ranker), sink_(sink) {}

  /// Teams are counted in 31 bits; each takes tiles again if it must.
  std::uint64_t teams() const {
    constexpr std::uint64_t most = std::numeric_limits<int>::max();
    return std::min(most, (tiles() + tiles_per_team - 1) / tiles_per_team);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& states = scan::team_state<States>(team);
    auto const stride = static_cast<std::uint64_t>(team.league_size()) * tiles_per_team;
    auto const own = static_cast<std::uint64_t>(team.league_rank()) * tiles_per_team;
    for (std::uint64_t first = own; first < tiles(); first += stride) {
      std::uint64_t const rest = tiles() - first;
      std::uint64_t const count = tiles_per_team < rest ? tiles_per_team : rest;
      Ends ends{0, 0};
      RIFFLE_NO_UNROLL
      for (std::uint64_t t = 0; t < count; ++t) {
        auto const begin = static_cast<Index>((first + t) * tile_size);
        ends = rank_tile(team, states.of_tile[t % 2], begin, t == 0, ends);
      }
      if (stride < tiles()) team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION std::uint64_t tiles() const {
    return (static_cast<std::uint64_t>(n_) + tile_size - 1) / tile_size;
  }

  /// `before`: of the tile before, where the run of its last element begins and ends; returns the same of this
  /// one. Of the first group alone.
  template <class Member>
  KOKKOS_FUNCTION Ends rank_tile(Member const& team, State& state, Index tile_begin, bool is_first,
                                 Ends const& before) const {
    int const lane = team.team_rank() % lanes::width;
    int const group = team.team_rank() / lanes::width;
    Index const offset = static_cast<Index>(group) * GroupStep::size;
    // A group beyond the end repeats the last element, and writes nothing.
    Index const begin = offset < n_ - tile_begin ? tile_begin + offset : n_;
    T const value_before = source_(begin == 0 ? 0 : begin - 1);
    GroupStep step(source_, order_, n_, begin, lane);
    Ends ends{0, 0};
    if (group == 0) ends = find_ends(tile_begin, is_first, before, lane);
    step.find_heads(begin == 0 ? step.first() : value_before);
    if (team.team_rank() == 0) state.run = ends;
    Index const last_head = step.last_head_of_all();
    Index const first_head = step.first_head_of_all();
    if (lane == 0) {
      state.last_heads[group] = last_head;
      state.first_heads[group] = first_head;
    }
    team.team_barrier();
    Index start = 0;
    Index end = 0;
    if constexpr (Ranker::needs_start) start = start_before(state, group, lane);
    if constexpr (Ranker::needs_end) end = end_behind(state, group, lane);
    step.write(ranker_, sink_, start, end);
    if constexpr (Ranker::needs_start) ends.start = start_before(state, groups, lane);
    return ends;
  }

  KOKKOS_FUNCTION Ends find_ends(Index tile_begin, bool is_first, Ends const& before,
                                 int lane) const {
    Ends ends = before;
    Index const rest = n_ - tile_begin;
    Index const behind = tile_begin + (tile_size < rest ? static_cast<Index>(tile_size) : rest);
    if constexpr (Ranker::needs_start) {
      if (is_first) ends.start = find_start(source_, order_, tile_begin, lane);
    }
    if constexpr (Ranker::needs_end) {
      // The run that reached out of the tile before may reach out of this one, too.
      if (is_first || before.end <= behind) ends.end = find_end(source_, order_, n_, behind, lane);
    }
    return ends;
  }

  /// Where the run begins that reaches into a group's step.
  KOKKOS_FUNCTION static Index start_before(State const& state, int group, int lane) {
    Index const head = lane < group ? state.last_heads[lane] : 0;
    std::uint32_t const any = lanes::ballot(head != 0);
    Index const nearest = lanes::from_lane(head, any == 0 ? 0 : lanes::highest_one(any));
    return any == 0 ? state.run.start : nearest - 1;
  }

  /// Where the one ends that reaches out of it.
  KOKKOS_FUNCTION static Index end_behind(State const& state, int group, int lane) {
    bool const is_behind = group < lane && lane < groups;
    Index const head = is_behind ? state.first_heads[lane] : 0;
    std::uint32_t const any = lanes::ballot(head != 0);
    Index const nearest = lanes::from_lane(head, any == 0 ? 0 : lanes::lowest_one(any));
    return any == 0 ? state.run.end : nearest - 1;
  }

  Index n_;
  Source source_;
  Order order_;
  Ranker ranker_;
  Sink sink_;
};

template <class Index, class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_groups(std::string const& label, Exec const& exec, std::uint64_t n,
                    Source const& source, Order const& order, Ranker const& ranker,
                    Sink const& sink) {
  using Kernel = RankByGroups<Index, Source, Order, Ranker, Sink>;
  Kernel const kernel(n, source, order, ranker, sink);
  scan::launch_tiles(label, exec, kernel.teams(), kernel);
}

}  // namespace riffle::detail::rank
