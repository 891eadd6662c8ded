#pragma once

// The scan of a GPU: one kernel, in which elements stay in registers between their one read and their
// one write.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/detail/scan/access.hpp>
#include <riffle/detail/scan/gpu_parking.hpp>
#include <riffle/detail/scan/gpu_tile.hpp>
#include <riffle/kernel/look_back.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/lanes.hpp>

namespace riffle::detail::scan {

/// What every Kokkos gives a team, less what it keeps for itself.
inline constexpr std::size_t most_scratch_bytes = std::size_t{47} << 10;

/// The scratch memory that team_state asks for.
template <class State>
inline constexpr std::size_t team_state_bytes = sizeof(State) + 16;

template <class State>
KOKKOS_INLINE_FUNCTION State& team_state(auto const& team) {
  return *static_cast<State*>(team.team_scratch(0).get_shmem_aligned(sizeof(State), 16));
}

/// Teams that stay, each with four tiles in hand: one is being read, one has been scanned and its total
/// is sent, one looks back, its total sent a step before, and one is written, its prefix known since the
/// step before. So a thread waits neither for memory nor for others as long as these keep step. What is
/// not full, or cannot be moved by quads, goes alone.
template <class Source, class Sink, class Op, bool Inclusive>
class ValueTiles {
 public:
  using Tile = ValueTile<Source, Sink, Op, Inclusive>;
  using Value = typename Op::value_type;
  using Item = typename Source::Item;

  static constexpr std::uint64_t tile_size = detail::tile_size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = threads <= 256 ? 2 : 1;

 private:
  using Read = typename Tile::Read;
  using Held = typename Tile::Held;

  static constexpr int warps = threads / lanes::width;
  static constexpr bool has_place_for_four = sizeof(Value) <= 8 && sizeof(Item) <= 8;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // Who does what one warp can do for all. The clerk takes no part in looking back, which is done by as
  // many as reach to where prefixes have been sent: by more, messages are read for nothing.
  static constexpr int combining_warp = 1;
  static constexpr int clerk_warp = warps - 1;
  static constexpr int share_count = warps > 8 ? 7 : warps - 1;

  /// Through which the threads of a team meet.
  struct State {
    Ticket tickets[2];
    Share<Value> shares[share_count];
    Value prefix;              // of the tile that is written next
    Value rows[3][tile_rows];  // of the tiles scanned, looking back, and being written
  };

  using TileParking = Parking<Held, threads, most_scratch_bytes - team_state_bytes<State> - 16>;

 public:
  static constexpr std::size_t scratch_bytes =
      team_state_bytes<State> + (has_place_for_four ? TileParking::bytes + 16 : 0);

  ValueTiles(std::uint64_t n, Source const& source, Sink const& sink, LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    if (team.team_rank() == 0) begin(state, team.league_size());
    team.team_barrier();
    Ticket const first = state.tickets[0];
    Tickets tickets{first.number, state.tickets[1].number};
    team.team_barrier();
    if (source_.has_quads() && sink_.has_quads()) {
      if constexpr (has_place_for_four) {
        scan_full_tiles(team, state, first.epoch, tickets);
      } else {
        scan_large_tiles(team, state, first.epoch, tickets);
      }
    }
    while (tickets.now < look_back_.tiles()) {
      scan_rows_of_tile(team, state, first.epoch, tickets.now);
      advance(team, state, tickets);
    }
    if (team.team_rank() == 0) look_back_.finish(first.epoch);
  }

 private:
  struct Tickets {
    std::uint32_t now;
    std::uint32_t next;
  };

  /// Two tickets where there are more tiles than teams, so that the second is read while the first is
  /// scanned.
  KOKKOS_FUNCTION void begin(State& state, int teams) const {
    state.tickets[0] = look_back_.take_ticket();
    state.tickets[1] = {none, 0};
    if (look_back_.tiles() > static_cast<std::uint64_t>(teams)) {
      state.tickets[1] = look_back_.take_ticket();
    }
  }

  /// On to the next ticket.
  template <class Member>
  KOKKOS_FUNCTION void advance(Member const& team, State& state, Tickets& tickets) const {
    tickets.now = tickets.next;
    if (tickets.next >= look_back_.tiles()) return;
    team.team_barrier();
    if (team.team_rank() == 0) state.tickets[0] = look_back_.take_ticket();
    team.team_barrier();
    tickets.next = state.tickets[0].number;
  }

  /// Full tiles, until the tickets end or are the last, partial tile's, which is left in tickets.now.
  template <class Member>
  KOKKOS_FUNCTION void scan_full_tiles(Member const& team, State& state, std::uint32_t epoch,
                                       Tickets& tickets) const {
    Op const& op = look_back_.op();
    auto const full = static_cast<std::uint32_t>(n_ / tile_size);
    int const thread = team.team_rank();
    int const warp = thread / lanes::width;
    int const lane = thread % lanes::width;
    std::size_t const parking_size = TileParking::bytes;
    TileParking parking(team.team_scratch(0).get_shmem_aligned(parking_size, 16), thread);
    std::uint32_t partial = none;
    std::uint32_t next = tickets.next;
    std::uint32_t scanned = tickets.now;
    std::uint32_t looking = none;
    std::uint32_t leaving = none;
    Held held;             // of the tile scanned
    Held held_of_leaving;  // that of the one which looks back is parked
    int rows = 0;          // of the tile scanned; those before it have the rows before, in a circle
    if (scanned < full) {
      Read read;
      Tile(scanned, thread).read(source_, read);
      Tile(scanned, thread).scan(op, read, held, state.rows[rows]);
    }
    while (scanned < full || looking < full || leaving < full) {
      // A processor answers in the order of asking, so what is short and soon waited for goes first.
      // The read is waited for in this step: a wait in the next one would be for the read that it has
      // just asked for, too, as the hardware counts them together.
      bool const takes = thread == 0 && next < full;
      Ticket ticket;
      if (takes) ticket = look_back_.take_ticket();
      Glimpse<Value> seen;
      if (looking < full && warp < share_count) seen = look_back_.glimpse(looking, warp, lane);
      Read read;
      if (next < full) Tile(next, thread).read(source_, read);
      int const rows_of_looking = rows == 0 ? 2 : rows - 1;
      int const rows_of_leaving = 3 - rows - rows_of_looking;
      team.team_barrier();
      if (warp == clerk_warp && scanned < full) {
        send_total(state.rows[rows], scanned, epoch, lane);
      }
      if (leaving < full) {
        Tile(leaving, thread)
            .write(op, sink_, state.prefix, state.rows[rows_of_leaving], held_of_leaving);
      }
      if (warp < share_count && looking < full) {
        Value const total = state.rows[rows_of_looking][tile_rows - 1];
        Share<Value> const share = look_back_.look_back(looking, epoch, total, warp, lane, seen);
        if (lane == 0) state.shares[warp] = share;
      }
      if (thread == 0) {
        state.tickets[0].number = takes ? ticket.number : none;
      }
      team.team_barrier();
      if (looking < full) {
        if (warp == combining_warp) keep_prefix(looking, epoch, state, lane);
        parking.get(held_of_leaving);
      }
      if (scanned < full) {
        parking.put(held);
      } else if (scanned < look_back_.tiles()) {
        partial = scanned;
      }
      leaving = looking;
      looking = scanned < full ? scanned : none;
      scanned = next;
      rows = rows_of_leaving;
      if (scanned < full) Tile(scanned, thread).scan(op, read, held, state.rows[rows]);
      next = state.tickets[0].number;
    }
    if (scanned < look_back_.tiles()) partial = scanned;
    if (next < look_back_.tiles()) partial = next;
    tickets = {partial, none};
    team.team_barrier();
  }

  /// By one warp.
  KOKKOS_FUNCTION void send_total(Value* rows, std::uint64_t tile, std::uint32_t epoch,
                                  int lane) const {
    Value const up_to = scan_row_totals(look_back_.op(), lane, rows);
    if (lane == lanes::width - 1) look_back_.send_tile_total(tile, epoch, up_to);
  }

  /// By one warp.
  KOKKOS_FUNCTION void keep_prefix(std::uint64_t tile, std::uint32_t epoch, State& state,
                                   int lane) const {
    Value const prefix = look_back_.combine(tile, epoch, state.shares, share_count, lane, true);
    if (lane == 0) state.prefix = prefix;
  }

  /// The same for large elements, of which registers hold only the tile that is being read and the one
  /// that is scanned and written.
  template <class Member>
  KOKKOS_FUNCTION void scan_large_tiles(Member const& team, State& state, std::uint32_t epoch,
                                        Tickets& tickets) const {
    Op const& op = look_back_.op();
    auto const full = static_cast<std::uint32_t>(n_ / tile_size);
    int const thread = team.team_rank();
    Read read;
    if (tickets.now < full) Tile(tickets.now, thread).read(source_, read);
    while (tickets.now < full) {
      Held held;
      Tile(tickets.now, thread).scan(op, read, held, state.rows[0]);
      bool const takes = thread == 0 && tickets.next < full;
      Ticket ticket;
      if (takes) ticket = look_back_.take_ticket();
      if (tickets.next < full) Tile(tickets.next, thread).read(source_, read);
      team.team_barrier();
      find_prefix(team, state, tickets.now, epoch);
      if (thread == 0) state.tickets[0].number = takes ? ticket.number : none;
      team.team_barrier();
      Tile(tickets.now, thread).write(op, sink_, state.prefix, state.rows[0], held);
      tickets = {tickets.next, state.tickets[0].number};
      team.team_barrier();
    }
  }

  /// A tile that is not full or not made of quads: elements are read one by one, and once more when they
  /// are written, so that few registers are held.
  template <class Member>
  KOKKOS_FUNCTION void scan_rows_of_tile(Member const& team, State& state, std::uint32_t epoch,
                                         std::uint64_t tile) const {
    scan_rows(team.team_rank(), tile, state.rows[0]);
    team.team_barrier();
    find_prefix(team, state, tile, epoch);
    team.team_barrier();
    write_rows(team.team_rank(), tile, state.prefix, state.rows[0]);
  }

  /// Of a tile that waits for it, the totals of its rows in state.rows[0]; these are scanned. A barrier
  /// follows.
  template <class Member>
  KOKKOS_FUNCTION void find_prefix(Member const& team, State& state, std::uint64_t tile,
                                   std::uint32_t epoch) const {
    int const warp = team.team_rank() / lanes::width;
    int const lane = team.team_rank() % lanes::width;
    Value* const rows = state.rows[0];
    if (warp == clerk_warp) send_total(rows, tile, epoch, lane);
    team.team_barrier();
    if (warp < share_count) {
      Share<Value> const share = look_back_.look_back(tile, epoch, rows[tile_rows - 1], warp, lane);
      if (lane == 0) state.shares[warp] = share;
    }
    team.team_barrier();
    if (warp == combining_warp) keep_prefix(tile, epoch, state, lane);
  }

  KOKKOS_FUNCTION static std::uint64_t begin_of(std::uint64_t tile, int row, int lane) {
    return tile * tile_size + static_cast<std::uint64_t>(row * row_size + lane * quad_size);
  }

  KOKKOS_FUNCTION void read_quad(std::uint64_t begin, Value (&x)[quad_size]) const {
    for (int j = 0; j < quad_size; ++j) {
      std::uint64_t const i = begin + static_cast<std::uint64_t>(j);
      x[j] = i < n_ ? to_value<Op>(source_(i)) : look_back_.op().identity();
    }
    scan_quad(look_back_.op(), x);
  }

  KOKKOS_FUNCTION void scan_rows(int thread, std::uint64_t tile, Value* totals) const {
    int const lane = thread % lanes::width;
    RIFFLE_NO_UNROLL
    for (int row = thread / lanes::width; row < tile_rows; row += warps) {
      Value x[quad_size];
      read_quad(begin_of(tile, row, lane), x);
      Value const scanned = scan_lanes(look_back_.op(), lane, x[quad_size - 1]);
      if (lane == lanes::width - 1) totals[row] = scanned;
    }
  }

  KOKKOS_FUNCTION void write_rows(int thread, std::uint64_t tile, Value const& prefix,
                                  Value const* rows) const {
    Op const& op = look_back_.op();
    int const lane = thread % lanes::width;
    RIFFLE_NO_UNROLL
    for (int row = thread / lanes::width; row < tile_rows; row += warps) {
      std::uint64_t const begin = begin_of(tile, row, lane);
      Value x[quad_size];
      read_quad(begin, x);
      Value before = before_row(op, rows, row, prefix);
      Value const scanned = scan_lanes(op, lane, x[quad_size - 1]);
      Value const quads_before = lanes::shuffle_up(scanned, lane, 1);
      if (lane > 0) before = op(before, quads_before);
      for (int j = 0; j < quad_size; ++j) {
        std::uint64_t const i = begin + static_cast<std::uint64_t>(j);
        if (i < n_) write_element(i, quad_prefix<Inclusive>(op, before, x, j));
      }
    }
  }

  KOKKOS_FUNCTION void write_element(std::uint64_t i, Value const& prefix) const {
    if constexpr (Sink::takes_items) {
      sink_(i, prefix, source_(i));
    } else {
      sink_(i, prefix);
    }
  }

  std::uint64_t n_;
  Source source_;
  Sink sink_;
  LookBack<Op> look_back_;
};

template <class Tiles, class Exec>
void launch_tiles(Context<Exec> const& context, std::uint64_t teams, Tiles const& kernel) {
  using Bounds =
      lanes::TeamBounds<Tiles::threads, Tiles::teams_per_processor, Tiles::scratch_bytes>;
  using Policy = Kokkos::TeamPolicy<Exec, Bounds>;
  auto policy = Policy(context.exec(), static_cast<int>(teams), Tiles::threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Tiles::scratch_bytes));
  Kokkos::parallel_for(context.label(), policy, kernel);
}

}  // namespace riffle::detail::scan
