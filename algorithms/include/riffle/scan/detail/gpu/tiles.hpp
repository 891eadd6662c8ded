#pragma once

// Processes one tile with a GPU team. The team reads the tile, scans it, and writes the results when the tile's prefix
// is known. Between these steps, the elements are in the registers of the team's threads.
//
//   ValueTile    32 rows of 32 quads; a thread processes one quad of each row of its warp
//   PackedTile   elements of one or two bytes: 32 rows of 32 chunks of 16 bytes, which stay packed in registers
//   PlainTile    a tile that is not full, or that cannot be moved by quads. Elements are read one by one, and read
//                again when their prefixes are written, so that few registers are needed

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/operations.hpp>
#include <riffle/scan/tuning.hpp>

namespace riffle::detail::scan {

/// Scans the totals of a tile's rows in place: rows[r] becomes the total of rows 0, ..., r. Called by one warp. Returns
/// rows[lane].
template <class Op>
KOKKOS_INLINE_FUNCTION typename Op::value_type scan_row_totals(Op const& op, int lane,
                                                               typename Op::value_type* rows) {
  typename Op::value_type const up_to = scan_lanes(op, lane, rows[lane]);
  rows[lane] = up_to;
  return up_to;
}

/// Returns the prefix of row `row` of a tile. `prefix` is the prefix of the tile, and `rows` contains the scanned
/// totals of its rows.
template <class Op, class Value>
KOKKOS_INLINE_FUNCTION Value before_row(Op const& op, Value const* rows, int row,
                                        Value const& prefix) {
  return row == 0 ? prefix : op(prefix, rows[row - 1]);
}

/// Scans a run, that is, the elements of a row that one thread processes: sets x[j] to the combination of x[0], ...,
/// x[j]. A run of four elements (a quad) is scanned in the order of the tile tree. Longer runs occur only for exact
/// operations, and are scanned from left to right.
template <class Op, class Value, int Size>
KOKKOS_INLINE_FUNCTION void scan_run(Op const& op, Value (&x)[Size]) {
  if constexpr (Size == quad_size) {
    scan_quad(op, x);
  } else {
    for (int j = 1; j < Size; ++j) x[j] = op(x[j - 1], x[j]);
  }
}

/// Returns the scan result for element j of a run. `before` is the reduction of everything before the run, and x holds
/// the inclusive scan of the run alone.
template <bool Inclusive, class Op, class Value, int Size>
KOKKOS_INLINE_FUNCTION Value run_prefix(Op const& op, Value const& before, Value const (&x)[Size],
                                        int j) {
  if constexpr (Inclusive) {
    return op(before, x[j]);
  } else {
    return j == 0 ? before : op(before, x[j - 1]);
  }
}

// --- tiles of quads ---

/// A tile of quads. A thread processes one quad in each of the value_rows_per_warp rows of its warp. If values have 4
/// or 8 bytes, the quads of a thread have 64 bytes in total. If a quad is wider than one access, neighbouring lanes
/// read and write neighbouring chunks and exchange them (riffle/primitives/quads.hpp).
template <class Source, class Sink, class Op, bool Inclusive>
class ValueTile {
 public:
  using Value = typename Op::value_type;
  using Item = typename Source::Item;

  static constexpr int run_size = quad_size;
  static constexpr int size = tile_size;

  static constexpr int rows_per_warp = value_rows_per_warp<Value>;
  static constexpr int threads = tile_rows / rows_per_warp * backend::width;

  /// Whether quads of T are read or written by chunks. They must consist of the same number of whole chunks as quads of
  /// Value, so that an exchange of chunks assigns them to the same lanes.
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

  /// before[r] is the combination of the elements that precede the thread's quad within its row r.
  using Before = Value[rows_per_warp];

  /// The data of a row that write_row() needs, in addition to the prefix of the tile.
  struct Row {
    Value x[quad_size];  // the inclusive scan of the quad alone
    Value before;
  };

  /// The data of a tile that write() needs, in addition to the prefix of the tile.
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

  /// Reads the thread's quads. If they are elements of a View, does not wait for the loads.
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

  /// Writes the prefixes of a tile. `prefix` is the prefix of the tile, and `rows` contains the scanned totals of its
  /// rows.
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

  /// Does the same as write() for row r of the thread's rows, without items.
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

  /// Computes the prefixes of the thread's quad of its row r. x holds the inclusive scan of the quad alone.
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

// --- tiles of elements of one or two bytes ---

/// Whether a scan may use tiles that have more elements than the tiles of the tile tree. This requires that elements
/// are not converted, and that the operation is exact, because the order of combination differs from the order in the
/// tile tree.
template <class Source, class Sink, class Op>
inline constexpr bool is_packed = false;
template <AddressableSource Source, AddressableSink Sink, class Op>
inline constexpr bool is_packed<Source, Sink, Op> =
    std::conjunction_v<std::bool_constant<is_exact<Op>>,
                       std::bool_constant<(sizeof(typename Op::value_type) <= max_packed_bytes)>,
                       std::is_same<typename Source::Item, typename Op::value_type>,
                       std::is_same<typename Sink::Element, typename Op::value_type>>;

/// Whether source and sink are contiguous, and aligned for accesses by chunks.
template <class Source, class Sink>
bool can_pack(Source const& source, Sink const& sink) {
  auto const begins_chunk = [](void const* address) {
    return reinterpret_cast<std::uintptr_t>(address) % alignof(Chunk) == 0;
  };
  return source.is_contiguous() && sink.is_contiguous() && begins_chunk(source.address(0)) &&
         begins_chunk(sink.address(0));
}

/// A tile with the same steps as a ValueTile. Requires is_packed<Source, Sink, Op> and can_pack(source, sink). In each
/// row of its warp, a lane processes a run, that is, the elements of one chunk. It holds the chunk as it was read,
/// scans it to compute the total of the run, and scans it again when the prefixes are written. A PackedTile has the
/// same number of bytes as a ValueTile of larger values, and therefore more elements, which share the cost per tile.
template <class Source, class Sink, class Op, bool Inclusive>
class PackedTile {
 public:
  using Value = typename Op::value_type;

  static constexpr int run_size = static_cast<int>(sizeof(Chunk) / sizeof(Value));
  static constexpr int row_size = run_size * backend::width;
  static constexpr int size = row_size * tile_rows;
  static constexpr int rows_per_warp = packed_rows_per_warp;
  static constexpr int threads = tile_rows / rows_per_warp * backend::width;

  static constexpr bool reads_chunks = true;
  static constexpr bool writes_chunks = true;

  struct Read {
    Chunk chunks[rows_per_warp];
  };

  /// before[r] is the combination of the elements that precede the thread's run within its row r.
  using Before = Value[rows_per_warp];

  /// The data of a row that write_row() needs, in addition to the prefix of the tile.
  struct Row {
    Chunk x;
    Value before;
  };

  /// The data of a tile that write() needs, in addition to the prefix of the tile.
  struct Held {
    Chunk x[rows_per_warp];
    Before before;
  };

  KOKKOS_FUNCTION PackedTile(std::uint64_t tile, int thread)
      : lane_(thread % backend::width),
        first_row_(thread / backend::width * rows_per_warp),
        begin_(tile * size + static_cast<std::uint64_t>(first_row_ * row_size)) {}

  /// Reads the thread's runs. Does not wait for the loads.
  KOKKOS_FUNCTION void read(Source const& source, Read& to) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      to.chunks[r] =
          backend::load_streaming(reinterpret_cast<Chunk const*>(source.address(own_run(r))));
    }
  }

  /// Scans the totals of the runs within each row, and writes the totals of the rows to `totals`.
  KOKKOS_FUNCTION void scan(Op const& op, Read const& from, Held& to, Value* totals) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      to.x[r] = from.chunks[r];
      Value x[run_size];
      memcpy(x, &from.chunks[r], sizeof(Chunk));
      Value total = x[0];
      for (int j = 1; j < run_size; ++j) total = op(total, x[j]);
      Value const scanned = scan_lanes(op, lane_, total);
      to.before[r] = backend::shuffle_up(scanned, lane_, 1);
      if (lane_ == backend::width - 1) totals[first_row_ + r] = scanned;
    }
  }

  /// Writes the prefixes of a tile. `prefix` is the prefix of the tile, and `totals` contains the scanned totals of its
  /// rows.
  KOKKOS_FUNCTION void write(Op const& op, Sink const& sink, Value const& prefix,
                             Value const* totals, Held const& from) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      write_row(op, sink, prefix, totals, r, {from.x[r], from.before[r]});
    }
  }

  /// Does the same as write() for row r of the thread's rows.
  KOKKOS_FUNCTION void write_row(Op const& op, Sink const& sink, Value const& prefix,
                                 Value const* totals, int r, Row const& from) const {
    Value before = before_row(op, totals, first_row_ + r, prefix);
    if (lane_ > 0) before = op(before, from.before);
    Value x[run_size];
    memcpy(x, &from.x, sizeof(Chunk));
    for (int j = 0; j < run_size; ++j) {
      Value const up_to = op(before, x[j]);
      x[j] = Inclusive ? up_to : before;
      before = up_to;
    }
    Chunk out;
    memcpy(&out, x, sizeof(Chunk));
    backend::store_streaming(reinterpret_cast<Chunk*>(sink.address(own_run(r))), out);
  }

 private:
  KOKKOS_FUNCTION std::uint64_t own_run(int r) const {
    return begin_ + static_cast<std::uint64_t>(r * row_size + lane_ * run_size);
  }

  int lane_;
  int first_row_;
  std::uint64_t begin_;
};

// --- tiles that are read element by element ---

/// A tile that is read and written element by element. A thread processes one run of elements in each row of its warp.
/// Tile is the type of full tiles; a PlainTile has the same number of rows, and runs of the same length.
template <class Tile, class Source, class Sink, class Op, bool Inclusive>
class PlainTile {
 public:
  using Value = typename Op::value_type;

  KOKKOS_FUNCTION PlainTile(std::uint64_t n, Source const& source, Sink const& sink, Op const& op,
                            std::uint64_t tile, int thread)
      : n_(n), source_(source), sink_(sink), op_(op), tile_(tile), thread_(thread) {}

  /// Writes the totals of the rows to `totals`.
  KOKKOS_FUNCTION void scan(Value* totals) const {
    for_own_rows([&](int row) {
      Value x[run_size];
      read_run(begin_of(row), x);
      Value const scanned = scan_lanes(op_, lane(), x[run_size - 1]);
      if (lane() == backend::width - 1) totals[row] = scanned;
    });
  }

  /// Writes the prefixes of a tile. `prefix` is the prefix of the tile, and `rows` contains the scanned totals of its
  /// rows.
  KOKKOS_FUNCTION void write(Value const& prefix, Value const* rows) const {
    for_own_rows([&](int row) {
      std::uint64_t const begin = begin_of(row);
      Value x[run_size];
      read_run(begin, x);
      Value before = before_row(op_, rows, row, prefix);
      Value const scanned = scan_lanes(op_, lane(), x[run_size - 1]);
      Value const runs_before = backend::shuffle_up(scanned, lane(), 1);
      if (lane() > 0) before = op_(before, runs_before);
      for (int j = 0; j < run_size; ++j) {
        std::uint64_t const i = begin + static_cast<std::uint64_t>(j);
        if (i < n_) write_element(i, run_prefix<Inclusive>(op_, before, x, j));
      }
    });
  }

 private:
  static constexpr int warps = Tile::threads / backend::width;
  static constexpr int run_size = Tile::run_size;
  static constexpr int row_size = run_size * backend::width;

  KOKKOS_FUNCTION int lane() const { return thread_ % backend::width; }

  template <class Use>
  KOKKOS_FUNCTION void for_own_rows(Use const& use) const {
    RIFFLE_NO_UNROLL
    for (int row = thread_ / backend::width; row < tile_rows; row += warps) use(row);
  }

  KOKKOS_FUNCTION std::uint64_t begin_of(int row) const {
    return tile_ * Tile::size + static_cast<std::uint64_t>(row * row_size + lane() * run_size);
  }

  KOKKOS_FUNCTION void read_run(std::uint64_t begin, Value (&x)[run_size]) const {
    for (int j = 0; j < run_size; ++j) {
      std::uint64_t const i = begin + static_cast<std::uint64_t>(j);
      x[j] = i < n_ ? to_value<Op>(source_(i)) : op_.identity();
    }
    scan_run(op_, x);
  }

  KOKKOS_FUNCTION void write_element(std::uint64_t i, Value const& prefix) const {
    if constexpr (takes_items<Sink>) {
      sink_(i, prefix, source_(i));
    } else {
      sink_(i, prefix);
    }
  }

  std::uint64_t n_;
  Source const& source_;
  Sink const& sink_;
  Op const& op_;
  std::uint64_t tile_;
  int thread_;
};

}  // namespace riffle::detail::scan
