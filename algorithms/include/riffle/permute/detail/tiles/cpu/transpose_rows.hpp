#pragma once

// The rows of tiles that CPU threads transpose. Host only.

#include <algorithm>
#include <cstdint>

#include <riffle/permute/detail/tiles/cpu/tiles_by_threads.hpp>
#include <riffle/permute/detail/tiles/transpose_tile_addresses.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// The rows and runs of a tile, with the same interface as BitRows. Tiles at the edges have fewer and shorter rows.
template <int bits_>
class TransposeRows {
 public:
  static constexpr int bits = bits_;

  TransposeRows(Transposition const& matrix, int tile_row_bits, bool paired)
      : matrix_(matrix), addresses_(matrix, tile_row_bits), paired_(paired) {}

  std::uint64_t tiles() const { return addresses_.tiles(); }

  /// The distance in the target between two elements of a run.
  std::uint64_t target_stride() const { return matrix_.target_column_stride; }

  /// A common divisor of the distances between the starts of runs.
  std::uint64_t run_pitch() const { return matrix_.target_row_stride; }

  static constexpr bool has_whole_targets() { return false; }

  /// The index in the target of a tile's first run.
  std::uint64_t target(std::uint64_t t) const {
    auto const tile = tile_of(t);
    return tile.columns.first * matrix_.target_row_stride +
           tile.rows.first * matrix_.target_column_stride;
  }

  /// Returns the partner of tile t, which is its mirror image across the diagonal. Requires a square matrix and square
  /// tiles.
  std::uint64_t partner(std::uint64_t t) const {
    std::uint64_t const columns = addresses_.tile_columns();
    return t % columns * columns + t / columns;
  }

  template <class T>
  void read(std::uint64_t t, T const* in, T* stage) const {
    auto const tile = tile_of(t);
    int const row_bits = addresses_.row_bits();
    std::uint64_t const rows = tile.rows.inside;
    std::uint64_t const columns = tile.columns.inside;
    T const* const from =
        in + (tile.rows.first * matrix_.row_stride + tile.columns.first * matrix_.column_stride);
    constexpr std::uint64_t width = lanes_of<T>;
    std::uint64_t row = 0;
    if (width > 1 && matrix_.column_stride == 1) {
      for (; row + width <= rows; row += width) {
        read_group(from + row * matrix_.row_stride, columns, row, row + 2 * width <= rows, stage);
      }
    }
    for (; row < rows; ++row) {
      scatter_row(
          from + row * matrix_.row_stride, matrix_.column_stride, columns,
          [=](std::uint64_t k) { return k << row_bits | row; }, stage);
    }
  }

  /// Prefetches the first rows of a tile.
  template <class T>
  void prefetch(std::uint64_t t, T const* in) const {
    constexpr std::uint64_t width = lanes_of<T>;
    if (width == 1 || matrix_.column_stride != 1) return;
    auto const tile = tile_of(t);
    T const* const from = in + (tile.rows.first * matrix_.row_stride + tile.columns.first);
    for (std::uint64_t j = 0; j < width && j < tile.rows.inside; ++j) {
      prefetch_elements(from + j * matrix_.row_stride, tile.columns.inside);
    }
  }

  template <class Use>
  void for_each_run(std::uint64_t t, Use const& use) const {
    auto const tile = tile_of(t);
    int const row_bits = addresses_.row_bits();
    for (std::uint64_t j = 0; j < tile.columns.inside; ++j) {
      use((tile.columns.first + j) * matrix_.target_row_stride +
              tile.rows.first * matrix_.target_column_stride,
          j << row_bits, std::uint64_t{tile.rows.inside});
    }
  }

 private:
  using Addresses = TransposeTileAddresses<bits>;

  /// Interleaves a group of rows with vectors. Scatters the last columns, which do not fill a vector, one by one.
  template <class T>
  void read_group(T const* first, std::uint64_t columns, std::uint64_t row, bool has_next,
                  T* stage) const {
    constexpr std::uint64_t width = lanes_of<T>;
    int const row_bits = addresses_.row_bits();
    T const* from[width];
    for (std::uint64_t j = 0; j < width; ++j) {
      from[j] = first + j * matrix_.row_stride;
      if (has_next) prefetch_elements(from[j] + width * matrix_.row_stride, columns);
    }
    std::uint64_t const whole = columns / width * width;
    interleave_rows<lane_bits<T>>(
        from, whole, [=](std::uint64_t k) { return k << row_bits | row; }, stage);
    for (std::uint64_t j = 0; j < width; ++j) {
      scatter_row(
          from[j] + whole, 1, columns - whole,
          [=](std::uint64_t k) { return (whole + k) << row_bits | (row + j); }, stage);
    }
  }

  typename Addresses::Tile tile_of(std::uint64_t t) const {
    return paired_ ? addresses_.pair(t).own : tile_in_panel(t);
  }

  /// Returns tile t. A panel consists of tile_rows_of_panel tile rows. Tiles are numbered panel by panel, and column by
  /// column within a panel, so that consecutive tiles are close to each other in the source and in the target.
  typename Addresses::Tile tile_in_panel(std::uint64_t t) const {
    constexpr std::uint64_t max_rows = tile_rows_of_panel;
    std::uint64_t const columns = addresses_.tile_columns();
    std::uint64_t const first_row = t / (max_rows * columns) * max_rows;
    std::uint64_t const height = std::min(max_rows, addresses_.tile_rows() - first_row);
    std::uint64_t const rest = t - first_row * columns;
    return addresses_.at(static_cast<std::uint32_t>(first_row + rest % height),
                         static_cast<std::uint32_t>(rest / height));
  }

  Transposition matrix_;
  Addresses addresses_;
  bool paired_;
};

}  // namespace riffle::detail::tiles
