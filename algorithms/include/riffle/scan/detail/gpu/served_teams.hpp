#pragma once

// The scan of a GPU from memory to memory where there are many tiles: teams that stay, and wait for prefixes that one team
// finds for all (riffle/primitives/prefix_server.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/prefix_server.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/gpu/packed_tile.hpp>
#include <riffle/scan/detail/gpu/parking.hpp>
#include <riffle/scan/detail/gpu/plain_tile.hpp>
#include <riffle/scan/detail/gpu/prefix_clerk.hpp>
#include <riffle/scan/detail/gpu/prefix_finder.hpp>
#include <riffle/scan/detail/gpu/served_places.hpp>
#include <riffle/scan/detail/gpu/tickets.hpp>
#include <riffle/scan/detail/gpu/value_tile.hpp>

namespace riffle::detail::scan {

/// Tile is what a team does with one: ValueTile or PackedTile. The first team to come is the server; each other has
/// several tiles in flight (riffle/scan/detail/gpu/served_places.hpp). A tile that is not full is scanned alone. Source and
/// sink have quads.
template <class Tile, class Source, class Sink, class Op, bool Inclusive>
class ServedTeams {
 public:
  using Value = typename Op::value_type;

  static constexpr std::uint64_t tile_size = Tile::size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = threads <= 256 ? 2 : 1;

 private:
  using Plain = PlainTile<Tile, Source, Sink, Op, Inclusive>;
  using Read = typename Tile::Read;
  using Held = typename Tile::Held;
  using Server = PrefixServer<Op, threads / backend::width>;
  using Clerk = PrefixClerk<Op, threads>;
  using Finder = PrefixFinder<Op, threads>;
  using Box = ServedTicketBox<Op>;

  // Of two teams on a multiprocessor each has scratch memory for two tiles that wait, a single one for one of its larger
  // tiles.
  static constexpr int parking_places = teams_per_processor;
  static constexpr int places_in_registers = 1;
  using Parking = RowParking<Tile, parking_places>;
  using Places = ServedPlaces<places_in_registers + parking_places>;

  /// The scratch memory through which the threads of a team meet.
  struct State {
    typename Box::State tickets;
    typename Clerk::State clerk;
    typename Finder::State finder;
    typename Server::State server;
    Value rows[Places::row_places][tile_rows];
  };

  static constexpr bool moves_chunks = Tile::reads_chunks && Tile::writes_chunks;

 public:
  static constexpr std::size_t scratch_bytes = team_state_bytes<State> + Parking::bytes + 16;
  static constexpr bool is_possible = sizeof(Value) <= 8 && moves_chunks && Parking::is_possible &&
                                      scratch_bytes <= max_scratch_bytes;

  ServedTeams(std::uint64_t n, Source const& source, Sink const& sink,
              LookBack<Op> const& look_back)
      : n_(n), source_(source), sink_(sink), look_back_(look_back) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& state = team_state<State>(team);
    Box const box(look_back_, state.tickets, team.team_rank());
    Ticket const first = box.begin(team);
    if (first.number == 0) {
      serve(team, state, box, first.epoch);
    } else {
      scan_tiles(team, state, box, first);
    }
    if (team.team_rank() == 0) look_back_.finish(first.epoch);
  }

 private:
  /// A thread's part of the tiles in flight.
  struct InFlight {
    Places tiles;
    Parking parking;
    Held held[places_in_registers + 1];  // the last one is the next to be parked
  };

  KOKKOS_FUNCTION std::uint32_t full_tiles() const {
    return static_cast<std::uint32_t>(n_ / tile_size);
  }

  /// The server's part. As long as no other team has come it scans tiles itself: there may be no room for another
  /// before it ends.
  template <class Member>
  KOKKOS_FUNCTION void serve(Member const& team, State& state, Box const& box,
                             std::uint32_t epoch) const {
    int const thread = team.team_rank();
    Finder const finder(look_back_, epoch, state.finder, thread);
    std::uint32_t tile = 0;
    for (; tile < look_back_.tiles() && box.takes_alone(team, {tile, epoch}); ++tile) {
      scan_alone(team, state, tile, [&] {
        finder.find(team, tile, state.rows[0]);
        team.team_barrier();
        return finder.prefix();
      });
    }
    if (tile < look_back_.tiles()) Server(look_back_, epoch, state.server, thread).serve(team);
  }

  template <class Member>
  KOKKOS_FUNCTION void scan_tiles(Member const& team, State& state, Box const& box,
                                  Ticket const& first) const {
    Clerk const clerk(look_back_, first.epoch, state.clerk, team.team_rank());
    std::uint32_t const partial =
        scan_full_tiles(team, state, box, clerk, box.tile_of(first.number));
    if (partial >= look_back_.tiles()) return;
    scan_alone(team, state, partial, [&] {
      clerk.send_total(partial, state.rows[0]);
      clerk.receive(partial, clerk.glimpse(partial), 0);
      team.team_barrier();
      return clerk.prefix(0);
    });
  }

  /// Scans full tiles, until the tickets end. Returns what is behind them, or no_tile.
  template <class Member>
  KOKKOS_FUNCTION std::uint32_t scan_full_tiles(Member const& team, State& state, Box const& box,
                                                Clerk const& clerk, std::uint32_t first) const {
    int const thread = team.team_rank();
    std::size_t const bytes = Parking::bytes;
    InFlight own{Places(full_tiles()),
                 Parking(team.team_scratch(0).get_shmem_aligned(bytes, 16), thread),
                 {}};
    box.put(first, own.tiles.turn());
    for (;;) {
      team.team_barrier();
      own.tiles.begin_reading(box.get(own.tiles.turn()));
      if (!own.tiles.has_any()) return own.tiles.partial();
      step(state, box, clerk, own, thread);
      own.tiles.move_on();
    }
  }

  /// What is done between two barriers. The tile is read and scanned in one step: were it read in the step before, the
  /// prefix, which is waited for at the end, would come behind it.
  KOKKOS_FUNCTION void step(State& state, Box const& box, Clerk const& clerk, InFlight& own,
                            int thread) const {
    Places const& tiles = own.tiles;
    Tile const reading(tiles.reading(), thread);
    int const place = parking_places == 1 ? 0 : tiles.turn();
    std::uint32_t const next = box.ask(tiles.has_reading());
    Read read;
    if (tiles.has_reading()) reading.read(source_, read);
    if (tiles.has_scanned()) {
      clerk.send_total(tiles.scanned(), state.rows[tiles.rows_of_scanned()]);
    }
    if (tiles.has_leaving()) {
      write(own, clerk.prefix(tiles.turn()), state.rows[tiles.rows_of_leaving()], place, thread);
    }
    typename Clerk::Sight seen;
    if (tiles.has_next_to_leave()) seen = clerk.glimpse(tiles.next_to_leave());
    own.parking.put(own.held[places_in_registers], place);
    RIFFLE_UNROLL
    for (int k = places_in_registers; k > 0; --k) own.held[k] = own.held[k - 1];
    if (tiles.has_reading()) {
      reading.scan(look_back_.op(), read, own.held[0], state.rows[tiles.rows_of_reading()]);
    }
    if (tiles.has_next_to_leave()) {
      clerk.receive(tiles.next_to_leave(), seen, tiles.next_turn());
    }
    box.put(next, tiles.next_turn());
  }

  /// Writes the tile that is leaving.
  KOKKOS_FUNCTION void write(InFlight const& own, Value const& prefix, Value const* rows, int place,
                             int thread) const {
    Tile const tile(own.tiles.leaving(), thread);
    RIFFLE_UNROLL
    for (int r = 0; r < Tile::rows_per_warp; ++r) {
      tile.write_row(look_back_.op(), sink_, prefix, rows, r, own.parking.get(place, r));
    }
  }

  /// find() returns the prefix once state.rows[0] are the totals of the tile's rows, and has the team meet.
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

template <class Source, class Sink, class Op, bool Inclusive>
using ServedValueTiles =
    ServedTeams<ValueTile<Source, Sink, Op, Inclusive>, Source, Sink, Op, Inclusive>;

/// The same for elements of one or two bytes, where is_packed<Source, Sink, Op> and can_pack(source, sink).
template <class Source, class Sink, class Op, bool Inclusive>
using ServedPackedTiles =
    ServedTeams<PackedTile<Source, Sink, Op, Inclusive>, Source, Sink, Op, Inclusive>;

}  // namespace riffle::detail::scan
