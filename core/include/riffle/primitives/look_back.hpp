#pragma once

// Prefixes of tiles in one pass over memory, by decoupled look-back:
//   D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA
//   Technical Report NVR-2016-002 (2016).
//
// Why it terminates under every schedule. The index of the tile that a team scans is not the team's league rank, but a
// ticket that the team takes when it runs. A team may take one ticket ahead. While a team waits for a message of ticket
// t, it has already sent the totals of all its own tickets up to t. Now consider the lowest ticket whose messages have
// not all been sent. A running team has taken this ticket. This team waits for no other team, because it waits only for
// messages of lower tickets, which have all been sent. So it sends the missing messages. The back end must guarantee
// that a team that has started makes progress. CUDA guarantees this for resident blocks since compute capability 7.0,
// operating systems guarantee it for threads, and for AMD GPUs it is assumed. AMD's lanes run in lockstep, so kernels
// call backend::reconverge() where a lane would hold back another one that has yet to send. It does not matter in which
// order teams start, or how many of them run at a time.
//
// A look-back is one step by several warps of a team. Each warp has a share:
//
//     tiles     ...  | bundle b - 2 | bundle b - 1 | tiles of bundle b before this team's tile | this team's tile
//     share of  ...  |    warp 2    |    warp 1    |                  warp 0                   |
//
// Warp 0 reads the totals of the tiles that precede this team's tile in bundle b, at most 31. Every other warp reads
// the prefix at the end of its bundle if this prefix has been sent, otherwise the totals of the bundle's tiles. Then
// the shares are combined, beginning with the nearest prefix. The order of combination depends only on n
// (riffle/primitives/tile_tree.hpp). The team of the last tile of a bundle sends the bundle's prefix.
//
// The state is stored in words that are zero when they are new (Workspace::messages):
//   word 0   lower half: the number of tickets that have been taken; upper half: the epoch
//   word 1   the number of teams that are done. The last team resets the tickets and begins the next epoch,
//            so that the next launch finds the same state, even if a graph replays the launch
//   then a message for each tile, and a message for each bundle

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
// A value of any type is sent as words of 64 bits. A reader that finds the expected tag in every word has received the
// whole value. This requires neither a fence nor an atomic operation wider than 64 bits, whatever the size of the
// value, because each word is stored and loaded as a whole. Tags of earlier launches never match, so the words are not
// cleared between launches.
//
//     bits 63 ... 34    33 ... 32    31 ... 0
//     epoch + 1         status       4 bytes of the value

/// The content of a message about a tile or bundle.
enum class Status : std::uint32_t { none = 0, total = 1, prefix = 2 };

/// Returns the tag of a message, made from the epoch of its launch and its status. The tags of 2^30 successive launches
/// are distinct, and no tag is 0.
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

  /// The words of a slot, as loaded by peek(). peek() does not wait for the loads; read() does.
  struct Peeked {
    std::uint64_t slot[words];
  };

  /// Returns the words of the message that sends `value`.
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

  /// Returns the status of the message in the slot, and sets `value` to its value. Returns Status::none if no message
  /// of this epoch has arrived completely; `value` is then overwritten by an unspecified value.
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

/// A ticket for a tile, or on a CPU for a unit, which is several tiles (scan/detail/cpu/cpu_scans.hpp). `number` counts
/// the tickets in the order in which they are taken; `epoch` identifies the launch.
struct Ticket {
  std::uint32_t number;
  std::uint32_t epoch;
};

/// The result of one warp's share of a look-back.
template <class Value>
struct Share {
  Value value;
  Value total;  // of the whole bundle, in share 0 of a bundle's last tile
  bool is_prefix;
};

/// The messages that one lane has loaded by a peek for its warp's share.
template <class Value>
struct PeekedShare {
  typename Message<Value>::Peeked total;   // of the lane's tile in the bundle
  typename Message<Value>::Peeked prefix;  // of the bundle
};

/// Accesses the tickets and messages of one launch, and performs the look-backs for its tiles.
template <class Op>
class LookBack {
 public:
  using Value = typename Op::value_type;

  static std::size_t words(std::uint64_t tiles) {
    return 2 + tiles * ValueMessage::words + bundle_count(tiles) * bundle_stride;
  }

  /// Requires that `memory` has words(tiles) words. `workers` is the number of teams (or threads of a CPU) that take
  /// tickets.
  LookBack(std::uint64_t* memory, std::uint64_t tiles, std::uint64_t workers, Op const& op,
           Value const& init)
      : memory_(memory), tiles_(tiles), workers_(workers), op_(op), init_(init) {}

  KOKKOS_FUNCTION Op const& op() const { return op_; }
  KOKKOS_FUNCTION Value const& init() const { return init_; }
  KOKKOS_FUNCTION std::uint64_t tiles() const { return tiles_; }

  /// Takes a ticket. One thread of a team calls this when the team starts to run, and again for each further tile of
  /// the team.
  KOKKOS_FUNCTION Ticket take_ticket() const {
    std::uint64_t const word = backend::fetch_add_relaxed(memory_, 1);
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }

  /// Returns whether `last`, a ticket of this launch, is the ticket that was taken last.
  KOKKOS_FUNCTION bool is_last(Ticket const& last) const {
    return backend::load_relaxed(memory_) == word_after(last);
  }

  /// Takes the ticket after `last`, unless it has already been taken. Returns whether this call has taken it.
  KOKKOS_FUNCTION bool take_ticket_after(Ticket const& last) const {
    std::uint64_t const word = word_after(last);
    return Kokkos::atomic_compare_exchange(memory_, word, word + 1) == word;
  }

  /// One thread of a team calls this once, when the team takes no more tickets and waits for no message.
  KOKKOS_FUNCTION void finish(std::uint32_t epoch) const {
    if (Kokkos::atomic_fetch_add(memory_ + 1, std::uint64_t{1}) + 1 < workers_) return;
    backend::store_relaxed(memory_ + 1, 0);
    backend::store_relaxed(memory_, (std::uint64_t{epoch} + 1) << 32);
  }

  KOKKOS_FUNCTION void send_tile_total(std::uint64_t tile, std::uint32_t epoch,
                                       Value const& total) const {
    ValueMessage::send(tile_slot(tile), total, epoch, Status::total);
  }

  // --- prefixes that another team sends (the scan by central prefixes) ---

  /// Returns whether the total of a tile has arrived.
  KOKKOS_FUNCTION bool receive_tile_total(std::uint64_t tile, std::uint32_t epoch,
                                          Value& total) const {
    return ValueMessage::receive(tile_slot(tile), total, epoch) == Status::total;
  }

  /// Sends a tile its prefix. The message overwrites the tile's total, which no other team needs any more.
  KOKKOS_FUNCTION void send_tile_prefix(std::uint64_t tile, std::uint32_t epoch,
                                        Value const& prefix) const {
    ValueMessage::send(tile_slot(tile), prefix, epoch, Status::prefix);
  }

  using PeekedPrefix = typename Message<Value>::Peeked;

  /// Loads the message about a tile, without waiting for the loads. The message may already be the tile's prefix.
  KOKKOS_FUNCTION PeekedPrefix peek_tile_prefix(std::uint64_t tile) const {
    return ValueMessage::peek(tile_slot(tile));
  }

  /// Returns the prefix that was sent to a tile. Waits for it. `seen` is the result of an earlier peek.
  KOKKOS_FUNCTION Value receive_tile_prefix(std::uint64_t tile, std::uint32_t epoch,
                                            PeekedPrefix const& seen) const {
    Value prefix = init_;
    if (ValueMessage::read(seen, prefix, epoch) == Status::prefix) return prefix;
    while (ValueMessage::receive(tile_slot(tile), prefix, epoch) != Status::prefix) backend::wait();
    return prefix;
  }

  // --- prefixes by look-back ---

  /// Loads the messages that look_back needs, without waiting for them, so that the loads can be in flight while the
  /// caller does other work. A lane for which there is no message loads some other message, because with a branch
  /// around the loads the compiler would wait for them.
  KOKKOS_FUNCTION PeekedShare<Value> peek(std::uint64_t tile, int share, int lane) const {
    std::uint64_t const own = tile / bundle_tiles;
    std::uint64_t const bundle = own - Kokkos::min(own, static_cast<std::uint64_t>(share));
    std::uint64_t const seen = bundle * bundle_tiles + static_cast<std::uint64_t>(lane);
    return {ValueMessage::peek(tile_slot(Kokkos::min(seen, tiles_ - 1))),
            ValueMessage::peek(bundle_slot(bundle))};
  }

  /// Returns the result of one share of a look-back from `tile`, whose total is `total`. Share 0 is the combination of
  /// the tiles that precede `tile` in its bundle b. Share s > 0 belongs to bundle b - s. It is the prefix at the end of
  /// that bundle if this prefix has been sent, otherwise the total of that bundle. All lanes of a GPU warp must call
  /// the function, and all receive the result.
  KOKKOS_FUNCTION Share<Value> look_back(std::uint64_t tile, std::uint32_t epoch,
                                         Value const& total, int share, int lane) const {
    return look_back(tile, epoch, total, share, lane, peek(tile, share, lane));
  }

  /// Overload with the messages that an earlier peek has loaded.
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

  /// Returns the prefix of `tile`, computed from the shares 0, ..., count - 1 of its look-back. Requires count <=
  /// backend::width. All lanes of a warp must call it, and all receive the result. `sends` is true in one warp of the
  /// team; this warp sends the bundle's prefix if `tile` is the last tile of its bundle.
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

  /// Sets totals[i] to the prefix of tile first + i, for i < count. On entry, totals[i] is the total of this tile.
  /// Requires that the tiles are in one bundle. Called by one CPU thread, after it has called send_tile_total for each
  /// of these tiles.
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

  /// The message of each bundle has its own cache line. All teams read the messages of the last bundles at the same
  /// time; separate lines spread these reads over the memory.
  static constexpr std::uint64_t line_words = 16;
  static constexpr std::uint64_t bundle_stride =
      (ValueMessage::words + line_words - 1) / line_words * line_words;

  /// Returns the value of word 0 if `last` is the ticket that was taken last.
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

  /// Returns the prefix at the end of a bundle if it has been sent, otherwise the bundle's total, computed from the
  /// totals of its tiles.
  KOKKOS_FUNCTION Share<Value> look_back_at_bundle(std::uint64_t bundle, std::uint32_t epoch,
                                                   int lane, PeekedShare<Value> const& seen) const {
    Value value = op_.identity();
    Value prefix = op_.identity();
    bool has_arrived = ValueMessage::read(seen.total, value, epoch) != Status::none;
    bool is_prefix = ValueMessage::read(seen.prefix, prefix, epoch) == Status::prefix;
    for (;;) {
      // Lanes may see the same message at different times, so lane 0 decides for all.
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

  /// Returns the prefix at the end of the bundle that precedes `bundle` by `distance`, or init if there is no such
  /// bundle. Waits for the prefix.
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
