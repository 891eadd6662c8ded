#pragma once

// Permutes the bits of indices: chooses the tiles and launches the kernels.

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/bit_tile_addresses.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/cpu/bit_rows.hpp>
#include <riffle/permute/detail/tiles/cpu/tiles_by_threads.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>

namespace riffle::detail::tiles {

// --- element by element ---

template <class T, class Sigma>
struct MoveElement {
  Strided<T const> in;
  Strided<T> out;
  Sigma sigma;

  KOKKOS_FUNCTION void operator()(std::uint64_t u) const {
    out.data[sigma(u) * out.stride] = in.data[u * in.stride];
  }
};

/// Swaps the elements u and sigma(u) of an involution, one pair at a time.
template <class T, class Sigma>
struct SwapElements {
  Strided<T> data;
  Sigma sigma;

  KOKKOS_FUNCTION void operator()(std::uint64_t u) const {
    std::uint64_t const v = sigma(u);
    if (v <= u) return;
    T const x = data.data[u * data.stride];
    data.data[u * data.stride] = data.data[v * data.stride];
    data.data[v * data.stride] = x;
  }
};

// --- by tiles ---

/// Whether the array can be read and written in 16-byte vectors starting at `data`.
template <class T>
bool is_wide(T const* data, std::uint64_t stride) {
  return fills_vectors(sizeof(T)) && stride == 1 &&
         reinterpret_cast<std::uintptr_t>(data) % vector_bytes == 0;
}

template <class T, bool wide, int bits>
Arrangement<bits> arrangement_of(BitMatrix const& write_order) {
  constexpr int lane = std::countr_zero(static_cast<unsigned>(Vector<T, wide>::count));
  return make_arrangement<bits>(write_order, sizeof(T), lane, lane);
}

/// Returns an object that moves the tiles of a permutation of bits or of an affine map.
template <class T, class Index, bool is_affine, bool wide>
auto bit_mover(BitTiling const& tiling, Strided<T const> const& in, Strided<T> const& out) {
  constexpr int bits = tile_bits(sizeof(T));
  auto const arrangement = arrangement_of<T, wide, bits>(tile_write_order(tiling));
  if constexpr (is_affine) {
    using Addresses = BitTileAddresses<Index, bits, true>;
    return TileMover<T, Addresses, wide>(Addresses(tiling, arrangement), arrangement, in, out);
  } else {
    using Addresses = AlignedBitTileAddresses<Index, bits>;
    BlockLeads const leads{lead_in_block(in.data, in.stride), lead_in_block(out.data, out.stride)};
    return TileMover<T, Addresses, wide>(Addresses(tiling, arrangement, leads), arrangement, in,
                                         out);
  }
}

/// Returns the mover that swaps the tiles of an involution.
template <class T, class Index, bool is_affine, bool wide>
auto paired_bit_mover(BitTiling const& tiling, AffineBits const& partners, Strided<T> const& data) {
  constexpr int bits = tile_bits(sizeof(T));
  using Addresses = PairedBitTileAddresses<Index, bits, is_affine>;
  auto const arrangement = arrangement_of<T, wide, bits>(tile_write_order(tiling));
  std::uint32_t const lead = lead_in_block(static_cast<T const*>(data.data), data.stride);
  return TileMover<T, Addresses, wide>(Addresses(tiling, arrangement, partners, lead), arrangement,
                                       {data.data, data.stride}, data);
}

/// Calls use(index, wide), where `index` has the index type and `wide` is a std::bool_constant. Kernels are compiled
/// only for the combinations that this function passes.
template <class T, class Use>
void with_launch_types(int index_bits, bool wide, Use const& use) {
  if constexpr (fills_vectors(sizeof(T))) {
    if (wide && index_bits <= 32) return use(std::uint32_t{}, std::true_type{});
    if (wide) return use(std::uint64_t{}, std::true_type{});
  }
  use(std::uint64_t{}, std::false_type{});
}

template <bool is_affine, class Exec, class T>
void move_bits_by_teams(Context<Exec> const& context, BitTiling const& tiling,
                        Strided<T const> const& in, Strided<T> const& out) {
  bool const wide = is_wide(in.data, in.stride) && is_wide(out.data, out.stride);
  with_launch_types<T>(tiling.index_bits, wide, [&](auto index, auto is_wide_type) {
    auto const mover =
        bit_mover<T, decltype(index), is_affine, is_wide_type.value>(tiling, in, out);
    launch_tiles(context, MoveTile<std::decay_t<decltype(mover)>>{mover});
  });
}

template <class Exec, class T>
void move_bits_by_threads(Context<Exec> const& context, BitTiling const& tiling,
                          Strided<T const> const& in, Strided<T> const& out) {
  using Rows = BitRows<T>;
  Rows const rows(tiling, {BitMatrix(0), 0}, in.stride, out.stride);
  move_by_threads<T>(context, rows, in.data, out.data, sizeof(T) << tiling.index_bits);
}

template <bool is_affine, class Exec, class T>
void swap_bits_by_teams(Context<Exec> const& context, BitTiling const& tiling,
                        AffineBits const& partners, Strided<T> const& data) {
  bool const wide = is_wide(data.data, data.stride);
  with_launch_types<T>(tiling.index_bits, wide, [&](auto index, auto is_wide_type) {
    auto const mover =
        paired_bit_mover<T, decltype(index), is_affine, is_wide_type.value>(tiling, partners, data);
    launch_tiles(context, SwapTiles<std::decay_t<decltype(mover)>>{mover});
  });
}

template <class Exec, class T>
void swap_bits_by_threads(Context<Exec> const& context, BitTiling const& tiling,
                          AffineBits const& partners, Strided<T> const& data) {
  using Rows = BitRows<T>;
  swap_by_threads<T>(context, Rows(tiling, partners, data.stride, data.stride), data.data);
}

// --- moving with teams or threads ---

template <bool by_teams>
inline constexpr TileOrder tile_order = by_teams ? TileOrder::writing : TileOrder::both_sides;

/// Returns the value of HalfBlocks for one array: `none` unless the array begins in the middle of a memory block.
template <class T>
int half_block_bit(T const* data, std::uint64_t stride) {
  std::uint32_t const lead = lead_in_block(data, stride);
  bool const is_half = lead * sizeof(T) == block_bytes / 2;
  return is_half ? std::countr_zero(lead) : HalfBlocks::none;
}

/// Returns how both arrays are aligned to memory blocks, if teams move an affine map. In all other cases, returns
/// `none` for both: for a permutation of bits AlignedBitTileAddresses aligns the runs, and CPU threads do not use the
/// alignment.
template <bool is_affine, bool by_teams, class T>
HalfBlocks half_blocks(Strided<T const> const& in, Strided<T> const& out) {
  if constexpr (is_affine && by_teams) {
    return {half_block_bit(in.data, in.stride), half_block_bit(out.data, out.stride)};
  } else {
    return {};
  }
}

/// Sets out(sigma(u)) = in(u) for u < 2^m, where `map` is sigma. If the array is smaller than a tile, or if elements
/// are large, elements are moved one at a time. is_affine: sigma may be any affine map, not only a permutation of bits.
template <bool is_affine, bool by_teams, class Exec, class T, class Sigma>
void run_bits(Context<Exec> const& context, Strided<T const> const& in, Strided<T> const& out,
              Sigma const& sigma, AffineBits const& map) {
  int const m = map.matrix.size();
  if constexpr (sizeof(T) <= max_tiled_element_bytes) {
    if (m >= tile_bits(sizeof(T))) {
      BitTiling const tiling = make_tiling(map, tile_bits(sizeof(T)), false, tile_order<by_teams>,
                                           half_blocks<is_affine, by_teams>(in, out));
      if constexpr (by_teams) {
        return move_bits_by_teams<is_affine>(context, tiling, in, out);
      } else {
        return move_bits_by_threads(context, tiling, in, out);
      }
    }
  }
  context.for_each(std::uint64_t{1} << m, MoveElement<T, Sigma>{in, out, sigma});
}

template <bool is_affine, bool by_teams, class Exec, class T, class Sigma>
void run_bits_in_place(Context<Exec> const& context, Strided<T> const& data, Sigma const& sigma,
                       AffineBits const& map) {
  int const m = map.matrix.size();
  if constexpr (sizeof(T) <= max_tiled_element_bytes) {
    if (m >= tile_bits(sizeof(T))) {
      BitTiling const tiling = make_tiling(map, tile_bits(sizeof(T)), true, tile_order<by_teams>);
      if constexpr (by_teams) {
        return swap_bits_by_teams<is_affine>(context, tiling, tile_partners(map, tiling), data);
      } else {
        return swap_bits_by_threads(context, tiling, tile_partners(map, tiling), data);
      }
    }
  }
  context.for_each(std::uint64_t{1} << m, SwapElements<T, Sigma>{data, sigma});
}

}  // namespace riffle::detail::tiles
