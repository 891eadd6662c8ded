#pragma once

// Processors that work on a BankedMatrix; processor p works on row p. This is the model of
// computation of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 1, "Model of Computation".
//
// An algorithm is a sequence of steps. In a step, every processor p calls the same function of p,
// and no processor begins the next step before all processors have ended this step. An algorithm
// that follows these rules is valid for all kinds of processors:
// - In each step, the k-th memory accesses of all processors are to different banks (the paper's Conflict Avoidance
//   Condition). This is true if each processor accesses only its own row, or only rows of a set that belongs to it
//   alone, whatever the number of accesses.
// - In a step, no processor accesses an element that another processor writes.
// - Data that a processor uses in several steps are in registers().
// - The sequence of steps does not depend on the processor.
//
// ModelProcessors (riffle/published/offline_permutation/model_processors.hpp) checks the first two
// rules, and counts time.

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

/// rows() is the number of processors, and the number of rows of their matrices. step(f) calls f(p)
/// for each processor p. registers<T>() returns an array of one T for each processor; only
/// processor p may access element [p]. The array is not initialised.
template <class P>
concept BankProcessors = requires(P& processors) {
  { processors.rows() } -> std::convertible_to<std::uint32_t>;
  processors.step(detail::AnyStep{});
  { processors.template registers<int>()[std::uint32_t{}] } -> std::same_as<int&>;
};

/// The 32 lanes of a GPU warp; each lane is a processor. Every lane must call each function.
class LaneProcessors {
 public:
  template <class T>
  class Register {
   public:
    KOKKOS_FUNCTION T& operator[](std::uint32_t) { return value_; }

   private:
    T value_;
  };

  /// `lane` is the index of the calling lane in its warp.
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

/// One thread of a CPU, which runs all processors one after the other.
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

/// The number of threads in a team of `Exec` that work on one matrix: a warp on a GPU, one thread on a CPU.
template <class Exec>
inline constexpr int bank_processor_threads = backend::is_cpu<Exec> ? 1 : backend::width;

/// Returns the processors to which the calling thread belongs. On a GPU, the team must consist of
/// whole warps, and each warp is a group of 32 processors. On a CPU, each thread runs 32
/// processors.
template <class Member>
KOKKOS_FUNCTION auto bank_processors([[maybe_unused]] Member const& member) {
  if constexpr (backend::is_cpu<typename Member::execution_space>) {
    return ThreadProcessors<>();
  } else {
    return LaneProcessors(member.team_rank() % backend::width);
  }
}

}  // namespace riffle
