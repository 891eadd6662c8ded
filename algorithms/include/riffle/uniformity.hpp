#pragma once

// Tests of a generator of permutations: is every permutation equally likely, and each independent of the
// others? For Riffle's own and for any other.
//
// A sampler is a function, callable on the device, that gives permutation r of n points, in one of two
// ways: sampler(n, r) is the permutation itself, a function of i,
//   KOKKOS_LAMBDA(std::uint64_t n, std::uint64_t r) { return riffle::RandomPermutation(n, seed, r); }
// or sampler(n, r, row) writes it to row[0], ..., row[n - 1].
// Samples are drawn and reduced on the device; none is stored.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/detail/uniformity/arrangements.hpp>
#include <riffle/detail/uniformity/measures.hpp>
#include <riffle/detail/uniformity/run_plans.hpp>
#include <riffle/detail/uniformity/scalar_test.hpp>
#include <riffle/detail/uniformity/test_result.hpp>
#include <riffle/detail/views.hpp>
#include <riffle/errors.hpp>

namespace riffle::uniformity {

/// All n! permutations equally often, n <= 8. The paper's chi-square test.
using Arrangements = detail::uniformity::ArrangementTest;
/// As many odd permutations as even ones.
using Sign = detail::uniformity::ScalarTest<detail::uniformity::SignMeasure>;
using Cycles = detail::uniformity::ScalarTest<detail::uniformity::CycleMeasure>;
/// How many cycles have a length; 1 for fixed points.
template <int Length>
using CyclesOfLength =
    detail::uniformity::ScalarTest<detail::uniformity::CyclesOfLengthMeasure<Length>>;
/// Pairs of positions whose images are in the wrong order.
using Inversions = detail::uniformity::ScalarTest<detail::uniformity::InversionMeasure>;
/// Points that permutation 2 r and permutation 2 r + 1 send to one place.
using Matches = detail::uniformity::ScalarTest<detail::uniformity::MatchMeasure>;

/// Draws permutations 0, ..., samples - 1 of n points from the sampler and tests them.
///
/// Throws std::invalid_argument where the test cannot be made of so many samples at this n, with the
/// reason, and where a sample is no permutation, with the replicate and the index. Fences. Work:
/// `samples` evaluations of the sampler; memory: 32 n bytes for each thread of a CPU or resident team of a
/// GPU. Reproducible: counts are sums of integers.
template <detail::ExecutionSpace Exec, class Test, class Sampler>
TestResult test(std::string const& label, Exec const& exec, Test const& test,
                Sampler const& sampler, std::uint64_t n, std::uint64_t samples) {
  auto const plan = test.plan(n, samples);
  detail::check(plan.refusal.empty(), "uniformity::test", "n = ", n, ", samples = ", samples, ": ",
                Test::name, ": ", plan.refusal);
  return detail::uniformity::run_plans(label, exec, "uniformity::test", sampler, {n, samples}, {},
                                       plan)[0];
}

template <detail::ExecutionSpace Exec, class Test, class Sampler>
TestResult test(Exec const& exec, Test const& test, Sampler const& sampler, std::uint64_t n,
                std::uint64_t samples) {
  return uniformity::test("riffle::uniformity::test", exec, test, sampler, n, samples);
}

}  // namespace riffle::uniformity
