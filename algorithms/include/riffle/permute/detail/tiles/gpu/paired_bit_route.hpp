#pragma once

// The places where an involution of bits, in place, reads and writes the elements of two tiles that exchange them.
//
// Also where runs are taken from two tiles so that they are whole blocks (aligned_bit_route.hpp), two tiles exchange
// their elements: what one takes from the tile before by the order of reading, its partner takes from the tile before by
// the order of writing, and the partner of the tile before by one order is the partner's tile before by the other.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/permute/detail/tiles/bit_matrix.hpp>
#include <riffle/permute/detail/tiles/bit_route.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/gpu/aligned_bit_route.hpp>
#include <riffle/permute/detail/tiles/gpu/arrangement.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// A route for an involution in place. Runs are whole blocks of memory where tiles do not shift their r.
template <class Index, int bits, bool shifts>
class PairedBitRoute
    : public std::conditional_t<shifts, BitRoute<Index, bits, true>, AlignedBitRoute<Index, bits>> {
 public:
  using Base =
      std::conditional_t<shifts, BitRoute<Index, bits, true>, AlignedBitRoute<Index, bits>>;
  using Tile = typename Base::Tile;
  static constexpr int exchanging_teams = teams_exchanging_bits(bits);

  PairedBitRoute(BitTiling const& tiling, Arrangement<bits> const& arrangement,
                 AffineBits const& partners, [[maybe_unused]] std::uint32_t lead)
      : Base(base(tiling, arrangement, lead)), origin_(static_cast<Index>(partners.origin)) {
    for (int k = bits; k < tiling.index_bits; ++k) {
      partner_[k - bits] = static_cast<Index>(partners.matrix.column(k - bits));
    }
  }

  /// The tile that exchanges its elements with tile t.
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
    if constexpr (shifts) {
      return {tiling, arrangement};
    } else {
      return {tiling, arrangement, {lead, lead}, true};
    }
  }

  Index origin_;
  Index partner_[max_bits_of_tiles] = {};
};

}  // namespace riffle::detail::tiles
