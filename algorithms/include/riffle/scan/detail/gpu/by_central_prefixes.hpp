#pragma once

// The scan by central prefixes on a GPU, for values of up to 8 bytes and more than max_look_back_tiles_per_team tiles
// per team. One team computes the prefixes of all tiles (riffle/primitives/central_prefixes.hpp), and all other teams
// scan tiles until none is left. Such a team peeks at the prefix one step before it writes the tile.
//
// A team has Depth + 2 tiles in flight, each in a different stage of the pipeline. In each step, every tile moves to
// the next stage:
//
//     reading              ->   scanned               ->   waiting (Depth stages)
//     it is read, and           its total is sent          in the first stage its elements are in registers, then
//     scanned in registers      (in registers)             in scratch memory; in the last stage (writing) its
//                                                          prefixes are written
//
// The totals of a tile's rows are in scratch memory, from the step in which the tile is scanned to the step in which it
// is written. There are Depth + 2 slots for them. A step begins with its only team barrier. After this barrier, scratch
// memory contains the row totals of the tile in stage `scanned`, the prefix of the tile that is written in this step,
// and the index of the tile that is read in this step.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/central_prefixes.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/gpu/by_look_back.hpp>
#include <riffle/scan/detail/gpu/tiles.hpp>
#include <riffle/scan/tuning.hpp>

namespace riffle::detail::scan {

// --- the stages of the tiles in flight ---

/// Stores the index of the tile in each stage of the pipeline. Only tiles 0, ..., full - 1, which are full, are
/// processed in the pipeline; an index >= full, such as no_tile, marks an empty stage.
template <int Depth>
class PipelineStages {
 public:
  static constexpr int row_places = Depth + 2;

  KOKKOS_FUNCTION explicit PipelineStages(std::uint32_t full) : full_(full) {
    for (int k = 0; k < Depth; ++k) waiting_[k] = no_tile;
  }

  KOKKOS_FUNCTION std::uint32_t reading() const { return reading_; }
  KOKKOS_FUNCTION std::uint32_t scanned() const { return scanned_; }
  KOKKOS_FUNCTION std::uint32_t next_to_write() const {
    if constexpr (Depth == 1) return scanned_;
    return waiting_[Depth > 1 ? Depth - 2 : 0];
  }
  KOKKOS_FUNCTION std::uint32_t writing() const { return waiting_[Depth - 1]; }

  KOKKOS_FUNCTION bool has_reading() const { return reading_ < full_; }
  KOKKOS_FUNCTION bool has_scanned() const { return scanned_ < full_; }
  KOKKOS_FUNCTION bool has_next_to_write() const { return next_to_write() < full_; }
  KOKKOS_FUNCTION bool has_writing() const { return writing() < full_; }
  KOKKOS_FUNCTION bool has_any() const {
    bool any = has_reading() || has_scanned();
    for (int k = 0; k < Depth; ++k) any = any || waiting_[k] < full_;
    return any;
  }

  KOKKOS_FUNCTION int rows_of_reading() const { return rows_ == row_places - 1 ? 0 : rows_ + 1; }
  KOKKOS_FUNCTION int rows_of_scanned() const { return rows_; }
  KOKKOS_FUNCTION int rows_of_writing() const { return rows_ < Depth ? rows_ + 2 : rows_ - Depth; }

  /// The index, 0 or 1, of the slots that are read in this step (TileDispenser, PrefixWarp). The slots with index
  /// next_turn() are written.
  KOKKOS_FUNCTION int turn() const { return turn_; }
  KOKKOS_FUNCTION int next_turn() const { return 1 - turn_; }

  /// Begins a step in which `tile` is read. If the tile is not full, which is possible for the last tile only, it is
  /// not read but stored in partial().
  KOKKOS_FUNCTION void begin_reading(std::uint32_t tile) {
    reading_ = tile;
    if (tile == full_) partial_ = tile;
  }

  /// Ends a step. The tile in stage `writing` is done, and the slot of its row totals is free.
  KOKKOS_FUNCTION void advance() {
    rows_ = rows_of_reading();
    for (int k = Depth - 1; k > 0; --k) waiting_[k] = waiting_[k - 1];
    waiting_[0] = scanned_;
    scanned_ = reading_;
    reading_ = no_tile;
    turn_ = next_turn();
  }

  /// Returns the tile that is not full, if this team took it; otherwise no_tile.
  KOKKOS_FUNCTION std::uint32_t partial() const { return partial_; }

 private:
  std::uint32_t full_;
  std::uint32_t reading_ = no_tile;
  std::uint32_t scanned_ = no_tile;
  std::uint32_t waiting_[Depth];
  std::uint32_t partial_ = no_tile;
  int rows_ = 0;
  int turn_ = 0;
};

// --- tiles that wait for their prefixes ---

/// The widest word whose size divides `bytes`. Requires that `bytes` is a multiple of 4.
template <std::size_t bytes>
using WidestWord = std::conditional_t<
    bytes % sizeof(Chunk) == 0, Chunk,
    std::conditional_t<bytes % sizeof(std::uint64_t) == 0, std::uint64_t, std::uint32_t>>;

/// Stores the threads' values of `Places` tiles in scratch memory. A thread loads its values row by row, which takes
/// fewer registers than loading all values at once, as ValuesInScratch does.
template <class Tile, int Places>
class RowsInScratch {
  using Held = typename Tile::Held;
  using Row = typename Tile::Row;
  using Value = typename Tile::Value;

  static constexpr int rows = Tile::rows_per_warp;
  using Word = WidestWord<sizeof(Held::x[0])>;
  // The parentheses prevent a warning of clang, which assumes that a quotient of two sizes is meant as a number of
  // array elements.
  static constexpr int row_words = sizeof(Held::x[0]) / (sizeof(Word));
  static constexpr std::size_t words = std::size_t{Places} * rows * row_words * Tile::threads;

 public:
  static constexpr std::size_t bytes =
      words * sizeof(Word) + std::size_t{Places} * rows * Tile::threads * sizeof(Value);

  /// Requires that `memory` has `bytes` bytes.
  KOKKOS_FUNCTION RowsInScratch(void* memory, int thread)
      : words_(static_cast<Word*>(memory) + thread),
        before_(reinterpret_cast<Value*>(static_cast<Word*>(memory) + words) + thread) {}

  KOKKOS_FUNCTION void store(Held const& held, int place) {
    RIFFLE_UNROLL
    for (int r = 0; r < rows; ++r) {
      Word copies[row_words];
      memcpy(copies, &held.x[r], sizeof(copies));
      RIFFLE_UNROLL
      for (int k = 0; k < row_words; ++k) words_[word(place, r, k)] = copies[k];
      before_[row(place, r)] = held.before[r];
    }
  }

  KOKKOS_FUNCTION Row load_row(int place, int r) const {
    Word copies[row_words];
    RIFFLE_UNROLL
    for (int k = 0; k < row_words; ++k) copies[k] = words_[word(place, r, k)];
    Row result;
    memcpy(&result.x, copies, sizeof(copies));
    result.before = before_[row(place, r)];
    return result;
  }

 private:
  KOKKOS_FUNCTION static int row(int place, int r) { return (place * rows + r) * Tile::threads; }
  KOKKOS_FUNCTION static int word(int place, int r, int k) {
    return row(place, r) * row_words + k * Tile::threads;
  }

  Word* words_;
  Value* before_;
};

// --- the kernel ---

/// Tile is the type that processes a full tile: ValueTile or PackedTile. The team that takes the first ticket is the
/// prefix team. A tile that is not full is scanned by PlainTile, while no other tile of the team is in flight. Requires
/// that source and sink have quads.
template <class Tile, class Source, class Sink, class Op, bool Inclusive>
class ScanByCentralPrefixes {
 public:
  using Value = typename Op::value_type;

  static constexpr std::uint64_t tile_size = Tile::size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = teams_per_processor_of(threads);

 private:
  using Plain = PlainTile<Tile, Source, Sink, Op, Inclusive>;
  using Read = typename Tile::Read;
  using Held = typename Tile::Held;
  using Team = PrefixTeam<Op, threads / backend::width>;
  using Prefixes = PrefixWarp<Op, threads>;
  using Finder = PrefixFinder<Op, threads>;
  using Dispenser = TileDispenser<Op>;

  static constexpr int scratch_places = waiting_in_scratch(teams_per_processor);
  using InScratch = RowsInScratch<Tile, scratch_places>;
  using Places = PipelineStages<waiting_in_registers + scratch_places>;

  /// The start of a team's scratch memory.
  struct State {
    typename Dispenser::State tickets;
    typename Prefixes::State prefixes;
    typename Finder::State finder;
    typename Team::State team;
    Value rows[Places::row_places][tile_rows];
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State> + InScratch::bytes + 16;
  /// Whether waiting tiles fit in registers and scratch memory. Sinks that take items are not supported.
  static constexpr bool is_possible = sizeof(Value) <= 8 && sizeof(typename Source::Item) <= 8 &&
                                      !takes_items<Sink> && scratch_bytes <= max_scratch_bytes;

  ScanByCentralPrefixes(std::uint64_t n, Source const& source, Sink const& sink,
                        LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    Dispenser const dispenser(look_back_, state.tickets, team.team_rank());
    Ticket const first = dispenser.begin(team);
    if (first.number == 0) {
      run_prefix_team(team, state, dispenser, first.epoch);
    } else {
      scan_tiles(team, state, dispenser, first);
    }
    if (team.team_rank() == 0) look_back_.finish(first.epoch);
  }

 private:
  /// This thread's values of the tiles in flight, and the stages of these tiles.
  struct InFlight {
    Places tiles;
    InScratch waiting;
    Held held[waiting_in_registers + 1];  // the last one is stored to scratch memory next
  };

  KOKKOS_FUNCTION std::uint32_t full_tiles() const {
    return static_cast<std::uint32_t>(n_ / tile_size);
  }

  /// Does the work of the prefix team. As long as no other team runs, the prefix team scans tiles by itself, because
  /// the GPU may have no space for another team before this one ends.
  template <class Member>
  KOKKOS_FUNCTION void run_prefix_team(Member const& team, State& state, Dispenser const& dispenser,
                                       std::uint32_t epoch) const {
    int const thread = team.team_rank();
    Finder const finder(look_back_, epoch, state.finder, thread);
    std::uint32_t tile = 0;
    for (; tile < look_back_.tiles() && dispenser.take_if_alone(team, {tile, epoch}); ++tile) {
      scan_alone(team, state, tile, [&] {
        finder.find(team, tile, state.rows[0]);
        team.team_barrier();
        return finder.prefix();
      });
    }
    if (tile < look_back_.tiles()) Team(look_back_, epoch, state.team, thread).send_prefixes(team);
  }

  template <class Member>
  KOKKOS_FUNCTION void scan_tiles(Member const& team, State& state, Dispenser const& dispenser,
                                  Ticket const& first) const {
    Prefixes const prefixes(look_back_, first.epoch, state.prefixes, team.team_rank());
    std::uint32_t const partial =
        scan_full_tiles(team, state, dispenser, prefixes, dispenser.tile_of(first.number));
    if (partial >= look_back_.tiles()) return;
    scan_alone(team, state, partial, [&] {
      send_total(prefixes, partial, state.rows[0]);
      prefixes.receive(partial, prefixes.peek(partial), 0);
      team.team_barrier();
      return prefixes.of_turn(0);
    });
  }

  /// Scans full tiles until no tickets are left. Returns the tile that is not full if this team has taken it, otherwise
  /// no_tile.
  template <class Member>
  KOKKOS_FUNCTION std::uint32_t scan_full_tiles(Member const& team, State& state,
                                                Dispenser const& dispenser,
                                                Prefixes const& prefixes,
                                                std::uint32_t first) const {
    int const thread = team.team_rank();
    std::size_t const bytes = InScratch::bytes;
    InFlight own{Places(full_tiles()),
                 InScratch(team.team_scratch(0).get_shmem_aligned(bytes, 16), thread),
                 {}};
    dispenser.put(first, own.tiles.turn());
    for (;;) {
      team.team_barrier();
      own.tiles.begin_reading(dispenser.get(own.tiles.turn()));
      if (!own.tiles.has_any()) return own.tiles.partial();
      step(state, dispenser, prefixes, own, thread);
      own.tiles.advance();
    }
  }

  /// Does the work between two barriers. A tile is read and scanned in the same step. If tiles were read one step
  /// before they are scanned, the scan would be slower (perf/notes/scan.md), because the elements would arrive before
  /// the prefix for which the team waits at the end of the step. While the team waits, it sends no totals, so all other
  /// teams would wait, too.
  KOKKOS_FUNCTION void step(State& state, Dispenser const& dispenser, Prefixes const& prefixes,
                            InFlight& own, int thread) const {
    Places const& tiles = own.tiles;
    Tile const reading(tiles.reading(), thread);
    // The slot of RowsInScratch that contains the tile in stage `writing`, which was stored `scratch_places` steps
    // earlier. In this step, the tile is written to the output, and then another tile is stored in the slot.
    int const place = scratch_places == 1 ? 0 : tiles.turn();
    std::uint32_t const next = dispenser.ask(tiles.has_reading());
    Read read;
    if (tiles.has_reading()) reading.read(source_, read);
    if (tiles.has_scanned()) {
      send_total(prefixes, tiles.scanned(), state.rows[tiles.rows_of_scanned()]);
    }
    if (tiles.has_writing()) {
      write(own, prefixes.of_turn(tiles.turn()), state.rows[tiles.rows_of_writing()], place,
            thread);
    }
    typename Prefixes::Peeked seen;
    if (tiles.has_next_to_write()) seen = prefixes.peek(tiles.next_to_write());
    own.waiting.store(own.held[waiting_in_registers], place);
    RIFFLE_UNROLL
    for (int k = waiting_in_registers; k > 0; --k) own.held[k] = own.held[k - 1];
    if (tiles.has_reading()) {
      reading.scan(look_back_.op(), read, own.held[0], state.rows[tiles.rows_of_reading()]);
    }
    if (tiles.has_next_to_write()) {
      prefixes.receive(tiles.next_to_write(), seen, tiles.next_turn());
    }
    dispenser.put(next, tiles.next_turn());
  }

  /// Scans `rows`, the totals of the tile's rows, and sends the total of the tile.
  KOKKOS_FUNCTION void send_total(Prefixes const& prefixes, std::uint64_t tile, Value* rows) const {
    prefixes.send_total(tile,
                        [&](int lane) { return scan_row_totals(look_back_.op(), lane, rows); });
  }

  /// Writes the tile in stage `writing`.
  KOKKOS_FUNCTION void write(InFlight const& own, Value const& prefix, Value const* rows, int place,
                             int thread) const {
    Tile const tile(own.tiles.writing(), thread);
    RIFFLE_UNROLL
    for (int r = 0; r < Tile::rows_per_warp; ++r) {
      tile.write_row(look_back_.op(), sink_, prefix, rows, r, own.waiting.load_row(place, r));
    }
  }

  /// Scans a tile by PlainTile. find() returns the tile's prefix. It is called after a team barrier, when state.rows[0]
  /// contains the totals of the tile's rows.
  template <class Member, class Find>
  KOKKOS_FUNCTION void scan_alone(Member const& team, State& state, std::uint64_t tile,
                                  Find const& find) const {
    Plain const plain(n_, source_, sink_, look_back_.op(), tile, team.team_rank());
    plain.scan(state.rows[0]);
    team.team_barrier();
    Value const prefix = find();
    plain.write(prefix, state.rows[0]);
    team.team_barrier();
  }

  std::uint64_t n_;
  Source source_;
  Sink sink_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::scan
