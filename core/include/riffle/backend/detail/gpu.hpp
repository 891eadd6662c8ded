#pragma once

// Instructions of GPUs. Each function has a form for NVIDIA GPUs, in PTX where that is faster, and a form for AMD GPUs. Where Kokkos
// or plain C++ can replace the instruction, there is a portable form, too. Included by riffle/backend/backend.hpp only. Device only.
//
// RIFFLE_PORTABLE compiles the portable forms for NVIDIA GPUs, too, without PTX, matrix units and CUB. Nobody should use it in a
// program: with it, the portable forms are tested and measured.
//
// A wavefront of an AMD GPU has 64 lanes (CDNA) or 32 lanes (RDNA). Riffle's warps have 32 lanes everywhere, so a wavefront of 64
// lanes is two warps, which may take different branches. A warp reads only its own half of a ballot, and shuffles are of 32 lanes.

#include <Kokkos_Core.hpp>

#include <cstdint>

#if defined(__CUDA_ARCH__) && !defined(RIFFLE_PORTABLE)
#define RIFFLE_HAS_PTX
#endif

namespace riffle::backend::gpu {

/// Returns the part of a wavefront's ballot that belongs to the warp of lane `lane` of the wavefront. A wavefront of 32 lanes has
/// zeros in the upper half. The emulator of a GPU calls this function, too.
KOKKOS_INLINE_FUNCTION std::uint32_t ballot_of_warp(std::uint64_t ballot, unsigned lane) {
  return static_cast<std::uint32_t>(ballot >> (lane & 32u));
}

}  // namespace riffle::backend::gpu

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)

namespace riffle::backend::gpu {

/// Returns the word that lane `source` of the caller's warp passes.
__device__ inline std::uint32_t shuffle(std::uint32_t word, int source) {
#if defined(__CUDA_ARCH__)
  return __shfl_sync(0xFFFFFFFFu, word, source);
#else
  return static_cast<std::uint32_t>(__shfl(static_cast<int>(word), source, 32));
#endif
}

/// Returns a mask in which bit l is set if lane l of the caller's warp passes true.
__device__ inline std::uint32_t ballot(bool predicate) {
#if defined(__CUDA_ARCH__)
  return __ballot_sync(0xFFFFFFFFu, predicate);
#else
  return ballot_of_warp(__ballot(predicate), __lane_id());
#endif
}

__device__ inline bool all(bool predicate) {
#if defined(__CUDA_ARCH__)
  return __all_sync(0xFFFFFFFFu, predicate) != 0;
#else
  return ballot(predicate) == ~std::uint32_t{0};
#endif
}

/// Makes the writes of each lane visible to the other lanes of the warp.
__device__ inline void synchronize() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#else
  // The lanes of a wavefront run in lockstep; the compiler must not move memory accesses across this point.
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}

/// Lets the lanes of a wavefront wait for each other (backend::reconverge).
__device__ inline void reconverge() {
#if defined(__HIP_DEVICE_COMPILE__)
  __builtin_amdgcn_wave_barrier();
#endif
}

/// The bytes of backend::choose_bytes. An AMD GPU has them in one instruction, too, with the words in the other order and a
/// selector in which each number takes a byte.
__device__ inline std::uint32_t choose_bytes(std::uint32_t lower, std::uint32_t upper,
                                             std::uint32_t places) {
#if defined(RIFFLE_HAS_PTX)
  return __byte_perm(lower, upper, places);
#elif defined(__CUDA_ARCH__)
  std::uint64_t const bytes = std::uint64_t{upper} << 32 | lower;
  std::uint32_t chosen = 0;
  for (int k = 0; k < 4; ++k) {
    auto const place = places >> 4 * k & 7;
    chosen |= static_cast<std::uint32_t>(bytes >> 8 * place & 0xFF) << 8 * k;
  }
  return chosen;
#else
  std::uint32_t const selector =
      (places & 7) | (places & 0x70) << 4 | (places & 0x700) << 8 | (places & 0x7000) << 12;
  return __builtin_amdgcn_perm(upper, lower, selector);
#endif
}

/// Clamps x to [0, 1]; a NaN becomes 0.
__device__ inline float saturate(float x) {
#if defined(RIFFLE_HAS_PTX)
  return __saturatef(x);
#else
  return x >= 1 ? 1.0f : x > 0 ? x : 0.0f;
#endif
}

/// Makes the compiler keep `number` in a register.
__device__ inline void keep(std::uint32_t& number) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(number));
#else
  asm volatile("" : "+v"(number));
#endif
}

/// Loads a word atomically, with relaxed memory order.
__device__ inline std::uint64_t load_relaxed(std::uint64_t const* from) {
#if defined(RIFFLE_HAS_PTX)
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
#elif defined(__CUDA_ARCH__)
  return Kokkos::atomic_load(from);
#else
  return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#endif
}

/// Stores a word atomically, with relaxed memory order.
__device__ inline void store_relaxed(std::uint64_t* to, std::uint64_t value) {
#if defined(RIFFLE_HAS_PTX)
  asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
#elif defined(__CUDA_ARCH__)
  Kokkos::atomic_store(to, value);
#else
  __hip_atomic_store(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#endif
}

/// Adds to a word atomically, with relaxed memory order, and returns its previous value. The caller
/// waits only if it uses the previous value.
__device__ inline std::uint64_t fetch_add_relaxed(std::uint64_t* to, std::uint64_t value) {
#if defined(RIFFLE_HAS_PTX)
  // If all lanes of a warp add the same value, nvcc lets one lane add for all lanes, and then waits
  // for the result to distribute it. Adding `none` to the value prevents this. `none` is always 0,
  // because %lanemask_eq is never 0, but nvcc does not know that.
  std::uint32_t own;
  asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(own));
  std::uint64_t const none = own == 0 ? 1 : 0;
  std::uint64_t before;
  asm volatile("atom.relaxed.gpu.add.u64 %0, [%1], %2;"
               : "=l"(before)
               : "l"(to), "l"(value + none)
               : "memory");
  return before;
#elif defined(__CUDA_ARCH__)
  return Kokkos::atomic_fetch_add(to, value);
#else
  return __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#endif
}

/// Pauses the lanes for some 100 cycles.
__device__ inline void pause() {
#if defined(__CUDA_ARCH__)
  __nanosleep(50);
#else
  __builtin_amdgcn_s_sleep(1);
#endif
}

}  // namespace riffle::backend::gpu

#endif
