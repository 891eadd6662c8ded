#pragma once

// The five permutations of Table 2 (see permute.cpp), of n = side^2 elements: stored as 32-bit indices, with values that show
// whether an array was permuted by them.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

#include <riffle/permute/named_permutations.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/random/random_permutation.hpp>

#include "support/exec.hpp"

namespace perf {

template <class T>
using Array = Kokkos::View<T*, Exec>;
using Indices = Array<std::uint32_t>;

enum class Permutation { identical, random, transpose, shuffle, bit_reversal };

struct NamedPermutation {
  Permutation permutation;
  char const* name;
};

inline constexpr NamedPermutation paper_permutations[] = {
    {Permutation::identical, "identical"},       {Permutation::random, "random"},
    {Permutation::transpose, "transpose"},       {Permutation::shuffle, "shuffle"},
    {Permutation::bit_reversal, "bit-reversal"},
};

/// A problem: move element u of n to place sigma(u).
struct PermutationProblem {
  Exec exec;
  Permutation permutation;
  std::uint64_t side;

  std::uint64_t n() const { return side * side; }
};

/// Calls visit(sigma).
template <class Visit>
void visit_permutation(PermutationProblem const& problem, Visit const& visit) {
  constexpr std::uint64_t seed = 1;
  std::uint64_t const n = problem.n();
  switch (problem.permutation) {
    case Permutation::identical: return visit(riffle::IdentityPermutation(n));
    case Permutation::random: return visit(riffle::RandomPermutation(n, seed));
    case Permutation::transpose:
      return visit(riffle::TransposePermutation(problem.side, problem.side));
    case Permutation::shuffle: return visit(riffle::PerfectShuffle(n));
    case Permutation::bit_reversal: return visit(riffle::BitReversal(n));
  }
}

/// sigma(0), sigma(1), ...: p in the paper.
inline Indices destinations(PermutationProblem const& problem) {
  auto const p = allocate<std::uint32_t>(problem.exec, "perf::destinations", problem.n());
  visit_permutation(problem,
                    [&](auto const& sigma) { riffle::fill_permutation(problem.exec, sigma, p); });
  return p;
}

/// The inverse: q in the paper.
inline Indices sources(PermutationProblem const& problem) {
  auto const q = allocate<std::uint32_t>(problem.exec, "perf::sources", problem.n());
  riffle::inverse(problem.exec, destinations(problem), q);
  problem.exec.fence("perf::sources");
  return q;
}

/// The value of element u before the permutation: 24 bits, which a float represents exactly.
template <class T>
KOKKOS_FUNCTION T value_at(std::uint64_t u) {
  return static_cast<T>(u * 0x9E3779B97F4A7C15u >> 40);
}

template <class T>
struct WriteValues {
  Array<T> array;

  KOKKOS_FUNCTION void operator()(std::uint64_t u) const { array(u) = value_at<T>(u); }
};

template <class T>
struct CountMisplaced {
  Array<T> array;
  Indices p;

  KOKKOS_FUNCTION void operator()(std::uint64_t u, std::uint64_t& misplaced) const {
    if (array(p(u)) != value_at<T>(u)) ++misplaced;
  }
};

template <class T>
void write_values(Exec const& exec, Array<T> const& array) {
  Kokkos::parallel_for("perf::write_values", range(exec, array.extent(0)), WriteValues<T>{array});
}

/// Throws unless `out` has the values of write_values at their destinations.
template <class T>
void check_values(PermutationProblem const& problem, Array<T> const& out) {
  std::uint64_t misplaced = 0;
  Kokkos::parallel_reduce("perf::count_misplaced", range(problem.exec, problem.n()),
                          CountMisplaced<T>{out, destinations(problem)}, misplaced);
  if (misplaced > 0) {
    throw std::logic_error("not this permutation: " + std::to_string(misplaced) +
                           " elements are not in their places");
  }
}

}  // namespace perf
