#pragma once

// Prefixes of tiles that one team of a GPU computes for all other teams. This team, the prefix team, receives the totals of tiles,
// bundle by bundle, and sends each tile its prefix:
//
//     other teams  -- total of tile t -->  prefix team  -- prefix of tile t -->  other teams
//
// For each tile, another team waits for only one message, the prefix, whereas a look-back (riffle/primitives/look_back.hpp) would
// read many messages. The order of combination is the same as in a look-back.
//
// Why it terminates under every schedule. The prefix team takes the first ticket. It processes tiles by itself until
// another team has taken a ticket, because the GPU may have no space for another team before this one ends. That other
// team is running, and continues until no ticket is left. As soon as it has taken a ticket, the prefix team waits only
// for totals. Every team except the prefix team waits only for the prefix of a tile whose total it has sent, and it has
// also sent the totals of all its earlier tiles. Now consider the lowest tile whose total has not been sent. A running
// team has taken this tile or will take it. This team waits only for prefixes of lower tiles. The totals of all lower
// tiles have been sent to the prefix team, so these prefixes will arrive, and the team will send the missing total.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

/// The number of times that the first team checks whether another team has taken a ticket, before the first team
/// processes a tile by itself. Not measured.
inline constexpr int peeks_for_another_team = 64;

/// The index of no tile.
inline constexpr std::uint32_t no_tile = ~std::uint32_t{0};

// --- the prefix team ---

/// Per-thread interface of the prefix team. Its warps work in rounds. In round r, warp w sends the prefixes of the tiles in bundle
/// r Warps + w. When it has received all totals of its bundle, it passes the total of the bundle to the other warps through scratch
/// memory. The prefix of a bundle is the prefix of the round, combined with the totals of the lower warps' bundles:
///
///     round 0:  bundle 0 of warp 0,  bundle 1 of warp 1,  ...   -- total of each bundle -->   all warps
///     round 1:  bundle Warps of warp 0,  ...
template <class Op, int Warps>
class PrefixTeam {
  static_assert(Warps <= backend::width);

 public:
  using Value = typename Op::value_type;

 private:
  using ValueMessage = Message<Value>;

  /// A warp that sends its total of round r has ended round r - 1, for which it received all totals of round r - 2. So each other
  /// warp has sent its total of round r - 2, and before it received all totals of round r - 4, which are overwritten.
  static constexpr std::uint32_t kept_rounds = 4;

 public:
  /// State in scratch memory. totals[r % kept_rounds][w] is a message with the total of warp w's bundle in round r.
  struct State {
    std::uint64_t totals[kept_rounds][Warps][ValueMessage::words];
  };

  KOKKOS_FUNCTION PrefixTeam(LookBack<Op> const& look_back, std::uint32_t epoch, State& state,
                             int thread)
      : look_back_(look_back),
        epoch_(epoch),
        state_(state),
        warp_(thread / backend::width),
        lane_(thread % backend::width) {}

  /// Returns when every tile has been sent its prefix. Contains two team barriers.
  template <class Member>
  KOKKOS_FUNCTION void send_prefixes(Member const& team) const {
    if (lane_ < ValueMessage::words) {
      for (auto& totals : state_.totals) totals[warp_][lane_] = 0;
    }
    team.team_barrier();
    std::uint64_t const bundles = (look_back_.tiles() + bundle_tiles - 1) / bundle_tiles;
    Value before = look_back_.init();
    std::uint32_t round = 0;
    for (auto bundle = static_cast<std::uint64_t>(warp_); bundle < bundles; bundle += Warps) {
      before = send_bundle(round++, bundle, before);
    }
    team.team_barrier();
  }

 private:
  /// Sends the tiles of a bundle their prefixes, as totals arrive. Repeatedly sends prefixes to all tiles that precede the first tile
  /// whose total has not arrived. `before` is the prefix of the previous round; in round 0, of this round. Returns the prefix of this
  /// round.
  KOKKOS_FUNCTION Value send_bundle(std::uint32_t round, std::uint64_t bundle, Value before) const {
    std::uint64_t const tile = bundle * bundle_tiles + static_cast<std::uint64_t>(lane_);
    bool const is_tile = tile < look_back_.tiles();
    bool has_arrived = !is_tile;
    Value total = look_back_.op().identity();
    Value up_to = total;
    int arrived = 0;
    BundleTotals of_round(total, lane_, round == 0 ? 0 : Warps);
    BundleTotals lower(total, lane_, warp_);
    bool knows_round = round == 0;
    bool is_known = knows_round && warp_ == 0;
    Value before_bundle = before;
    for (int sent = 0; sent < bundle_tiles;) {
      backend::reconverge();
      if (arrived < bundle_tiles) {
        if (!has_arrived) has_arrived = receive_total(tile, total);
        arrived = count_from_first(has_arrived);
        if (arrived > sent) up_to = scan_lanes(look_back_.op(), lane_, total);
        if (arrived == bundle_tiles) send_bundle_total(round, up_to);
      }
      if (!knows_round) {
        knows_round = receive(round - 1, of_round);
        if (!knows_round) continue;
        before = add_totals(before, of_round.total, Warps);
      }
      if (!is_known) {
        is_known = receive(round, lower);
        if (!is_known) continue;
        before_bundle = add_totals(before, lower.total, warp_);
      }
      bool const is_next = is_tile && sent <= lane_ && lane_ < arrived;
      send_prefix(tile, is_next, before_bundle, up_to);
      sent = arrived;
    }
    return before;
  }

  /// The totals of the bundles of warps 0, ..., count - 1. Lane k receives the total of warp k.
  struct BundleTotals {
    KOKKOS_FUNCTION BundleTotals(Value const& identity, int lane, int count)
        : total(identity), has_arrived(lane >= count) {}

    Value total;
    bool has_arrived;
  };

  /// Receives totals of the round. Returns whether all have arrived.
  KOKKOS_FUNCTION bool receive(std::uint32_t round, BundleTotals& totals) const {
    if (!totals.has_arrived) totals.has_arrived = receive_bundle_total(round, totals.total);
    return backend::all(totals.has_arrived);
  }

  /// Combines `before` and the totals of lanes 0, ..., count - 1.
  KOKKOS_FUNCTION Value add_totals(Value before, Value const& total, int count) const {
    for (int k = 0; k < count; ++k) {
      before = look_back_.op()(before, backend::from_lane(total, k));
    }
    return before;
  }

  /// Returns whether a tile's total has arrived, and sets `total` only then. Until then the slot may contain a value of
  /// an earlier launch, or a part of a value, to which the operation must not be applied.
  KOKKOS_FUNCTION bool receive_total(std::uint64_t tile, Value& total) const {
    Value seen = total;
    if (!look_back_.receive_tile_total(tile, epoch_, seen)) return false;
    total = seen;
    return true;
  }

  /// Returns the number of consecutive lanes, starting at lane 0, for which `holds` is true.
  KOKKOS_FUNCTION static int count_from_first(bool holds) {
    std::uint32_t const others = ~backend::ballot(holds);
    return others == 0 ? backend::width : backend::lowest_one(others);
  }

  KOKKOS_FUNCTION void send_prefix(std::uint64_t tile, bool is_next, Value const& before,
                                   Value const& up_to) const {
    Value const inside = backend::shuffle_up(up_to, lane_, 1);
    if (!is_next) return;
    Value const prefix = lane_ == 0 ? before : look_back_.op()(before, inside);
    look_back_.send_tile_prefix(tile, epoch_, prefix);
  }

  /// Sends the total of the warp's bundle, which the last lane has. Warps that exchange words of scratch memory between barriers
  /// access these words only by atomic operations.
  KOKKOS_FUNCTION void send_bundle_total(std::uint32_t round, Value const& total) const {
    if (lane_ < backend::width - 1) return;
    auto const message = ValueMessage::encode(total, round, Status::total);
    std::uint64_t* const slot = state_.totals[round % kept_rounds][warp_];
    for (int w = 0; w < ValueMessage::words; ++w) {
      Kokkos::atomic_exchange(slot + w, message.slot[w]);
    }
  }

  /// Returns whether the total of the bundle of warp lane_ has arrived, and sets `total` only then.
  KOKKOS_FUNCTION bool receive_bundle_total(std::uint32_t round, Value& total) const {
    typename ValueMessage::Peeked seen;
    std::uint64_t* const slot = state_.totals[round % kept_rounds][lane_];
    for (int w = 0; w < ValueMessage::words; ++w) {
      seen.slot[w] = Kokkos::atomic_compare_exchange(slot + w, std::uint64_t{0}, std::uint64_t{0});
    }
    Value received = total;
    if (ValueMessage::read(seen, received, round) != Status::total) return false;
    total = received;
    return true;
  }

  LookBack<Op> const& look_back_;
  std::uint32_t epoch_;
  State& state_;
  int warp_;
  int lane_;
};

// --- tiles of the other teams ---

/// Hands out tiles. Ticket 0 belongs to the prefix team, and ticket t + 1 to tile t. Scratch memory has two slots for
/// tile indices, because in each step one slot is read and the other is written. The two slots swap these roles after
/// each step; `turn`, 0 or 1, is the index of the slot that is read.
template <class Op>
class TileDispenser {
 public:
  struct State {
    Ticket first;
    std::uint32_t tiles[2];
    bool is_taken;
  };

  KOKKOS_FUNCTION TileDispenser(LookBack<Op> const& look_back, State& state, int thread)
      : look_back_(look_back), state_(state), takes_(thread == 0) {}

  KOKKOS_FUNCTION static std::uint32_t tile_of(std::uint32_t ticket) { return ticket - 1; }

  /// Takes the team's first ticket. Contains one team barrier.
  template <class Member>
  KOKKOS_FUNCTION Ticket begin(Member const& team) const {
    if (takes_) state_.first = look_back_.take_ticket();
    team.team_barrier();
    return state_.first;
  }

  /// Takes the ticket after `last`, unless another team has taken it. If `last` is ticket 0, first waits a while for
  /// another team to take ticket 1. Returns whether this team has taken the ticket. Contains one team barrier.
  template <class Member>
  KOKKOS_FUNCTION bool take_if_alone(Member const& team, Ticket const& last) const {
    if (takes_) {
      // If other teams start at all, they start soon after the first team. Teams that start later take tickets while
      // this team processes a tile.
      int const peeks = last.number == 0 && team.league_size() > 1 ? peeks_for_another_team : 0;
      for (int peek = 0; peek < peeks && look_back_.is_last(last); ++peek) backend::wait();
      state_.is_taken = look_back_.take_ticket_after(last);
    }
    team.team_barrier();
    return state_.is_taken;
  }

  /// Requests a tile without waiting for the result; put() waits. Returns no_tile if `is_wanted` is false.
  KOKKOS_FUNCTION std::uint32_t ask(bool is_wanted) const {
    return takes_ && is_wanted ? tile_of(look_back_.take_ticket().number) : no_tile;
  }
  KOKKOS_FUNCTION void put(std::uint32_t tile, int turn) const {
    if (takes_) state_.tiles[turn] = tile;
  }
  /// Returns the tile index that put() stored for `turn`. A barrier must separate the two calls.
  KOKKOS_FUNCTION std::uint32_t get(int turn) const { return state_.tiles[turn]; }

 private:
  LookBack<Op> const& look_back_;
  State& state_;
  bool takes_;
};

// --- the prefixes of the tiles in flight ---

/// Per-thread interface through which a team that is not the prefix team sends totals and receives prefixes. The last warp of the
/// team (the prefix warp) does both. A team barrier separates the steps.
template <class Op, int Threads>
class PrefixWarp {
 public:
  using Value = typename Op::value_type;
  using Peeked = typename LookBack<Op>::PeekedPrefix;

  /// State in scratch memory. prefixes[turn] is read while the other entry is written.
  struct State {
    Value prefixes[2];
  };

  KOKKOS_FUNCTION PrefixWarp(LookBack<Op> const& look_back, std::uint32_t epoch, State& state,
                             int thread)
      : look_back_(look_back),
        epoch_(epoch),
        state_(state),
        lane_(thread % backend::width),
        is_prefix_warp_(thread / backend::width == Threads / backend::width - 1) {}

  /// Sends the total of a tile: the value that scan(lane) returns in the last lane. All lanes of the prefix warp call scan.
  template <class Scan>
  KOKKOS_FUNCTION void send_total(std::uint64_t tile, Scan const& scan) const {
    if (!is_prefix_warp_) return;
    Value const up_to = scan(lane_);
    if (lane_ == backend::width - 1) look_back_.send_tile_total(tile, epoch_, up_to);
  }

  /// Loads the message about the tile, without waiting for the loads. The message may already be the tile's prefix.
  KOKKOS_FUNCTION Peeked peek(std::uint64_t tile) const {
    Peeked seen;
    if (is_prefix_warp_) seen = look_back_.peek_tile_prefix(tile);
    return seen;
  }

  /// Waits for the tile's prefix, and stores it as the prefix of turn `turn`.
  KOKKOS_FUNCTION void receive(std::uint64_t tile, Peeked const& seen, int turn) const {
    // The prefix depends on the total that the last lane has sent.
    if (is_prefix_warp_) backend::reconverge();
    if (!is_prefix_warp_ || lane_ != 0) return;
    state_.prefixes[turn] = look_back_.receive_tile_prefix(tile, epoch_, seen);
  }

  /// Returns the prefix that receive() stored for turn `turn`. Valid after a team barrier.
  KOKKOS_FUNCTION Value const& of_turn(int turn) const { return state_.prefixes[turn]; }

 private:
  LookBack<Op> const& look_back_;
  std::uint32_t epoch_;
  State& state_;
  int lane_;
  bool is_prefix_warp_;
};

}  // namespace riffle::detail
