#pragma once

// One tile of small elements, which stay packed in the registers of a team.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/quad_chunks.hpp>
#include <riffle/primitives/sink.hpp>
#include <riffle/primitives/source.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/gpu/value_tile.hpp>

namespace riffle::detail::scan {

/// With tiles of 4096 elements, a step of a team takes as long for elements of a byte as for those of four.
inline constexpr std::size_t max_packed_bytes = 2;

/// Whether tiles of more elements than the tile tree's are possible: the operation is exact, so that every tree gives the
/// same bits, and elements are moved as they are.
template <class Source, class Sink, class Op>
inline constexpr bool is_packed = false;
template <AddressableSource Source, AddressableSink Sink, class Op>
inline constexpr bool is_packed<Source, Sink, Op> =
    std::conjunction_v<std::bool_constant<is_exact<Op>>,
                       std::bool_constant<(sizeof(typename Op::value_type) <= max_packed_bytes)>,
                       std::is_same<typename Source::Item, typename Op::value_type>,
                       std::is_same<typename Sink::Element, typename Op::value_type>>;

/// Whether both begin where chunks can be moved.
template <class Source, class Sink>
bool can_pack(Source const& source, Sink const& sink) {
  auto const begins_chunk = [](void const* address) {
    return reinterpret_cast<std::uintptr_t>(address) % alignof(Chunk) == 0;
  };
  return source.is_contiguous() && sink.is_contiguous() && begins_chunk(source.address(0)) &&
         begins_chunk(sink.address(0));
}

/// A tile in the same steps as a ValueTile's. A lane holds a chunk of each of its warp's rows, as it was read: it is
/// scanned once for its total, and once more when its prefixes are written. So a tile has as many bytes as one of larger
/// elements, and what a tile costs beside its bytes is paid for more elements.
template <class Source, class Sink, class Op, bool Inclusive>
class PackedTile {
 public:
  using Value = typename Op::value_type;

  static constexpr int run_size = static_cast<int>(sizeof(Chunk) / sizeof(Value));
  static constexpr int row_size = run_size * backend::width;
  static constexpr int size = row_size * tile_rows;
  static constexpr int rows_per_warp = 4;
  static constexpr int threads = tile_rows / rows_per_warp * backend::width;

  static constexpr bool reads_chunks = true;
  static constexpr bool writes_chunks = true;

  struct Read {
    Chunk chunks[rows_per_warp];
  };

  /// What stands before each of the thread's runs inside its row.
  using Before = Value[rows_per_warp];

  /// What write_row() needs of a row, beside the prefix of the tile.
  struct Row {
    Chunk x;
    Value before;
  };

  /// What write() needs of a tile, beside its prefix.
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

  /// Scans the totals of runs in their rows, and writes those of rows to `totals`.
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

  /// Writes the prefixes of a tile that comes after `prefix`; `totals` are those of its rows, scanned.
  KOKKOS_FUNCTION void write(Op const& op, Sink const& sink, Value const& prefix,
                             Value const* totals, Held const& from) const {
    for (int r = 0; r < rows_per_warp; ++r) {
      write_row(op, sink, prefix, totals, r, {from.x[r], from.before[r]});
    }
  }

  /// The same for row r of the thread's.
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

}  // namespace riffle::detail::scan
