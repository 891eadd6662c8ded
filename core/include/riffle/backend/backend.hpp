#pragma once

// The code that depends on the back end or on the kind of processor. Only headers in this folder test which one is used.
//
// A warp has 32 lanes. On a GPU, a lane is a thread, and lanes exchange values through registers. On a CPU, one thread runs all
// 32 lanes by plain loops over arrays, which compilers vectorise.

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>

#include <riffle/backend/detail/gpu.hpp>
#include <riffle/backend/detail/host.hpp>
#include <riffle/backend/detail/registers.hpp>
#include <riffle/backend/detail/vector.hpp>
#include <riffle/backend/detail/words.hpp>

/// RIFFLE_IF_ON_GPU(CODE) compiles CODE for GPUs only, RIFFLE_IF_ON_CPU(CODE) for CPUs only. For a
/// device for which Riffle has no kernels, the code for CPUs is compiled, but never called.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#define RIFFLE_IF_ON_GPU(CODE) KOKKOS_IF_ON_DEVICE(CODE)
#define RIFFLE_IF_ON_CPU(CODE) KOKKOS_IF_ON_HOST(CODE)
#else
#define RIFFLE_IF_ON_GPU(CODE)
#define RIFFLE_IF_ON_CPU(CODE) RIFFLE_WITHOUT_PARENTHESES CODE
#define RIFFLE_WITHOUT_PARENTHESES(...) __VA_ARGS__
#endif

namespace riffle::backend {

/// The number of lanes per warp, on every back end.
inline constexpr int width = 32;

/// Whether Riffle has kernels for `Exec`.
template <class Exec>
inline constexpr bool has_kernels = false;
#if defined(KOKKOS_ENABLE_SERIAL)
template <>
inline constexpr bool has_kernels<Kokkos::Serial> = true;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
template <>
inline constexpr bool has_kernels<Kokkos::OpenMP> = true;
#endif
#if defined(KOKKOS_ENABLE_THREADS)
template <>
inline constexpr bool has_kernels<Kokkos::Threads> = true;
#endif
#if defined(KOKKOS_ENABLE_CUDA)
template <>
inline constexpr bool has_kernels<Kokkos::Cuda> = true;
#endif
#if defined(KOKKOS_ENABLE_HIP)
template <>
inline constexpr bool has_kernels<Kokkos::HIP> = true;
#endif

/// Properties of an execution space for which Riffle has kernels. For any other execution space the
/// compiler reports an error. Functions that take an instance check this in detail::ExecutionSpace
/// (riffle/primitives/call.hpp), functions that a team calls check it in is_cpu.
template <class Exec>
struct KernelsOf {
  static_assert(has_kernels<Exec>,
                "riffle: no kernels for this execution space; Riffle runs on Kokkos::Cuda, HIP, "
                "OpenMP, Threads and Serial");
  static constexpr bool exist = has_kernels<Exec>;
  static constexpr bool are_of_vectors =
      Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;
};

/// Whether the threads of `Exec` are CPU threads, each of which runs several vector lanes. If so, a
/// kernel has ended when the call that launched it returns. On a GPU a thread is one lane.
template <class Exec>
inline constexpr bool is_cpu = KernelsOf<Exec>::are_of_vectors;

/// The number of independent problems that one thread of `Exec` processes at the same time. A GPU
/// thread processes one problem. A CPU thread processes several, so that the latencies of its
/// vector instructions overlap; 8 is the smallest number that fills a vector on every processor.
template <class Exec>
inline constexpr int problems_per_thread = is_cpu<Exec> ? 8 : 1;

/// The id of the device on which `exec` runs; 0 if there is only one device.
template <class Exec>
int device_id([[maybe_unused]] Exec const& exec) {
  if constexpr (requires { exec.cuda_device(); }) {
    return exec.cuda_device();
  } else if constexpr (requires { exec.hip_device(); }) {
    return exec.hip_device();
  } else {
    return 0;
  }
}

/// Returns the id of the device to which the memory at `data` belongs. Returns the device of `exec`
/// if the memory belongs to no device, such as host memory or memory that all devices share.
template <class Exec>
int device_of_memory(Exec const& exec, [[maybe_unused]] void const* data) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // otherwise a later call would report this error
    } else if (attributes.type == cudaMemoryTypeDevice) {
      return attributes.device;
    }
  }
#endif
#if defined(KOKKOS_ENABLE_HIP)
  if constexpr (std::is_same_v<Exec, Kokkos::HIP>) {
    hipPointerAttribute_t attributes{};
    if (hipPointerGetAttributes(&attributes, data) != hipSuccess) {
      static_cast<void>(hipGetLastError());
    } else if (attributes.type == hipMemoryTypeDevice) {
      return attributes.device;
    }
  }
#endif
  return device_id(exec);
}

/// The multiprocessor count of the GPU on which `exec` runs.
template <class Exec>
std::uint64_t processors(Exec const& exec) {
  if constexpr (requires { exec.hip_device_prop(); }) {
    return static_cast<std::uint64_t>(exec.hip_device_prop().multiProcessorCount);
  } else {
    return static_cast<std::uint64_t>(exec.cuda_device_prop().multiProcessorCount);
  }
}

// --- the number of teams that run concurrently on one multiprocessor of a GPU ---

/// The resources of one GPU multiprocessor: threads, and bytes of scratch memory. Source: "CUDA C++
/// Programming Guide", technical specifications per compute capability.
struct Processor {
  int threads;
  std::size_t scratch_bytes;

  /// Returns how many teams run on the multiprocessor at a time: `wanted`, capped at the number
  /// that fits, but at least 1. A team needs `bytes` bytes of scratch memory, and in addition the
  /// larger of CUDA's reservation (1 KiB) and Kokkos's reservation (8 bytes per thread and 64
  /// bytes).
  constexpr int teams(int wanted, int team_size, std::size_t bytes) const {
    int const by_threads = threads / team_size;
    std::size_t const of_kokkos = 8 * static_cast<std::size_t>(team_size) + 64;
    std::size_t const beside = of_kokkos > 1024 ? of_kokkos : 1024;
    int const by_scratch = static_cast<int>(scratch_bytes / (bytes + beside));
    int const possible = by_threads < by_scratch ? by_threads : by_scratch;
    return possible < 1 ? 1 : possible < wanted ? possible : wanted;
  }
};

/// The multiprocessor of the GPU architecture for which Kokkos was built. If the list does not
/// contain the architecture, the smallest multiprocessor is assumed; in a build without CUDA, the
/// largest one.
inline constexpr Processor processor =
#if !defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ARCH_HOPPER90) || \
    defined(KOKKOS_ARCH_BLACKWELL100)
    {2048, std::size_t{228} << 10};
#elif defined(KOKKOS_ARCH_AMPERE80)
    {2048, std::size_t{164} << 10};
#elif defined(KOKKOS_ARCH_AMPERE87)
    {1536, std::size_t{164} << 10};
#elif defined(KOKKOS_ARCH_AMPERE86) || defined(KOKKOS_ARCH_ADA89) || \
    defined(KOKKOS_ARCH_BLACKWELL120)
    {1536, std::size_t{100} << 10};
#elif defined(KOKKOS_ARCH_VOLTA70) || defined(KOKKOS_ARCH_VOLTA72)
    {2048, std::size_t{96} << 10};
#else
    {1024, std::size_t{64} << 10};
#endif

/// Limits the registers per thread, such that `teams` teams can run on a multiprocessor at a time.
/// If fewer teams fit, the limit is computed for the number that fits, because Kokkos refuses to
/// launch a kernel whose bound cannot be met.
template <int team_size, int teams, std::size_t scratch_bytes>
using TeamBounds =
#if defined(KOKKOS_ENABLE_HIP)
    // HIP's second bound is not a number of teams, but of wavefronts on each of a processor's four units.
    Kokkos::LaunchBounds<team_size, 1>;
#else
    Kokkos::LaunchBounds<team_size, processor.teams(teams, team_size, scratch_bytes)>;
#endif

// --- lanes of a GPU, emulated on a CPU ---

/// Emulates the lanes of GPU warps on one CPU thread, so that GPU kernels can be tested without a
/// GPU.
class Emulator {
 public:
  // These functions return when all lanes of the calling warp have called them.

  /// Sets `result` to the value of `size` bytes that lane `source` of the warp passes.
  virtual void exchange(void const* value, std::size_t size, int source, void* result) = 0;
  /// Returns a mask in which bit l is set if lane l of the wavefront passes true. The bits of
  /// another warp of the wavefront are unspecified.
  virtual std::uint64_t ballot(bool predicate) = 0;
  virtual void synchronize() = 0;
  virtual void reconverge() = 0;

  // These functions do not wait for other lanes.

  /// The number of the calling lane in its wavefront.
  virtual unsigned lane() = 0;
  /// Called by a lane that polls a word. Lets other lanes run.
  virtual void pause() = 0;
  virtual void release_fence() = 0;
  virtual void acquire_fence() = 0;

 protected:
  ~Emulator() = default;
};

/// The emulator of the calling thread's lanes; null except in tests.
inline Emulator*& emulator() {
  thread_local Emulator* current = nullptr;
  return current;
}

namespace detail {

template <class T>
T from_emulated_lane(T const& value, int source) {
  T result = value;
  if (emulator() != nullptr) emulator()->exchange(&value, sizeof(T), source, &result);
  return result;
}

/// Without an emulator, a warp on a CPU has one lane.
inline std::uint32_t emulated_ballot(bool predicate) {
  Emulator* const current = emulator();
  if (current == nullptr) return predicate ? 1 : 0;
  return gpu::ballot_of_warp(current->ballot(predicate), current->lane());
}

inline bool all_emulated(bool predicate) {
  if (emulator() == nullptr) return predicate;
  return emulated_ballot(predicate) == ~std::uint32_t{0};
}

inline void synchronize_emulated() {
  if (emulator() != nullptr) emulator()->synchronize();
}

inline void reconverge_emulated() {
  if (emulator() != nullptr) emulator()->reconverge();
}

inline void emulate_release_fence() {
  if (emulator() != nullptr) emulator()->release_fence();
}

inline void emulate_acquire_fence() {
  if (emulator() != nullptr) emulator()->acquire_fence();
}

}  // namespace detail

// --- one lane of a GPU ---
//
// Every lane of the warp calls the function together. On a CPU a warp has one lane, or the lanes of
// an Emulator.

/// Returns the value that lane `source` of the caller's warp passes. T is any trivially copyable
/// type.
template <class T>
KOKKOS_INLINE_FUNCTION T from_lane(T const& value, [[maybe_unused]] int source) {
  static_assert(std::is_trivially_copyable_v<T>);
  RIFFLE_IF_ON_GPU((constexpr int words = (sizeof(T) + 3) / 4; std::uint32_t bits[words] = {};
                    memcpy(bits, &value, sizeof(T)); for (int w = 0; w < words; ++w) {
                      bits[w] = gpu::shuffle(bits[w], source);
                    } T result;
                    memcpy(&result, bits, sizeof(T)); return result;))
  RIFFLE_IF_ON_CPU((return detail::from_emulated_lane(value, source);))
}

/// Returns the value of the lane `distance` below. The lowest lanes keep their own values.
template <class T>
KOKKOS_INLINE_FUNCTION T shuffle_up(T const& value, int lane, int distance) {
  return from_lane(value, lane < distance ? lane : lane - distance);
}

/// Returns a mask in which bit l is set if lane l passes true.
KOKKOS_INLINE_FUNCTION std::uint32_t ballot(bool predicate) {
  RIFFLE_IF_ON_GPU((return gpu::ballot(predicate);))
  RIFFLE_IF_ON_CPU((return detail::emulated_ballot(predicate);))
}

/// Whether every lane passes true.
KOKKOS_INLINE_FUNCTION bool all(bool predicate) {
  RIFFLE_IF_ON_GPU((return gpu::all(predicate);))
  RIFFLE_IF_ON_CPU((return detail::all_emulated(predicate);))
}

/// Makes the writes of each lane visible to the other lanes of the warp.
KOKKOS_INLINE_FUNCTION void synchronize() {
  RIFFLE_IF_ON_GPU((gpu::synchronize();))
  RIFFLE_IF_ON_CPU((detail::synchronize_emulated();))
}

/// Lets the lanes of a wavefront of an AMD GPU that execute this point wait for each other. A wavefront executes one branch at a
/// time, so a lane that polls a word holds back the lanes of its wavefront that are elsewhere. Therefore all lanes of a warp call
/// this function
///  - before a lane polls a word that depends on what another lane of the warp has stored in a branch,
///  - in each iteration of a loop in which a warp polls words that another warp of its wavefront stores in the same loop.
/// Has no effect on CUDA, whose lanes make progress independently.
KOKKOS_INLINE_FUNCTION void reconverge() {
  RIFFLE_IF_ON_GPU((gpu::reconverge();))
  RIFFLE_IF_ON_CPU((detail::reconverge_emulated();))
}

// --- all lanes of a warp at once, on a CPU ---

/// Returns a mask in which bit l is set if predicate[l] is true.
inline std::uint32_t ballot(bool const (&predicate)[width]) {
  std::uint32_t bits = 0;
  for (int lane = 0; lane < width; ++lane) {
    bits |= static_cast<std::uint32_t>(predicate[lane]) << lane;
  }
  return bits;
}

/// Each lane takes the value of the lane `distance` below. The lowest lanes keep their own values.
template <class T>
void shuffle_up(T (&value)[width], int distance) {
  for (int lane = width - 1; lane >= distance; --lane) value[lane] = value[lane - distance];
}

/// Every lane takes the value of lane `source`.
template <class T>
void from_lane(T (&value)[width], int source) {
  T const chosen = value[source];
  for (int lane = 0; lane < width; ++lane) value[lane] = chosen;
}

// --- bits ---

/// The number of bits that are set.
KOKKOS_INLINE_FUNCTION int count_ones(std::uint32_t bits) {
  return Kokkos::Experimental::popcount_builtin(bits);
}

/// The position of the lowest bit that is set. Requires bits != 0.
KOKKOS_INLINE_FUNCTION int lowest_one(std::uint32_t bits) {
  return Kokkos::Experimental::countr_zero_builtin(bits);
}

/// The position of the highest bit that is set. Requires bits != 0.
KOKKOS_INLINE_FUNCTION int highest_one(std::uint32_t bits) {
  return 31 - Kokkos::Experimental::countl_zero_builtin(bits);
}

/// Byte k of the result is the byte with the number (0 to 7) in the k-th lowest half-byte of
/// `places`. Bytes 0 to 3 are the bytes of `lower`, bytes 4 to 7 the bytes of `upper`. One
/// instruction on a GPU.
KOKKOS_INLINE_FUNCTION std::uint32_t choose_bytes(std::uint32_t lower, std::uint32_t upper,
                                                  std::uint32_t places) {
  RIFFLE_IF_ON_GPU((return gpu::choose_bytes(lower, upper, places);))
  RIFFLE_IF_ON_CPU((std::uint64_t const bytes = std::uint64_t{upper} << 32 | lower;
                    std::uint32_t chosen = 0; for (int j = 0; j < 4; ++j) {
                      auto const byte =
                          static_cast<std::uint8_t>(bytes >> 8 * (places >> 4 * j & 7));
                      chosen |= std::uint32_t{byte} << 8 * j;
                    } return chosen;))
}

// --- numbers ---

/// Clamps x to [0, 1]; a NaN becomes 0. On a GPU this is part of the instruction that computes x.
KOKKOS_INLINE_FUNCTION float saturate(float x) {
  RIFFLE_IF_ON_GPU((return gpu::saturate(x);))
  RIFFLE_IF_ON_CPU((return x >= 1 ? 1.0f : x > 0 ? x : 0.0f;))
}

// --- registers ---

/// Makes a GPU compiler keep `number` in a register. Without this call, the compiler would
/// recompute the number in each iteration of a loop.
KOKKOS_INLINE_FUNCTION void keep([[maybe_unused]] std::uint32_t& number) {
  RIFFLE_IF_ON_GPU((gpu::keep(number);))
}

// --- loops ---

/// Placed before a loop that the compiler must not unroll.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define RIFFLE_NO_UNROLL _Pragma("unroll 1")
#else
#define RIFFLE_NO_UNROLL
#endif

// --- a team's scratch memory ---

namespace detail {

/// Adds to a word of a team that has one thread or emulated lanes. Returns the previous value.
inline std::uint32_t add_on_cpu(std::uint32_t* to, std::uint32_t value) {
#if defined(__SANITIZE_THREAD__)
  return Kokkos::atomic_fetch_add(to, value);  // ThreadSanitizer watches the emulated lanes
#else
  std::uint32_t const before = *to;
  *to += value;
  return before;
#endif
}

}  // namespace detail

/// Adds to a word of scratch memory without returning the previous value. Imposes no memory order.
KOKKOS_INLINE_FUNCTION void add_in_scratch(std::uint32_t* to, std::uint32_t value) {
  // Kokkos's atomics work on any memory; atomicAdd lets the compiler see that this is scratch
  // memory.
  RIFFLE_IF_ON_GPU((atomicAdd(to, value);))
  RIFFLE_IF_ON_CPU((detail::add_on_cpu(to, value);))
}

/// Adds to a word of scratch memory and returns the previous value.
KOKKOS_INLINE_FUNCTION std::uint32_t fetch_add_in_scratch(std::uint32_t* to, std::uint32_t value) {
  RIFFLE_IF_ON_GPU((return atomicAdd(to, value);))
  RIFFLE_IF_ON_CPU((return detail::add_on_cpu(to, value);))
}

/// Stores a value that other threads may store in the same place at the same time.
template <class T>
KOKKOS_INLINE_FUNCTION void store_same(T* to, std::type_identity_t<T> value) {
#if defined(__SANITIZE_THREAD__)
  std::atomic_ref<T>(*to).store(value, std::memory_order_relaxed);
#else
  *to = value;
#endif
}

// --- random reads of memory that does not change ---

/// Returns the element at `from`. Requires that no thread writes the element during the kernel.
/// Meant for random reads of cache lines that other reads will access, too: on a GPU, the
/// second-level cache loads the whole line (128 bytes), not only the sector (32 bytes).
template <class T>
KOKKOS_INLINE_FUNCTION T load_with_line(T const* from) {
#if defined(RIFFLE_HAS_PTX)
  if constexpr (sizeof(T) == 4 && alignof(T) == 4) {
    std::uint32_t bits;
    asm volatile("ld.global.L2::128B.b32 %0, [%1];" : "=r"(bits) : "l"(from));
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
  } else if constexpr (sizeof(T) == 8 && alignof(T) == 8) {
    std::uint64_t bits;
    asm volatile("ld.global.L2::128B.b64 %0, [%1];" : "=l"(bits) : "l"(from));
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
  } else if constexpr (sizeof(T) == 16 && alignof(T) == 16) {
    std::uint64_t bits[2];
    asm volatile("ld.global.L2::128B.v2.b64 {%0, %1}, [%2];"
                 : "=l"(bits[0]), "=l"(bits[1])
                 : "l"(from));
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
  }
#endif
  return *from;
}

// --- data that is read or written once ---

/// Loads an element that will not be read again soon. On a GPU the caches evict its cache line
/// first. An element of 16 bytes is loaded into registers of type Word, which has 4 or 8 bytes.
/// Word should have the size of the values in the element. Otherwise the compiler copies the
/// registers after the load, and the copies wait for the load.
template <class Word = std::uint32_t, class T>
KOKKOS_INLINE_FUNCTION T load_streaming(T const* from) {
#if defined(RIFFLE_HAS_PTX)
  if constexpr (sizeof(T) == 16 && alignof(T) == 16) {
    Word words[sizeof(T) / sizeof(Word)];
    if constexpr (sizeof(Word) == 8) {
      asm volatile("ld.global.cs.v2.b64 {%0, %1}, [%2];"
                   : "=l"(words[0]), "=l"(words[1])
                   : "l"(from));
    } else {
      asm volatile("ld.global.cs.v4.b32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                   : "l"(from));
    }
    T value;
    memcpy(&value, words, sizeof(T));
    return value;
  }
#endif
  return *from;
}

/// Stores an element that will not be read soon. On a GPU the second-level cache evicts its line
/// first.
template <class T>
KOKKOS_INLINE_FUNCTION void store_streaming(T* to, T const& value) {
#if defined(RIFFLE_HAS_PTX)
  if constexpr (sizeof(T) == 4 && alignof(T) == 4) {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof(T));
    asm volatile("st.global.cs.b32 [%0], %1;" ::"l"(to), "r"(bits) : "memory");
    return;
  } else if constexpr (sizeof(T) == 8 && alignof(T) == 8) {
    std::uint64_t bits;
    memcpy(&bits, &value, sizeof(T));
    asm volatile("st.global.cs.b64 [%0], %1;" ::"l"(to), "l"(bits) : "memory");
    return;
  } else if constexpr (sizeof(T) == 16 && alignof(T) == 16) {
    std::uint32_t words[4];
    memcpy(words, &value, sizeof(T));
    asm volatile("st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
    return;
  }
#endif
  *to = value;
}

// --- words that running teams share ---

/// Loads a word atomically, with relaxed memory order.
KOKKOS_INLINE_FUNCTION std::uint64_t load_relaxed(std::uint64_t const* from) {
  // On GPUs, Kokkos's atomic load is a read-modify-write.
  RIFFLE_IF_ON_GPU((return gpu::load_relaxed(from);))
  RIFFLE_IF_ON_CPU((return Kokkos::atomic_load(from);))
}

/// Stores a word atomically, with relaxed memory order.
KOKKOS_INLINE_FUNCTION void store_relaxed(std::uint64_t* to, std::uint64_t value) {
  RIFFLE_IF_ON_GPU((gpu::store_relaxed(to, value);))
  RIFFLE_IF_ON_CPU((Kokkos::atomic_store(to, value);))
}

/// Adds to a word atomically, with relaxed memory order, and returns its previous value. The caller
/// waits only if it uses the previous value.
KOKKOS_INLINE_FUNCTION std::uint64_t fetch_add_relaxed(std::uint64_t* to, std::uint64_t value) {
  RIFFLE_IF_ON_GPU((return gpu::fetch_add_relaxed(to, value);))
  RIFFLE_IF_ON_CPU((return Kokkos::atomic_fetch_add(to, value);))
}

/// Called before a thread stores a word atomically. Threads that load this word and then call acquire_fence() see the caller's
/// earlier writes.
KOKKOS_INLINE_FUNCTION void release_fence() {
  Kokkos::memory_fence();
  RIFFLE_IF_ON_CPU((detail::emulate_release_fence();))
}

/// Called after a thread has loaded a word atomically (see release_fence).
KOKKOS_INLINE_FUNCTION void acquire_fence() {
  Kokkos::memory_fence();
  RIFFLE_IF_ON_CPU((detail::emulate_acquire_fence();))
}

/// Pauses a thread that polls a word that another thread will write.
KOKKOS_INLINE_FUNCTION void wait() {
  RIFFLE_IF_ON_GPU((gpu::pause();))
  RIFFLE_IF_ON_CPU((emulator() != nullptr ? emulator()->pause() : std::this_thread::yield();))
}

}  // namespace riffle::backend
