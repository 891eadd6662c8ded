#pragma once

// The scan of a GPU: one kernel, in which elements stay in registers between their one read and their
// one write.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include <riffle/detail/look_back.hpp>
#include <riffle/detail/scan/access.hpp>
#include <riffle/detail/scan/gpu_tile.hpp>
#include <riffle/detail/tile_tree.hpp>
#include <riffle/lanes.hpp>

namespace riffle::detail::scan {

/// Through which the threads of a team meet. Two of each: one is read while the other is written.
template <class Value>
struct TeamState {
  Ticket tickets[2];
  Share<Value> shares[2][lanes::width];
  Value rows[2][tile_rows];
};

/// The scratch memory that team_state asks for.
template <class Value>
inline constexpr std::size_t team_state_bytes = sizeof(TeamState<Value>) + 16;

template <class Value>
KOKKOS_INLINE_FUNCTION TeamState<Value>& team_state(auto const& team) {
  auto* const memory = team.team_scratch(0).get_shmem_aligned(sizeof(TeamState<Value>), 16);
  return *static_cast<TeamState<Value>*>(memory);
}

/// Teams that stay, each with three tiles in hand: one being read, one being scanned, and one whose total
/// was sent a step before, so that what it waits for has been sent by now or soon. What is not full, or
/// cannot be moved by quads, goes alone.
template <class Source, class Sink, class Op, bool Inclusive>
class ValueTiles {
 public:
  using Tile = ValueTile<Source, Sink, Op, Inclusive>;
  using Value = typename Op::value_type;
  using Item = typename Source::Item;

  static constexpr int threads = Tile::threads;
  static constexpr int warps = threads / lanes::width;
  static constexpr int teams_per_processor = threads <= 256 ? 2 : 1;
  static constexpr std::size_t scratch_bytes = team_state_bytes<Value>;

  ValueTiles(std::uint64_t n, Source const& source, Sink const& sink, LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<Value>(team);
    if (team.team_rank() == 0) take_first_tickets(state, team.league_size());
    team.team_barrier();
    Ticket const first = state.tickets[0];
    Tickets tickets{first.number, state.tickets[1].number};
    team.team_barrier();
    if (source_.has_quads() && sink_.has_quads())
      scan_full_tiles(team, state, first.epoch, tickets);
    while (tickets.now < look_back_.tiles()) {
      scan_rows_of_tile(team, state, first.epoch, tickets.now);
      advance(team, state, tickets);
    }
    if (team.team_rank() == 0) look_back_.finish(first.epoch);
  }

 private:
  using Rows = RowTotals<Value>;
  using Scanned = typename Tile::Scanned;
  using Read = typename Tile::Read;

  static constexpr std::uint64_t none = ~0u;

  struct Tickets {
    std::uint64_t now;
    std::uint64_t next;
  };

  /// Two where there are more tiles than teams, so that the second is read while the first is scanned.
  KOKKOS_FUNCTION void take_first_tickets(TeamState<Value>& state, int teams) const {
    state.tickets[0] = look_back_.take_ticket();
    state.tickets[1] = {static_cast<std::uint32_t>(none), 0};
    if (look_back_.tiles() > static_cast<std::uint64_t>(teams)) {
      state.tickets[1] = look_back_.take_ticket();
    }
  }

  /// On to the next ticket.
  template <class Member>
  KOKKOS_FUNCTION void advance(Member const& team, TeamState<Value>& state,
                               Tickets& tickets) const {
    tickets.now = tickets.next;
    if (tickets.next >= look_back_.tiles()) return;
    team.team_barrier();
    if (team.team_rank() == 0) state.tickets[0] = look_back_.take_ticket();
    team.team_barrier();
    tickets.next = state.tickets[0].number;
  }

  /// Full tiles, until the tickets end or are the last, partial tile's, which is left in tickets.now.
  template <class Member>
  KOKKOS_FUNCTION void scan_full_tiles(Member const& team, TeamState<Value>& state,
                                       std::uint32_t epoch, Tickets& tickets) const {
    Op const& op = look_back_.op();
    std::uint64_t const full = n_ / tile_size;
    int const thread = team.team_rank();
    std::uint64_t now = tickets.now;
    std::uint64_t next = tickets.next;
    std::uint64_t waiting = none;
    std::uint64_t partial = none;
    Read read_now;
    Read read_waiting;
    Scanned scanned_waiting;
    Rows rows_waiting;
    if (now < full) Tile(now, thread).read(source_, read_now);
    for (int step = 0; now < full || waiting < full; step ^= 1) {
      Read read_next;
      Scanned scanned_now;
      Rows rows_now;
      Ticket ticket{static_cast<std::uint32_t>(none), 0};
      if (next < full) {
        Tile(next, thread).read(source_, read_next);
        if (thread == 0) ticket = look_back_.take_ticket();
      }
      if (now < full) Tile(now, thread).scan(op, read_now, scanned_now, state.rows[step]);
      team.team_barrier();
      // The own total first: others wait for it, also while this team waits.
      if (now < full) send_total(state.rows[step], now, epoch, thread, rows_now);
      if (waiting < full) {
        look_back(waiting, epoch, rows_waiting.total(), thread, state.shares[step]);
      }
      if (thread == 0) state.tickets[step] = ticket;
      team.team_barrier();
      if (waiting < full) {
        Value const prefix = combine(waiting, epoch, state.shares[step], thread);
        Tile(waiting, thread).write(op, sink_, prefix, rows_waiting, scanned_waiting, read_waiting);
      }
      if (now >= full && now < look_back_.tiles()) partial = now;
      waiting = now;
      rows_waiting = rows_now;
      scanned_waiting = scanned_now;
      if constexpr (Sink::takes_items) read_waiting = read_now;
      now = next;
      read_now = read_next;
      next = state.tickets[step].number;
    }
    if (now < look_back_.tiles()) partial = now;
    if (next < look_back_.tiles()) partial = next;
    tickets = {partial, none};
    team.team_barrier();
  }

  KOKKOS_FUNCTION void send_total(Value const* totals, std::uint64_t tile, std::uint32_t epoch,
                                  int thread, Rows& rows) const {
    rows.gather(look_back_.op(), thread % lanes::width, totals);
    if (thread == lanes::width - 1) look_back_.send_tile_total(tile, epoch, rows.up_to);
  }

  KOKKOS_FUNCTION void look_back(std::uint64_t tile, std::uint32_t epoch, Value const& total,
                                 int thread, Share<Value>* shares) const {
    int const warp = thread / lanes::width;
    Share<Value> const share =
        look_back_.look_back(tile, epoch, total, warp, thread % lanes::width);
    if (thread % lanes::width == 0) shares[warp] = share;
  }

  KOKKOS_FUNCTION Value combine(std::uint64_t tile, std::uint32_t epoch, Share<Value> const* shares,
                                int thread) const {
    return look_back_.combine(tile, epoch, shares, warps, thread == 0);
  }

  /// A tile that is not full or not made of quads: elements are read one by one, and once more when they
  /// are written, so that few registers are held.
  template <class Member>
  KOKKOS_FUNCTION void scan_rows_of_tile(Member const& team, TeamState<Value>& state,
                                         std::uint32_t epoch, std::uint64_t tile) const {
    int const thread = team.team_rank();
    Rows rows;
    scan_rows(thread, tile, state.rows[0]);
    team.team_barrier();
    send_total(state.rows[0], tile, epoch, thread, rows);
    look_back(tile, epoch, rows.total(), thread, state.shares[0]);
    team.team_barrier();
    Value const prefix = combine(tile, epoch, state.shares[0], thread);
    write_rows(thread, tile, prefix, rows);
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
                                  Rows const& rows) const {
    Op const& op = look_back_.op();
    int const lane = thread % lanes::width;
    RIFFLE_NO_UNROLL
    for (int row = thread / lanes::width; row < tile_rows; row += warps) {
      std::uint64_t const begin = begin_of(tile, row, lane);
      Value x[quad_size];
      read_quad(begin, x);
      Value before = rows.before(op, row, prefix);
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
void launch_tiles(std::string const& label, Exec const& exec, std::uint64_t teams,
                  Tiles const& kernel) {
  using Policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Tiles::threads, Tiles::teams_per_processor>>;
  auto policy = Policy(exec, static_cast<int>(teams), Tiles::threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Tiles::scratch_bytes));
  Kokkos::parallel_for(label, policy, kernel);
}

}  // namespace riffle::detail::scan
