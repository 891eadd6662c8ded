#pragma once

// The places where a permutation of bits reads and writes the elements of a tile: exclusive ors of a few table entries.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/gpu/by_teams.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// Where an element is; `inside` is false where there is none.
template <class Index>
struct Place {
  Index offset;
  bool inside;
};

/// A BitTiling for kernels. Indices have type Index; `shifts` says whether tiles may shift their r.
template <class Index_, int bits_, bool shifts>
class BitRoute {
 public:
  using Index = Index_;
  static constexpr int bits = bits_;

  struct Tile {
    Index source;
    Index target;
    std::uint32_t shift;  // the shift of the positions that are loaded
  };

  BitRoute(BitTiling const& tiling, Arrangement<bits> const& arrangement)
      : tiles_(std::uint64_t{1} << (tiling.index_bits - bits)),
        origin_(static_cast<Index>(tiling.origin)),
        shift_(position(arrangement, tiling.image_origin)) {
    for (int k = 0; k < bits; ++k) {
      source_[k] = static_cast<Index>(tiling.source.column(k));
      target_[k] = static_cast<Index>(tiling.target.column(k));
    }
    for (int k = bits; k < tiling.index_bits; ++k) {
      tile_source_[k - bits] = static_cast<Index>(tiling.source.column(k));
      tile_target_[k - bits] = static_cast<Index>(tiling.target.column(k));
      if constexpr (shifts) tile_shift_[k - bits] = position(arrangement, tiling.image.column(k));
    }
  }

  std::uint64_t tiles() const { return tiles_; }

  KOKKOS_FUNCTION Tile tile(std::uint64_t t) const {
    Tile tile{0, origin_, shift_};
    for (int k = 0; k < max_bits_of_tiles; ++k) {
      if ((t >> k & 1) == 0) continue;
      tile.source ^= tile_source_[k];
      tile.target ^= tile_target_[k];
      if constexpr (shifts) tile.shift ^= tile_shift_[k];
    }
    return tile;
  }

  /// Where a thread begins to read, given its bits of s, from bit `first` on.
  template <int first>
  KOKKOS_FUNCTION Index reader(Tile const& tile, std::uint32_t s) const {
    return tile.source ^ combine<first, first + thread_bits>(source_, s);
  }

  /// Where the thread reads an element, given the higher bits of s.
  template <int first>
  KOKKOS_FUNCTION Place<Index> source(Index reader, std::uint32_t s) const {
    return {reader ^ combine<first + thread_bits, bits>(source_, s), true};
  }

  template <int first>
  KOKKOS_FUNCTION Index writer(Tile const& tile, std::uint32_t r) const {
    return tile.target ^ combine<first, first + thread_bits>(target_, r);
  }

  template <int first>
  KOKKOS_FUNCTION Place<Index> target(Index writer, std::uint32_t r) const {
    return {writer ^ combine<first + thread_bits, bits>(target_, r), true};
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
  std::uint32_t tile_shift_[shifts ? max_bits_of_tiles : 1] = {};
};

/// Two tiles that exchange their elements, and whether the team of `own` moves them.
template <class Tile>
struct TilePair {
  Tile own;
  Tile other;
  int count;  // 0: the team of the other tile moves them; 1: both are one tile
};

// --- runs that are whole blocks ---
//
// Teams of an AlignedBitRoute read and write whole blocks of memory also where arrays begin inside a block.
//
// In an array that begins `lead` elements behind a block boundary, the last `lead` elements of a run share a block with
// the first elements of the next run. A team therefore takes, in place of the last elements of its tile's runs, those
// of the runs before them, which belong to the tile before. All teams replace the same elements, and tiles before are
// one to one with tiles, so that each element is moved once. The tile before is found by counting down some bits of the
// tile's index, round and round: where these begin anew, the runs are not neighbours, and their blocks are moved in
// parts. Either side has bits of its own, so that it does not matter in which order the steps to the tile before on
// either side are taken.

/// The step from where one tile is read and written to where another is, by exclusive or.
template <class Index>
struct TileStep {
  Index source = 0;
  Index target = 0;
};

/// The runs of one side, and the tiles whose runs lie before those of a tile.
template <class Index>
class RunsBefore {
 public:
  RunsBefore(int run_bits, std::uint32_t lead)
      : run_bits_(run_bits), lead_(lead & ((1u << run_bits) - 1)) {}

  bool can_grow() const { return lead_ != 0 && bits_ < max_bits; }

  /// The lowest bit of a run's place that is not counted yet.
  int next_bit() const { return run_bits_ + bits_; }

  /// Counts that bit, too. Host only.
  void grow(TileStep<Index> const& step) {
    TileStep<Index> const last = bits_ == 0 ? TileStep<Index>{} : steps_[bits_ - 1];
    steps_[bits_] = {last.source ^ step.source, last.target ^ step.target};
    top_ = 1u << bits_++;
  }

  /// The step from the tile at `place` on this side to the tile before. Counting down changes the bits up to the lowest
  /// one.
  KOKKOS_FUNCTION TileStep<Index> step(Index place) const {
    return steps_[backend::lowest_one(static_cast<std::uint32_t>(place >> run_bits_) | top_)];
  }

  /// Whether an element of a run is taken from the run before.
  KOKKOS_FUNCTION bool is_before(std::uint32_t place_in_run) const {
    return ((place_in_run + lead_) >> run_bits_ & 1) != 0;
  }

  KOKKOS_FUNCTION std::uint32_t place_in_run(std::uint32_t place) const {
    return place & ((1u << run_bits_) - 1);
  }

 private:
  // One block of 256 is then moved in parts.
  static constexpr int max_bits = 8;

  int run_bits_;
  int bits_ = 0;
  std::uint32_t lead_;
  std::uint32_t top_ = 1;
  TileStep<Index> steps_[max_bits] = {};
};

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

// --- in place ---
//
// The places where an involution of bits, in place, reads and writes the elements of two tiles that exchange them.
//
// Also where runs are taken from two tiles so that they are whole blocks, two tiles exchange
// their elements: what one takes from the tile before by the order of reading, its partner takes from the tile before by
// the order of writing, and the partner of the tile before by one order is the partner's tile before by the other.

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
