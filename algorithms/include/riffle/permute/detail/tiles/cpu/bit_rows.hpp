#pragma once

// A tile of a permutation of bits, moved by a thread of a CPU. Host only.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/permute/detail/tiles/bit_matrix.hpp>
#include <riffle/permute/detail/tiles/bit_route.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/cpu/scatter_rows.hpp>

namespace riffle::detail::tiles {

/// A tile is 2^row_bits rows, each contiguous where it is read, and as many runs, each contiguous where it is written,
/// all described by a few tables.
template <int bits_>
class BitRows {
 public:
  static constexpr int bits = bits_;
  static constexpr int length_bits = bits / 2;  // not above the tiling's a and b
  static constexpr int row_bits = bits - length_bits;
  static constexpr std::uint32_t rows = 1u << row_bits;
  static constexpr std::uint32_t length = 1u << length_bits;

  /// The strides are those of arrays whose elements may not be contiguous.
  BitRows(BitTiling const& tiling, AffineBits const& partners, std::uint64_t source_stride,
          std::uint64_t target_stride)
      : tiling_(tiling),
        partners_(partners),
        source_stride_(source_stride),
        target_stride_(target_stride) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      std::uint64_t const place = std::uint64_t{row} << length_bits;
      sources_[row] = tiling.source * place;
      targets_[row] = tiling.target * place;
      places_[row] = static_cast<std::uint32_t>(tiling.image * place);
    }
    for (std::uint32_t k = 0; k < length; ++k) {
      places_in_row_[k] = static_cast<std::uint16_t>(tiling.image * k);
    }
    group_rows();
  }

  std::uint64_t tiles() const { return std::uint64_t{1} << (tiling_.index_bits - bits); }

  std::uint64_t target_stride() const { return target_stride_; }

  /// The tile that a tile's elements go to.
  std::uint64_t partner(std::uint64_t t) const { return partners_(t); }

  /// Reads a tile into the buffer, in the order in which it is written.
  template <class T>
  void read(std::uint64_t t, T const* in, T* stage) const {
    std::uint64_t const place = t << bits;
    std::uint64_t const source = tiling_.source * place;
    auto const shift = static_cast<std::uint32_t>(tiling_.image_origin ^ tiling_.image * place);
    if (source_stride_ == 1 && has_groups<T>()) {
      read_groups(in, source, shift, stage);
    } else {
      for (std::uint32_t row = 0; row < rows; ++row) {
        scatter_row(in + (source ^ sources_[row]) * source_stride_, source_stride_, length,
                    places_from(places_[row] ^ shift), stage);
      }
    }
  }

  /// Prefetches the rows that are read first.
  template <class T>
  void prefetch(std::uint64_t t, T const* in) const {
    if (source_stride_ != 1 || !has_groups<T>()) return;
    std::uint64_t const source = tiling_.source * (t << bits);
    for (std::uint32_t j = 0; j < rows_together<T>; ++j) {
      prefetch_elements(in + (source ^ sources_[row_of_place_[j]]), length);
    }
  }

  /// Calls use(target, first, length) for each run, which has the tile's elements from `first` on, in the order of
  /// writing.
  template <class Use>
  void for_each_run(std::uint64_t t, Use const& use) const {
    std::uint64_t const target = tiling_.origin ^ tiling_.target * (t << bits);
    for (std::uint32_t run = 0; run < rows; ++run) {
      use((target ^ targets_[run]) * target_stride_, run << length_bits, std::uint64_t{length});
    }
  }

 private:
  /// Where the elements of a row go, given that the first goes to `begin`.
  auto places_from(std::uint32_t begin) const {
    return [this, begin](std::uint64_t k) { return begin ^ places_in_row_[k]; };
  }

  /// Whether there are rows whose places differ in the lowest bits alone, to be scattered together: all the low bits
  /// come from rows then.
  template <class T>
  bool has_groups() const {
    return rows_together<T> > 1 && row_bits_in_place_ >= rows_together_bits<T> &&
           length_bits >= rows_together_bits<T>;
  }

  template <class T>
  void read_groups(T const* in, std::uint64_t source, std::uint32_t shift, T* stage) const {
    constexpr std::uint32_t width = rows_together<T>;
    constexpr std::uint32_t groups = rows / width;
    T const* from[width];
    T const* next[width];
    auto const find = [&](std::uint32_t group, T const** begins) {
      for (std::uint32_t j = 0; j < width; ++j) {
        begins[j] = in + (source ^ sources_[row_of_place_[group * width + (j ^ (shift % width))]]);
      }
    };
    find(0, next);
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (std::uint32_t j = 0; j < width; ++j) from[j] = next[j];
      if (group + 1 < groups) {
        find(group + 1, next);
        for (auto const* begin : next) prefetch_elements(begin, length);
      }
      std::uint32_t const begin = (places_[row_of_place_[group * width]] ^ shift) & ~(width - 1);
      scatter_rows(from, length, places_from(begin), stage);
    }
  }

  /// Sorts rows so that each 2^k of them, for k up to row_bits_in_place_, differ in the lowest k bits of their places.
  void group_rows() {
    constexpr int most = 4;
    std::uint32_t in_row = 0;  // the lowest bits of places that change along a row
    for (std::uint32_t k = 0; k < length; ++k) in_row |= places_in_row_[k];
    std::array<std::uint32_t, most> row_of_bit{};
    for (row_bits_in_place_ = 0; row_bits_in_place_ < most; ++row_bits_in_place_) {
      std::uint32_t const bit = 1u << row_bits_in_place_;
      auto const row = std::find(places_.begin(), places_.end(), bit);
      if ((in_row & bit) != 0 || row == places_.end()) break;
      row_of_bit[static_cast<std::size_t>(row_bits_in_place_)] =
          static_cast<std::uint32_t>(row - places_.begin());
    }
    std::uint32_t const width = 1u << row_bits_in_place_;
    std::uint32_t next = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (places_[row] % width != 0) continue;
      for (std::uint32_t j = 0; j < width; ++j) {
        std::uint32_t member = row;
        for (std::size_t k = 0; k < most; ++k) member ^= j >> k & 1 ? row_of_bit[k] : 0;
        row_of_place_[next++] = member;
      }
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
  std::array<std::uint32_t, rows> row_of_place_;
  int row_bits_in_place_;
};

}  // namespace riffle::detail::tiles
