#pragma once

// Processors that work on a BankedMatrix, processor p on row p: the model of computation of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 1, "Model of Computation".
//
// An algorithm is a sequence of steps. In a step every processor runs the same function of its
// number, and no processor begins the next step before all have ended. An algorithm must follow
// these rules, so that it is valid for all kinds of processors:
// - The k-th accesses of all processors to memory in a step are to different banks (the paper's
//   Conflict Avoidance Condition). This holds if processors access only their own rows, however
//   often each does, or only their own sets of rows.
// - In a step no processor accesses an element that another processor writes.
// - A processor's data from step to step are in registers().
// - The sequence of steps does not depend on the processor. ModelProcessors
//   (riffle/published/offline_permutation/model_processors.hpp) checks the first two rules, and
//   counts time.
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

/// rows() is the number of processors, and of rows of their matrices. step(f) calls f(p) for each
/// processor p. registers<T>() has a T for each processor; only processor p may access element [p].
/// It is not initialised.
template <class P>
concept BankProcessors = requires(P& processors) {
  { processors.rows() } -> std::convertible_to<std::uint32_t>;
  processors.step(detail::AnyStep{});
  { processors.template registers<int>()[std::uint32_t{}] } -> std::same_as<int&>;
};

/// The 32 lanes of a warp of a GPU; each lane is a processor. Every lane makes every call.
class LaneProcessors {
 public:
  template <class T>
  class Register {
   public:
    KOKKOS_FUNCTION T& operator[](std::uint32_t) { return value_; }

   private:
    T value_;
  };

  /// `lane` is the calling lane.
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

/// One thread of a CPU, which runs all processors, one after the other.
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

/// The number of threads of a team of `Exec` that work on one matrix: a warp on a GPU, one thread
/// on a CPU.
template <class Exec>
inline constexpr int bank_processor_threads = backend::is_cpu<Exec> ? 1 : backend::width;

/// The 32 processors that the calling thread belongs to. On a GPU the team has whole warps, and
/// each warp has its own processors; on a CPU each thread has its own.
template <class Member>
KOKKOS_FUNCTION auto bank_processors([[maybe_unused]] Member const& member) {
  if constexpr (backend::is_cpu<typename Member::execution_space>) {
    return ThreadProcessors<>();
  } else {
    return LaneProcessors(member.team_rank() % backend::width);
  }
}

}  // namespace riffle
