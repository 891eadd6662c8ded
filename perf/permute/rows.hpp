#pragma once

// The algorithms that permute.cpp compares. A row is a class with a name and the number of bytes per element that it needs in
// addition to input and output. It is constructed for a problem, which builds its plan, and is called with input and output.

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/permute/transpose.hpp>
#include <riffle/published/offline_permutation/coloured_permutation.hpp>
#include <riffle/workspace.hpp>

#include "support/permutation_problems.hpp"

namespace perf {

/// The problems of a row that does not restrict them.
struct AnyPermutation {
  static bool is_for(Permutation) { return true; }
};

// --- the paper's conventional algorithms ---

template <class T>
class DDesignated : public AnyPermutation {
 public:
  using Element = T;
  static constexpr char const* name = "DDesignated";
  static constexpr std::uint64_t bytes_beside = sizeof(std::uint32_t);

  explicit DDesignated(PermutationProblem const& problem)
      : exec_(problem.exec), p_(destinations(problem)) {}

  void operator()(Array<T> const& in, Array<T> const& out) const {
    riffle::scatter(exec_, in, p_, out);
  }

 private:
  Exec exec_;
  Indices p_;
};

template <class T>
class SDesignated : public AnyPermutation {
 public:
  using Element = T;
  static constexpr char const* name = "SDesignated";
  static constexpr std::uint64_t bytes_beside = 2 * sizeof(std::uint32_t);

  explicit SDesignated(PermutationProblem const& problem)
      : exec_(problem.exec), q_(sources(problem)) {}

  void operator()(Array<T> const& in, Array<T> const& out) const {
    riffle::gather(exec_, in, q_, out);
  }

 private:
  Exec exec_;
  Indices q_;
};

// --- plans ---

using ScheduledPlan = riffle::ScheduledPermutation<Exec>;
using ColouredPlan = riffle::ColouredPermutation<Exec>;
using AnyPlan = riffle::PlannedPermutation<Exec>;

/// Bytes per element of the plan, and while it is built.
template <class Plan>
inline constexpr std::uint64_t bytes_to_build = 16;
template <>
inline constexpr std::uint64_t bytes_to_build<ColouredPlan> = 36;
template <>
inline constexpr std::uint64_t bytes_to_build<AnyPlan> = 36;

/// The plan of the problem's sigma or of its inverse. The last plan is kept, because Google Benchmark calls a row several times,
/// and one plan serves all element types.
template <class Plan>
Plan plan_of(PermutationProblem const& problem, bool is_inverse) {
  struct Key {
    Permutation permutation;
    std::uint64_t side;
    bool is_inverse;
    bool operator==(Key const&) const = default;
  };
  static std::optional<std::pair<Key, Plan>> kept;
  [[maybe_unused]] static bool const is_freed_in_time =
      (Kokkos::push_finalize_hook([] { kept.reset(); }), true);
  Key const key{problem.permutation, problem.side, is_inverse};
  if (!kept || kept->first != key) {
    kept.reset();
    Indices const indices = is_inverse ? sources(problem) : destinations(problem);
    kept.emplace(key, Plan(problem.exec, indices));
  }
  return kept->second;
}

template <class T, class Plan>
class PlannedRow : public AnyPermutation {
 public:
  using Element = T;
  static constexpr std::uint64_t bytes_beside =
      bytes_to_build<Plan> + sizeof(std::uint32_t) + 2 * sizeof(T);

  PlannedRow(Exec const& exec, Plan plan) : exec_(exec), workspace_(exec), plan_(std::move(plan)) {}

  void operator()(Array<T> const& in, Array<T> const& out) {
    plan_(riffle::Context(exec_, workspace_), in, out);
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
  Plan plan_;
};

template <class T>
struct Scheduled : PlannedRow<T, ScheduledPlan> {
  static constexpr char const* name = "Scheduled";

  explicit Scheduled(PermutationProblem const& problem)
      : PlannedRow<T, ScheduledPlan>(problem.exec, plan_of<ScheduledPlan>(problem, false)) {}
};

/// The same permutation by the plan of the inverse, applied backwards.
template <class T>
struct ScheduledInverse : PlannedRow<T, ScheduledPlan> {
  static constexpr char const* name = "ScheduledInverse";

  explicit ScheduledInverse(PermutationProblem const& problem)
      : PlannedRow<T, ScheduledPlan>(problem.exec,
                                     plan_of<ScheduledPlan>(problem, true).inverse()) {}
};

/// The algorithm that PlannedPermutation chooses for many calls.
template <class T>
struct Planned : PlannedRow<T, AnyPlan> {
  static constexpr char const* name = "Planned";

  explicit Planned(PermutationProblem const& problem)
      : PlannedRow<T, AnyPlan>(problem.exec, AnyPlan(problem.exec, destinations(problem),
                                                     {.bytes = sizeof(T), .calls = 1e6})) {}
};

/// Throws OutOfMemory if rows do not fit in scratch memory, before a plan is built.
template <class T>
void check_scratch(PermutationProblem const& problem) {
  std::uint64_t const most = ColouredPlan::max_elements<T>(problem.exec);
  if (problem.n() > most) {
    throw OutOfMemory("rows of " + std::to_string(problem.side) +
                      " elements do not fit in a team's scratch memory: n is at most " +
                      std::to_string(most));
  }
}

/// The paper's schedule.
template <class T>
struct Coloured : PlannedRow<T, ColouredPlan> {
  static constexpr char const* name = "Coloured";

  explicit Coloured(PermutationProblem const& problem)
      : PlannedRow<T, ColouredPlan>(problem.exec, checked_plan(problem)) {}

 private:
  static ColouredPlan checked_plan(PermutationProblem const& problem) {
    check_scratch<T>(problem);
    return plan_of<ColouredPlan>(problem, false);
  }
};

// --- without an index array ---

/// The paper's "in-place" algorithms: computed regular permutations.
template <class T>
class Regular {
 public:
  using Element = T;
  static constexpr char const* name = "Regular";
  static constexpr std::uint64_t bytes_beside = 0;

  static bool is_for(Permutation permutation) {
    return permutation != Permutation::identical && permutation != Permutation::random;
  }

  explicit Regular(PermutationProblem const& problem) : problem_(problem), sigma_(bits(problem)) {}

  void operator()(Array<T> const& in, Array<T> const& out) const {
    if (problem_.permutation == Permutation::transpose) {
      riffle::transpose(problem_.exec, in, out, problem_.side, problem_.side);
    } else {
      riffle::permute_bits(problem_.exec, in, out, sigma_);
    }
  }

 private:
  static riffle::BitPermutation bits(PermutationProblem const& problem) {
    int const m = std::countr_zero(problem.n());
    return problem.permutation == Permutation::shuffle ? riffle::BitPermutation::perfect_shuffle(m)
                                                       : riffle::BitPermutation::bit_reversal(m);
  }

  PermutationProblem problem_;
  riffle::BitPermutation sigma_;
};

}  // namespace perf
