#pragma once

// The tiles of a scan by Sum on a CPU, processed in vector registers. Used if input and output are contiguous.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/cpu/scalar_tiles.hpp>

namespace riffle::detail::scan {

/// Whether sums with this operation can be computed in vector registers.
template <class Op>
inline constexpr bool is_vector_sum = false;
template <class T>
inline constexpr bool is_vector_sum<Sum<T>> = backend::has_registers<T>;

// --- integers, for which the order of additions does not matter ---

template <class T>
using Integers = backend::IntegerRegister<static_cast<int>(sizeof(T))>;

inline constexpr int registers_per_line = 4;

template <class T>
T wrapping_sum(T left, T right) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(
      static_cast<Unsigned>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right)));
}

template <class T>
T integer_total(T const* in, int count) {
  using Register = Integers<T>;
  constexpr int line = registers_per_line * Register::width;
  Register sums[registers_per_line];
  for (auto& sum : sums) sum = Register::zero();
  int i = 0;
  for (; i + line <= count; i += line) {
    for (int r = 0; r < registers_per_line; ++r) {
      sums[r] = sums[r] + Register::load(in + i + r * Register::width);
    }
  }
  T lanes[Register::width];
  ((sums[0] + sums[1]) + (sums[2] + sums[3])).store(lanes);
  T total = 0;
  for (T const lane : lanes) total = wrapping_sum(total, lane);
  for (; i < count; ++i) total = wrapping_sum(total, in[i]);
  return total;
}

/// Writes `count` prefix sums. `before` is the sum of all earlier elements. Also prefetches the `count` elements at
/// `ahead`.
template <bool Inclusive, bool Streams, class T>
T write_integers(T const* in, T* out, int count, T before, T const* ahead) {
  using Register = Integers<T>;
  constexpr int line = registers_per_line * Register::width;
  Register carry = Register::broadcast(static_cast<std::uint64_t>(before));
  int i = 0;
  for (; i + line <= count; i += line) {
    backend::prefetch_line(ahead + i);
    for (int r = 0; r < registers_per_line; ++r) {
      Register const x = Register::load(in + i + r * Register::width);
      Register const own_sums = x.prefix_sums();
      Register const sums = carry + own_sums;
      Register const result = Inclusive ? sums : sums - x;
      T* const to = out + i + r * Register::width;
      if constexpr (Streams) {
        result.stream(to);
      } else {
        result.store(to);
      }
      carry = carry + own_sums.last();  // one addition between successive registers
    }
  }
  T lanes[Register::width];
  carry.store(lanes);
  T running = lanes[0];
  for (; i < count; ++i) {
    T const x = in[i];
    T const sum = wrapping_sum(running, x);
    out[i] = Inclusive ? sum : running;
    running = sum;
  }
  return running;
}

// --- floating-point numbers, which are added in the order of riffle/primitives/tile_tree.hpp ---

inline constexpr int registers_per_lanes = backend::width / quad_size;

/// Replaces 32 values, one per lane of a GPU's warp, by their prefix sums, added in the order of scan_all_lanes.
template <class Quad>
void scan_lanes_in_registers(Quad (&x)[registers_per_lanes]) {
  for (auto& quad : x) quad = quad.prefix_sums();
  for (int half = 1; half < registers_per_lanes; half *= 2) {
    for (int begin = half; begin < registers_per_lanes; begin += 2 * half) {
      Quad const lower = x[begin - 1].template broadcast_lane<3>();
      for (int r = begin; r < begin + half; ++r) x[r] = lower + x[r];
    }
  }
}

/// Returns the sum of each of four consecutive quads (16 elements), starting at `in`. If Quad has two rows, processes
/// two rows of the tile at a time; here and below, the second row starts `distance` elements after the first.
template <class Quad, class T>
Quad quad_totals(T const* in, std::ptrdiff_t distance) {
  Quad x[quad_size];
  for (int q = 0; q < quad_size; ++q) x[q] = Quad::load(in + q * quad_size, distance);
  return Quad::pair_sums(Quad::pair_sums(x[0], x[1]), Quad::pair_sums(x[2], x[3]));
}

/// Returns the sums of four rows.
template <class Quad, class T>
Quad row_totals(T const* in, std::ptrdiff_t distance = 0) {
  Quad pairs[quad_size];
  for (int row = 0; row < quad_size; ++row) {
    Quad sums[registers_per_lanes];
    for (int r = 0; r < registers_per_lanes; ++r) {
      sums[r] = quad_totals<Quad>(in + row * row_size + r * quad_size * quad_size, distance);
    }
    for (int count = registers_per_lanes; count > 1; count /= 2) {
      for (int r = 0; r < count / 2; ++r) sums[r] = Quad::pair_sums(sums[2 * r], sums[2 * r + 1]);
    }
    pairs[row] = sums[0];
  }
  return Quad::pair_sums(Quad::pair_sums(pairs[0], pairs[1]), Quad::pair_sums(pairs[2], pairs[3]));
}

template <bool Inclusive, bool Streams, int lane, class Quad, class T>
void write_quad(Quad const& x, Quad const& before, T* out) {
  Quad const own = Inclusive ? x : x.shifted_after(Quad::broadcast(T(-0.0)));
  Quad const result = before.template broadcast_lane<lane>() + own;
  if constexpr (Streams) {
    result.stream(out + lane * quad_size, row_size);
  } else {
    result.store(out + lane * quad_size, row_size);
  }
}

/// Writes the prefixes of Quad::rows full rows. before[r] is the prefix of row r. The neutral element is -0, because
/// adding -0 leaves every number unchanged.
template <bool Inclusive, bool Streams, class Quad, class T>
void write_rows(T const* in, T* out, T const (&before)[Quad::rows], T const* ahead) {
  Quad x[registers_per_lanes][quad_size];
  Quad quads[registers_per_lanes];
  constexpr int line = static_cast<int>(backend::cache_line / sizeof(T));
  for (int i = 0; i < Quad::rows * row_size; i += line) backend::prefetch_line(ahead + i);
  for (int r = 0; r < registers_per_lanes; ++r) {
    for (int q = 0; q < quad_size; ++q) {
      x[r][q] = Quad::load(in + (r * quad_size + q) * quad_size, row_size).prefix_sums();
    }
    quads[r] = Quad::last_lanes(x[r]);
  }
  scan_lanes_in_registers(quads);
  Quad const all_before = Quad::broadcast_rows(before);
  Quad last = Quad::broadcast(T(-0.0));
  for (int r = 0; r < registers_per_lanes; ++r) {
    Quad const quads_before = all_before + quads[r].shifted_after(last);
    last = quads[r].template broadcast_lane<3>();
    T* const to = out + r * quad_size * quad_size;
    write_quad<Inclusive, Streams, 0>(x[r][0], quads_before, to);
    write_quad<Inclusive, Streams, 1>(x[r][1], quads_before, to);
    write_quad<Inclusive, Streams, 2>(x[r][2], quads_before, to);
    write_quad<Inclusive, Streams, 3>(x[r][3], quads_before, to);
  }
}

// --- tiles ---

template <class T, bool Inclusive>
class VectorTiles {
  using Quad = typename backend::QuadOf<T>::type;
  using Quads = typename backend::QuadOf<T>::widest;

 public:
  using Value = T;

  /// The data that total() stores for write(). rows[r] is the sum of row r, and blocks[b] is the sum of all rows in
  /// blocks 0, ..., b. Not used for integers.
  struct RowTotals {
    T rows[std::is_integral_v<T> ? 1 : tile_rows];
    T blocks[std::is_integral_v<T> ? 1 : backend::width];
  };

  /// If `streams` is true and `out` is aligned for it, `out` is written by stores that bypass the caches.
  VectorTiles(std::uint64_t n, T const* in, T* out, bool streams)
      : n_(n),
        in_(in),
        out_(out),
        streams_(streams && reinterpret_cast<std::uintptr_t>(out) % 16 == 0) {}

  std::uint64_t count() const { return (n_ + tile_size - 1) / tile_size; }

  T total(std::uint64_t tile, RowTotals& rows) const {
    int const elements = size(tile);
    T const* const in = in_ + tile * tile_size;
    if constexpr (std::is_integral_v<T>) {
      return integer_total(in, elements);
    } else {
      return total_of_rows(in, elements, rows);
    }
  }

  /// Writes the prefixes of a tile. `before` is the prefix of the tile, and `rows` contains the data that total() has
  /// stored. Also prefetches tile `next`.
  void write(std::uint64_t tile, T before, RowTotals const& rows, std::uint64_t next) const {
    if (streams_) {
      write_as<true>(tile, before, rows, next);
    } else {
      write_as<false>(tile, before, rows, next);
    }
  }

  /// Writes the prefixes of a tile, and returns its total.
  T advance(std::uint64_t tile, T before) const {
    if constexpr (std::is_integral_v<T>) {
      RowTotals const none{};  // no data are stored for rows of integers
      T const after = streams_ ? write_as<true>(tile, before, none, tile)
                               : write_as<false>(tile, before, none, tile);
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(
          static_cast<Unsigned>(static_cast<Unsigned>(after) - static_cast<Unsigned>(before)));
    } else {
      RowTotals rows;
      T const result = total(tile, rows);
      write(tile, before, rows, tile + 1);
      return result;
    }
  }

  void finish() const {
    if (streams_) backend::finish_streams();
  }

 private:
  int size(std::uint64_t tile) const {
    return static_cast<int>(std::min<std::uint64_t>(tile_size, n_ - tile * tile_size));
  }

  template <bool Streams>
  T write_as(std::uint64_t tile, T before, RowTotals const& rows, std::uint64_t next) const {
    int const elements = size(tile);
    T const* const in = in_ + tile * tile_size;
    T* const out = out_ + tile * tile_size;
    T const* const ahead = (next + 1) * tile_size <= n_ ? in_ + next * tile_size : in;
    if constexpr (std::is_integral_v<T>) {
      return write_integers<Inclusive, Streams>(in, out, elements, before, ahead);
    } else {
      write_all_rows<Streams>(in, out, elements, before, rows, ahead);
      return before;
    }
  }

  static T total_of_rows(T const* in, int elements, RowTotals& rows) {
    constexpr int four_rows = quad_size * row_size;
    int begin = 0;
    T* sums = rows.rows;
    constexpr int widest = Quads::rows * four_rows;
    for (; begin + widest <= elements; begin += widest, sums += Quads::rows * quad_size) {
      row_totals<Quads>(in + begin, four_rows).store(sums, quad_size);
    }
    for (; begin + four_rows <= elements; begin += four_rows, sums += quad_size) {
      row_totals<Quad>(in + begin).store(sums);
    }
    if (begin < elements) {
      T padded[four_rows] = {};
      std::copy(in + begin, in + elements, padded);
      row_totals<Quad>(padded).store(sums);
      sums += quad_size;
    }
    std::fill(sums, rows.rows + tile_rows, T(0));
    return scan_blocks(rows);
  }

  static T scan_blocks(RowTotals& rows) {
    Quad blocks[registers_per_lanes];
    for (int r = 0; r < registers_per_lanes; ++r) {
      T const* const sums = rows.rows + r * quad_size * block_rows;
      if constexpr (block_rows == 1) {
        blocks[r] = Quad::load(sums);
      } else {
        blocks[r] = Quad::pair_sums(Quad::load(sums), Quad::load(sums + quad_size));
      }
    }
    scan_lanes_in_registers(blocks);
    for (int r = 0; r < registers_per_lanes; ++r) blocks[r].store(rows.blocks + r * quad_size);
    return blocks[registers_per_lanes - 1].last();
  }

  template <bool Streams>
  static void write_all_rows(T const* in, T* out, int elements, T before, RowTotals const& rows,
                             T const* ahead) {
    int row = 0;
    for (; (row + Quads::rows) * row_size <= elements; row += Quads::rows) {
      int const begin = row * row_size;
      T rows_before[Quads::rows];
      for (int r = 0; r < Quads::rows; ++r) rows_before[r] = row_before(before, rows, row + r);
      scan::write_rows<Inclusive, Streams, Quads>(in + begin, out + begin, rows_before,
                                                  ahead + begin);
    }
    for (; row * row_size < elements; ++row) {
      int const begin = row * row_size;
      int const count = std::min(row_size, elements - begin);
      T padded[row_size] = {};
      std::copy_n(in + begin, count, padded);
      T const row_is_after[1] = {row_before(before, rows, row)};
      scan::write_rows<Inclusive, false, Quad>(padded, padded, row_is_after, padded);
      std::copy_n(padded, count, out + begin);
    }
  }

  static T row_before(T before, RowTotals const& rows, int row) {
    static_assert(block_rows == 1 || block_rows == 2);
    int const block = row / block_rows;
    if (block > 0) before = before + rows.blocks[block - 1];
    if (row % block_rows != 0) before = before + rows.rows[row - 1];
    return before;
  }

  std::uint64_t n_;
  T const* in_;
  T* out_;
  bool streams_;
};

}  // namespace riffle::detail::scan
