#pragma once

// One tile in the registers of a team.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/scan/access.hpp>
#include <riffle/detail/tile_tree.hpp>
#include <riffle/lanes.hpp>

namespace riffle::detail::scan {

/// The rows of a tile, spread over the lanes of a warp: lane l has the total of rows 0, ..., l.
template <class Value>
struct RowTotals {
  Value up_to;

  template <class Op>
  KOKKOS_FUNCTION void gather(Op const& op, int lane, Value const* totals) {
    up_to = scan_lanes(op, lane, totals[lane]);
  }

  KOKKOS_FUNCTION Value total() const { return lanes::from_lane(up_to, lanes::width - 1); }

  /// What is before a row, in a tile that comes after `prefix`.
  template <class Op>
  KOKKOS_FUNCTION Value before(Op const& op, int row, Value const& prefix) const {
    Value const rows_before = lanes::from_lane(up_to, row == 0 ? 0 : row - 1);
    return row == 0 ? prefix : op(prefix, rows_before);
  }
};

/// The prefix of element j of a quad, scanned inside itself to x, that comes after `before`.
template <bool Inclusive, class Op, class Value>
KOKKOS_INLINE_FUNCTION Value quad_prefix(Op const& op, Value const& before,
                                         Value const (&x)[quad_size], int j) {
  if constexpr (Inclusive) {
    return op(before, x[j]);
  } else {
    return j == 0 ? before : op(before, x[j - 1]);
  }
}

/// What a team does with one tile, in three steps: read it, scan it, and write it once its prefix is
/// known. A thread holds quad `lane` of some rows.
template <class Source, class Sink, class Op, bool Inclusive>
class ValueTile {
 public:
  using Value = typename Op::value_type;
  using Item = typename Source::Item;

  // 64 bytes of elements a thread: three tiles of that stay in registers.
  static constexpr int rows_per_warp = sizeof(Value) <= 4 ? 4 : 2;
  static constexpr int threads = tile_rows / rows_per_warp * lanes::width;

  struct Read {
    Item items[rows_per_warp][quad_size];
  };

  struct Scanned {
    Value x[rows_per_warp][quad_size];  // inside the quad
    Value quads_before[rows_per_warp];  // inside the row
  };

  KOKKOS_FUNCTION ValueTile(std::uint64_t tile, int thread)
      : lane_(thread % lanes::width),
        first_row_(thread / lanes::width * rows_per_warp),
        begin_(tile * tile_size +
               static_cast<std::uint64_t>(first_row_ * row_size + lane_ * quad_size)) {}

  KOKKOS_FUNCTION void read(Source const& source, Read& to) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      source.read_quad(row(r), to.items[r]);
    }
  }

  /// Leaves the totals of the rows in `rows`.
  KOKKOS_FUNCTION void scan(Op const& op, Read const& from, Scanned& to, Value* rows) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      for (int j = 0; j < quad_size; ++j) {
        to.x[r][j] = to_value<Op>(from.items[r][j]);
      }
      scan_quad(op, to.x[r]);
    }
    for (int r = 0; r < rows_per_warp; ++r) {
      Value const scanned = scan_lanes(op, lane_, to.x[r][quad_size - 1]);
      to.quads_before[r] = lanes::shuffle_up(scanned, lane_, 1);
      if (lane_ == lanes::width - 1) rows[first_row_ + r] = scanned;
    }
  }

  KOKKOS_FUNCTION void write(Op const& op, Sink const& sink, Value const& prefix,
                             RowTotals<Value> const& rows, Scanned const& from,
                             [[maybe_unused]] Read const& read) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      Value before = rows.before(op, first_row_ + r, prefix);
      if (lane_ > 0) before = op(before, from.quads_before[r]);
      Value out[quad_size];
      for (int j = 0; j < quad_size; ++j) {
        out[j] = quad_prefix<Inclusive>(op, before, from.x[r], j);
      }
      write_quad(sink, row(r), out, read.items[r]);
    }
  }

 private:
  KOKKOS_FUNCTION std::uint64_t row(int r) const {
    return begin_ + static_cast<std::uint64_t>(r * row_size);
  }

  KOKKOS_FUNCTION void write_quad(Sink const& sink, std::uint64_t begin,
                                  Value const (&out)[quad_size],
                                  Item const (&items)[quad_size]) const {
    if constexpr (!Sink::takes_items) {
      sink.write_quad(begin, out);
    } else {
      for (int j = 0; j < quad_size; ++j) {
        put(sink, begin + static_cast<std::uint64_t>(j), out[j], items[j]);
      }
    }
  }

  int lane_;
  int first_row_;
  std::uint64_t begin_;
};

}  // namespace riffle::detail::scan
