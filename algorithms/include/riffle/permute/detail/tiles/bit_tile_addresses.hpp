#pragma once

// The addresses at which the elements of a tile are read and written, for a permutation of bits or an affine map of
// bits. An address is the exclusive or of a few table entries. An element of a tile has index s in read order and index
// r in write order (bit_tiling.hpp).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// An element of a tile: its offset in the array, and whether it is inside the matrix.
template <class Index>
struct Place {
  Index offset;
  bool inside;
};

/// Computes the addresses of a BitTiling in kernels. If is_affine, tiles may have a nonzero `shift`; for a permutation
/// of bits, it is always 0.
template <class Index_, int bits_, bool is_affine>
class BitTileAddresses {
 public:
  using Index = Index_;
  static constexpr int bits = bits_;

  struct Tile {
    Index source;
    Index target;
    std::uint32_t shift;  // is combined by exclusive or with the scratch positions of loads
  };

  BitTileAddresses(BitTiling const& tiling, Arrangement<bits> const& arrangement)
      : tiles_(std::uint64_t{1} << (tiling.index_bits - bits)),
        origin_(static_cast<Index>(tiling.origin)),
        shift_(position(arrangement, tiling.write_order_origin)) {
    for (int k = 0; k < bits; ++k) {
      source_[k] = static_cast<Index>(tiling.source.column(k));
      target_[k] = static_cast<Index>(tiling.target.column(k));
    }
    for (int k = bits; k < tiling.index_bits; ++k) {
      tile_source_[k - bits] = static_cast<Index>(tiling.source.column(k));
      tile_target_[k - bits] = static_cast<Index>(tiling.target.column(k));
      if constexpr (is_affine) {
        tile_shift_[k - bits] = position(arrangement, tiling.write_order.column(k));
      }
    }
  }

  std::uint64_t tiles() const { return tiles_; }

  KOKKOS_FUNCTION Tile tile(std::uint64_t t) const {
    Tile tile{0, origin_, shift_};
    for (int k = 0; k < max_bits_of_tiles; ++k) {
      if ((t >> k & 1) == 0) continue;
      tile.source ^= tile_source_[k];
      tile.target ^= tile_target_[k];
      if constexpr (is_affine) tile.shift ^= tile_shift_[k];
    }
    return tile;
  }

  /// Returns the part of the read address that is the same for all elements of a thread. The bits of s starting at bit
  /// `first` are the thread's index.
  template <int first>
  KOKKOS_FUNCTION Index read_start(Tile const& tile, std::uint32_t s) const {
    return tile.source ^ combine<first, first + thread_bits>(source_, s);
  }

  /// Returns the read address of one of the thread's elements: read_start xor the table entries for the bits of s above
  /// the thread's index.
  template <int first>
  KOKKOS_FUNCTION Place<Index> source(Index read_start, std::uint32_t s) const {
    return {read_start ^ combine<first + thread_bits, bits>(source_, s), true};
  }

  template <int first>
  KOKKOS_FUNCTION Index write_start(Tile const& tile, std::uint32_t r) const {
    return tile.target ^ combine<first, first + thread_bits>(target_, r);
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> target(Index write_start, std::uint32_t r) const {
    return {write_start ^ combine<first + thread_bits, bits>(target_, r), true};
  }

 private:
  static constexpr int max_bits_of_tiles = 8 * sizeof(Index) - bits;

  static std::uint32_t position(Arrangement<bits> const& arrangement, std::uint64_t r) {
    return arrangement.template loaded<0, bits>(static_cast<std::uint32_t>(r));
  }

  std::uint64_t tiles_;
  Index origin_;
  std::uint32_t shift_;
  Index source_[bits];
  Index target_[bits];
  Index tile_source_[max_bits_of_tiles] = {};
  Index tile_target_[max_bits_of_tiles] = {};
  std::uint32_t tile_shift_[is_affine ? max_bits_of_tiles : 1] = {};
};

/// A pair of tiles that swap their elements.
template <class Tile>
struct TilePair {
  Tile own;
  Tile other;
  int count;  // 2: two tiles; 1: `own` and `other` are the same tile; 0: another team moves the pair
};

// --- runs that are whole memory blocks ---
//
// Suppose that an array begins `lead` elements after a block boundary. Then the last `lead` elements of a run are in
// the same block as the first elements of the next run. To move whole blocks, a team therefore replaces elements: for
// each run in its tile, it moves the last `lead` elements of the preceding run instead of the last `lead` elements of
// the run itself. For lead = 3:
//
//     runs             |0 1 2 3 4 5 6 7|0 1 2 3 4 5 6 7|0 1 2 3 4 5 6 7|
//     memory blocks              |               |               |
//     moved for the second run    5 6 7 0 1 2 3 4
//
// Take the preceding run of each run in a tile. These preceding runs all belong to one tile, the preceding tile. Each
// element is still moved exactly once, because every tile is the preceding tile of exactly one tile, and all teams
// replace elements with the same indices.
//
// The lowest bits of an address are the index in the run; the higher bits are bits of the tile's index. The preceding
// tile is found by subtracting 1 from the number that a few of these higher bits form (modulo its range). If the
// subtraction wraps around, the two runs are not neighbours, and their blocks are moved in parts. The source and the
// target subtract from different bits, so that the steps to the preceding tile in the source and in the target commute.

/// A step between two tiles: the exclusive or of their addresses, for the source and for the target.
template <class Index>
struct TileStep {
  Index source = 0;
  Index target = 0;
};

/// Finds the tile that precedes a tile on one side (the source or the target). A step is the exclusive or of the
/// addresses of two tiles.
template <class Index>
class PrecedingRuns {
 public:
  PrecedingRuns(int run_bits, std::uint32_t lead)
      : run_bits_(run_bits), lead_(lead & ((1u << run_bits) - 1)) {}

  bool can_add_bit() const { return lead_ != 0 && bits_ < max_bits; }

  /// Returns the lowest address bit that is not part of the index in the run and has not been added by add_bit().
  int next_bit() const { return run_bits_ + bits_; }

  /// Adds next_bit() to the bits that form the number from which 1 is subtracted. `step` is the step between two tiles
  /// that differ only in this bit. Host only.
  void add_bit(TileStep<Index> const& step) {
    TileStep<Index> const last = bits_ == 0 ? TileStep<Index>{} : steps_[bits_ - 1];
    steps_[bits_] = {last.source ^ step.source, last.target ^ step.target};
    top_ = 1u << bits_++;
  }

  /// Returns the step from the tile at `address` to its preceding tile on this side. Subtracting 1 inverts the lowest
  /// set bit and all bits below it.
  KOKKOS_FUNCTION TileStep<Index> step(Index address) const {
    return steps_[backend::lowest_one(static_cast<std::uint32_t>(address >> run_bits_) | top_)];
  }

  /// Whether a team moves this element of the preceding run instead of this element of its own run.
  KOKKOS_FUNCTION bool is_preceding(std::uint32_t index_in_run) const {
    return ((index_in_run + lead_) >> run_bits_ & 1) != 0;
  }

  KOKKOS_FUNCTION std::uint32_t index_in_run(std::uint32_t address) const {
    return address & ((1u << run_bits_) - 1);
  }

 private:
  // With 8 added bits, only one block in 256 is moved in parts.
  static constexpr int max_bits = 8;

  int run_bits_;
  int bits_ = 0;
  std::uint32_t lead_;
  std::uint32_t top_ = 1;
  TileStep<Index> steps_[max_bits] = {};
};

/// The number of elements between the last block boundary and the start of the array, for the source and the target
/// array.
struct BlockLeads {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
};

/// Returns the log2 of the run length on one side. `columns` are the columns of the tiling for this side.
inline int count_run_bits(BitMatrix const& columns, int bits) {
  int count = 0;
  while (count < bits && columns.column(count) == std::uint64_t{1} << count) ++count;
  return count;
}

/// Returns whether the runs on this side stay contiguous although a tile replaces the last `lead` elements of each run
/// on the other side. This is so if the elements of a run on this side are either all replaced or all kept, that is, if
/// their index in a run on this side does not determine whether they are among the last `lead` elements of a run on the
/// other side.
inline bool keeps_runs(BitMatrix const& write_order, int run_bits, int other_run_bits,
                       std::uint32_t lead) {
  std::uint32_t const indices = (1u << other_run_bits) - 1;
  if ((lead & indices) == 0) return true;
  std::uint64_t const determining = indices & ~((1u << std::countr_zero(lead)) - 1);
  for (int k = 0; k < run_bits; ++k) {
    if (write_order.column(k) & determining) return false;
  }
  return true;
}

/// The addresses for a permutation of bits if teams move whole memory blocks. The leads are set to 0 (no alignment) if
/// runs are so long that alignment matters little, or if alignment would split the runs.
template <class Index_, int bits_>
class AlignedBitTileAddresses : public BitTileAddresses<Index_, bits_, false> {
 public:
  using Base = BitTileAddresses<Index_, bits_, false>;
  using Index = Index_;
  static constexpr int bits = bits_;

  struct Tile : Base::Tile {
    TileStep<Index> to_preceding_read;
    TileStep<Index> to_preceding_written;
  };

  /// `paired` is for an involution in place. A tile and its partner must then have the same addresses on both sides.
  /// Therefore a bit is added to both sides or to neither.
  AlignedBitTileAddresses(BitTiling const& tiling, Arrangement<bits> const& arrangement,
                          BlockLeads const& leads, bool paired = false)
      : AlignedBitTileAddresses(tiling, arrangement, tile_write_order(tiling),
                                possible_leads(tiling, leads), paired) {}

  KOKKOS_FUNCTION Tile tile(std::uint64_t t) const {
    typename Base::Tile const tile = Base::tile(t);
    return {tile, read_.step(tile.source), written_.step(tile.target)};
  }

  /// Data that is the same for all elements of a thread. The address of an element on this side is `offset` xor a part
  /// that depends on the element, and also xor `step` if the other side takes the element from its preceding tile. To
  /// find this out, the element's index in a run on the other side is computed as `index_in_run` xor a part that
  /// depends on the element.
  struct ThreadStart {
    Index offset;
    std::uint32_t index_in_run;
    Index step;
  };

  template <int first>
  KOKKOS_FUNCTION ThreadStart read_start(Tile const& tile, std::uint32_t s) const {
    Index const offset = Base::template read_start<first>(tile, s);
    bool const is_preceding = read_.is_preceding(read_.index_in_run(s));
    return {is_preceding ? offset ^ tile.to_preceding_read.source : offset,
            combine<first, first + thread_bits>(index_in_written_run_, s),
            tile.to_preceding_written.source};
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> source(ThreadStart const& read_start, std::uint32_t s) const {
    Index const offset = Base::template source<first>(read_start.offset, s).offset;
    std::uint32_t const index =
        read_start.index_in_run ^ combine<first + thread_bits, bits>(index_in_written_run_, s);
    return {written_.is_preceding(index) ? offset ^ read_start.step : offset, true};
  }

  template <int first>
  KOKKOS_FUNCTION ThreadStart write_start(Tile const& tile, std::uint32_t r) const {
    Index const offset = Base::template write_start<first>(tile, r);
    bool const is_preceding = written_.is_preceding(written_.index_in_run(r));
    return {is_preceding ? offset ^ tile.to_preceding_written.target : offset,
            combine<first, first + thread_bits>(index_in_read_run_, r),
            tile.to_preceding_read.target};
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> target(ThreadStart const& write_start, std::uint32_t r) const {
    Index const offset = Base::template target<first>(write_start.offset, r).offset;
    std::uint32_t const index =
        write_start.index_in_run ^ combine<first + thread_bits, bits>(index_in_read_run_, r);
    return {read_.is_preceding(index) ? offset ^ write_start.step : offset, true};
  }

 private:
  AlignedBitTileAddresses(BitTiling const& tiling, Arrangement<bits> const& arrangement,
                          BitMatrix const& write_order, BlockLeads const& leads, bool paired)
      : Base(tiling, arrangement),
        read_(count_run_bits(tiling.source, bits), leads.source),
        written_(count_run_bits(tiling.target, bits), leads.target) {
    BitMatrix const inverse = write_order.inverse();
    for (int k = 0; k < bits; ++k) {
      index_in_written_run_[k] =
          written_.index_in_run(static_cast<std::uint32_t>(write_order.column(k)));
      index_in_read_run_[k] = read_.index_in_run(static_cast<std::uint32_t>(inverse.column(k)));
    }
    BitSpan used;
    bool adds = true;
    while (adds) adds = paired ? add_to_both(tiling, used) : add_to_either(tiling, used);
  }

  bool add_to_either(BitTiling const& tiling, BitSpan& used) {
    bool const read = add(read_, next_bit(read_, tiling.source, tiling, used), tiling);
    bool const written = add(written_, next_bit(written_, tiling.target, tiling, used), tiling);
    return read || written;
  }

  bool add_to_both(BitTiling const& tiling, BitSpan& used) {
    int const read = next_bit(read_, tiling.source, tiling, used);
    int const written = next_bit(written_, tiling.target, tiling, used);
    if (read == none || written == none) return false;
    return add(read_, read, tiling) && add(written_, written, tiling);
  }

  static constexpr int none = -1;

  /// Returns the bit of (t : s) that corresponds to next_bit() on one side, and marks this bit as used. Returns `none`
  /// if there is no such bit or if it is already in use.
  static int next_bit(PrecedingRuns<Index> const& runs, BitMatrix const& side,
                      BitTiling const& tiling, BitSpan& used) {
    if (!runs.can_add_bit()) return none;
    for (int k = bits; k < tiling.index_bits; ++k) {
      if (side.column(k) != std::uint64_t{1} << runs.next_bit()) continue;
      return used.insert(std::uint64_t{1} << k) ? k : none;
    }
    return none;
  }

  static bool add(PrecedingRuns<Index>& runs, int bit, BitTiling const& tiling) {
    if (bit == none) return false;
    runs.add_bit({static_cast<Index>(tiling.source.column(bit)),
                  static_cast<Index>(tiling.target.column(bit))});
    return true;
  }

  static BlockLeads possible_leads(BitTiling const& tiling, BlockLeads const& leads) {
    BitMatrix const write_order = tile_write_order(tiling);
    int const read = count_run_bits(tiling.source, bits);
    int const written = count_run_bits(tiling.target, bits);
    // The first condition ensures that all items of a thread have the same index in their runs.
    bool const possible = std::max(read, written) <= thread_bits &&
                          keeps_runs(write_order, read, written, leads.target) &&
                          keeps_runs(write_order.inverse(), written, read, leads.source);
    return possible ? leads : BlockLeads{};
  }

  PrecedingRuns<Index> read_;
  PrecedingRuns<Index> written_;
  std::uint32_t index_in_written_run_[bits];
  std::uint32_t index_in_read_run_[bits];
};

// --- in place ---
//
// Tiles can be swapped in pairs even if teams move whole memory blocks. The reason is a symmetry between a tile t and
// its partner u: if A is the preceding tile of t in the source, and B is the preceding tile of u in the target, then A
// and B are partners, too. So t reads elements of A where u writes elements of B.

/// The addresses for an involution in place. Its tiles swap their elements in pairs. If the involution is a permutation
/// of bits, teams move whole memory blocks.
template <class Index, int bits, bool is_affine>
class PairedBitTileAddresses
    : public std::conditional_t<is_affine, BitTileAddresses<Index, bits, true>,
                                AlignedBitTileAddresses<Index, bits>> {
 public:
  using Base = std::conditional_t<is_affine, BitTileAddresses<Index, bits, true>,
                                  AlignedBitTileAddresses<Index, bits>>;
  using Tile = typename Base::Tile;
  static constexpr int swapping_teams = teams_swapping_bits(bits);

  PairedBitTileAddresses(BitTiling const& tiling, Arrangement<bits> const& arrangement,
                         AffineBits const& partners, [[maybe_unused]] std::uint32_t lead)
      : Base(base(tiling, arrangement, lead)), origin_(static_cast<Index>(partners.origin)) {
    for (int k = bits; k < tiling.index_bits; ++k) {
      partner_[k - bits] = static_cast<Index>(partners.matrix.column(k - bits));
    }
  }

  /// Returns the tile that swaps its elements with tile t.
  KOKKOS_FUNCTION Index partner(std::uint64_t t) const {
    Index partner = origin_;
    for (int k = 0; k < max_bits_of_tiles; ++k) {
      if (t >> k & 1) partner ^= partner_[k];
    }
    return partner;
  }

  KOKKOS_FUNCTION TilePair<Tile> pair(std::uint64_t t) const {
    Index const other = partner(t);
    Tile const own = this->tile(t);
    if (other < t) return {own, own, 0};
    return {own, this->tile(other), other == t ? 1 : 2};
  }

 private:
  static constexpr int max_bits_of_tiles = 8 * sizeof(Index) - bits;

  static Base base(BitTiling const& tiling, Arrangement<bits> const& arrangement,
                   [[maybe_unused]] std::uint32_t lead) {
    if constexpr (is_affine) {
      return {tiling, arrangement};
    } else {
      return {tiling, arrangement, {lead, lead}, true};
    }
  }

  Index origin_;
  Index partner_[max_bits_of_tiles] = {};
};

}  // namespace riffle::detail::tiles
