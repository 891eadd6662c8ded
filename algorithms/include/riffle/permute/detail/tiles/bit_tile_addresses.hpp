#pragma once

// The addresses at which a permutation of bits reads and writes the elements of a tile: each is the exclusive or of
// a few entries of tables. An element of a tile has the number s in the order of reading and r in the order of
// writing (bit_tiling.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// The offset of an element in the array; `inside`: whether the matrix has this element.
template <class Index>
struct Place {
  Index offset;
  bool inside;
};

/// The addresses of a BitTiling, callable in kernels.
template <class Index_, int bits_>
class BitTileAddresses {
 public:
  using Index = Index_;
  static constexpr int bits = bits_;

  struct Tile {
    Index source;
    Index target;
    std::uint32_t shift;  // exclusive or with the scratch positions of loads
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
      tile_shift_[k - bits] = position(arrangement, tiling.write_order.column(k));
    }
  }

  std::uint64_t tiles() const { return tiles_; }

  KOKKOS_FUNCTION Tile tile(std::uint64_t t) const {
    Tile tile{0, origin_, shift_};
    for (int k = 0; k < max_bits_of_tiles; ++k) {
      if ((t >> k & 1) == 0) continue;
      tile.source ^= tile_source_[k];
      tile.target ^= tile_target_[k];
      tile.shift ^= tile_shift_[k];
    }
    return tile;
  }

  /// The part of a thread's read addresses that all its elements share: for the bits of s from `first` on that are the
  /// thread's number.
  template <int first>
  KOKKOS_FUNCTION Index read_start(Tile const& tile, std::uint32_t s) const {
    return tile.source ^ combine<first, first + thread_bits>(source_, s);
  }

  /// The address of an element of the thread, for the bits of s above the thread's number.
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
  std::uint32_t tile_shift_[max_bits_of_tiles] = {};
};

/// Two tiles that swap their elements.
template <class Tile>
struct TilePair {
  Tile own;
  Tile other;
  int count;  // 2: two tiles; 1: `own` and `other` are the same tile; 0: the team of `other` moves the pair
};

// --- in place ---

/// The addresses of an involution in place, whose tiles swap their elements in pairs.
template <class Index, int bits>
class PairedBitTileAddresses : public BitTileAddresses<Index, bits> {
 public:
  using Base = BitTileAddresses<Index, bits>;
  using Tile = typename Base::Tile;
  static constexpr int swapping_teams = teams_swapping_bits(bits);

  PairedBitTileAddresses(BitTiling const& tiling, Arrangement<bits> const& arrangement,
                         AffineBits const& partners)
      : Base(tiling, arrangement), origin_(static_cast<Index>(partners.origin)) {
    for (int k = bits; k < tiling.index_bits; ++k) {
      partner_[k - bits] = static_cast<Index>(partners.matrix.column(k - bits));
    }
  }

  /// The tile that swaps its elements with tile t.
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

  Index origin_;
  Index partner_[max_bits_of_tiles] = {};
};

}  // namespace riffle::detail::tiles
