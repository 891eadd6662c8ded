#pragma once

// Tests of generators of random permutations, Riffle's own or any other: is every permutation
// equally likely, and is each permutation independent of the others?
//
// A sampler is a function that can be called on the device and draws permutation r of n points, in
// one of two forms. Either sampler(n, r) returns the permutation as a function of i, or sampler(n,
// r, row) writes it to row[0], ..., row[n - 1].
//   KOKKOS_LAMBDA(std::uint64_t n, std::uint64_t r) { return riffle::RandomPermutation(n, seed, r); }
// Samples are drawn and reduced on the device; they are not stored.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/uniformity/detail/arrangements.hpp>
#include <riffle/uniformity/detail/bit_test.hpp>
#include <riffle/uniformity/detail/block_order_test.hpp>
#include <riffle/uniformity/detail/collision_test.hpp>
#include <riffle/uniformity/detail/displacement_measures.hpp>
#include <riffle/uniformity/detail/lehmer_digit_test.hpp>
#include <riffle/uniformity/detail/mallows_test.hpp>
#include <riffle/uniformity/detail/measures.hpp>
#include <riffle/uniformity/detail/order_measures.hpp>
#include <riffle/uniformity/detail/position_test.hpp>
#include <riffle/uniformity/detail/run_plans.hpp>
#include <riffle/uniformity/detail/scalar_test.hpp>
#include <riffle/uniformity/detail/test_result.hpp>

namespace riffle::uniformity {

// --- tests of R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs" ---
//
// Version 1 is arXiv:2106.06161v1 (2021), version 2 is ACM Trans. Parallel Computing 9 (2022).

/// Whether all n! permutations occur equally often, for n <= 8, by a chi-square test.
using Arrangements = detail::uniformity::ArrangementTest;
/// The maximum mean discrepancy with the Mallows kernel, whose parameter lambda is 5 by default. As in version 1 of the
/// paper, each sample is compared with the identity.
using MallowsOneSample = detail::uniformity::MallowsOneSampleTest;
/// The statistic of version 2 of the paper: samples 2 r and 2 r + 1 are compared. It detects faults that
/// MallowsOneSample cannot detect.
using MallowsPaired = detail::uniformity::MallowsPairedTest;

// --- tests of each permutation ---

/// The sign: whether odd permutations are as frequent as even ones.
using Sign = detail::uniformity::ScalarTest<detail::uniformity::SignMeasure>;
/// The number of cycles.
using Cycles = detail::uniformity::ScalarTest<detail::uniformity::CycleMeasure>;
/// The number of cycles of length `Length`. CyclesOfLength<1> counts fixed points.
template <int Length>
using CyclesOfLength =
    detail::uniformity::ScalarTest<detail::uniformity::CyclesOfLengthMeasure<Length>>;
/// The number of inversions: pairs i < j with sigma(i) > sigma(j).
using Inversions = detail::uniformity::ScalarTest<detail::uniformity::InversionMeasure>;
/// The number of descents: i with sigma(i) > sigma(i + 1).
using Descents = detail::uniformity::ScalarTest<detail::uniformity::DescentMeasure>;
/// The length of the longest increasing subsequence of the first min(n, 64) values.
using LongestIncreasing =
    detail::uniformity::ScalarTest<detail::uniformity::LongestIncreasingMeasure>;
/// The sum of |sigma(i) - i|.
using Footrule = detail::uniformity::ScalarTest<detail::uniformity::FootruleMeasure>;
/// The sum of (sigma(i) - i)^2, which is equivalent to Spearman's correlation with the identity.
using SquaredDifferences =
    detail::uniformity::ScalarTest<detail::uniformity::SquaredDifferenceMeasure>;
/// The number of i with sigma(i + 1) = sigma(i) + 1, that is, of neighbours that stay neighbours.
using Successions = detail::uniformity::ScalarTest<detail::uniformity::SuccessionMeasure>;
/// The correlation of neighbouring values.
using SerialCorrelation =
    detail::uniformity::ScalarTest<detail::uniformity::SerialCorrelationMeasure>;
/// How often each point moves to each position.
using Positions = detail::uniformity::PositionTest;
/// The order of the values at `Length` neighbouring positions.
template <int Length>
using BlockOrders = detail::uniformity::BlockOrderTest<Length>;
/// The digits of the Lehmer code. They are uniform if a Fisher-Yates shuffle draws uniform digits.
using LehmerDigits = detail::uniformity::LehmerDigitTest;

// --- tests of several permutations ---

/// The number of points that permutations 2 r and 2 r + 1 map to the same value.
using Matches = detail::uniformity::ScalarTest<detail::uniformity::MatchMeasure>;
/// The sign of one permutation after the inverse of the other.
using QuotientSign = detail::uniformity::ScalarTest<detail::uniformity::QuotientSignMeasure>;
/// The number of permutations whose first values equal the first values of an earlier permutation.
using Collisions = detail::uniformity::CollisionTest;

// --- tests of the bits that Lehmer digits yield ---

/// The number of bits that are 1.
using Bits = detail::uniformity::BitCountTest;
/// How often a bit differs from the bit before it.
using BitChanges = detail::uniformity::BitTransitionTest;
/// How often each byte occurs.
using Bytes = detail::uniformity::ByteTest;

/// Draws permutations 0, ..., samples - 1 of n points from the sampler and tests them.
///
/// Throws std::invalid_argument if the test cannot be made with this n and this number of samples
/// (the message says why), or if a sample is not a permutation (the message contains the replicate
/// and the index). Complexity: `samples` evaluations of the sampler. Memory: 32 n bytes for each
/// thread of a CPU or resident team of a GPU. Blocking: fences. Reproducible: counts are sums of
/// integers.
template <detail::InstanceOrContext Exec, class Test, class Sampler>
TestResult test(Exec const& exec, Test const& test, Sampler const& sampler, std::uint64_t n,
                std::uint64_t samples) {
  detail::Call const context(exec, "riffle::uniformity::test");
  detail::uniformity::check_samples("uniformity::test", samples);
  auto const plan = test.plan(n, samples);
  detail::check(plan.refusal.empty(), "uniformity::test", "n = ", n, ", samples = ", samples, ": ",
                Test::name, ": ", plan.refusal);
  return detail::uniformity::run_plans(context, "uniformity::test", sampler, {n, samples}, {},
                                       plan)[0];
}

template <class Exec, class Test, class Sampler, class... Numbers>
requires detail::LoseAFraction<Numbers...> TestResult test(Exec const&, Test const&, Sampler const&,
                                                           Numbers const&...)
= delete;

}  // namespace riffle::uniformity
