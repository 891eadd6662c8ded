#pragma once

// The scan of a GPU: one kernel, in which elements stay in registers between their one read and their
// one write.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/quad_chunks.hpp>
#include <riffle/primitives/source.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/gpu/packed_tile.hpp>
#include <riffle/scan/detail/gpu/parking.hpp>
#include <riffle/scan/detail/gpu/plain_tile.hpp>
#include <riffle/scan/detail/gpu/prefix_finder.hpp>
#include <riffle/scan/detail/gpu/tickets.hpp>
#include <riffle/scan/detail/gpu/tile_places.hpp>
#include <riffle/scan/detail/gpu/value_tile.hpp>

namespace riffle::detail::scan {

/// Teams that stay, each with four tiles in flight (riffle/scan/detail/gpu/tile_places.hpp), or with two where elements
/// are large. Tile is what a team does with one: ValueTile or PackedTile. A tile that is not full, or cannot be moved by
/// quads, is scanned alone.
template <class Tile, class Source, class Sink, class Op, bool Inclusive>
class StayingTeams {
 public:
  using Value = typename Op::value_type;
  using Item = typename Source::Item;

  static constexpr std::uint64_t tile_size = Tile::size;
  static constexpr int threads = Tile::threads;
  static constexpr int teams_per_processor = threads <= 256 ? 2 : 1;

 private:
  using Plain = PlainTile<Tile, Source, Sink, Op, Inclusive>;
  using Read = typename Tile::Read;
  using Held = typename Tile::Held;
  using Box = TicketBox<Op>;
  using Finder = PrefixFinder<Op, threads>;

  static constexpr bool has_place_for_four = sizeof(Value) <= 8 && sizeof(Item) <= 8;
  /// Whether a team that has no next tile reads its own again, so that the read is not conditional. What is dear is
  /// asked for once, and larger values are spilled anyway.
  static constexpr bool always_reads = sizeof(Value) > 8 && sizeof(Value) <= 16 &&
                                       !DearSource<Source>;

  /// The scratch memory through which the threads of a team meet.
  struct State {
    typename Box::State tickets;
    typename Finder::State finder;
    Value rows[has_place_for_four ? TilePlaces::row_places : 1][tile_rows];
  };
  static_assert(team_state_bytes<State> <= max_scratch_bytes_of(threads),
                "the values of a scan on a GPU have at most 940 bytes: a team meets through 47 of "
                "them in its scratch memory");

  /// What waits in scratch memory: of four tiles in flight a whole one; of a tile of 16-byte values what finds no
  /// registers beside the tile that is being read.
  static constexpr bool parks = has_place_for_four || sizeof(Value) == sizeof(Chunk);
  using Parked = std::conditional_t<has_place_for_four, Held, typename Tile::Before>;
  static constexpr std::size_t room = max_scratch_bytes - team_state_bytes<State> - 16;
  using TileParking = Parking<Parked, threads, parks ? room : 0>;

 public:
  static constexpr std::size_t scratch_bytes =
      team_state_bytes<State> + (parks ? TileParking::bytes + 16 : 0);

  StayingTeams(std::uint64_t n, Source const& source, Sink const& sink,
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
    if (source_.has_quads() && sink_.has_quads()) {
      if constexpr (has_place_for_four) {
        scan_full_tiles(team, state, box, finder, tickets);
      } else {
        scan_large_tiles(team, state, box, finder, tickets);
      }
    }
    while (tickets.now < look_back_.tiles()) {
      scan_alone(team, state, finder, tickets.now);
      box.advance(team, tickets);
    }
    if (thread == 0) look_back_.finish(epoch);
  }

 private:
  KOKKOS_FUNCTION std::uint32_t full_tiles() const {
    return static_cast<std::uint32_t>(n_ / tile_size);
  }

  template <class Member>
  KOKKOS_FUNCTION TileParking parking_of(Member const& team) const {
    void* memory = nullptr;
    if constexpr (parks) {
      std::size_t const size = TileParking::bytes;
      memory = team.team_scratch(0).get_shmem_aligned(size, 16);
    }
    return {memory, team.team_rank()};
  }

  /// Scans full tiles, until the tickets end or are the partial tile's, which is left in tickets.now.
  template <class Member>
  KOKKOS_FUNCTION void scan_full_tiles(Member const& team, State& state, Box const& box,
                                       Finder const& finder, Tickets& tickets) const {
    Op const& op = look_back_.op();
    int const thread = team.team_rank();
    TileParking parking = parking_of(team);
    TilePlaces tiles(tickets, full_tiles());
    Held held;             // of the tile scanned
    Held held_of_leaving;  // that of the one which looks back is parked
    if (tiles.has_scanned()) {
      Read read;
      Tile(tiles.scanned(), thread).read(source_, read);
      Tile(tiles.scanned(), thread).scan(op, read, held, state.rows[tiles.rows_of_scanned()]);
    }
    while (tiles.has_scanned() || tiles.has_looking() || tiles.has_leaving()) {
      // A multiprocessor answers requests in their order, so short ones that are soon waited for go first. The read is
      // waited for in this step: a wait in the next one would also wait for the read that the next step has just asked
      // for, since the hardware counts the two together.
      std::uint32_t const ticket = box.ask(tiles.has_reading());
      Glimpse<Value> seen;
      if (tiles.has_looking()) seen = finder.glimpse(tiles.looking());
      Read read;
      if (tiles.has_reading()) Tile(tiles.reading(), thread).read(source_, read);
      team.team_barrier();
      if (tiles.has_scanned()) {
        finder.send_total(tiles.scanned(), state.rows[tiles.rows_of_scanned()]);
      }
      if (tiles.has_leaving()) {
        Value const* const rows = state.rows[tiles.rows_of_leaving()];
        Tile(tiles.leaving(), thread).write(op, sink_, finder.prefix(), rows, held_of_leaving);
      }
      if (tiles.has_looking()) {
        finder.look_back(tiles.looking(), state.rows[tiles.rows_of_looking()], seen);
      }
      box.put(ticket);
      team.team_barrier();
      if (tiles.has_looking()) {
        finder.combine(tiles.looking());
        parking.get(held_of_leaving);
      }
      if (tiles.has_scanned()) parking.put(held);
      tiles.move_on();
      if (tiles.has_scanned()) {
        Tile(tiles.scanned(), thread).scan(op, read, held, state.rows[tiles.rows_of_scanned()]);
      }
      tiles.begin_reading(box.get());
    }
    tickets = {tiles.take_partial(), no_tile};
    team.team_barrier();
  }

  /// The same for large elements, where registers hold only the tile that is being read and the one that is scanned and
  /// written; of 16-byte values a part of the latter is parked.
  template <class Member>
  KOKKOS_FUNCTION void scan_large_tiles(Member const& team, State& state, Box const& box,
                                        Finder const& finder, Tickets& tickets) const {
    Op const& op = look_back_.op();
    int const thread = team.team_rank();
    TileParking parking = parking_of(team);
    Read read;
    if (tickets.now < full_tiles()) Tile(tickets.now, thread).read(source_, read);
    while (tickets.now < full_tiles()) {
      Held held;
      Tile(tickets.now, thread).scan(op, read, held, state.rows[0]);
      if constexpr (parks) parking.put(held.before);
      bool const has_next = tickets.next < full_tiles();
      std::uint32_t const ticket = box.ask(has_next);
      // Were this conditional, the compiler would merge what is read with what `read` held before, by moves of
      // registers, which wait for the loads: the read would no longer overlap with the search for the prefix.
      if (always_reads || has_next) {
        Tile(has_next ? tickets.next : tickets.now, thread).read(source_, read);
      }
      team.team_barrier();
      finder.find(team, tickets.now, state.rows[0]);
      box.put(ticket);
      team.team_barrier();
      if constexpr (parks) parking.get(held.before);
      Tile(tickets.now, thread).write(op, sink_, finder.prefix(), state.rows[0], held);
      tickets = {tickets.next, box.get()};
      team.team_barrier();
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void scan_alone(Member const& team, State& state, Finder const& finder,
                                  std::uint64_t tile) const {
    Plain const plain(n_, source_, sink_, look_back_.op(), tile, team.team_rank());
    plain.scan(state.rows[0]);
    team.team_barrier();
    finder.find(team, tile, state.rows[0]);
    team.team_barrier();
    plain.write(finder.prefix(), state.rows[0]);
  }

  std::uint64_t n_;
  Source source_;
  Sink sink_;
  LookBack<Op> look_back_;
};

template <class Source, class Sink, class Op, bool Inclusive>
using ValueTiles =
    StayingTeams<ValueTile<Source, Sink, Op, Inclusive>, Source, Sink, Op, Inclusive>;

/// The same for elements of one or two bytes, where is_packed<Source, Sink, Op> and can_pack(source, sink).
template <class Source, class Sink, class Op, bool Inclusive>
using PackedTiles =
    StayingTeams<PackedTile<Source, Sink, Op, Inclusive>, Source, Sink, Op, Inclusive>;

}  // namespace riffle::detail::scan
