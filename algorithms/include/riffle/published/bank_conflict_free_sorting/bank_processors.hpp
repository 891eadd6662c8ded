#pragma once

// Processors that work on a BankedMatrix, processor p at row p: the machine of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 1, "Model of Computation".
//
// An algorithm is a sequence of steps. In a step every processor runs the same function of its number, and none begins
// the next before all have ended. So that it runs on all processors alike, an algorithm keeps to this:
//   - the k-th accesses that processors make to memory in a step are to different banks (the paper's Conflict Avoidance
//     Condition). Accesses to one's own row always are, however many each processor makes, and so are those of
//     processors that keep to sets of rows of their own.
//   - in a step no processor accesses an element that another one writes;
//   - what a processor remembers from step to step is in registers();
//   - which steps there are does not depend on the processor.
// ModelProcessors (riffle/published/offline_permutation/model_processors.hpp) checks the first two, and counts time.

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>

namespace riffle {

namespace detail {

struct AnyStep {
  KOKKOS_FUNCTION void operator()(std::uint32_t) const {}
};

}  // namespace detail

/// rows() is the number of processors, and of rows of their matrices. step(f) calls f(p) for each processor p.
/// registers<T>() has a T of each processor, [p] for processor p's, which only p asks for; it is not initialised.
template <class P>
concept BankProcessors = requires(P& processors) {
  { processors.rows() } -> std::convertible_to<std::uint32_t>;
  processors.step(detail::AnyStep{});
  { processors.template registers<int>()[std::uint32_t{}] } -> std::same_as<int&>;
};

/// The 32 lanes of a warp of a GPU: a processor each. Every lane makes every call.
class LaneProcessors {
 public:
  template <class T>
  class Register {
   public:
    KOKKOS_FUNCTION T& operator[](std::uint32_t) { return value_; }

   private:
    T value_;
  };

  /// `lane` is the caller's.
  KOKKOS_FUNCTION explicit LaneProcessors(int lane) : lane_(static_cast<std::uint32_t>(lane)) {}

  KOKKOS_FUNCTION static constexpr std::uint32_t rows() { return backend::width; }

  template <class T>
  KOKKOS_FUNCTION Register<T> registers() const {
    return {};
  }

  template <class Step>
  KOKKOS_FUNCTION void step(Step const& step) const {
    step(lane_);
    backend::synchronize();
  }

 private:
  std::uint32_t lane_;
};

/// One thread of a CPU that plays all processors, one after another.
template <std::uint32_t Rows = static_cast<std::uint32_t>(backend::width)>
class ThreadProcessors {
 public:
  template <class T>
  class Register {
   public:
    KOKKOS_FUNCTION T& operator[](std::uint32_t processor) { return values_[processor]; }

   private:
    T values_[Rows];
  };

  KOKKOS_FUNCTION static constexpr std::uint32_t rows() { return Rows; }

  template <class T>
  KOKKOS_FUNCTION Register<T> registers() const {
    return {};
  }

  template <class Step>
  KOKKOS_FUNCTION void step(Step const& step) const {
    for (std::uint32_t processor = 0; processor < Rows; ++processor) step(processor);
  }
};

/// The threads in a team of `Exec` that work on one matrix: a warp on a GPU, one thread on a CPU.
template <class Exec>
inline constexpr int bank_processor_threads = backend::is_cpu<Exec> ? 1 : backend::width;

/// The 32 processors that the caller belongs to. On a GPU the team has whole warps, and each warp has processors of its
/// own; on a CPU each thread has.
template <class Member>
KOKKOS_FUNCTION auto bank_processors([[maybe_unused]] Member const& member) {
  if constexpr (backend::is_cpu<typename Member::execution_space>) {
    return ThreadProcessors<>();
  } else {
    return LaneProcessors(member.team_rank() % backend::width);
  }
}

}  // namespace riffle
