#pragma once

// A BitRoute whose teams read and write whole blocks of memory also where arrays begin inside a block.
//
// In an array that begins `lead` elements behind a block boundary, the last `lead` elements of a run share a block with
// the first elements of the next run. A team therefore takes, in place of the last elements of its tile's runs, those
// of the runs before them, which belong to the tile before. All teams replace the same elements, and tiles before are
// one to one with tiles, so that each element is moved once. The tile before is found by counting down some bits of the
// tile's index, round and round: where these begin anew, the runs are not neighbours, and their blocks are moved in
// parts. Either side has bits of its own, so that it does not matter in which order the steps to the tile before on
// either side are taken.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

#include <riffle/permute/detail/tiles/bit_matrix.hpp>
#include <riffle/permute/detail/tiles/bit_route.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/runs_before.hpp>

namespace riffle::detail::tiles {

/// How many elements behind a block boundary each array begins.
struct BlockLeads {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
};

/// The log2 of the length of a run, from the columns of a tiling.
inline int bits_of_run(BitMatrix const& columns, int bits) {
  int count = 0;
  while (count < bits && columns.column(count) == std::uint64_t{1} << count) ++count;
  return count;
}

/// Whether elements of a run that belong to one tile on the other side are neighbours: no bit of the run decides
/// whether a place on the other side is among the last `lead` of its run.
inline bool keeps_runs(BitMatrix const& image, int run_bits, int other_run_bits,
                       std::uint32_t lead) {
  std::uint32_t const places = (1u << other_run_bits) - 1;
  if ((lead & places) == 0) return true;
  std::uint64_t const deciding = places & ~((1u << std::countr_zero(lead)) - 1);
  for (int k = 0; k < run_bits; ++k) {
    if (image.column(k) & deciding) return false;
  }
  return true;
}

/// A route for permutations of bits. The leads count as 0 where runs are so long that alignment matters little, or
/// where it would break the runs.
template <class Index_, int bits_>
class AlignedBitRoute : public BitRoute<Index_, bits_, false> {
 public:
  using Base = BitRoute<Index_, bits_, false>;
  using Index = Index_;
  static constexpr int bits = bits_;

  struct Tile : Base::Tile {
    TileStep<Index> read_before;
    TileStep<Index> written_before;
  };

  /// With `pairs`, for an involution in place, a tile and its partner have the same places on both sides: neither side
  /// counts a bit that the other does not.
  AlignedBitRoute(BitTiling const& tiling, Arrangement<bits> const& arrangement,
                  BlockLeads const& leads, bool pairs = false)
      : AlignedBitRoute(tiling, arrangement, tile_image(tiling), possible_leads(tiling, leads),
                        pairs) {}

  KOKKOS_FUNCTION Tile tile(std::uint64_t t) const {
    typename Base::Tile const tile = Base::tile(t);
    return {tile, read_.step(tile.source), written_.step(tile.target)};
  }

  /// Where a thread begins, its place in runs of the other side, and the step for elements of runs before on that side.
  struct Walk {
    Index offset;
    std::uint32_t place;
    Index step;
  };

  template <int first>
  KOKKOS_FUNCTION Walk reader(Tile const& tile, std::uint32_t s) const {
    Index const offset = Base::template reader<first>(tile, s);
    bool const before = read_.is_before(read_.place_in_run(s));
    return {before ? offset ^ tile.read_before.source : offset,
            combine<first, first + thread_bits>(place_written_, s), tile.written_before.source};
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> source(Walk const& reader, std::uint32_t s) const {
    Index const offset = Base::template source<first>(reader.offset, s).offset;
    std::uint32_t const place =
        reader.place ^ combine<first + thread_bits, bits>(place_written_, s);
    return {written_.is_before(place) ? offset ^ reader.step : offset, true};
  }

  template <int first>
  KOKKOS_FUNCTION Walk writer(Tile const& tile, std::uint32_t r) const {
    Index const offset = Base::template writer<first>(tile, r);
    bool const before = written_.is_before(written_.place_in_run(r));
    return {before ? offset ^ tile.written_before.target : offset,
            combine<first, first + thread_bits>(place_read_, r), tile.read_before.target};
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> target(Walk const& writer, std::uint32_t r) const {
    Index const offset = Base::template target<first>(writer.offset, r).offset;
    std::uint32_t const place = writer.place ^ combine<first + thread_bits, bits>(place_read_, r);
    return {read_.is_before(place) ? offset ^ writer.step : offset, true};
  }

 private:
  AlignedBitRoute(BitTiling const& tiling, Arrangement<bits> const& arrangement,
                  BitMatrix const& image, BlockLeads const& leads, bool pairs)
      : Base(tiling, arrangement),
        read_(bits_of_run(tiling.source, bits), leads.source),
        written_(bits_of_run(tiling.target, bits), leads.target) {
    BitMatrix const inverse = image.inverse();
    for (int k = 0; k < bits; ++k) {
      place_written_[k] = written_.place_in_run(static_cast<std::uint32_t>(image.column(k)));
      place_read_[k] = read_.place_in_run(static_cast<std::uint32_t>(inverse.column(k)));
    }
    BitSpan used;
    bool grows = true;
    while (grows) grows = pairs ? grow_both(tiling, used) : grow_either(tiling, used);
  }

  bool grow_either(BitTiling const& tiling, BitSpan& used) {
    bool const read = grow(read_, next_bit(read_, tiling.source, tiling, used), tiling);
    bool const written = grow(written_, next_bit(written_, tiling.target, tiling, used), tiling);
    return read || written;
  }

  bool grow_both(BitTiling const& tiling, BitSpan& used) {
    int const read = next_bit(read_, tiling.source, tiling, used);
    int const written = next_bit(written_, tiling.target, tiling, used);
    if (read == none || written == none) return false;
    return grow(read_, read, tiling) && grow(written_, written, tiling);
  }

  static constexpr int none = -1;

  /// The bit of a tile's index that is the next bit of one side, and that neither side has yet. It is used then.
  static int next_bit(RunsBefore<Index> const& runs, BitMatrix const& side, BitTiling const& tiling,
                      BitSpan& used) {
    if (!runs.can_grow()) return none;
    for (int k = bits; k < tiling.index_bits; ++k) {
      if (side.column(k) != std::uint64_t{1} << runs.next_bit()) continue;
      return used.insert(std::uint64_t{1} << k) ? k : none;
    }
    return none;
  }

  static bool grow(RunsBefore<Index>& runs, int bit, BitTiling const& tiling) {
    if (bit == none) return false;
    runs.grow({static_cast<Index>(tiling.source.column(bit)),
               static_cast<Index>(tiling.target.column(bit))});
    return true;
  }

  static BlockLeads possible_leads(BitTiling const& tiling, BlockLeads const& leads) {
    BitMatrix const image = tile_image(tiling);
    int const read = bits_of_run(tiling.source, bits);
    int const written = bits_of_run(tiling.target, bits);
    // All items of a thread are then at one place of their runs.
    bool const possible = std::max(read, written) <= thread_bits &&
                          keeps_runs(image, read, written, leads.target) &&
                          keeps_runs(image.inverse(), written, read, leads.source);
    return possible ? leads : BlockLeads{};
  }

  RunsBefore<Index> read_;
  RunsBefore<Index> written_;
  std::uint32_t place_written_[bits];
  std::uint32_t place_read_[bits];
};

}  // namespace riffle::detail::tiles
