#pragma once

// The scan of a GPU for elements that are too large for several tiles to stay in registers: a tile is read twice, from
// memory for its total and from the second-level cache for its prefixes.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/kernel/launch.hpp>
#include <riffle/kernel/look_back.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/scan/detail/gpu/plain_tile.hpp>
#include <riffle/scan/detail/gpu/prefix_finder.hpp>
#include <riffle/scan/detail/gpu/tickets.hpp>
#include <riffle/scan/detail/gpu/value_rows.hpp>

namespace riffle::detail::scan {

/// Teams that stay and take one tile at a time, a row of each warp at a time. Few registers are held, so several teams
/// run on a multiprocessor, and while one looks back others read and write.
template <class Source, class Sink, class Op, bool Inclusive>
class LargeValueTiles {
 public:
  using Value = typename Op::value_type;

  static constexpr std::uint64_t tile_size = detail::tile_size;
  static constexpr int threads = 256;
  // A thread holds the quad of one row, and as much again while lanes exchange it.
  static constexpr int teams_per_processor =
      sizeof(Value) <= 16 ? 3 : (sizeof(Value) <= 32 ? 2 : 1);

 private:
  using Rows = ValueRows<Source, Sink, Op, Inclusive, 1>;
  using Plain = PlainTile<Source, Sink, Op, Inclusive, threads>;
  using Box = TicketBox<Op>;
  using Finder = PrefixFinder<Op, threads>;

  static constexpr int rows_per_warp = tile_rows / (threads / lanes::width);

  /// The scratch memory through which the threads of a team meet.
  struct State {
    typename Box::State tickets;
    typename Finder::State finder;
    Value rows[tile_rows];
  };

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  LargeValueTiles(std::uint64_t n, Source const& source, Sink const& sink,
                  LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    int const thread = team.team_rank();
    Box const box(look_back_, state.tickets, thread);
    std::uint32_t epoch;
    Tickets tickets = box.begin(team, epoch);
    Finder const finder(look_back_, epoch, state.finder, thread);
    while (tickets.now < look_back_.tiles()) {
      scan_tile(team, state, finder, tickets.now);
      box.advance(team, tickets);
    }
    if (thread == 0) look_back_.finish(epoch);
  }

 private:
  template <class Member>
  KOKKOS_FUNCTION void scan_tile(Member const& team, State& state, Finder const& finder,
                                 std::uint64_t tile) const {
    bool const moves_quads =
        source_.has_quads() && sink_.has_quads() && (tile + 1) * tile_size <= n_;
    Plain const plain(n_, source_, sink_, look_back_.op(), tile, team.team_rank());
    if (moves_quads) {
      find_totals(tile, team.team_rank(), state.rows);
    } else {
      plain.scan(state.rows);
    }
    team.team_barrier();
    finder.find(team, tile, state.rows);
    team.team_barrier();
    if (moves_quads) {
      write_prefixes(tile, team.team_rank(), state.rows, finder.prefix());
    } else {
      plain.write(finder.prefix(), state.rows);
    }
  }

  /// Writes the totals of the rows to `rows`.
  KOKKOS_FUNCTION void find_totals(std::uint64_t tile, int thread, Value* rows) const {
    for_own_rows(tile, thread, [&](Rows const& own) {
      typename Rows::Held held;
      scan(own, held, [rows](int row, Value const& total) { rows[row] = total; });
    });
  }

  /// `rows` are the totals of the rows, scanned.
  KOKKOS_FUNCTION void write_prefixes(std::uint64_t tile, int thread, Value const* rows,
                                      Value const& prefix) const {
    for_own_rows(tile, thread, [&](Rows const& own) {
      typename Rows::Held held;
      scan(own, held, [](int, Value const&) {});
      own.write(look_back_.op(), sink_, prefix, rows, held);
    });
  }

  template <class Use>
  KOKKOS_FUNCTION void for_own_rows(std::uint64_t tile, int thread, Use const& use) const {
    int const first = thread / lanes::width * rows_per_warp;
    RIFFLE_NO_UNROLL
    for (int row = first; row < first + rows_per_warp; ++row) {
      use(Rows(tile, row, thread % lanes::width));
    }
  }

  template <class WriteTotal>
  KOKKOS_FUNCTION void scan(Rows const& own, typename Rows::Held& held,
                            WriteTotal const& write_total) const {
    typename Rows::Read read;
    own.read(source_, read);
    own.scan(look_back_.op(), read, held, write_total);
  }

  std::uint64_t n_;
  Source source_;
  Sink sink_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::scan
