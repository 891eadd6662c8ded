#pragma once

// One tile in the registers of a team.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/quad_chunks.hpp>
#include <riffle/primitives/sink.hpp>
#include <riffle/primitives/source.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/to_value.hpp>

namespace riffle::detail::scan {

/// Scans the totals of a tile's rows in place, by one warp: rows[r] becomes the total of rows 0, ..., r.
template <class Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type scan_row_totals(Op const& op, int lane,
                                                               typename Op::value_type* rows) {
  typename Op::value_type const up_to = scan_lanes(op, lane, rows[lane]);
  rows[lane] = up_to;
  return up_to;
}

/// The prefix of a row in a tile that comes after `prefix`. `rows` are the tile's row totals, scanned.
template <class Op, class Value>
KOKKOS_INLINE_FUNCTION Value before_row(Op const& op, Value const* rows, int row,
                                        Value const& prefix) {
  return row == 0 ? prefix : op(prefix, rows[row - 1]);
}

/// x[j] becomes the combination of x[0], ..., x[j]: for a quad in the tile tree's order, for longer runs, which only
/// exact operations have, in any.
template <class Op, class Value, int Size>
KOKKOS_INLINE_FUNCTION void scan_run(Op const& op, Value (&x)[Size]) {
  if constexpr (Size == quad_size) {
    scan_quad(op, x);
  } else {
    for (int j = 1; j < Size; ++j) x[j] = op(x[j - 1], x[j]);
  }
}

/// The prefix of element j of a run that comes after `before`. x is the run, scanned inside itself.
template <bool Inclusive, class Op, class Value, int Size>
KOKKOS_INLINE_FUNCTION Value run_prefix(Op const& op, Value const& before, Value const (&x)[Size],
                                        int j) {
  if constexpr (Inclusive) {
    return op(before, x[j]);
  } else {
    return j == 0 ? before : op(before, x[j - 1]);
  }
}

/// What a team does with one tile, in three steps: read it, scan it, and write it once its prefix is
/// known. A thread holds the one quad of some rows that is its lane's.
template <class Source, class Sink, class Op, bool Inclusive>
class ValueTile {
 public:
  using Value = typename Op::value_type;
  using Item = typename Source::Item;

  static constexpr int run_size = quad_size;
  static constexpr int size = tile_size;

  // A thread holds 64 bytes of elements of a tile: three tiles of that size stay in registers.
  static constexpr int rows_per_warp = sizeof(Value) <= 4 ? 4 : 2;
  static constexpr int threads = tile_rows / rows_per_warp * backend::width;

  /// Whether quads of elements of type T fill as many chunks as there are lanes that exchange them.
  template <class T>
  static constexpr bool moves_chunks = whole_chunks_of_quad<T> == chunks_of_quad<Value>;
  static constexpr bool reads_chunks = AddressableSource<Source> && moves_chunks<Item>;
  static constexpr bool writes_chunks = [] {
    if constexpr (AddressableSink<Sink>) return moves_chunks<typename Sink::Element>;
    return false;
  }();

  struct Read {
    Item items[rows_per_warp][quad_size];
  };

  /// What stands before each of the thread's quads inside its row.
  using Before = Value[rows_per_warp];

  /// What write_row() needs of a row, beside the prefix of the tile.
  struct Row {
    Value x[quad_size];  // inside the quad
    Value before;
  };

  /// What write() needs of a tile, beside its prefix.
  struct Scanned {
    Value x[rows_per_warp][quad_size];
    Before before;
  };
  struct ScannedWithItems : Scanned {
    Read read;
  };
  using Held = std::conditional_t<takes_items<Sink>, ScannedWithItems, Scanned>;

  KOKKOS_FUNCTION ValueTile(std::uint64_t tile, int thread)
      : lane_(thread % backend::width),
        place_(Places::place(lane_)),
        first_row_(thread / backend::width * rows_per_warp),
        begin_(tile * tile_size + static_cast<std::uint64_t>(first_row_ * row_size)) {}

  /// Reads the thread's quads. Does not wait for loads from a View.
  KOKKOS_FUNCTION void read(Source const& source, Read& to) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      if constexpr (reads_chunks) {
        read_chunks(source.address(row(r)), lane_, to.items[r]);
      } else {
        source.read_quad(own_quad(r), to.items[r]);
      }
    }
  }

  /// Scans the thread's quads and rows, and writes the totals of the rows to `rows`.
  KOKKOS_FUNCTION void scan(Op const& op, Read& from, Held& to, Value* rows) const {
    if constexpr (reads_chunks) {
      for (int r = 0; r < rows_per_warp; ++r) exchange_chunks(lane_, from.items[r]);
    }
    if constexpr (takes_items<Sink>) to.read = from;
    for (int r = 0; r < rows_per_warp; ++r) {
      for (int j = 0; j < quad_size; ++j) {
        to.x[r][j] = to_value<Op>(from.items[r][j]);
      }
      scan_quad(op, to.x[r]);
    }
    for (int r = 0; r < rows_per_warp; ++r) {
      Value const scanned = scan_places<Places>(op, place_, to.x[r][quad_size - 1]);
      to.before[r] = backend::from_lane(scanned, Places::lane(place_ == 0 ? 0 : place_ - 1));
      if (place_ == backend::width - 1) rows[first_row_ + r] = scanned;
    }
  }

  /// Writes the prefixes of a tile that comes after `prefix`; `rows` are its row totals, scanned.
  KOKKOS_FUNCTION void write(Op const& op, Sink const& sink, Value const& prefix, Value const* rows,
                             Held const& from) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      Value out[quad_size];
      complete(op, prefix, rows, r, from.x[r], from.before[r], out);
      if constexpr (takes_items<Sink>) {
        write_with_items(sink, r, out, from.read.items[r]);
      } else {
        write_prefixes(sink, r, out);
      }
    }
  }

  /// The same for row r of the thread's, without its items.
  KOKKOS_FUNCTION void write_row(Op const& op, Sink const& sink, Value const& prefix,
                                 Value const* rows, int r, Row const& from) const {
    Value out[quad_size];
    complete(op, prefix, rows, r, from.x, from.before, out);
    write_prefixes(sink, r, out);
  }

 private:
  using Places = QuadPlaces<chunks_of_quad<Value>>;

  KOKKOS_FUNCTION std::uint64_t row(int r) const {
    return begin_ + static_cast<std::uint64_t>(r * row_size);
  }

  KOKKOS_FUNCTION std::uint64_t own_quad(int r) const {
    return row(r) + static_cast<std::uint64_t>(place_ * quad_size);
  }

  /// The prefixes of the thread's quad x in its row r, which is scanned inside itself.
  KOKKOS_FUNCTION void complete(Op const& op, Value const& prefix, Value const* rows, int r,
                                Value const (&x)[quad_size], Value const& quads_before,
                                Value (&out)[quad_size]) const {
    Value before = before_row(op, rows, first_row_ + r, prefix);
    if (place_ > 0) before = op(before, quads_before);
    for (int j = 0; j < quad_size; ++j) out[j] = run_prefix<Inclusive>(op, before, x, j);
  }

  KOKKOS_FUNCTION void write_with_items(Sink const& sink, int r, Value const (&out)[quad_size],
                                        Item const (&items)[quad_size]) const {
    for (int j = 0; j < quad_size; ++j) {
      write_value(sink, own_quad(r) + static_cast<std::uint64_t>(j), out[j], items[j]);
    }
  }

  KOKKOS_FUNCTION void write_prefixes(Sink const& sink, int r,
                                      Value const (&out)[quad_size]) const {
    if constexpr (writes_chunks) {
      using Element = typename Sink::Element;
      Element elements[quad_size];
      for (int j = 0; j < quad_size; ++j) elements[j] = static_cast<Element>(out[j]);
      write_chunks(sink.address(row(r)), lane_, elements);
    } else {
      sink.write_quad(own_quad(r), out);
    }
  }

  int lane_;
  int place_;
  int first_row_;
  std::uint64_t begin_;
};

}  // namespace riffle::detail::scan
