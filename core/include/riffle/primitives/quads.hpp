#pragma once

// Loads and stores of quads (four consecutive elements), and of rows of 32 quads that a warp moves together.
//
// A lane moves at most a chunk of 16 bytes at a time. If a quad consists of several chunks, a lane first reads chunks
// of different quads. Thus neighbouring lanes access neighbouring addresses, and each access of the warp moves whole
// sectors. Then neighbouring lanes exchange chunks through registers. Afterwards each lane holds all chunks of one
// quad. With two chunks per quad:
//
//     access                   0                       1
//     lane               0   1   2   3 ... 31    0   1   2   3 ... 31
//     chunk of the row   0   1   2   3 ... 31   32  33  34  35 ... 63
//     its quad           0   0   1   1 ... 15   16  16  17  17 ... 31
//     after the exchange, lane 0 holds quad 0, lane 1 quad 16, lane 2 quad 1, lane 3 quad 17, ...

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

/// Four consecutive elements, aligned for the widest accesses that their size permits.
template <class T>
struct Quad {
  static constexpr std::size_t size = sizeof(T) * quad_size;
  static constexpr std::size_t lowest_bit = size & (~size + 1);
  static constexpr std::size_t alignment =
      std::max(alignof(T), std::min(lowest_bit, std::size_t{16}));

  struct alignas(alignment) Elements {
    T x[quad_size];
  };
};

/// Whether `view` is contiguous, and aligned such that it can be accessed by quads.
template <class View>
bool can_move_by_quads(View const& view) {
  using Elements = typename Quad<typename View::non_const_value_type>::Elements;
  return view.stride(0) == 1 &&
         reinterpret_cast<std::uintptr_t>(view.data()) % alignof(Elements) == 0;
}

/// Reads the quad at `from`. Requires that `from` has the alignment of Quad<T>.
template <class T>
KOKKOS_INLINE_FUNCTION void load_quad(T const* from, T (&x)[quad_size]) {
  using Elements = typename Quad<T>::Elements;
  Elements const quad = *reinterpret_cast<Elements const*>(from);
  for (int e = 0; e < quad_size; ++e) x[e] = quad.x[e];
}

template <class T, class Value>
KOKKOS_INLINE_FUNCTION void store_quad(Value const (&x)[quad_size], T* to) {
  using Elements = typename Quad<T>::Elements;
  Elements quad;
  for (int e = 0; e < quad_size; ++e) quad.x[e] = static_cast<T>(x[e]);
  *reinterpret_cast<Elements*>(to) = quad;
}

/// The widest access of a lane.
struct alignas(16) Chunk {
  std::uint32_t words[4];
};

/// The number of chunks per quad of T. It is 1 for types whose quads need no exchange of chunks.
template <class T>
inline constexpr int chunks_of_quad = sizeof(T) == 8 ? 2 : (sizeof(T) == 16 ? 4 : 1);

/// Equal to chunks_of_quad, except that it is 0 if a quad does not consist of whole chunks.
template <class T>
inline constexpr int whole_chunks_of_quad = sizeof(T) * quad_size ==
                                                    sizeof(Chunk) * chunks_of_quad<T>
                                                ? chunks_of_quad<T>
                                                : 0;

/// The quads of a row that the lanes hold after the exchange: lane l holds quad place(l), and quad p is in lane(p).
/// Chunks are exchanged within each group of `Chunks` neighbouring lanes.
template <int Chunks>
struct QuadPlaces {
  static constexpr int stride = backend::width / Chunks;

  KOKKOS_FUNCTION static constexpr int place(int lane) {
    return lane % Chunks * stride + lane / Chunks;
  }
  KOKKOS_FUNCTION static constexpr int lane(int place) {
    return place % stride * Chunks + place / stride;
  }
};

/// Transposes the chunks of each group of `Chunks` neighbouring lanes: chunk k of lane j becomes chunk j of lane k.
template <int Chunks>
KOKKOS_INLINE_FUNCTION void transpose_chunks(Chunk (&chunks)[Chunks], int lane) {
  RIFFLE_UNROLL
  for (int distance = 1; distance < Chunks; ++distance) {
    int const partner = lane % Chunks ^ distance;
    Chunk passed = chunks[0];
    RIFFLE_UNROLL
    for (int k = 1; k < Chunks; ++k) {
      if (k == partner) passed = chunks[k];
    }
    passed = backend::from_lane(passed, lane ^ distance);
    RIFFLE_UNROLL
    for (int k = 0; k < Chunks; ++k) {
      if (k == partner) chunks[k] = passed;
    }
  }
}

/// Reads the lane's chunks of the row at `row`, without waiting for the loads. exchange_chunks() then turns the chunks
/// into the lane's quad. The loads are streaming, because the data are read only once.
template <class T>
KOKKOS_INLINE_FUNCTION void read_chunks(T const* row, int lane, T (&quad)[quad_size]) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr int count = chunks_of_quad<T>;
  auto const* const from = reinterpret_cast<Chunk const*>(row);
  Chunk chunks[count];
  RIFFLE_UNROLL
  for (int k = 0; k < count; ++k) {
    chunks[k] = backend::load_streaming<Word>(from + k * backend::width + lane);
  }
  memcpy(quad, chunks, sizeof(quad));
}

/// Turns the chunks that the lane has read into the lane's quad, or the quad into the chunks that the lane writes.
template <class T>
KOKKOS_INLINE_FUNCTION void exchange_chunks(int lane, T (&quad)[quad_size]) {
  Chunk chunks[chunks_of_quad<T>];
  memcpy(chunks, quad, sizeof(quad));
  transpose_chunks(chunks, lane);
  memcpy(quad, chunks, sizeof(quad));
}

/// Writes the lane's quad of the row at `row`. Neighbouring lanes exchange chunks first. Overwrites `quad`.
template <class T>
KOKKOS_INLINE_FUNCTION void write_chunks(T* row, int lane, T (&quad)[quad_size]) {
  constexpr int count = chunks_of_quad<T>;
  exchange_chunks(lane, quad);
  auto* const to = reinterpret_cast<Chunk*>(row);
  Chunk chunks[count];
  memcpy(chunks, quad, sizeof(quad));
  RIFFLE_UNROLL
  for (int k = 0; k < count; ++k) {
    backend::store_streaming(to + k * backend::width + lane, chunks[k]);
  }
}

/// Writes a quad of two chunks to `own`, the address of this lane's quad. Requires that the quads of neighbouring lanes
/// are neighbours in memory. Lanes 2 k and 2 k + 1 together write the quad of lane 2 k, then the quad of lane 2 k + 1.
/// Overwrites `quad`.
template <class T>
KOKKOS_INLINE_FUNCTION void write_by_pairs(T* own, int lane, T (&quad)[quad_size]) {
  static_assert(chunks_of_quad<T> == 2);
  exchange_chunks(lane, quad);
  Chunk chunks[2];
  memcpy(chunks, quad, sizeof(quad));
  auto* const to = reinterpret_cast<Chunk*>(own) - 2 * (lane % 2) + lane % 2;
  to[0] = chunks[0];
  to[2] = chunks[1];
}

}  // namespace riffle::detail
