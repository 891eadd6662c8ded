#pragma once

// How the rows of a tile of a permutation of bits are brought to the buffer by vectors. Host only.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// Where the elements of a tile go in the buffer, to the exclusive or of two tables' entries, and what follows from that
/// for vectors of 2^lane_bits elements.
template <std::uint32_t rows, std::uint32_t length, int lane_bits>
class RowBlocks {
 public:
  /// A block is a vector of each of 2^bits rows, interleaved (for as many as a vector has elements, a transposition; for
  /// one, a copy), or 2^bits vectors of a row, whose elements at distance 2^bits come together.
  enum class Form { interleaved, split, none };

  RowBlocks(std::array<std::uint32_t, rows> const& places,
            std::array<std::uint16_t, length> const& places_in_row) {
    find_rows_in_place(places, in_row_of(places_in_row));
    group(places);
    find_form(places, places_in_row);
  }

  Form form() const { return form_; }

  /// The rows that are read together.
  std::uint32_t rows_together() const { return form_ == Form::interleaved ? 1u << bits_ : 1; }

  /// The rows in groups of rows_together() whose places differ in the lowest bits alone.
  std::uint32_t row(std::uint32_t place) const { return row_of_place_[place]; }

  /// Whether there are blocks in a tile whose places are shifted by an exclusive or.
  bool fit(std::uint32_t shift) const {
    return form_ != Form::none && shift % lanes / rows_together() == 0;
  }

  /// Calls use(bits) with the number as a constant, for the forms that there are.
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

  /// The bits of places that change along a row.
  static std::uint32_t in_row_of(std::array<std::uint16_t, length> const& places_in_row) {
    std::uint32_t changed = 0;
    for (auto const place : places_in_row) changed |= place;
    return changed;
  }

  /// The rows whose places are 1, 2, ..., as far as there are.
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

  /// Whether each group of rows begins a vector.
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

  /// Whether the bits of columns from `first` on give the bits of places within a vector that rows do not, in order, and
  /// no other bits of columns do.
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

}  // namespace riffle::detail::tiles
