#pragma once

// The prefix of each tile in one pass over memory: decoupled look-back,
//   D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA
//   Technical Report NVR-2016-002 (2016).
//
// Why it ends under every schedule. A team does not work on the tile of its league rank, but takes
// the next ticket when it runs, and may take one ahead. It waits only for messages about tickets below
// every one whose total it has still to send: for teams that run already, then, and of all tickets
// whose messages are still owed the lowest belongs to a team that waits for nobody. What is asked of
// the back end is that a team which has begun goes on: CUDA promises it to resident blocks from compute
// capability 7.0 on, operating systems to threads. Nothing is asked of the order in which teams start,
// or of how many run.
//
// A look-back is one step of all warps of a team, and combines in an order that depends on n alone
// (detail/tile_tree.hpp): the first warp reads the totals of the at most 31 tiles before the own one in
// its group, each other warp those of one of the groups before, or that group's prefix where it has been
// sent. Then the shares are combined from the nearest prefix on. The last tile of a group sends the
// group's prefix.
//
// The state lives in words that are zero when new (Workspace::messages):
//   word 0   tickets taken in the lower half, the epoch in the upper one,
//   word 1   teams that are done; the last one resets the tickets and begins the next epoch, so that
//            the next launch finds everything as this one did, also when a graph replays it,
//   then a message of each tile and of each group.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/detail/message.hpp>
#include <riffle/detail/tile_tree.hpp>
#include <riffle/lanes.hpp>
#include <riffle/monoid.hpp>

namespace riffle::detail {

/// A unit of work: its number in order of taking, and the launch it belongs to.
struct Ticket {
  std::uint32_t number;
  std::uint32_t epoch;
};

/// What one warp has found out.
template <class Value>
struct Share {
  Value value;
  Value total;  // of the whole group, in share 0 of a group's last tile
  bool is_prefix;
};

template <class Op>
class LookBack {
 public:
  using Value = typename Op::value_type;

  static std::size_t words(std::uint64_t tiles) {
    return 2 + (tiles + group_count(tiles)) * Message<Value>::words;
  }

  /// `memory` holds words(tiles) words; `workers` teams (or threads of a CPU) take tickets.
  LookBack(std::uint64_t* memory, std::uint64_t tiles, std::uint64_t workers, Op const& op,
           Value const& init)
      : memory_(memory), tiles_(tiles), workers_(workers), op_(op), init_(init) {}

  KOKKOS_FUNCTION Op const& op() const { return op_; }
  KOKKOS_FUNCTION std::uint64_t tiles() const { return tiles_; }

  /// One thread of a team calls it, when it starts to run and, where it goes on, for each tile.
  KOKKOS_FUNCTION Ticket take_ticket() const {
    std::uint64_t const word = Kokkos::atomic_fetch_add(memory_, std::uint64_t{1});
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }

  /// One thread of a team calls it once, when the team takes no more tickets and waits for nothing.
  KOKKOS_FUNCTION void finish(std::uint32_t epoch) const {
    if (Kokkos::atomic_fetch_add(memory_ + 1, std::uint64_t{1}) + 1 < workers_) return;
    lanes::store_relaxed(memory_ + 1, 0);
    lanes::store_relaxed(memory_, (std::uint64_t{epoch} + 1) << 32);
  }

  KOKKOS_FUNCTION void send_tile_total(std::uint64_t tile, std::uint32_t epoch,
                                       Value const& total) const {
    Mail::send(tile_slot(tile), total, epoch, Status::total);
  }

  /// One warp's part of a look-back from `tile`, whose own total is `total`: with share 0, what the tiles
  /// before it in its group combine to; with share s > 0, the prefix of group s before its own if that
  /// has been sent, else the total of that group. For the lanes of one warp of a GPU, which all get it.
  KOKKOS_FUNCTION Share<Value> look_back(std::uint64_t tile, std::uint32_t epoch,
                                         Value const& total, int share, int lane) const {
    auto const place = static_cast<int>(tile % group_tiles);
    std::uint64_t const group = tile / group_tiles;
    if (share == 0) return look_inside(group, place, epoch, total, lane);
    auto const distance = static_cast<std::uint64_t>(share);
    if (distance > group) return {init_, init_, true};
    return look_at_group(group - distance, epoch, lane);
  }

  /// The prefix of `tile` from the shares 0, ..., count - 1 of its look-back. One thread of the team
  /// `sends` what others wait for.
  KOKKOS_FUNCTION Value combine(std::uint64_t tile, std::uint32_t epoch, Share<Value> const* shares,
                                int count, bool sends) const {
    auto const place = static_cast<int>(tile % group_tiles);
    std::uint64_t const group = tile / group_tiles;
    int nearest = 1;
    while (nearest < count && !shares[nearest].is_prefix) ++nearest;
    Value before_group = nearest < count
                             ? shares[nearest].value
                             : prefix_after(group, static_cast<std::uint64_t>(count), epoch);
    for (int s = nearest - 1; s > 0; --s) before_group = op_(before_group, shares[s].value);
    if (sends && place == group_tiles - 1) {
      Mail::send(group_slot(group), op_(before_group, shares[0].total), epoch, Status::prefix);
    }
    return place == 0 ? before_group : op_(before_group, shares[0].value);
  }

  /// The prefixes of `count` tiles from `first` on, all of one group, with totals[i] that of tile
  /// first + i; they take the totals' place. For one thread of a CPU, after send_tile_total for each.
  void prefixes_by_thread(std::uint64_t first, int count, std::uint32_t epoch,
                          Value* totals) const {
    auto const place = static_cast<int>(first % group_tiles);
    std::uint64_t const group = first / group_tiles;
    Value in_group[lanes::width];
    for (int i = 0; i < lanes::width; ++i) in_group[i] = op_.identity();
    for (int i = 0; i < place; ++i) {
      while (Mail::receive(tile_slot(group * group_tiles + static_cast<std::uint64_t>(i)),
                           in_group[i], epoch) == Status::none) {
        lanes::wait();
      }
    }
    for (int i = 0; i < count; ++i) in_group[place + i] = totals[i];
    scan_all_lanes(op_, in_group);
    Value before_group = init_;
    while (group > 0 &&
           Mail::receive(group_slot(group - 1), before_group, epoch) != Status::prefix) {
      lanes::wait();
    }
    if (place + count == group_tiles) {
      Mail::send(group_slot(group), op_(before_group, in_group[group_tiles - 1]), epoch,
                 Status::prefix);
    }
    for (int i = 0; i < count; ++i) {
      totals[i] = place + i == 0 ? before_group : op_(before_group, in_group[place + i - 1]);
    }
  }

 private:
  using Mail = Message<Value>;

  static std::uint64_t group_count(std::uint64_t tiles) {
    return (tiles + group_tiles - 1) / group_tiles;
  }

  KOKKOS_FUNCTION std::uint64_t* tile_slot(std::uint64_t tile) const {
    return memory_ + 2 + tile * Mail::words;
  }

  KOKKOS_FUNCTION std::uint64_t* group_slot(std::uint64_t group) const {
    return tile_slot(tiles_ + group);
  }

  KOKKOS_FUNCTION Share<Value> look_inside(std::uint64_t group, int place, std::uint32_t epoch,
                                           Value const& total, int lane) const {
    Value value = lane == place ? total : op_.identity();
    bool has_come = lane >= place;
    while (!lanes::all(has_come)) {
      if (!has_come) has_come = receive_total(group, lane, epoch, value);
    }
    Value const scanned = scan_lanes(op_, lane, value);
    return {lanes::from_lane(scanned, place == 0 ? 0 : place - 1),
            lanes::from_lane(scanned, lanes::width - 1), false};
  }

  /// The prefix of a group where it has been sent, else its total from those of its tiles.
  KOKKOS_FUNCTION Share<Value> look_at_group(std::uint64_t group, std::uint32_t epoch,
                                             int lane) const {
    Value value = op_.identity();
    bool has_come = false;
    for (;;) {
      Value prefix;
      bool const is_prefix = Mail::receive(group_slot(group), prefix, epoch) == Status::prefix;
      if (!has_come) has_come = receive_total(group, lane, epoch, value);
      // Lanes may see the one message at different times: what lane 0 sees counts.
      if ((lanes::ballot(is_prefix) & 1) != 0) {
        prefix = lanes::from_lane(prefix, 0);
        return {prefix, prefix, true};
      }
      if (lanes::all(has_come)) break;
    }
    Value const scanned = scan_lanes(op_, lane, value);
    Value const total = lanes::from_lane(scanned, lanes::width - 1);
    return {total, total, false};
  }

  KOKKOS_FUNCTION bool receive_total(std::uint64_t group, int place, std::uint32_t epoch,
                                     Value& value) const {
    std::uint64_t const tile = group * group_tiles + static_cast<std::uint64_t>(place);
    return Mail::receive(tile_slot(tile), value, epoch) != Status::none;
  }

  /// What is up to the group `distance` before `group`: its prefix, or init before the first.
  KOKKOS_FUNCTION Value prefix_after(std::uint64_t group, std::uint64_t distance,
                                     std::uint32_t epoch) const {
    Value prefix = init_;
    if (distance > group) return prefix;
    while (Mail::receive(group_slot(group - distance), prefix, epoch) != Status::prefix)
      lanes::wait();
    return prefix;
  }

  std::uint64_t* memory_;
  std::uint64_t tiles_;
  std::uint64_t workers_;
  Op op_;
  Value init_;
};

}  // namespace riffle::detail
