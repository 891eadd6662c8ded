#pragma once

// Moves tiles with the threads of a CPU, through a buffer in the thread's cache. Host only.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/rotate_block.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/loops.hpp>

namespace riffle::detail::tiles {

/// The number of elements per vector, and its log2.
template <class T>
inline constexpr int lanes_of = backend::block_width<sizeof(T)>;
template <class T>
inline constexpr int lane_bits = backend::block_bits<sizeof(T)>;

/// Sets stage[place(k)] = from[k * stride] for k < length.
template <class T, class Place>
void scatter_row(T const* from, std::uint64_t stride, std::uint64_t length, Place const& place,
                 T* stage) {
  if (stride == 1) {
    for (std::uint64_t k = 0; k < length; ++k) stage[place(k)] = from[k];
  } else {
    for (std::uint64_t k = 0; k < length; ++k) stage[place(k)] = from[k * stride];
  }
}

/// Sets stage[place(k) + j] = from[j][k] for 2^bits rows j and k < length. Let v be the number of elements per vector.
/// Requires that 2^bits <= v, that length is a multiple of v, and that place(k + 1) = place(k) + 2^bits if elements k
/// and k + 1 belong to the same vector of the buffer.
template <int bits, class T, class Place>
void interleave_rows(T const* const* from, std::uint64_t length, Place const& place, T* stage) {
  constexpr int in_vector =
      lane_bits<T> - bits;  // log2 of the number of elements of one row in a vector of the buffer
  for (std::uint64_t k = 0; k < length; k += lanes_of<T>) {
    backend::rotate_block<sizeof(T), lane_bits<T> + bits, bits>(
        [&](int j) { return from[j] + k; },
        [&](int i) { return stage + place(k + (static_cast<std::uint64_t>(i) << in_vector)); });
  }
}

/// Sets stage[place(k)] = from[k] for k < length. Requires that length is a multiple of 2^bits vectors, and that
/// place(k + 2^bits) = place(k) + 1 if elements k and k + 2^bits belong to the same vector of the buffer.
template <int bits, class T, class Place>
void split_row(T const* from, std::uint64_t length, Place const& place, T* stage) {
  for (std::uint64_t k = 0; k < length; k += lanes_of<T> << bits) {
    backend::rotate_block<sizeof(T), lane_bits<T> + bits, lane_bits<T>>(
        [&](int j) { return from + (k + static_cast<std::uint64_t>(j * lanes_of<T>)); },
        [&](int i) { return stage + place(k + static_cast<std::uint64_t>(i)); });
  }
}

/// Prefetches the cache lines of `length` elements.
template <class T>
void prefetch_elements(T const* from, std::uint64_t length) {
  auto const* const bytes = reinterpret_cast<std::byte const*>(from);
  for (std::uint64_t k = 0; k < length * sizeof(T); k += backend::cache_line) {
    backend::prefetch_line(bytes + k);
  }
}

// --- tiles ---
//
// A thread reads the rows of a tile sequentially, scatters them to a buffer, and writes the buffer as runs, as in L.
// Carter, K. S. Gatlin, "Towards an optimal bit-reversal permutation program", FOCS 1998. If the distance between rows
// is a power of two, the rows map to few cache sets and evict each other. This is harmless, because each row is read
// completely in one go, so its lines are not needed again. A tile that is one run in the target needs no buffer, unless
// the run is written with streaming stores.

/// Reads and writes tiles with one thread.
template <class T, class Rows>
class RowMover {
 public:
  static constexpr std::size_t stage_bytes = sizeof(T) << Rows::bits;

  RowMover(Rows const& rows, T const* in, T* out, bool streams)
      : rows_(rows),
        in_(in),
        out_(out),
        streams_(streams),
        needs_stage_(streams || !rows.has_whole_targets()) {}

  Rows const& rows() const { return rows_; }

  /// Moves a tile. If there is a next tile, prefetches its first rows.
  void move(std::uint64_t tile, bool has_next, T* stage) const {
    if (needs_stage_) {
      read(tile, stage);
      if (has_next) prefetch(tile + 1);
      write(tile, stage);
    } else {
      if (has_next) prefetch(tile + 1);
      rows_.read(tile, in_, out_ + rows_.target(tile));
    }
  }

  void read(std::uint64_t tile, T* stage) const { rows_.read(tile, in_, stage); }

  /// Prefetches the data that the tile reads first, so that it arrives while another tile is written.
  void prefetch(std::uint64_t tile) const { rows_.prefetch(tile, in_); }

  void write(std::uint64_t tile, T const* stage) const {
    rows_.for_each_run(tile, [&](std::uint64_t target, std::uint64_t first, std::uint64_t length) {
      T const* const from = stage + first;
      T* const to = out_ + target;
      std::uint64_t const stride = rows_.target_stride();
      if (streams_ && backend::can_stream_to(to)) {
        backend::stream_copy(to, from, length * sizeof(T));
      } else if (stride == 1) {
        std::memcpy(static_cast<void*>(to), from, length * sizeof(T));
      } else {
        for (std::uint64_t k = 0; k < length; ++k) to[k * stride] = from[k];
      }
    });
  }

 private:
  Rows rows_;
  T const* in_;
  T* out_;
  bool streams_;
  bool needs_stage_;
};

template <class Exec>
std::uint64_t worker_count(Exec const& exec, std::uint64_t tiles) {
  return std::min(tiles, shares_per_thread * static_cast<std::uint64_t>(exec.concurrency()));
}

/// Moves all tiles of an array. `bytes` is the size of the output.
template <class T, class Exec, class Rows>
void move_by_threads(Context<Exec> const& context, Rows const& rows, T const* in, T* out,
                     std::uint64_t bytes) {
  // Streaming stores are used only if all runs begin at multiples of stream_alignment. Otherwise a cache line would be
  // written partly by streaming and partly by ordinary stores, and would be transferred several times.
  bool const streams = rows.target_stride() == 1 && writes_past_caches(bytes) &&
                       backend::can_stream_to(out) &&
                       rows.run_pitch() * sizeof(T) % backend::stream_alignment == 0;
  std::uint64_t const workers = worker_count(context.exec(), rows.tiles());
  RowMover<T, Rows> const mover(rows, in, out, streams);
  // Worker w moves a contiguous range of tiles.
  for_each_dynamic(context, workers, [=](std::uint64_t worker) {
    alignas(backend::cache_line) std::byte memory[RowMover<T, Rows>::stage_bytes];
    T* const stage = reinterpret_cast<T*>(memory);
    std::uint64_t const tiles = mover.rows().tiles();
    std::uint64_t const end = (worker + 1) * tiles / workers;
    for (std::uint64_t tile = worker * tiles / workers; tile < end; ++tile) {
      mover.move(tile, tile + 1 < end, stage);
    }
    if (streams) backend::finish_streams();
  });
}

/// Swaps pairs of tiles. The worker that owns the lower tile moves both.
template <class T, class Exec, class Rows>
void swap_by_threads(Context<Exec> const& context, Rows const& rows, T* data) {
  std::uint64_t const workers = worker_count(context.exec(), rows.tiles());
  RowMover<T, Rows> const mover(rows, data, data, false);
  for_each_dynamic(context, workers, [=](std::uint64_t worker) {
    constexpr std::size_t size = RowMover<T, Rows>::stage_bytes;
    alignas(backend::cache_line) std::byte memory[2 * size];
    T* const stage = reinterpret_cast<T*>(memory);
    T* const other = reinterpret_cast<T*>(memory + size);
    std::uint64_t const tiles = mover.rows().tiles();
    std::uint64_t const end = (worker + 1) * tiles / workers;
    for (std::uint64_t tile = worker * tiles / workers; tile < end; ++tile) {
      std::uint64_t const partner = mover.rows().partner(tile);
      if (partner < tile) continue;
      mover.read(tile, stage);
      if (partner > tile) mover.read(partner, other);
      mover.write(tile, stage);
      if (partner > tile) mover.write(partner, other);
    }
  });
}

}  // namespace riffle::detail::tiles
