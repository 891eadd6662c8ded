#pragma once

// How the lanes of a warp move a row of quads that are wider than one access: neighbouring lanes at
// neighbouring addresses, so that every access moves whole sectors of memory.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

/// Four consecutive elements as a GPU moves them: by the widest accesses that their size allows.
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

/// Whether `view` can be read and written by quads.
template <class View>
bool can_move_by_quads(View const& view) {
  using Elements = typename Quad<typename View::non_const_value_type>::Elements;
  return view.stride(0) == 1 &&
         reinterpret_cast<std::uintptr_t>(view.data()) % alignof(Elements) == 0;
}

/// Reads the quad whose first element is at `from`.
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

/// The most that one lane reads or writes at once.
struct alignas(16) Chunk {
  std::uint32_t words[4];
};

/// How many chunks a quad of elements of T is made of; 1 where lanes move their quads alone.
template <class T>
inline constexpr int chunks_of_quad = sizeof(T) == 8 ? 2 : (sizeof(T) == 16 ? 4 : 1);

/// The same, but 0 where a quad is not whole chunks.
template <class T>
inline constexpr int whole_chunks_of_quad = sizeof(T) * quad_size ==
                                                    sizeof(Chunk) * chunks_of_quad<T>
                                                ? chunks_of_quad<T>
                                                : 0;

/// The quad of a row that a lane holds. Quads of several chunks are exchanged among as many neighbouring lanes, which
/// hold quads far from each other, so that this takes few exchanges.
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

/// Chunk k of lane j of `Chunks` neighbours becomes chunk j of lane k.
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

/// Reads the lane's chunks of the row at `row`, from which exchange_chunks makes its quad. Does not wait for the loads. What
/// is moved so is moved once, and caches need not keep it.
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

template <class T>
KOKKOS_INLINE_FUNCTION void exchange_chunks(int lane, T (&quad)[quad_size]) {
  Chunk chunks[chunks_of_quad<T>];
  memcpy(chunks, quad, sizeof(quad));
  transpose_chunks(chunks, lane);
  memcpy(quad, chunks, sizeof(quad));
}

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

/// Writes a quad of two chunks to `own`, where neighbouring lanes have neighbouring quads: a lane and its neighbour
/// write first the one quad together, then the other.
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
