#pragma once

// Selects elements on a GPU, in one pass. One team computes the numbers of kept elements before all tiles
// (riffle/primitives/central_prefixes.hpp). Each of the other teams has four tiles in flight:
//
//     reading                      ->   counted         ->   waiting          ->   writing
//     its values are loaded, and        its total            its prefix            its kept elements
//     the kept elements are stored      is sent              is received           are written
//     in scratch memory
//
// In each step, every tile moves to the next stage. A step begins with its only team barrier. Scratch memory has space for the kept
// elements of three tiles. A warp writes its elements of one tile before it stores its elements of another tile in the same place; the
// values of the other tile are loaded meanwhile. The kept elements are compacted in scratch memory, so that neighbouring lanes write
// neighbouring elements of the output.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/central_prefixes.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/select/detail/kept.hpp>
#include <riffle/select/tuning.hpp>

namespace riffle::detail::select {

/// Values of up to this size are held in registers and scratch memory from their test until they are written.
inline constexpr std::size_t max_held_bytes = 8;

template <class IsKept>
inline constexpr bool holds_values = false;
template <TestsValues IsKept>
inline constexpr bool holds_values<IsKept> =
    sizeof(ValueOf<IsKept>) <=
    max_held_bytes&& std::is_trivially_copyable_v<
        ValueOf<IsKept>>&& std::is_trivially_default_constructible_v<ValueOf<IsKept>>;

template <class IsKept>
struct HeldOf {
  using type = std::uint8_t;
};
template <class IsKept>
requires holds_values<IsKept>
struct HeldOf<IsKept> {
  using type = ValueOf<IsKept>;
};

/// A warp evaluates consecutive elements; each lane evaluates every 32nd of them:
///
///     element of the warp:   0 ... 31 | 32 ... 63 | ...
///     lane:                  0 ... 31 |  0 ... 31 | ...
///     step:                     0     |     1     | ...
///
/// IsKept and Writer are as in riffle/select/detail/select_elements.hpp.
template <class Index, class IsKept, class Writer>
class SelectTiles {
  static constexpr bool needs_previous = Writer::needs_previous;

  using Held = typename HeldOf<IsKept>::type;

  // The team stores the values of the kept elements, if the writer needs the values that are tested; their numbers within the
  // elements of the warp; or both. Held values are in registers until they are tested, so that their size counts as well.
  static constexpr bool stores_values =
      holds_values<IsKept> && TestsInput<IsKept> && Writer::writes_values;
  static constexpr bool stores_numbers = !stores_values || needs_previous;
  static constexpr std::size_t stored_bytes =
      (stores_values ? sizeof(Held) : 0) + (stores_numbers ? sizeof(std::uint16_t) : 0);

 public:
  /// The operation on totals: on numbers of kept elements, and, if needed, the index of the last one.
  using Op = std::conditional_t<needs_previous, JoinKept<Index>, Sum<Index>>;
  using Value = typename Op::value_type;

  static constexpr int warps = select_warps;
  static constexpr int steps = std::min(
      select_steps, static_cast<int>(max_stored_bytes / std::max(stored_bytes, sizeof(Held))));
  static constexpr int warp_size = steps * backend::width;
  static constexpr std::uint64_t tile_size = std::uint64_t{warps} * warp_size;
  static constexpr int threads = warps * backend::width;
  static constexpr int teams_per_processor = select_teams_per_processor;

 private:
  static constexpr int loads_at_a_time = 4;

  using Dispenser = TileDispenser<Op>;
  using Leader = PrefixTeam<Op, warps>;
  using Prefixes = PrefixWarp<Op, threads>;

  /// A lane's values of a tile, if holds_values. `previous` is the value before the warp's elements.
  struct Loaded {
    Held values[steps];
    Held previous;
  };

  /// The elements that a warp keeps of a tile.
  struct Stored {
    Held values[stores_values ? warp_size : 1];
    std::uint16_t numbers[stores_numbers ? warp_size : 1];
  };

  /// The numbers of kept elements are read until the third step after the one in which they are written, so there are four slots.
  struct State {
    typename Dispenser::State tickets;
    typename Leader::State leader;
    typename Prefixes::State prefixes;
    Kept<Index> kept[4][warps];
    Stored stored[3][warps];
  };

  /// The tiles in flight, and their slots.
  struct InFlight {
    std::uint32_t reading;
    std::uint32_t counted = no_tile;
    std::uint32_t waiting = no_tile;
    std::uint32_t writing = no_tile;
    int stored = 0;  // the slot of the tile that is written, then of the tile that is read
    int kept = 0;    // the slot of the tile that is read

    KOKKOS_FUNCTION int kept_of_counted() const { return (kept + 3) % 4; }
    KOKKOS_FUNCTION int kept_of_writing() const { return (kept + 1) % 4; }
    /// The slot that is read in this step (prefixes, tickets). The other one is written.
    KOKKOS_FUNCTION int turn() const { return kept % 2; }

    KOKKOS_FUNCTION void advance() {
      writing = waiting;
      waiting = counted;
      counted = reading;
      stored = stored == 2 ? 0 : stored + 1;
      kept = (kept + 1) % 4;
    }
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  SelectTiles(std::uint64_t n, IsKept const& is_kept, Writer const& writer,
              LookBack<Op> const& look_back)
      : n_(n), is_kept_(is_kept), writer_(writer), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    int const thread = team.team_rank();
    Dispenser const dispenser(look_back_, state.tickets, thread);
    Ticket const first = dispenser.begin(team);
    if (first.number == 0) {
      run_prefix_team(team, state, dispenser, first.epoch);
    } else {
      select_tiles(team, state, dispenser, first);
    }
    if (thread == 0) look_back_.finish(first.epoch);
  }

 private:
  /// A thread's warp and lane.
  struct Place {
    KOKKOS_FUNCTION explicit Place(int thread)
        : warp(thread / backend::width), lane(thread % backend::width) {}

    int warp;
    int lane;
  };

  KOKKOS_FUNCTION bool is_tile(std::uint32_t tile) const { return tile < look_back_.tiles(); }

  /// The index of the warp's first element of a tile.
  KOKKOS_FUNCTION static std::uint64_t first_of_warp(std::uint32_t tile, int warp) {
    return tile * tile_size + static_cast<std::uint64_t>(warp * warp_size);
  }

  /// Does the work of the prefix team. As long as no other team runs, the team selects elements by itself.
  template <class Member>
  KOKKOS_FUNCTION void run_prefix_team(Member const& team, State& state, Dispenser const& dispenser,
                                       std::uint32_t epoch) const {
    Place const place(team.team_rank());
    Prefixes const prefixes(look_back_, epoch, state.prefixes, team.team_rank());
    Value prefix = Op::identity();
    std::uint32_t tile = 0;
    for (; is_tile(tile) && dispenser.take_if_alone(team, {tile, epoch}); ++tile) {
      Loaded loaded;
      load(tile, place, loaded);
      evaluate(tile, place, loaded, state.kept[0], state.stored[0][place.warp]);
      team.team_barrier();
      send_total(prefixes, tile, state.kept[0]);
      write(tile, place, prefix, state.kept[0], state.stored[0][place.warp]);
      prefix = Op{}(prefix, backend::from_lane(scan_warps(place.lane, state.kept[0]), warps - 1));
      team.team_barrier();
    }
    if (is_tile(tile)) {
      Leader(look_back_, epoch, state.leader, team.team_rank()).send_prefixes(team);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void select_tiles(Member const& team, State& state, Dispenser const& dispenser,
                                    Ticket const& first) const {
    Place const place(team.team_rank());
    Prefixes const prefixes(look_back_, first.epoch, state.prefixes, team.team_rank());
    InFlight tiles;
    dispenser.put(dispenser.tile_of(first.number), 0);
    for (;; tiles.advance()) {
      team.team_barrier();
      tiles.reading = dispenser.get(tiles.turn());
      if (!is_tile(tiles.reading) && !is_tile(tiles.counted) && !is_tile(tiles.waiting) &&
          !is_tile(tiles.writing)) {
        return;
      }
      step(state, dispenser, prefixes, tiles, place);
    }
  }

  KOKKOS_FUNCTION void step(State& state, Dispenser const& dispenser, Prefixes const& prefixes,
                            InFlight const& tiles, Place const& place) const {
    // The ticket is requested before the values are loaded, because a multiprocessor receives answers in the order of its
    // requests.
    std::uint32_t const next = dispenser.ask(is_tile(tiles.reading));
    Loaded loaded;
    if (is_tile(tiles.reading)) load(tiles.reading, place, loaded);
    if (is_tile(tiles.counted)) {
      send_total(prefixes, tiles.counted, state.kept[tiles.kept_of_counted()]);
    }
    Stored& stored = state.stored[tiles.stored][place.warp];
    if (is_tile(tiles.writing)) {
      write(tiles.writing, place, prefixes.of_turn(tiles.turn()),
            state.kept[tiles.kept_of_writing()], stored);
      backend::synchronize();
    }
    typename Prefixes::Peeked seen;
    if (is_tile(tiles.waiting)) seen = prefixes.peek(tiles.waiting);
    if (is_tile(tiles.reading)) {
      evaluate(tiles.reading, place, loaded, state.kept[tiles.kept], stored);
    }
    if (is_tile(tiles.waiting)) prefixes.receive(tiles.waiting, seen, 1 - tiles.turn());
    dispenser.put(next, 1 - tiles.turn());
  }

  // --- the values of a tile ---

  /// The number of the warp's elements of a tile.
  KOKKOS_FUNCTION int size_of_warp(std::uint64_t first) const {
    std::uint64_t const rest = n_ - Kokkos::min(first, n_);
    return static_cast<int>(Kokkos::min(rest, std::uint64_t{warp_size}));
  }

  KOKKOS_FUNCTION void load(std::uint32_t tile, Place const& place, Loaded& to) const {
    if constexpr (holds_values<IsKept>) {
      std::uint64_t const first = first_of_warp(tile, place.warp);
      int const size = size_of_warp(first);
      if constexpr (keeps_first<IsKept>) {
        to.previous = is_kept_.value(first == 0 ? 0 : Kokkos::min(first, n_) - 1);
      }
      if (size == warp_size) {
        std::uint64_t const of_lane = first + static_cast<std::uint64_t>(place.lane);
        RIFFLE_UNROLL
        for (int step = 0; step < steps; ++step) {
          to.values[step] =
              is_kept_.value(of_lane + static_cast<std::uint64_t>(step * backend::width));
        }
      } else if (size > 0) {
        // Lanes without an element load the last one.
        RIFFLE_UNROLL
        for (int step = 0; step < steps; ++step) {
          int const own = Kokkos::min(step * backend::width + place.lane, size - 1);
          to.values[step] = is_kept_.value(first + static_cast<std::uint64_t>(own));
        }
      }
    }
  }

  /// Returns whether the element that the lane evaluates in the step is kept. Requires holds_values. `loaded.previous` is, in lane 0,
  /// the value before the value of this step; it is replaced by the value before the value of the next step. Called by all lanes.
  KOKKOS_FUNCTION bool keeps_held(std::uint64_t first, int step, int lane, Loaded& loaded) const {
    if constexpr (keeps_first<IsKept>) {
      Held const value = loaded.values[step];
      Held const rotated = backend::from_lane(value, (lane + backend::width - 1) % backend::width);
      Held const previous = lane == 0 ? loaded.previous : rotated;
      loaded.previous = rotated;
      return is_kept_.differs(previous, value) || (step == 0 && lane == 0 && first == 0);
    } else {
      return is_kept_.satisfies(loaded.values[step],
                                first + static_cast<std::uint64_t>(step * backend::width + lane));
    }
  }

  /// Stores the elements that the warp keeps, one after the other, and their number and the index of the last one in kept[warp].
  KOKKOS_FUNCTION void evaluate(std::uint32_t tile, Place const& place, Loaded& loaded,
                                Kept<Index>* kept, Stored& stored) const {
    std::uint64_t const first = first_of_warp(tile, place.warp);
    int const size = size_of_warp(first);
    std::uint32_t const lower_lanes = (1u << place.lane) - 1;
    int count = 0;
    int last = 0;
    RIFFLE_UNROLL
    for (int step = 0; step < steps; ++step) {
      if (step * backend::width >= size) break;
      int const own = step * backend::width + place.lane;
      bool is_one = own < size;
      if constexpr (holds_values<IsKept>) {
        is_one = keeps_held(first, step, place.lane, loaded) && is_one;
      } else {
        is_one = is_one && keeps(is_kept_, first + static_cast<std::uint64_t>(own));
      }
      std::uint32_t const all = backend::ballot(is_one);
      if (is_one) {
        int const to = count + backend::count_ones(all & lower_lanes);
        if constexpr (stores_values) stored.values[to] = loaded.values[step];
        if constexpr (stores_numbers) {
          stored.numbers[to] = static_cast<std::uint16_t>(own);
        }
      }
      count += backend::count_ones(all);
      if constexpr (needs_previous) {
        if (all != 0) last = step * backend::width + backend::highest_one(all);
      }
    }
    if (place.lane == 0) {
      kept[place.warp] = {
          static_cast<Index>(count),
          count == 0 ? Index{0} : static_cast<Index>(first + static_cast<std::uint64_t>(last))};
    }
  }

  // --- totals ---

  KOKKOS_FUNCTION static Value value_of(Kept<Index> const& kept) {
    if constexpr (needs_previous) {
      return kept;
    } else {
      return kept.count;
    }
  }

  KOKKOS_FUNCTION static Kept<Index> kept_of(Value const& value) {
    if constexpr (needs_previous) {
      return value;
    } else {
      return {value, 0};
    }
  }

  /// Returns the total of the tile's warps 0, ..., lane.
  KOKKOS_FUNCTION static Value scan_warps(int lane, Kept<Index> const* kept) {
    return scan_lanes(Op{}, lane, lane < warps ? value_of(kept[lane]) : Op::identity());
  }

  KOKKOS_FUNCTION static void send_total(Prefixes const& prefixes, std::uint32_t tile,
                                         Kept<Index> const* kept) {
    prefixes.send_total(tile, [&](int lane) { return scan_warps(lane, kept); });
  }

  // --- the output ---

  /// Writes the elements that the warp keeps of a tile. `prefix` is the prefix of the tile.
  KOKKOS_FUNCTION void write(std::uint32_t tile, Place const& place, Value const& prefix,
                             Kept<Index> const* kept, Stored const& stored) const {
    Value const up_to = scan_warps(place.lane, kept);
    Value const lower = backend::from_lane(up_to, place.warp == 0 ? 0 : place.warp - 1);
    Kept<Index> const before = kept_of(place.warp == 0 ? prefix : Op{}(prefix, lower));
    auto const count = static_cast<int>(kept[place.warp].count);
    std::uint64_t const first = first_of_warp(tile, place.warp);
    for (int k = place.lane; k < count; k += loads_at_a_time * backend::width) {
      write_some(first, before, stored, k, count);
    }
    Value const total = backend::from_lane(up_to, warps - 1);
    if (tile + std::uint64_t{1} < look_back_.tiles() || place.warp != 0 || place.lane != 0) return;
    Kept<Index> const all = kept_of(Op{}(prefix, total));
    writer_.finish(all.count, all.last);
  }

  /// Writes the kept elements k, k + 32, ... of the warp, at most loads_at_a_time of them.
  KOKKOS_FUNCTION void write_some(std::uint64_t first, Kept<Index> const& before,
                                  Stored const& stored, int k, int count) const {
    using Item = decltype(writer_.load(first));
    Item items[loads_at_a_time];
    RIFFLE_UNROLL
    for (int j = 0; j < loads_at_a_time; ++j) {
      int const own = k + j * backend::width;
      if (own < count) items[j] = item(first, stored, own);
    }
    RIFFLE_UNROLL
    for (int j = 0; j < loads_at_a_time; ++j) {
      int const own = k + j * backend::width;
      if (own >= count) break;
      std::uint64_t i = 0;
      std::uint64_t previous = 0;
      if constexpr (stores_numbers) i = first + stored.numbers[own];
      if constexpr (needs_previous) {
        previous = own == 0 ? std::uint64_t{before.last} : first + stored.numbers[own - 1];
      }
      writer_.store(std::uint64_t{before.count} + static_cast<std::uint64_t>(own), i, previous,
                    items[j]);
    }
  }

  KOKKOS_FUNCTION auto item(std::uint64_t first, Stored const& stored, int own) const {
    if constexpr (stores_values) {
      return stored.values[own];
    } else {
      return writer_.load(first + stored.numbers[own]);
    }
  }

  std::uint64_t n_;
  IsKept is_kept_;
  Writer writer_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::select
