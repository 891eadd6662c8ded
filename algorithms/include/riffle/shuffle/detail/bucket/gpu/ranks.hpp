#pragma once

// How many places of a tile before a given one have its digit.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/detail/bucket/gpu/level.hpp>
#include <riffle/shuffle/detail/bucket/gpu/runs.hpp>

namespace riffle::detail::bucket_shuffle {

/// Ranks the places of a tile by their digits, stably, in scratch memory.
///
/// A unit of 256 places belongs to the sixteen lanes of half a warp, which take sixteen neighbouring
/// places at a time. A word for each unit and digit counts in its upper half, and in its lower half has a
/// bit for each of the sixteen lanes whose place has that digit: so one addition to the word, which all
/// lanes make together in any order, tells each of them how many came before.
class TileRanks {
 public:
  static constexpr int words = tile_units * buckets;

  /// `table` has `words` words, `sums` one for each warp.
  KOKKOS_FUNCTION TileRanks(std::uint32_t* table, std::uint32_t* sums, int thread)
      : table_(table), sums_(sums), thread_(thread) {}

  /// Clears the table. The team meets between this and the first count.
  KOKKOS_FUNCTION void clear() const {
    RIFFLE_UNROLL
    for (int k = 0; k < words / team_threads; ++k) table_[k * team_threads + thread_] = 0;
  }

  /// The number of places of the unit that have the digit of the thread's place, among those counted before and those
  /// of lower lanes now. Whole warps call this for one place of each lane, in order; a lane has no place where `exists`
  /// is false.
  KOKKOS_FUNCTION std::uint32_t rank(int digit, bool exists) const {
    std::uint32_t* const word = unit() + digit;
    int const lane = thread_ % digits_per_block;
    if (exists) backend::add_in_scratch(word, one_place | std::uint32_t{1} << lane);
    backend::synchronize();
    std::uint32_t const all = *word;
    std::uint32_t const from_here = (all & lane_bits) >> lane;
    backend::synchronize();
    bool const is_last = exists && from_here == 1;
    if (is_last) *word = all & ~lane_bits;
    backend::synchronize();
    return (all >> 16) - static_cast<std::uint32_t>(backend::count_ones(from_here));
  }

  /// To be called after all have counted, with barriers around: turns the table into where in the tile, sorted by
  /// digit, the places of each unit and digit begin. Thread d has digit d: it returns the run of its places.
  template <class Member>
  KOKKOS_FUNCTION Run scan(Member const& team) const {
    std::uint32_t before_unit[tile_units];
    std::uint32_t size = 0;
    RIFFLE_UNROLL
    for (int u = 0; u < tile_units; ++u) {
      before_unit[u] = size;
      size += column(u) >> 16;
    }
    // One sum counts places, and above them runs that have any.
    static_assert(tile_places < one_run);
    std::uint32_t const before =
        exclusive_team_sum<warps>(team, sums_, size > 0 ? size + one_run : 0);
    std::uint32_t const begin = before % one_run;
    RIFFLE_UNROLL
    for (int u = 0; u < tile_units; ++u) column(u) = begin + before_unit[u];
    return {before / one_run, begin, size};
  }

  /// After scan(): the position of a place in the sorted tile, given its rank in the unit.
  KOKKOS_FUNCTION std::uint32_t position(int digit, std::uint32_t rank) const {
    return unit()[digit] + rank;
  }

 private:
  static constexpr std::uint32_t one_place = std::uint32_t{1} << 16;
  static constexpr std::uint32_t lane_bits = one_place - 1;
  static constexpr std::uint32_t one_run = std::uint32_t{1} << 16;
  static constexpr int warps = team_threads / backend::width;

  KOKKOS_FUNCTION std::uint32_t* unit() const {
    return table_ + thread_ / digits_per_block * buckets;
  }
  KOKKOS_FUNCTION std::uint32_t& column(int unit) const { return table_[unit * buckets + thread_]; }

  std::uint32_t* table_;
  std::uint32_t* sums_;
  int thread_;
};

// Of a tile some places of which may not exist, where exists(k) tells of a thread's place k. Ranks in units are bytes of
// words that the compiler knows by number: an array that a loop goes through would be in memory, and the compiler has whole
// tiles keep theirs there too; and sixteen copies of what is done for a place would take more registers than there are.

/// The ranks of the thread's places in their units, a byte each as digits are.
template <class Exists>
KOKKOS_FORCEINLINE_FUNCTION Philox4x32::Block rank_existing(TileRanks const& ranks,
                                                            Philox4x32::Block const& digits,
                                                            Exists const& exists) {
  Philox4x32::Block in_unit{};
  RIFFLE_UNROLL
  for (int word = 0; word < 4; ++word) {
    RIFFLE_NO_UNROLL
    for (int k = 0; k < 4; ++k) {
      std::uint32_t const rank = ranks.rank(byte_of(digits[word], k), exists(4 * word + k));
      in_unit[word] |= (rank & 0xFFu) << 8 * k;
    }
  }
  return in_unit;
}

/// After TileRanks::scan(): calls visit(k, digit, position in the sorted tile) for the thread's places.
template <class Exists, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void visit_existing(TileRanks const& ranks,
                                                Philox4x32::Block const& digits,
                                                Philox4x32::Block const& in_unit,
                                                Exists const& exists, Visit const& visit) {
  RIFFLE_UNROLL
  for (int word = 0; word < 4; ++word) {
    RIFFLE_NO_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (!exists(4 * word + k)) continue;
      int const own = byte_of(digits[word], k);
      auto const rank = static_cast<std::uint32_t>(byte_of(in_unit[word], k));
      visit(4 * word + k, own, ranks.position(own, rank));
    }
  }
}

}  // namespace riffle::detail::bucket_shuffle
