#pragma once

// Where a team keeps a tile that waits for its prefix, or a part of it.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

#include <riffle/primitives/quad_chunks.hpp>

namespace riffle::detail::scan {

/// Keeps a tile in registers, or where the compiler puts what does not fit there.
template <class Held>
class RegisterParking {
 public:
  static constexpr std::size_t bytes = 0;

  KOKKOS_FUNCTION RegisterParking(void*, int) {}

  KOKKOS_FUNCTION void put(Held const& held) { held_ = held; }
  KOKKOS_FUNCTION void get(Held& held) const { held = held_; }

 private:
  Held held_;
};

/// Keeps a tile in scratch memory. A thread finds there what it put there itself, so no barrier is needed; neighbouring
/// threads have neighbouring chunks, so there are no bank conflicts.
template <class Held, int Threads>
class ScratchParking {
 public:
  static constexpr int chunks =
      static_cast<int>((sizeof(Held) + sizeof(Chunk) - 1) / sizeof(Chunk));
  static constexpr std::size_t bytes = sizeof(Chunk) * chunks * Threads;

  /// `memory` has `bytes` bytes.
  KOKKOS_FUNCTION ScratchParking(void* memory, int thread)
      : own_(static_cast<Chunk*>(memory) + thread) {}

  KOKKOS_FUNCTION void put(Held const& held) {
    Chunk copies[chunks];
    memcpy(copies, &held, sizeof(Held));
    RIFFLE_UNROLL
    for (int k = 0; k < chunks; ++k) own_[k * Threads] = copies[k];
  }

  KOKKOS_FUNCTION void get(Held& held) const {
    Chunk copies[chunks];
    RIFFLE_UNROLL
    for (int k = 0; k < chunks; ++k) copies[k] = own_[k * Threads];
    memcpy(&held, copies, sizeof(Held));
  }

 private:
  Chunk* own_;
};

/// Keeps `Places` tiles in scratch memory as ScratchParking does, but gives them back row by row, which takes fewer
/// registers. A thread's part of a row must fill whole chunks.
template <class Tile, int Places>
class RowParking {
  using Held = typename Tile::Held;
  using Row = typename Tile::Row;
  using Value = typename Tile::Value;

  static constexpr int rows = Tile::rows_per_warp;
  // By the parentheses clang does not take the quotient for a number of elements.
  static constexpr int row_chunks = sizeof(Held::x[0]) / (sizeof(Chunk));
  static constexpr std::size_t chunks = std::size_t{Places} * rows * row_chunks * Tile::threads;

 public:
  static constexpr bool is_possible = sizeof(Held::x[0]) % sizeof(Chunk) == 0;
  static constexpr std::size_t bytes =
      chunks * sizeof(Chunk) + std::size_t{Places} * rows * Tile::threads * sizeof(Value);

  /// `memory` has `bytes` bytes.
  KOKKOS_FUNCTION RowParking(void* memory, int thread)
      : chunks_(static_cast<Chunk*>(memory) + thread),
        before_(reinterpret_cast<Value*>(static_cast<Chunk*>(memory) + chunks) + thread) {}

  KOKKOS_FUNCTION void put(Held const& held, int place) {
    RIFFLE_UNROLL
    for (int r = 0; r < rows; ++r) {
      Chunk copies[row_chunks];
      memcpy(copies, &held.x[r], sizeof(copies));
      RIFFLE_UNROLL
      for (int k = 0; k < row_chunks; ++k) chunks_[chunk(place, r, k)] = copies[k];
      before_[row(place, r)] = held.before[r];
    }
  }

  KOKKOS_FUNCTION Row get(int place, int r) const {
    Chunk copies[row_chunks];
    RIFFLE_UNROLL
    for (int k = 0; k < row_chunks; ++k) copies[k] = chunks_[chunk(place, r, k)];
    Row result;
    memcpy(&result.x, copies, sizeof(copies));
    result.before = before_[row(place, r)];
    return result;
  }

 private:
  KOKKOS_FUNCTION static int row(int place, int r) { return (place * rows + r) * Tile::threads; }
  KOKKOS_FUNCTION static int chunk(int place, int r, int k) {
    return row(place, r) * row_chunks + k * Tile::threads;
  }

  Chunk* chunks_;
  Value* before_;
};

/// The parking for a team that has `Room` bytes of scratch memory for it.
template <class Held, int Threads, std::size_t Room>
using Parking = std::conditional_t<ScratchParking<Held, Threads>::bytes <= Room,
                                   ScratchParking<Held, Threads>, RegisterParking<Held>>;

}  // namespace riffle::detail::scan
