#pragma once

// The scan by look-back on a GPU (riffle/primitives/look_back.hpp), for up to max_look_back_tiles_per_team tiles per
// team, and for values, sources and sinks that the scan by central prefixes does not support.
//
// Teams continue until no tile is left. A team has two tiles in flight: one tile is read while the other one is scanned
// and then written. A step has five team barriers:
//
//   scan the tile that was read; request a ticket, and read the next tile
//   --- barrier ---   the totals of the tile's rows are in scratch memory
//   the prefix warp scans these totals, and sends the tile's total
//   --- barrier ---   the scanned totals of the rows are in scratch memory
//   other warps look back
//   --- barrier ---   the shares of the look-back are in scratch memory
//   one warp combines the shares
//   --- barrier ---   the tile's prefix and the next ticket are in scratch memory
//   write the tile
//   --- barrier ---   the scratch memory can be written again

#include <Kokkos_Core.hpp>

#include <algorithm>
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
#include <riffle/scan/detail/gpu/tiles.hpp>
#include <riffle/scan/tuning.hpp>

namespace riffle::detail::scan {

// --- how a team takes tiles ---

/// The ticket of a team's current tile, and the ticket of its next tile. The latter is taken early, so that the next
/// tile is read while the current one is scanned.
struct Tickets {
  std::uint32_t now;
  std::uint32_t next;
};

/// Takes tickets for a team and passes them to its threads through scratch memory. One thread takes the tickets; a team
/// barrier must follow before the other threads read them.
template <class Op>
class TicketDispenser {
 public:
  struct State {
    Ticket first;
    std::uint32_t second;
  };

  KOKKOS_FUNCTION TicketDispenser(LookBack<Op> const& look_back, State& state, int thread)
      : look_back_(look_back), state_(state), takes_(thread == 0) {}

  /// Takes the first ticket, and a second one if there are more tiles than teams. Contains two team barriers.
  template <class Member>
  KOKKOS_FUNCTION Tickets begin(Member const& team, std::uint32_t& epoch) const {
    if (takes_) {
      state_.first = look_back_.take_ticket();
      state_.second = no_tile;
      bool const are_many = look_back_.tiles() > static_cast<std::uint64_t>(team.league_size());
      if (are_many) state_.second = look_back_.take_ticket().number;
    }
    team.team_barrier();
    Tickets const tickets{state_.first.number, state_.second};
    epoch = state_.first.epoch;
    team.team_barrier();
    return tickets;
  }

  /// Requests a ticket without waiting for the result; put() waits. Returns no_tile if `is_wanted` is false.
  KOKKOS_FUNCTION std::uint32_t ask(bool is_wanted) const {
    return takes_ && is_wanted ? look_back_.take_ticket().number : no_tile;
  }
  KOKKOS_FUNCTION void put(std::uint32_t ticket) const {
    if (takes_) state_.first.number = ticket;
  }
  /// Returns the ticket that put() stored. A barrier must separate the two calls.
  KOKKOS_FUNCTION std::uint32_t get() const { return state_.first.number; }

  /// Advances to the next ticket. Contains two team barriers if there are tickets left.
  template <class Member>
  KOKKOS_FUNCTION void advance(Member const& team, Tickets& tickets) const {
    tickets.now = tickets.next;
    if (tickets.next >= look_back_.tiles()) return;
    team.team_barrier();
    put(ask(true));
    team.team_barrier();
    tickets.next = get();
  }

 private:
  LookBack<Op> const& look_back_;
  State& state_;
  bool takes_;
};

// --- the prefixes of the tiles in flight ---

/// Per-thread interface through which a team finds the prefix of a tile, in three steps. First, the last warp (the
/// prefix warp) sends the tile's total. Second, up to max_look_back_warps other warps look back, each over its share.
/// Third, one of the other warps combines the shares. A team barrier separates the steps.
template <class Op, int Threads>
class PrefixFinder {
 public:
  using Value = typename Op::value_type;

 private:
  static constexpr int warps = Threads / backend::width;
  // The prefix warp does not look back.
  static constexpr int prefix_warp = warps - 1;
  static constexpr int combining_warp = 1;
  static constexpr int share_count = std::min(warps - 1, max_look_back_warps);

 public:
  /// State in scratch memory.
  struct State {
    Share<Value> shares[share_count];
    Value prefix;  // of the tile that was combined last
  };

  KOKKOS_FUNCTION PrefixFinder(LookBack<Op> const& look_back, std::uint32_t epoch, State& state,
                               int thread)
      : look_back_(look_back),
        epoch_(epoch),
        state_(state),
        warp_(thread / backend::width),
        lane_(thread % backend::width) {}

  KOKKOS_FUNCTION Value const& prefix() const { return state_.prefix; }

  /// Does the first step: scans `rows`, the totals of the tile's rows, and sends the total of the tile.
  KOKKOS_FUNCTION void send_total(std::uint64_t tile, Value* rows) const {
    if (warp_ != prefix_warp) return;
    Value const up_to = scan_row_totals(look_back_.op(), lane_, rows);
    if (lane_ == backend::width - 1) look_back_.send_tile_total(tile, epoch_, up_to);
  }

  /// Does the second step. Requires that `rows` contains the scanned totals.
  KOKKOS_FUNCTION void look_back(std::uint64_t tile, Value const* rows) const {
    if (warp_ >= share_count) return;
    Value const total = rows[tile_rows - 1];
    Share<Value> const share = look_back_.look_back(tile, epoch_, total, warp_, lane_, {});
    if (lane_ == 0) state_.shares[warp_] = share;
  }

  /// Does the third step. prefix() is valid after one more team barrier.
  KOKKOS_FUNCTION void combine(std::uint64_t tile) const {
    if (warp_ != combining_warp) return;
    Value const prefix = look_back_.combine(tile, epoch_, state_.shares, share_count, lane_, true);
    if (lane_ == 0) state_.prefix = prefix;
  }

  /// Does all three steps. `rows` contains the totals of the tile's rows, and is scanned. Contains two team barriers;
  /// another one must follow before prefix() is called.
  template <class Member>
  KOKKOS_FUNCTION void find(Member const& team, std::uint64_t tile, Value* rows) const {
    send_total(tile, rows);
    team.team_barrier();
    look_back(tile, rows);
    team.team_barrier();
    combine(tile);
  }

 private:
  LookBack<Op> const& look_back_;
  std::uint32_t epoch_;
  State& state_;
  int warp_;
  int lane_;
};

// --- tiles that wait for their prefixes ---

/// Stores one object of type Held per thread in scratch memory. A thread loads only its own object, so no barrier is
/// needed. Neighbouring threads access neighbouring chunks, so there are no bank conflicts.
///
///     chunk k of thread t is at memory[k * Threads + t]
template <class Held, int Threads>
class ValuesInScratch {
 public:
  static constexpr int chunks =
      static_cast<int>((sizeof(Held) + sizeof(Chunk) - 1) / sizeof(Chunk));
  static constexpr std::size_t bytes = sizeof(Chunk) * chunks * Threads;

  /// Requires that `memory` has `bytes` bytes.
  KOKKOS_FUNCTION ValuesInScratch(void* memory, int thread)
      : own_(static_cast<Chunk*>(memory) + thread) {}

  KOKKOS_FUNCTION void store(Held const& held) {
    Chunk copies[chunks];
    memcpy(copies, &held, sizeof(Held));
    RIFFLE_UNROLL
    for (int k = 0; k < chunks; ++k) own_[k * Threads] = copies[k];
  }

  KOKKOS_FUNCTION void load(Held& held) const {
    Chunk copies[chunks];
    RIFFLE_UNROLL
    for (int k = 0; k < chunks; ++k) copies[k] = own_[k * Threads];
    memcpy(&held, copies, sizeof(Held));
  }

 private:
  Chunk* own_;
};

// --- the kernel ---

/// Tile is the type that processes a full tile: ValueTile or PackedTile. A tile that is not full, or that cannot be
/// moved by quads, is scanned by PlainTile, while no other tile of the team is in flight.
template <class Tile, class Source, class Sink, class Op, bool Inclusive>
class ScanByLookBack {
 public:
  using Value = typename Op::value_type;
  using Item = typename Source::Item;

  static constexpr std::uint64_t tile_size = Tile::size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = teams_per_processor_of(threads);

 private:
  using Plain = PlainTile<Tile, Source, Sink, Op, Inclusive>;
  using Read = typename Tile::Read;
  using Held = typename Tile::Held;
  using Dispenser = TicketDispenser<Op>;
  using Finder = PrefixFinder<Op, threads>;

  /// Whether a team that has no next tile reads its current tile again, so that the read is unconditional (see
  /// scan_full_tiles). If the source is expensive, this is not done, because its elements must be evaluated only once.
  /// If values have more than 16 bytes, it is not done either, because the compiler spills registers in any case.
  static constexpr bool always_reads = sizeof(Value) > 8 && sizeof(Value) <= 16 &&
                                       !ExpensiveSource<Source>;

  /// The start of a team's scratch memory.
  struct State {
    typename Dispenser::State tickets;
    typename Finder::State finder;
    Value rows[tile_rows];
  };
  static_assert(team_state_bytes<State> <= max_scratch_bytes_of(threads),
                "the values of a scan on a GPU have at most 940 bytes: a team has 47 of them in "
                "its scratch memory");

  /// Whether `before` of the tile that waits for its prefix is stored in scratch memory, because there are not enough
  /// registers for it and for the tile that is being read.
  static constexpr bool uses_scratch = sizeof(Value) == sizeof(Chunk);
  struct NoValues {
    static constexpr std::size_t bytes = 0;
  };
  using Waiting =
      std::conditional_t<uses_scratch, ValuesInScratch<typename Tile::Before, threads>, NoValues>;

 public:
  static constexpr std::size_t scratch_bytes =
      team_state_bytes<State> + (uses_scratch ? Waiting::bytes + 16 : 0);

  ScanByLookBack(std::uint64_t n, Source const& source, Sink const& sink,
                 LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    int const thread = team.team_rank();
    Dispenser const dispenser(look_back_, state.tickets, thread);
    std::uint32_t epoch;
    Tickets tickets = dispenser.begin(team, epoch);
    Finder const finder(look_back_, epoch, state.finder, thread);
    if (source_.has_quads() && sink_.has_quads()) {
      scan_full_tiles(team, state, dispenser, finder, tickets);
    }
    while (tickets.now < look_back_.tiles()) {
      scan_alone(team, state, finder, tickets.now);
      dispenser.advance(team, tickets);
    }
    if (thread == 0) look_back_.finish(epoch);
  }

 private:
  KOKKOS_FUNCTION std::uint32_t full_tiles() const {
    return static_cast<std::uint32_t>(n_ / tile_size);
  }

  template <class Member>
  KOKKOS_FUNCTION Waiting waiting_of(Member const& team) const {
    if constexpr (uses_scratch) {
      std::size_t const size = Waiting::bytes;
      return {team.team_scratch(0).get_shmem_aligned(size, 16), team.team_rank()};
    } else {
      return {};
    }
  }

  /// Scans full tiles until no tickets are left, or until tickets.now is the ticket of the last tile and this tile is
  /// not full.
  template <class Member>
  KOKKOS_FUNCTION void scan_full_tiles(Member const& team, State& state, Dispenser const& dispenser,
                                       Finder const& finder, Tickets& tickets) const {
    Op const& op = look_back_.op();
    int const thread = team.team_rank();
    [[maybe_unused]] Waiting waiting = waiting_of(team);
    Read read;
    if (tickets.now < full_tiles()) Tile(tickets.now, thread).read(source_, read);
    while (tickets.now < full_tiles()) {
      Held held;
      Tile(tickets.now, thread).scan(op, read, held, state.rows);
      if constexpr (uses_scratch) waiting.store(held.before);
      bool const has_next = tickets.next < full_tiles();
      std::uint32_t const ticket = dispenser.ask(has_next);
      // With a conditional read, the compiler would load into other registers, and then copy them to the registers of
      // `read`. These copies would wait for the loads, so the read would not overlap with the search for the prefix.
      if (always_reads || has_next) {
        Tile(has_next ? tickets.next : tickets.now, thread).read(source_, read);
      }
      team.team_barrier();
      finder.find(team, tickets.now, state.rows);
      dispenser.put(ticket);
      team.team_barrier();
      if constexpr (uses_scratch) waiting.load(held.before);
      Tile(tickets.now, thread).write(op, sink_, finder.prefix(), state.rows, held);
      tickets = {tickets.next, dispenser.get()};
      team.team_barrier();
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void scan_alone(Member const& team, State& state, Finder const& finder,
                                  std::uint64_t tile) const {
    Plain const plain(n_, source_, sink_, look_back_.op(), tile, team.team_rank());
    plain.scan(state.rows);
    team.team_barrier();
    finder.find(team, tile, state.rows);
    team.team_barrier();
    plain.write(finder.prefix(), state.rows);
  }

  std::uint64_t n_;
  Source source_;
  Sink sink_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::scan
