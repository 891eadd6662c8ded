#pragma once

// Prefixes of tiles in one pass over memory, found by decoupled look-back,
//   D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA
//   Technical Report NVR-2016-002 (2016).
//
// Why it ends under every schedule. A team does not work on the tile of its league rank, but takes
// the next ticket when it runs, and may take one ahead. It waits only for messages about tickets below
// every one whose total it has still to send: for teams that run already, then, and of all tickets
// whose messages are still owed the lowest belongs to a team that waits for nobody. The requirement on
// the back end is that a team which has begun goes on: CUDA promises it to resident blocks from compute
// capability 7.0 on, operating systems to threads. Nothing is asked of the order in which teams start,
// or of how many run.
//
// A look-back is one step of several warps of a team, and combines in an order that depends on n alone
// (riffle/primitives/tile_tree.hpp): the first warp reads the totals of the at most 31 tiles before the own one in
// its bundle, each other warp those of one of the bundles before, or that bundle's prefix where it has been
// sent. Then the shares are combined from the nearest prefix on. The last tile of a bundle sends the
// bundle's prefix.
//
// The state lives in words that are zero when new (Workspace::messages):
//   word 0   tickets taken in the lower half, the epoch in the upper one,
//   word 1   teams that are done; the last one resets the tickets and begins the next epoch, so that
//            the next launch finds everything as this one did, also when a graph replays it,
//   then a message of each tile and of each bundle.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

// --- messages ---
//
// A value of any type is sent as words of 64 bits: 32 bits of the value, and a tag of 32 bits that tells what it is and in
// which launch it was sent. A word is stored and loaded as a whole, so that a reader that sees the tag it waits for in every
// word has the whole value, without a fence and without an atomic wider than 64 bits, for values of any size. Tags of
// earlier launches match nothing, so the words are not cleared between launches.

/// The content of a message about its tile or bundle.
enum class Status : std::uint32_t { none = 0, total = 1, prefix = 2 };

/// The launch that a message belongs to: distinct for 2^30 launches in a row, never 0.
KOKKOS_INLINE_FUNCTION std::uint32_t message_tag(std::uint32_t epoch, Status status) {
  return (epoch + 1) << 2 | static_cast<std::uint32_t>(status);
}

template <class T>
struct Message {
  static constexpr int words = static_cast<int>((sizeof(T) + 3) / 4);

  KOKKOS_FUNCTION static void send(std::uint64_t* slot, T const& value, std::uint32_t epoch,
                                   Status status) {
    Peeked const peeked = encode(value, epoch, status);
    for (int w = 0; w < words; ++w) backend::store_relaxed(slot + w, peeked.slot[w]);
  }

  /// The words of a slot at a peek, which does not wait for the loads; reading it does.
  struct Peeked {
    std::uint64_t slot[words];
  };

  /// The words of a slot after a message has been sent there.
  KOKKOS_FUNCTION static Peeked encode(T const& value, std::uint32_t epoch, Status status) {
    std::uint32_t halves[words] = {};
    memcpy(halves, &value, sizeof(T));
    std::uint64_t const tag = std::uint64_t{message_tag(epoch, status)} << 32;
    Peeked peeked;
    for (int w = 0; w < words; ++w) peeked.slot[w] = tag | halves[w];
    return peeked;
  }

  KOKKOS_FUNCTION static Peeked peek(std::uint64_t const* slot) {
    Peeked peeked;
    for (int w = 0; w < words; ++w) peeked.slot[w] = backend::load_relaxed(slot + w);
    return peeked;
  }

  /// Returns the status of the message that has arrived: none, while some words belong to another message.
  KOKKOS_FUNCTION static Status receive(std::uint64_t const* slot, T& value, std::uint32_t epoch) {
    return read(peek(slot), value, epoch);
  }

  KOKKOS_FUNCTION static Status read(Peeked const& peeked, T& value, std::uint32_t epoch) {
    std::uint32_t halves[words];
    auto const tag = static_cast<std::uint32_t>(peeked.slot[0] >> 32);
    bool whole = true;
    for (int w = 0; w < words; ++w) {
      whole = whole && static_cast<std::uint32_t>(peeked.slot[w] >> 32) == tag;
      halves[w] = static_cast<std::uint32_t>(peeked.slot[w]);
    }
    memcpy(&value, halves, sizeof(T));
    if (!whole) return Status::none;
    if (tag == message_tag(epoch, Status::total)) return Status::total;
    if (tag == message_tag(epoch, Status::prefix)) return Status::prefix;
    return Status::none;
  }
};

// --- look-back ---

/// A unit of work: its number in order of taking, and the launch it belongs to.
struct Ticket {
  std::uint32_t number;
  std::uint32_t epoch;
};

/// The part of one warp in a look-back.
template <class Value>
struct Share {
  Value value;
  Value total;  // of the whole bundle, in share 0 of a bundle's last tile
  bool is_prefix;
};

/// The messages of which a warp's share is made, as one lane saw them at a peek.
template <class Value>
struct PeekedShare {
  typename Message<Value>::Peeked total;   // of the lane's tile in the bundle
  typename Message<Value>::Peeked prefix;  // of the bundle
};

template <class Op>
class LookBack {
 public:
  using Value = typename Op::value_type;

  static std::size_t words(std::uint64_t tiles) {
    return 2 + tiles * ValueMessage::words + bundle_count(tiles) * bundle_stride;
  }

  /// `memory` holds words(tiles) words; `workers` teams (or threads of a CPU) take tickets.
  LookBack(std::uint64_t* memory, std::uint64_t tiles, std::uint64_t workers, Op const& op,
           Value const& init)
      : memory_(memory), tiles_(tiles), workers_(workers), op_(op), init_(init) {}

  KOKKOS_FUNCTION Op const& op() const { return op_; }
  KOKKOS_FUNCTION Value const& init() const { return init_; }
  KOKKOS_FUNCTION std::uint64_t tiles() const { return tiles_; }

  /// One thread of a team calls this when the team starts to run and, where the team goes on, for each further tile.
  KOKKOS_FUNCTION Ticket take_ticket() const {
    std::uint64_t const word = backend::fetch_add_relaxed(memory_, 1);
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }

  /// Whether `last`, of this launch, is the last ticket that was taken.
  KOKKOS_FUNCTION bool is_last(Ticket const& last) const {
    return backend::load_relaxed(memory_) == word_after(last);
  }

  /// Takes the ticket after `last` if nobody has, and tells whether it did.
  KOKKOS_FUNCTION bool take_ticket_after(Ticket const& last) const {
    std::uint64_t const word = word_after(last);
    return Kokkos::atomic_compare_exchange(memory_, word, word + 1) == word;
  }

  /// One thread of a team calls this once, when the team takes no more tickets and waits for nothing.
  KOKKOS_FUNCTION void finish(std::uint32_t epoch) const {
    if (Kokkos::atomic_fetch_add(memory_ + 1, std::uint64_t{1}) + 1 < workers_) return;
    backend::store_relaxed(memory_ + 1, 0);
    backend::store_relaxed(memory_, (std::uint64_t{epoch} + 1) << 32);
  }

  KOKKOS_FUNCTION void send_tile_total(std::uint64_t tile, std::uint32_t epoch,
                                       Value const& total) const {
    ValueMessage::send(tile_slot(tile), total, epoch, Status::total);
  }

  // --- prefixes that are sent (the scan by central prefixes), in place of those that are looked for ---

  /// Whether the total of a tile has come.
  KOKKOS_FUNCTION bool receive_tile_total(std::uint64_t tile, std::uint32_t epoch,
                                          Value& total) const {
    return ValueMessage::receive(tile_slot(tile), total, epoch) == Status::total;
  }

  /// Sends a tile its prefix, in place of its total, which nobody but the sender has to read.
  KOKKOS_FUNCTION void send_tile_prefix(std::uint64_t tile, std::uint32_t epoch,
                                        Value const& prefix) const {
    ValueMessage::send(tile_slot(tile), prefix, epoch, Status::prefix);
  }

  using PeekedPrefix = typename Message<Value>::Peeked;

  /// Loads the prefix that a tile is sent, or what is in its place, without waiting for it.
  KOKKOS_FUNCTION PeekedPrefix peek_tile_prefix(std::uint64_t tile) const {
    return ValueMessage::peek(tile_slot(tile));
  }

  /// The prefix that a tile is sent, after a peek. Waits for it.
  KOKKOS_FUNCTION Value receive_tile_prefix(std::uint64_t tile, std::uint32_t epoch,
                                            PeekedPrefix const& seen) const {
    Value prefix = init_;
    if (ValueMessage::read(seen, prefix, epoch) == Status::prefix) return prefix;
    while (ValueMessage::receive(tile_slot(tile), prefix, epoch) != Status::prefix) backend::wait();
    return prefix;
  }

  // --- prefixes that are looked for ---

  /// Loads the messages that look_back will ask for, without waiting for them: they can be under way while the caller
  /// does something else. It loads from somewhere even where there is no message to look for, since a branch would
  /// wait.
  KOKKOS_FUNCTION PeekedShare<Value> peek(std::uint64_t tile, int share, int lane) const {
    std::uint64_t const own = tile / bundle_tiles;
    std::uint64_t const bundle = own - Kokkos::min(own, static_cast<std::uint64_t>(share));
    std::uint64_t const seen = bundle * bundle_tiles + static_cast<std::uint64_t>(lane);
    return {ValueMessage::peek(tile_slot(Kokkos::min(seen, tiles_ - 1))),
            ValueMessage::peek(bundle_slot(bundle))};
  }

  /// One warp's part of a look-back from `tile`, whose own total is `total`: with share 0, the combination of the tiles
  /// before it in its bundle; with share s > 0, the prefix of the bundle s before its own if that has been sent, else
  /// the total of that bundle. All lanes of one warp of a GPU call this, and all get the result.
  KOKKOS_FUNCTION Share<Value> look_back(std::uint64_t tile, std::uint32_t epoch,
                                         Value const& total, int share, int lane) const {
    return look_back(tile, epoch, total, share, lane, peek(tile, share, lane));
  }

  /// The same after a peek.
  KOKKOS_FUNCTION Share<Value> look_back(std::uint64_t tile, std::uint32_t epoch,
                                         Value const& total, int share, int lane,
                                         PeekedShare<Value> const& seen) const {
    auto const place = static_cast<int>(tile % bundle_tiles);
    std::uint64_t const bundle = tile / bundle_tiles;
    if (share == 0) return look_back_in_bundle(bundle, place, epoch, total, lane, seen);
    auto const distance = static_cast<std::uint64_t>(share);
    if (distance > bundle) return {init_, init_, true};
    return look_back_at_bundle(bundle - distance, epoch, lane, seen);
  }

  /// The prefix of `tile` from the shares 0, ..., count - 1 of its look-back, count <= backend::width. All lanes of a
  /// warp call this, and all get the result; one warp of the team `sends` what others wait for.
  KOKKOS_FUNCTION Value combine(std::uint64_t tile, std::uint32_t epoch, Share<Value> const* shares,
                                int count, int lane, bool sends) const {
    auto const place = static_cast<int>(tile % bundle_tiles);
    std::uint64_t const bundle = tile / bundle_tiles;
    Share<Value> const own = shares[lane < count ? lane : 0];
    std::uint32_t const prefixes = backend::ballot(0 < lane && lane < count && own.is_prefix);
    int const nearest = prefixes == 0 ? count : backend::lowest_one(prefixes);
    Value before_bundle = nearest < count
                              ? backend::from_lane(own.value, nearest)
                              : prefix_after(bundle, static_cast<std::uint64_t>(count), epoch);
    for (int s = nearest - 1; s > 0; --s) {
      before_bundle = op_(before_bundle, backend::from_lane(own.value, s));
    }
    if (sends && lane == 0 && place == bundle_tiles - 1) {
      ValueMessage::send(bundle_slot(bundle), op_(before_bundle, own.total), epoch, Status::prefix);
    }
    return place == 0 ? before_bundle : op_(before_bundle, backend::from_lane(own.value, 0));
  }

  /// Replaces the totals of `count` tiles from `first` on, all of one bundle, by their prefixes: totals[i] belongs to
  /// tile first + i. For one thread of a CPU, after send_tile_total for each tile.
  void replace_totals_by_prefixes(std::uint64_t first, int count, std::uint32_t epoch,
                                  Value* totals) const {
    auto const place = static_cast<int>(first % bundle_tiles);
    std::uint64_t const bundle = first / bundle_tiles;
    Value in_bundle[backend::width];
    for (int i = 0; i < backend::width; ++i) in_bundle[i] = op_.identity();
    for (int i = 0; i < place; ++i) {
      while (ValueMessage::receive(tile_slot(bundle * bundle_tiles + static_cast<std::uint64_t>(i)),
                                   in_bundle[i], epoch) == Status::none) {
        backend::wait();
      }
    }
    for (int i = 0; i < count; ++i) in_bundle[place + i] = totals[i];
    scan_all_lanes(op_, in_bundle);
    Value before_bundle = init_;
    while (bundle > 0 &&
           ValueMessage::receive(bundle_slot(bundle - 1), before_bundle, epoch) != Status::prefix) {
      backend::wait();
    }
    if (place + count == bundle_tiles) {
      ValueMessage::send(bundle_slot(bundle), op_(before_bundle, in_bundle[bundle_tiles - 1]),
                         epoch, Status::prefix);
    }
    for (int i = 0; i < count; ++i) {
      totals[i] = place + i == 0 ? before_bundle : op_(before_bundle, in_bundle[place + i - 1]);
    }
  }

 private:
  using ValueMessage = Message<Value>;

  /// All teams read the messages of the last bundles at the same time. Each of these messages has a line of its own, so
  /// that the reads do not all ask one part of the memory.
  static constexpr std::uint64_t line_words = 16;
  static constexpr std::uint64_t bundle_stride =
      (ValueMessage::words + line_words - 1) / line_words * line_words;

  /// Word 0 when `last` is the last ticket that was taken.
  KOKKOS_FUNCTION static std::uint64_t word_after(Ticket const& last) {
    return std::uint64_t{last.epoch} << 32 | (last.number + 1);
  }

  static std::uint64_t bundle_count(std::uint64_t tiles) {
    return (tiles + bundle_tiles - 1) / bundle_tiles;
  }

  KOKKOS_FUNCTION std::uint64_t* tile_slot(std::uint64_t tile) const {
    return memory_ + 2 + tile * ValueMessage::words;
  }

  KOKKOS_FUNCTION std::uint64_t* bundle_slot(std::uint64_t bundle) const {
    return tile_slot(tiles_) + bundle * bundle_stride;
  }

  KOKKOS_FUNCTION Share<Value> look_back_in_bundle(std::uint64_t bundle, int place,
                                                   std::uint32_t epoch, Value const& total,
                                                   int lane, PeekedShare<Value> const& seen) const {
    Value value = op_.identity();
    bool const was_seen = ValueMessage::read(seen.total, value, epoch) != Status::none;
    bool has_arrived = lane >= place || was_seen;
    if (lane >= place) value = lane == place ? total : op_.identity();
    while (!backend::all(has_arrived)) {
      if (!has_arrived) has_arrived = receive_total(bundle, lane, epoch, value);
    }
    Value const scanned = scan_lanes(op_, lane, value);
    return {backend::from_lane(scanned, place == 0 ? 0 : place - 1),
            backend::from_lane(scanned, backend::width - 1), false};
  }

  /// The prefix of a bundle where it has been sent, else its total from the totals of its tiles.
  KOKKOS_FUNCTION Share<Value> look_back_at_bundle(std::uint64_t bundle, std::uint32_t epoch,
                                                   int lane, PeekedShare<Value> const& seen) const {
    Value value = op_.identity();
    Value prefix = op_.identity();
    bool has_arrived = ValueMessage::read(seen.total, value, epoch) != Status::none;
    bool is_prefix = ValueMessage::read(seen.prefix, prefix, epoch) == Status::prefix;
    for (;;) {
      // Lanes may see the same message at different times: what lane 0 sees counts.
      if ((backend::ballot(is_prefix) & 1) != 0) {
        prefix = backend::from_lane(prefix, 0);
        return {prefix, prefix, true};
      }
      if (backend::all(has_arrived)) break;
      is_prefix = ValueMessage::receive(bundle_slot(bundle), prefix, epoch) == Status::prefix;
      if (!has_arrived) has_arrived = receive_total(bundle, lane, epoch, value);
    }
    Value const scanned = scan_lanes(op_, lane, value);
    Value const total = backend::from_lane(scanned, backend::width - 1);
    return {total, total, false};
  }

  KOKKOS_FUNCTION bool receive_total(std::uint64_t bundle, int place, std::uint32_t epoch,
                                     Value& value) const {
    std::uint64_t const tile = bundle * bundle_tiles + static_cast<std::uint64_t>(place);
    return ValueMessage::receive(tile_slot(tile), value, epoch) != Status::none;
  }

  /// The prefix at the end of the bundle `distance` before `bundle`, or init if there is no such bundle. Waits for it.
  KOKKOS_FUNCTION Value prefix_after(std::uint64_t bundle, std::uint64_t distance,
                                     std::uint32_t epoch) const {
    Value prefix = init_;
    if (distance > bundle) return prefix;
    while (ValueMessage::receive(bundle_slot(bundle - distance), prefix, epoch) != Status::prefix)
      backend::wait();
    return prefix;
  }

  std::uint64_t* memory_;
  std::uint64_t tiles_;
  std::uint64_t workers_;
  Op op_;
  Value init_;
};

}  // namespace riffle::detail
