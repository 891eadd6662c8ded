#pragma once

// The one header that knows what kind of back end and of processor runs.
//
// A warp has 32 lanes. On an NVIDIA GPU they are threads that exchange values through registers. On a CPU one thread
// plays all lanes of a warp, in plain loops over arrays of 32 that compilers turn into vector instructions.

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

/// Code that only a GPU compiles, and code that only a CPU does. For a device that Riffle has no kernels for, the
/// compiler sees the CPU's part, which it can read and which is never called there.
#if defined(KOKKOS_ENABLE_CUDA)
#define RIFFLE_IF_ON_GPU(CODE) KOKKOS_IF_ON_DEVICE(CODE)
#define RIFFLE_IF_ON_CPU(CODE) KOKKOS_IF_ON_HOST(CODE)
#else
#define RIFFLE_IF_ON_GPU(CODE)
#define RIFFLE_IF_ON_CPU(CODE) RIFFLE_WITHOUT_PARENTHESES CODE
#define RIFFLE_WITHOUT_PARENTHESES(...) __VA_ARGS__
#endif

namespace riffle::backend {

/// Lanes in a warp, on every back end.
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

/// What Riffle knows of an execution space that it has kernels for. For any other, the compiler says so where a call
/// asks: calls that take an instance by detail::ExecutionSpace (riffle/primitives/call.hpp), calls of a team by is_cpu.
template <class Exec>
struct KernelsOf {
  static_assert(has_kernels<Exec>,
                "riffle: no kernels for this execution space; Riffle runs on Kokkos::Cuda, OpenMP, "
                "Threads and Serial");
  static constexpr bool exist = has_kernels<Exec>;
  static constexpr bool are_of_vectors =
      Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;
};

/// Whether the threads of `Exec` are those of a CPU, which each have vector lanes of their own; on
/// a GPU a thread is one lane.
template <class Exec>
inline constexpr bool is_cpu = KernelsOf<Exec>::are_of_vectors;

/// Whether a kernel on `Exec` has ended when the call that launched it returns, so that the calling
/// thread may as well do the work of a small one itself.
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

/// How many independent problems one thread of `Exec` should advance side by side: some vectors of
/// a CPU, so that their latencies overlap; one on a GPU.
///
/// 8 are the fewest that vectors of all processors hold whole. Permutation tests of n + n values, ms of one core (AMD
/// EPYC, g++ 14.2 -O3, perf_permutation_test, medians of five, 2026-11-23), with 4, 8 and 16 side by side: means,
/// n = 20: 86.6, 91.3, 89.7; n = 200: 108, 109, 109; n = 2000: 109, 110, 110; pairs, n = 20: 42.0, 30.6, 25.9;
/// n = 2000: 15.7, 15.2, 15.4. With -march=native (AVX-512) 8 and 16: 43.4, 43.9; 51.0, 51.4; 52.0, 52.3; 26.5, 22.3;
/// 13.1, 13.1.
template <class Exec>
inline constexpr int problems_per_thread = is_cpu<Exec> ? 8 : 1;

/// The number of the device that `exec` runs on; 0 where there is but one.
template <class Exec>
int device_id([[maybe_unused]] Exec const& exec) {
  if constexpr (requires { exec.cuda_device(); }) {
    return exec.cuda_device();
  } else {
    return 0;
  }
}

/// The number of the device that has the memory at `data`; that of `exec` where it is memory of no one device's, such as
/// a host's or what all devices share.
template <class Exec>
int device_of_memory(Exec const& exec, [[maybe_unused]] void const* data) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // else it would be taken for that of a later call
    } else if (attributes.type == cudaMemoryTypeDevice) {
      return attributes.device;
    }
  }
#endif
  return device_id(exec);
}

/// The multiprocessors of the GPU that `exec` runs on.
template <class Exec>
std::uint64_t processors(Exec const& exec) {
  return static_cast<std::uint64_t>(exec.cuda_device_prop().multiProcessorCount);
}

// --- how many teams a multiprocessor of a GPU has at a time ---

/// The threads and the scratch memory of a multiprocessor, from "CUDA C++ Programming Guide", technical specifications per compute
/// capability.
struct Processor {
  int threads;
  std::size_t scratch_bytes;

  /// The number of teams at a time: `wanted`, or as many as fit, and at least one. Each takes `bytes` of
  /// scratch memory and what CUDA (1 KiB) or Kokkos (8 bytes a thread and some) takes in addition.
  constexpr int teams(int wanted, int team_size, std::size_t bytes) const {
    int const by_threads = threads / team_size;
    std::size_t const of_kokkos = 8 * static_cast<std::size_t>(team_size) + 64;
    std::size_t const beside = of_kokkos > 1024 ? of_kokkos : 1024;
    int const by_scratch = static_cast<int>(scratch_bytes / (bytes + beside));
    int const possible = by_threads < by_scratch ? by_threads : by_scratch;
    return possible < 1 ? 1 : possible < wanted ? possible : wanted;
  }
};

/// A multiprocessor of the architecture that Kokkos was built for; the smallest of all where that is not known here.
/// Without a GPU it is the largest of all.
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

/// Allots registers for `teams` teams at a time, or for as many as fit on a multiprocessor: Kokkos refuses to
/// launch a kernel that promises more.
template <int team_size, int teams, std::size_t scratch_bytes>
using TeamBounds =
    Kokkos::LaunchBounds<team_size, processor.teams(teams, team_size, scratch_bytes)>;

// --- lanes of a GPU, played on a CPU ---

/// Plays all lanes of a GPU's warps on one thread of a CPU, so that kernels written for lanes can be
/// tested where there is no GPU. Each call returns when every lane of the caller's warp has made it.
class Emulator {
 public:
  /// `result` becomes the value, of `size` bytes, that lane `source` passes.
  virtual void exchange(void const* value, std::size_t size, int source, void* result) = 0;
  virtual std::uint32_t ballot(bool predicate) = 0;
  virtual void synchronize() = 0;

  /// Lets other lanes go on. This is the only call that does not wait for them.
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

/// Without an emulator a CPU has warps of one lane.
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

// --- one lane of a GPU: every lane of the warp makes the call together; on a CPU a warp has one lane, or
//     the lanes of an Emulator ---

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

/// The value of the lane `distance` below; the lowest lanes keep their own.
template <class T>
KOKKOS_INLINE_FUNCTION T shuffle_up(T const& value, int lane, int distance) {
  return from_lane(value, lane < distance ? lane : lane - distance);
}

/// Bit l is set where lane l passes true.
KOKKOS_INLINE_FUNCTION std::uint32_t ballot(bool predicate) {
  RIFFLE_IF_ON_GPU((return __ballot_sync(0xFFFFFFFFu, predicate);))
  RIFFLE_IF_ON_CPU((return detail::emulated_ballot(predicate);))
}

/// Whether every lane passes true.
KOKKOS_INLINE_FUNCTION bool all(bool predicate) {
  RIFFLE_IF_ON_GPU((return __all_sync(0xFFFFFFFFu, predicate) != 0;))
  RIFFLE_IF_ON_CPU((return detail::all_emulated(predicate);))
}

/// Makes what the lanes of the warp wrote visible to each other.
KOKKOS_INLINE_FUNCTION void synchronize() {
  RIFFLE_IF_ON_GPU((__syncwarp();))
  RIFFLE_IF_ON_CPU((detail::synchronize_emulated();))
}

// --- all lanes of a warp at once, on a CPU ---

/// Bit l is set where predicate[l] is.
inline std::uint32_t ballot(bool const (&predicate)[width]) {
  std::uint32_t bits = 0;
  for (int lane = 0; lane < width; ++lane) {
    bits |= static_cast<std::uint32_t>(predicate[lane]) << lane;
  }
  return bits;
}

/// Each lane takes the value of the lane `distance` below; the lowest lanes keep their own.
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

/// The position of the lowest bit that is set; bits != 0.
KOKKOS_INLINE_FUNCTION int lowest_one(std::uint32_t bits) {
  return Kokkos::Experimental::countr_zero_builtin(bits);
}

/// The position of the highest bit that is set; bits != 0.
KOKKOS_INLINE_FUNCTION int highest_one(std::uint32_t bits) {
  return 31 - Kokkos::Experimental::countl_zero_builtin(bits);
}

/// Of the eight bytes of `lower` and `upper`, numbered from the lowest on, the four that the lowest half-bytes of `places`
/// name, each below 8: one operation of a GPU.
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

/// x, but 0 where it is less or no number, and 1 where it is more: on a GPU a part of the operation that x comes from.
KOKKOS_INLINE_FUNCTION float saturate(float x) {
  RIFFLE_IF_ON_GPU((return __saturatef(x);))
  RIFFLE_IF_ON_CPU((return x >= 1 ? 1.0f : x > 0 ? x : 0.0f;))
}

// --- registers ---

/// Has a compiler for a GPU keep a number as it is, where it would rather compute it anew in each pass of a loop.
KOKKOS_INLINE_FUNCTION void keep([[maybe_unused]] std::uint32_t& number) {
  RIFFLE_IF_ON_GPU((asm volatile("" : "+r"(number));))
}

// --- loops ---

/// Stands before a loop that the compiler shall not unroll.
#if defined(__CUDA_ARCH__)
#define RIFFLE_NO_UNROLL _Pragma("unroll 1")
#else
#define RIFFLE_NO_UNROLL
#endif

// --- a team's scratch memory ---

/// Adds to a word of scratch memory. The previous value is not returned, and no order is kept.
KOKKOS_INLINE_FUNCTION void add_in_scratch(std::uint32_t* to, std::uint32_t value) {
  // Kokkos's atomics are for any memory; here the compiler knows that it is scratch memory.
  RIFFLE_IF_ON_GPU((atomicAdd(to, value);))
  RIFFLE_IF_ON_CPU((*to += value;))
}

/// The same, and returns the previous value.
KOKKOS_INLINE_FUNCTION std::uint32_t fetch_add_in_scratch(std::uint32_t* to, std::uint32_t value) {
  RIFFLE_IF_ON_GPU((return atomicAdd(to, value);))
  RIFFLE_IF_ON_CPU((std::uint32_t const before = *to; *to += value; return before;))
}

// --- reads at random, and what is written meanwhile ---

/// The element at `from`, which nobody writes meanwhile. On a GPU the second-level cache loads its whole line, not only
/// the sector: for random reads of which others will be nearby.
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

// --- what is read and written once ---

/// Loads what nobody will read again soon. On a GPU its lines are the first that caches give up. Word, of 4 or 8 bytes, is
/// the register that 16 bytes come in: that of their elements, or the compiler moves them from one to the other, and
/// waits for the load.
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

/// Stores an element that nobody will read soon. On a GPU the second-level cache gives its line up first.
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

/// The word at `from` as some team stored it, as a whole and without order towards other words.
KOKKOS_INLINE_FUNCTION std::uint64_t load_relaxed(std::uint64_t const* from) {
  // Kokkos's atomic load is a read-modify-write on GPUs.
  RIFFLE_IF_ON_GPU((std::uint64_t word; asm volatile("ld.relaxed.gpu.u64 %0, [%1];"
                                                     : "=l"(word)
                                                     : "l"(from)
                                                     : "memory");
                    return word;))
  RIFFLE_IF_ON_CPU((return Kokkos::atomic_load(from);))
}

/// Stores a word as a whole, without order towards other words.
KOKKOS_INLINE_FUNCTION void store_relaxed(std::uint64_t* to, std::uint64_t value) {
  RIFFLE_IF_ON_GPU((asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");))
  RIFFLE_IF_ON_CPU((Kokkos::atomic_store(to, value);))
}

/// Adds to a word, without order towards other words, and returns its previous value; the caller waits only where it
/// uses that.
KOKKOS_INLINE_FUNCTION std::uint64_t fetch_add_relaxed(std::uint64_t* to, std::uint64_t value) {
  // Where all lanes of a warp add the same value, nvcc has one of them add for all, and waits at once to hand the
  // result round. nvcc does not know that `none` is 0, since every lane's mask of itself is not 0.
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

/// Pauses a thread between two looks at a word that another thread will write.
KOKKOS_INLINE_FUNCTION void wait() {
  RIFFLE_IF_ON_GPU((__nanosleep(50);))
  RIFFLE_IF_ON_CPU((emulator() != nullptr ? emulator()->pause() : std::this_thread::yield();))
}

}  // namespace riffle::backend
