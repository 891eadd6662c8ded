#pragma once

// Where a team keeps a tile that waits for its prefix, or a part of it.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

#include <riffle/kernel/quad_chunks.hpp>

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

/// The parking for a team that has `Room` bytes of scratch memory for it.
template <class Held, int Threads, std::size_t Room>
using Parking = std::conditional_t<ScratchParking<Held, Threads>::bytes <= Room,
                                   ScratchParking<Held, Threads>, RegisterParking<Held>>;

}  // namespace riffle::detail::scan
