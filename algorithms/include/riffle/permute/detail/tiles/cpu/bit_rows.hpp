#pragma once

// Reads the rows of a tile into a buffer, for a permutation of bits. Uses vector instructions where possible. Host
// only.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/cpu/tiles_by_threads.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// How a tile can be moved to the buffer with vectors of 2^lane_bits elements. Element k of row j moves to buffer index
/// places[j] xor places_in_row[k].
template <std::uint32_t rows, std::uint32_t length, int lane_bits>
class RowBlocks {
 public:
  /// How vector instructions move several vectors (a block) together. For vectors of four elements and bits = 1:
  ///
  ///     interleaved: one vector of each of 2^bits rows      a0 a1 a2 a3   b0 b1 b2 b3  ->  a0 b0 a1 b1   a2 b2 a3 b3
  ///     split: 2^bits vectors of a row                      a0 a1 a2 a3   a4 a5 a6 a7  ->  a0 a2 a4 a6   a1 a3 a5 a7
  ///
  /// Interleaving one row is a copy; interleaving 2^lane_bits rows is a transposition. `none`: elements are moved one
  /// by one.
  enum class Form { interleaved, split, none };

  RowBlocks(std::array<std::uint32_t, rows> const& places,
            std::array<std::uint16_t, length> const& places_in_row) {
    find_rows_in_place(places, in_row_of(places_in_row));
    group(places);
    find_form(places, places_in_row);
  }

  Form form() const { return form_; }

  /// The number of rows in a group that is read together.
  std::uint32_t rows_together() const { return form_ == Form::interleaved ? 1u << bits_ : 1; }

  /// Returns the index of the row that is read as number `place`. Rows are read in groups of rows_together(). Within a
  /// group, the buffer indices of elements k of all rows differ only in the lowest bits.
  std::uint32_t row(std::uint32_t place) const { return row_of_place_[place]; }

  /// Whether blocks can be used for a tile. `shift` is combined with all buffer indices of the tile by exclusive or.
  bool fit(std::uint32_t shift) const {
    return form_ != Form::none && shift % lanes / rows_together() == 0;
  }

  /// Calls the function for form(), with `bits` as a compile-time constant. Does nothing for Form::none.
  template <class Interleaved, class Split>
  void with_form(Interleaved const& interleaved, Split const& split) const {
    if (form_ == Form::interleaved) return with_constant<0, lane_bits>(interleaved);
    if (form_ == Form::split) return with_constant<1, max_split_bits>(split);
  }

 private:
  static constexpr std::uint32_t lanes = 1u << lane_bits;
  static_assert(length >= lanes);

  template <int from, int last, class Use>
  void with_constant(Use const& use) const {
    if (bits_ == from) return use(std::integral_constant<int, from>{});
    if constexpr (from < last) with_constant<from + 1, last>(use);
  }

  /// Returns the bits in which the buffer indices of a row differ.
  static std::uint32_t in_row_of(std::array<std::uint16_t, length> const& places_in_row) {
    std::uint32_t changed = 0;
    for (auto const place : places_in_row) changed |= place;
    return changed;
  }

  /// Finds the rows that move to buffer indices 1, 2, 4, ... Stops at the first such index for which there is no row,
  /// or whose bit differs between elements of the same row. Sets bits_ to the number of rows found.
  void find_rows_in_place(std::array<std::uint32_t, rows> const& places, std::uint32_t in_row) {
    for (bits_ = 0; bits_ < lane_bits; ++bits_) {
      std::uint32_t const bit = 1u << bits_;
      auto const row = std::find(places.begin(), places.end(), bit);
      if ((in_row & bit) != 0 || row == places.end()) break;
      row_of_bit_[static_cast<std::size_t>(bits_)] =
          static_cast<std::uint32_t>(row - places.begin());
    }
  }

  void group(std::array<std::uint32_t, rows> const& places) {
    std::uint32_t const width = 1u << bits_;
    std::uint32_t next = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (places[row] % width != 0) continue;
      for (std::uint32_t j = 0; j < width; ++j) {
        std::uint32_t member = row;
        for (int k = 0; k < bits_; ++k) {
          member ^= (j >> k & 1) != 0 ? row_of_bit_[static_cast<std::size_t>(k)] : 0;
        }
        row_of_place_[next++] = member;
      }
    }
  }

  void find_form(std::array<std::uint32_t, rows> const& places,
                 std::array<std::uint16_t, length> const& places_in_row) {
    form_ = Form::none;
    if (lane_bits == 0 || !begin_vectors(places)) return;
    if (fill_vectors(places_in_row, 0)) {
      form_ = Form::interleaved;
    } else if (bits_ == 0) {
      find_split(places_in_row);
    }
  }

  /// Whether the first row of each group moves to a buffer index at which a vector begins.
  bool begin_vectors(std::array<std::uint32_t, rows> const& places) const {
    for (std::uint32_t row = 0; row < rows; row += 1u << bits_) {
      if (places[row_of_place_[row]] % lanes != 0) return false;
    }
    return true;
  }

  void find_split(std::array<std::uint16_t, length> const& places_in_row) {
    for (int k = 1; k <= max_split_bits && (lanes << k) <= length; ++k) {
      if (!fill_vectors(places_in_row, k)) continue;
      bits_ = k;
      form_ = Form::split;
      return;
    }
  }

  /// Whether the elements of a row fill vectors of the buffer in ascending order. Let the lane of element k be the
  /// lowest lane_bits bits of its buffer index. The row determines the lowest bits_ bits of the lane. The function
  /// returns whether the other bits of the lane are bits first, first + 1, ... of k, in this order, and no other bit of
  /// k affects the lane.
  bool fill_vectors(std::array<std::uint16_t, length> const& places_in_row, int first) const {
    int place_bit = bits_;
    for (int k = 0; 1u << k < length; ++k) {
      std::uint32_t const place = places_in_row[1u << k];
      if (k < first || place_bit == lane_bits) {
        if (place % lanes != 0) return false;
      } else if (place != 1u << place_bit++) {
        return false;
      }
    }
    return place_bit == lane_bits;
  }

  std::array<std::uint32_t, rows> row_of_place_;
  std::array<std::uint32_t, lane_bits + 1> row_of_bit_{};
  Form form_;
  int bits_;
};

// --- tiles ---

/// The rows and runs of a tile. The tile consists of 2^row_bits contiguous rows in the source, and of 2^row_bits
/// contiguous runs in the target. Rows and runs have `length` elements each.
template <class T>
class BitRows {
 public:
  static constexpr int bits = tile_bits(sizeof(T));
  /// The log2 of the length of rows and runs. It is at most the tiling's a and at most its b (bit_tiling.hpp).
  static constexpr int length_bits = bits / 2;
  static constexpr int row_bits = bits - length_bits;
  static constexpr std::uint32_t rows = 1u << row_bits;
  static constexpr std::uint32_t length = 1u << length_bits;
  using Blocks = RowBlocks<rows, length, lane_bits<T>>;

  /// source_stride and target_stride are the strides of the arrays, in elements.
  BitRows(BitTiling const& tiling, AffineBits const& partners, std::uint64_t source_stride,
          std::uint64_t target_stride)
      : tiling_(tiling),
        partners_(partners),
        source_stride_(source_stride),
        target_stride_(target_stride),
        sources_(of_rows<std::uint64_t>(tiling.source)),
        targets_(of_rows<std::uint64_t>(tiling.target)),
        places_(of_rows<std::uint32_t>(tiling.write_order)),
        places_in_row_(of_columns(tiling.write_order)),
        blocks_(places_, places_in_row_) {}

  std::uint64_t tiles() const { return std::uint64_t{1} << (tiling_.index_bits - bits); }

  std::uint64_t target_stride() const { return target_stride_; }

  /// A common divisor of the distances between the starts of runs.
  std::uint64_t run_pitch() const { return length * target_stride_; }

  Blocks const& blocks() const { return blocks_; }

  /// Whether each tile is a single run in the target, as for a perfect shuffle. Such a tile needs no buffer.
  bool has_whole_targets() const {
    if (target_stride_ != 1) return false;
    for (std::uint32_t run = 0; run < rows; ++run) {
      if (targets_[run] != run << length_bits) return false;
    }
    return true;
  }

  /// The index in the target of a tile's first run.
  std::uint64_t target(std::uint64_t t) const {
    return tiling_.origin ^ tiling_.target * (t << bits);
  }

  /// Returns the tile to which the elements of tile t move.
  std::uint64_t partner(std::uint64_t t) const { return partners_(t); }

  /// Reads a tile into the buffer. The elements in the buffer are in write order.
  void read(std::uint64_t t, T const* in, T* stage) const {
    std::uint64_t const place = t << bits;
    std::uint64_t const source = tiling_.source * place;
    auto const shift =
        static_cast<std::uint32_t>(tiling_.write_order_origin ^ tiling_.write_order * place);
    if (source_stride_ == 1 && blocks_.fit(shift)) {
      blocks_.with_form([&](auto log2) { interleave<log2.value>(in, source, shift, stage); },
                        [&](auto log2) { split<log2.value>(in, source, shift, stage); });
      return;
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
      scatter_row(in + (source ^ sources_[row]) * source_stride_, source_stride_, length,
                  places_from(places_[row] ^ shift), stage);
    }
  }

  /// Prefetches the first rows of a tile.
  void prefetch(std::uint64_t t, T const* in) const {
    if (source_stride_ != 1 || blocks_.form() == Blocks::Form::none) return;
    std::uint64_t const source = tiling_.source * (t << bits);
    for (std::uint32_t j = 0; j < blocks_.rows_together(); ++j) {
      prefetch_elements(in + (source ^ sources_[blocks_.row(j)]), length);
    }
  }

  /// Calls use(target, first, length) for each run of a tile. Elements first, ..., first + length - 1 of the buffer are
  /// to be written to indices target, target + 1, ... of the target.
  template <class Use>
  void for_each_run(std::uint64_t t, Use const& use) const {
    std::uint64_t const first = target(t);
    for (std::uint32_t run = 0; run < rows; ++run) {
      use((first ^ targets_[run]) * target_stride_, run << length_bits, std::uint64_t{length});
    }
  }

 private:
  template <class Number>
  static std::array<Number, rows> of_rows(BitMatrix const& matrix) {
    std::array<Number, rows> products;
    for (std::uint32_t row = 0; row < rows; ++row) {
      products[row] = static_cast<Number>(matrix * (std::uint64_t{row} << length_bits));
    }
    return products;
  }

  static std::array<std::uint16_t, length> of_columns(BitMatrix const& matrix) {
    std::array<std::uint16_t, length> products;
    for (std::uint32_t k = 0; k < length; ++k) products[k] = static_cast<std::uint16_t>(matrix * k);
    return products;
  }

  /// Consider a row whose first element moves to buffer index `begin`. Returns a function from k to the buffer index of
  /// the row's element k.
  auto places_from(std::uint32_t begin) const {
    return [this, begin](std::uint64_t k) { return begin ^ places_in_row_[k]; };
  }

  template <int group_bits>
  void interleave(T const* in, std::uint64_t source, std::uint32_t shift, T* stage) const {
    constexpr std::uint32_t width = 1u << group_bits;
    for_each_group<width>(in, source, shift, [&](T const* const* from, std::uint32_t row) {
      std::uint32_t const begin = (places_[row] ^ shift) & ~(width - 1);
      interleave_rows<group_bits>(from, length, places_from(begin), stage);
    });
  }

  template <int column_bits>
  void split(T const* in, std::uint64_t source, std::uint32_t shift, T* stage) const {
    for_each_group<1>(in, source, 0, [&](T const* const* from, std::uint32_t row) {
      split_row<column_bits>(*from, length, places_from(places_[row] ^ shift), stage);
    });
  }

  /// Calls use(from, row) for each group of rows. `row` is the first row of the group; from[j] is the start of the row
  /// that moves to position j of the group. Prefetches the next group before each call.
  template <std::uint32_t width, class Use>
  void for_each_group(T const* in, std::uint64_t source, std::uint32_t shift,
                      Use const& use) const {
    constexpr std::uint32_t groups = rows / width;
    T const* from[width];
    T const* next[width];
    auto const find = [&](std::uint32_t group, T const** begins) {
      for (std::uint32_t j = 0; j < width; ++j) {
        begins[j] = in + (source ^ sources_[blocks_.row(group * width + (j ^ (shift % width)))]);
      }
    };
    find(0, next);
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (std::uint32_t j = 0; j < width; ++j) from[j] = next[j];
      if (group + 1 < groups) {
        find(group + 1, next);
        for (auto const* begin : next) prefetch_elements(begin, length);
      }
      use(from, blocks_.row(group * width));
    }
  }

  BitTiling tiling_;
  AffineBits partners_;
  std::uint64_t source_stride_;
  std::uint64_t target_stride_;
  std::array<std::uint64_t, rows> sources_;
  std::array<std::uint64_t, rows> targets_;
  std::array<std::uint32_t, rows> places_;
  std::array<std::uint16_t, length> places_in_row_;
  Blocks blocks_;
};

}  // namespace riffle::detail::tiles
