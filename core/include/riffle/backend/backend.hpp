#pragma once

// The only header that asks which back end and which processor runs.
//
// A warp has 32 lanes. On an NVIDIA GPU a lane is a thread, and lanes exchange values through
// registers. On a CPU one thread runs all lanes of a warp, by plain loops over arrays of 32, which
// compilers vectorise.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>

#include <riffle/backend/detail/host.hpp>
#include <riffle/backend/detail/registers.hpp>
#include <riffle/backend/detail/vector.hpp>
#include <riffle/backend/detail/words.hpp>

/// Code that is compiled for GPUs only, and code that is compiled for CPUs only. For a device
/// without kernels of Riffle, the compiler sees the CPU's code, which compiles and is never called
/// there.
#if defined(KOKKOS_ENABLE_CUDA)
#define RIFFLE_IF_ON_GPU(CODE) KOKKOS_IF_ON_DEVICE(CODE)
#define RIFFLE_IF_ON_CPU(CODE) KOKKOS_IF_ON_HOST(CODE)
#else
#define RIFFLE_IF_ON_GPU(CODE)
#define RIFFLE_IF_ON_CPU(CODE) RIFFLE_WITHOUT_PARENTHESES CODE
#define RIFFLE_WITHOUT_PARENTHESES(...) __VA_ARGS__
#endif

namespace riffle::backend {

/// The number of lanes of a warp, on every back end.
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

/// Properties of an execution space that Riffle has kernels for. For any other execution space the
/// compiler reports an error: calls that take an instance by detail::ExecutionSpace
/// (riffle/primitives/call.hpp), calls of a team by is_cpu.
template <class Exec>
struct KernelsOf {
  static_assert(has_kernels<Exec>,
                "riffle: no kernels for this execution space; Riffle runs on Kokkos::Cuda, OpenMP, "
                "Threads and Serial");
  static constexpr bool exist = has_kernels<Exec>;
  static constexpr bool are_of_vectors =
      Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;
};

/// Whether the threads of `Exec` are CPU threads, each with vector lanes of its own; on a GPU a
/// thread is one lane.
template <class Exec>
inline constexpr bool is_cpu = KernelsOf<Exec>::are_of_vectors;

/// Whether a kernel on `Exec` has ended when the call that launched it returns, so that the calling
/// thread can do the work of a small kernel itself.
template <class Exec>
inline constexpr bool is_synchronous = false;
#if defined(KOKKOS_ENABLE_SERIAL)
template <>
inline constexpr bool is_synchronous<Kokkos::Serial> = true;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
template <>
inline constexpr bool is_synchronous<Kokkos::OpenMP> = true;
#endif
#if defined(KOKKOS_ENABLE_THREADS)
template <>
inline constexpr bool is_synchronous<Kokkos::Threads> = true;
#endif

/// The number of independent problems that one thread of `Exec` advances together: on a CPU several
/// vectors, so that their latencies overlap; on a GPU one. 8 is the least number that fills vectors
/// of all processors.
template <class Exec>
inline constexpr int problems_per_thread = is_cpu<Exec> ? 8 : 1;

/// The number of the device that `exec` runs on; 0 if there is only one.
template <class Exec>
int device_id([[maybe_unused]] Exec const& exec) {
  if constexpr (requires { exec.cuda_device(); }) {
    return exec.cuda_device();
  } else {
    return 0;
  }
}

/// The number of the device that has the memory at `data`; the device of `exec` if the memory
/// belongs to no device, such as host memory or memory that all devices share.
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
  return device_id(exec);
}

/// The number of multiprocessors of the GPU that `exec` runs on.
template <class Exec>
std::uint64_t processors(Exec const& exec) {
  return static_cast<std::uint64_t>(exec.cuda_device_prop().multiProcessorCount);
}

// --- the number of teams that a multiprocessor of a GPU runs at a time ---

/// The threads and the scratch memory of a multiprocessor. Source: "CUDA C++ Programming Guide",
/// technical specifications per compute capability.
struct Processor {
  int threads;
  std::size_t scratch_bytes;

  /// The number of teams at a time: `wanted`, or the largest number that fits, and at least one.
  /// Each takes `bytes` of scratch memory, and in addition the memory of CUDA (1 KiB) or Kokkos (8
  /// bytes a thread and some).
  constexpr int teams(int wanted, int team_size, std::size_t bytes) const {
    int const by_threads = threads / team_size;
    std::size_t const of_kokkos = 8 * static_cast<std::size_t>(team_size) + 64;
    std::size_t const beside = of_kokkos > 1024 ? of_kokkos : 1024;
    int const by_scratch = static_cast<int>(scratch_bytes / (bytes + beside));
    int const possible = by_threads < by_scratch ? by_threads : by_scratch;
    return possible < 1 ? 1 : possible < wanted ? possible : wanted;
  }
};

/// A multiprocessor of the architecture that Kokkos was built for; the smallest one if the
/// architecture is not known here. Without a GPU it is the largest one.
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

/// Limits registers such that `teams` teams fit at a time, or the largest number that a
/// multiprocessor can have: Kokkos refuses to launch a kernel with a larger bound.
template <int team_size, int teams, std::size_t scratch_bytes>
using TeamBounds =
    Kokkos::LaunchBounds<team_size, processor.teams(teams, team_size, scratch_bytes)>;

// --- lanes of a GPU, emulated on a CPU ---

/// Runs all lanes of a GPU's warps on one thread of a CPU, so that kernels for lanes can be tested
/// without a GPU. Each call returns when every lane of the calling warp has made it.
class Emulator {
 public:
  /// Sets `result` to the value, of `size` bytes, that lane `source` passes.
  virtual void exchange(void const* value, std::size_t size, int source, void* result) = 0;
  virtual std::uint32_t ballot(bool predicate) = 0;
  virtual void synchronize() = 0;

  /// Lets other lanes run. Only this call does not wait for them.
  virtual void pause() = 0;

 protected:
  ~Emulator() = default;
};

/// The emulator of the calling thread's lanes; null unless a test sets one.
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

/// Without an emulator a warp on a CPU has one lane.
inline std::uint32_t emulated_ballot(bool predicate) {
  if (emulator() == nullptr) return predicate ? 1 : 0;
  return emulator()->ballot(predicate);
}

inline bool all_emulated(bool predicate) {
  if (emulator() == nullptr) return predicate;
  return emulator()->ballot(predicate) == ~std::uint32_t{0};
}

inline void synchronize_emulated() {
  if (emulator() != nullptr) emulator()->synchronize();
}

}  // namespace detail

// --- one lane of a GPU ---
//
// Every lane of the warp makes the call together. On a CPU a warp has one lane, or the lanes of an
// Emulator.

/// The value that lane `source` of the caller's warp passes, for any trivially copyable type.
template <class T>
KOKKOS_INLINE_FUNCTION T from_lane(T const& value, [[maybe_unused]] int source) {
  static_assert(std::is_trivially_copyable_v<T>);
  RIFFLE_IF_ON_GPU((constexpr int words = (sizeof(T) + 3) / 4; std::uint32_t bits[words] = {};
                    memcpy(bits, &value, sizeof(T)); for (int w = 0; w < words; ++w) {
                      bits[w] = __shfl_sync(0xFFFFFFFFu, bits[w], source);
                    } T result;
                    memcpy(&result, bits, sizeof(T)); return result;))
  RIFFLE_IF_ON_CPU((return detail::from_emulated_lane(value, source);))
}

/// The value of the lane `distance` below. The lowest lanes keep their own values.
template <class T>
KOKKOS_INLINE_FUNCTION T shuffle_up(T const& value, int lane, int distance) {
  return from_lane(value, lane < distance ? lane : lane - distance);
}

/// Bit l is set if lane l passes true.
KOKKOS_INLINE_FUNCTION std::uint32_t ballot(bool predicate) {
  RIFFLE_IF_ON_GPU((return __ballot_sync(0xFFFFFFFFu, predicate);))
  RIFFLE_IF_ON_CPU((return detail::emulated_ballot(predicate);))
}

/// Whether every lane passes true.
KOKKOS_INLINE_FUNCTION bool all(bool predicate) {
  RIFFLE_IF_ON_GPU((return __all_sync(0xFFFFFFFFu, predicate) != 0;))
  RIFFLE_IF_ON_CPU((return detail::all_emulated(predicate);))
}

/// Makes writes of the warp's lanes visible to each other.
KOKKOS_INLINE_FUNCTION void synchronize() {
  RIFFLE_IF_ON_GPU((__syncwarp();))
  RIFFLE_IF_ON_CPU((detail::synchronize_emulated();))
}

// --- all lanes of a warp at once, on a CPU ---

/// Bit l is set if predicate[l] is true.
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

/// Selects four of the eight bytes of `lower` and `upper`, which are numbered from the lowest byte
/// on. The lowest four half-bytes of `places` are the numbers, each less than 8. One instruction on
/// a GPU.
KOKKOS_INLINE_FUNCTION std::uint32_t choose_bytes(std::uint32_t lower, std::uint32_t upper,
                                                  std::uint32_t places) {
  RIFFLE_IF_ON_GPU((return __byte_perm(lower, upper, places);))
  RIFFLE_IF_ON_CPU((std::uint64_t const bytes = std::uint64_t{upper} << 32 | lower;
                    std::uint32_t chosen = 0; for (int j = 0; j < 4; ++j) {
                      auto const byte =
                          static_cast<std::uint8_t>(bytes >> 8 * (places >> 4 * j & 7));
                      chosen |= std::uint32_t{byte} << 8 * j;
                    } return chosen;))
}

// --- numbers ---

/// x, but 0 if x < 0 or x is a NaN, and 1 if x > 1. On a GPU this is part of the instruction that
/// computes x.
KOKKOS_INLINE_FUNCTION float saturate(float x) {
  RIFFLE_IF_ON_GPU((return __saturatef(x);))
  RIFFLE_IF_ON_CPU((return x >= 1 ? 1.0f : x > 0 ? x : 0.0f;))
}

// --- registers ---

/// Makes a compiler for a GPU keep a number in a register, where it would otherwise recompute it in
/// each iteration of a loop.
KOKKOS_INLINE_FUNCTION void keep([[maybe_unused]] std::uint32_t& number) {
  RIFFLE_IF_ON_GPU((asm volatile("" : "+r"(number));))
}

// --- loops ---

/// Placed before a loop that the compiler must not unroll.
#if defined(__CUDA_ARCH__)
#define RIFFLE_NO_UNROLL _Pragma("unroll 1")
#else
#define RIFFLE_NO_UNROLL
#endif

// --- a team's scratch memory ---

/// Adds to a word of scratch memory. It does not return the previous value, and implies no memory
/// order.
KOKKOS_INLINE_FUNCTION void add_in_scratch(std::uint32_t* to, std::uint32_t value) {
  // Kokkos's atomics are for any memory; here the compiler knows that it is scratch memory.
  RIFFLE_IF_ON_GPU((atomicAdd(to, value);))
  RIFFLE_IF_ON_CPU((*to += value;))
}

/// Adds to a word of scratch memory, and returns the previous value.
KOKKOS_INLINE_FUNCTION std::uint32_t fetch_add_in_scratch(std::uint32_t* to, std::uint32_t value) {
  RIFFLE_IF_ON_GPU((return atomicAdd(to, value);))
  RIFFLE_IF_ON_CPU((std::uint32_t const before = *to; *to += value; return before;))
}

// --- random reads of memory that does not change ---

/// The element at `from`, which must not be written meanwhile. On a GPU the second-level cache
/// loads its whole line, not only the sector: for random reads if other reads will hit the same
/// line.
template <class T>
KOKKOS_INLINE_FUNCTION T load_with_line(T const* from) {
#if defined(__CUDA_ARCH__)
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

/// Loads an element that will not be read again soon. On a GPU its lines are evicted first. Word,
/// of 4 or 8 bytes, is the register type of a load of 16 bytes. It should be the type of the
/// elements: otherwise the compiler copies registers, and waits for the load.
template <class Word = std::uint32_t, class T>
KOKKOS_INLINE_FUNCTION T load_streaming(T const* from) {
#if defined(__CUDA_ARCH__)
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
#if defined(__CUDA_ARCH__)
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

/// The word at `from` as some team stored it. Atomic, without order relative to other words.
KOKKOS_INLINE_FUNCTION std::uint64_t load_relaxed(std::uint64_t const* from) {
  // Kokkos's atomic load is a read-modify-write on GPUs.
  RIFFLE_IF_ON_GPU((std::uint64_t word; asm volatile("ld.relaxed.gpu.u64 %0, [%1];"
                                                     : "=l"(word)
                                                     : "l"(from)
                                                     : "memory");
                    return word;))
  RIFFLE_IF_ON_CPU((return Kokkos::atomic_load(from);))
}

/// Stores a word. Atomic, without order relative to other words.
KOKKOS_INLINE_FUNCTION void store_relaxed(std::uint64_t* to, std::uint64_t value) {
  RIFFLE_IF_ON_GPU((asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");))
  RIFFLE_IF_ON_CPU((Kokkos::atomic_store(to, value);))
}

/// Adds to a word and returns its previous value. Atomic, without order relative to other words.
/// The caller waits only if it uses the previous value.
KOKKOS_INLINE_FUNCTION std::uint64_t fetch_add_relaxed(std::uint64_t* to, std::uint64_t value) {
  // If all lanes of a warp add the same value, nvcc lets one of them add for all, and waits at once
  // to distribute the result. Adding `none` prevents this: nvcc does not know that it is 0, because
  // a lane's mask of itself is not 0.
  RIFFLE_IF_ON_GPU((std::uint32_t own; asm volatile("mov.u32 %0, %%lanemask_eq;"
                                                    : "=r"(own));
                    std::uint64_t const none = own == 0 ? 1 : 0; std::uint64_t before;
                    asm volatile("atom.relaxed.gpu.add.u64 %0, [%1], %2;"
                                 : "=l"(before)
                                 : "l"(to), "l"(value + none)
                                 : "memory");
                    return before;))
  RIFFLE_IF_ON_CPU((return Kokkos::atomic_fetch_add(to, value);))
}

/// Pauses a thread between two reads of a word that another thread will write.
KOKKOS_INLINE_FUNCTION void wait() {
  RIFFLE_IF_ON_GPU((__nanosleep(50);))
  RIFFLE_IF_ON_CPU((emulator() != nullptr ? emulator()->pause() : std::this_thread::yield();))
}

}  // namespace riffle::backend
