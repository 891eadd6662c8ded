// The probabilities of weighted samples of many elements, and of all orders of few elements.

#include <Kokkos_Core.hpp>
#include <riffle/weighted_sample.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::weighted_sample_probabilities_test {
namespace {

template <class Exec>
class WeightedSampleProbabilities : public ::testing::Test {
 protected:
  std::vector<std::int32_t> sample(std::vector<double> const& weights, std::size_t k,
                                   std::uint64_t stream) {
    auto const out = zeros<Exec, std::int32_t>(k);
    riffle::weighted_sample(Context(exec, workspace), to_view<Exec>(weights), out, 2006, stream);
    return to_vector(out);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(WeightedSampleProbabilities, ExecutionSpaces, SpaceNames);

// Samples of three of six elements, in the order in which they are drawn: 120 results.
TYPED_TEST(WeightedSampleProbabilities, SuccessiveDrawsOfFewElements) {
  std::vector<double> const weights{1, 0.5, 3, 0.75, 4, 2};
  std::uint64_t const draws = 40'000;
  std::map<std::vector<std::int32_t>, double> counts;
  for (std::uint64_t stream = 0; stream < draws; ++stream)
    ++counts[this->sample(weights, 3, stream)];
  double chi_square = 0;
  std::vector<std::int32_t> order(6);
  std::iota(order.begin(), order.end(), 0);
  do {
    if (order[3] > order[4] || order[4] > order[5])
      continue;  // one order of the elements that are not drawn
    double left = std::accumulate(weights.begin(), weights.end(), 0.0), expected = draws;
    for (std::size_t p = 0; p < 3; ++p) {
      double const weight = weights[static_cast<std::size_t>(order[p])];
      expected *= weight / left;
      left -= weight;
    }
    chi_square += std::pow(counts[{order.begin(), order.begin() + 3}] - expected, 2) / expected;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_LT(chi_square, 188);  // 119 degrees of freedom: exceeded with probability 6e-5
  EXPECT_GT(chi_square, 70);
}

// The k-th smallest of n keys is nearly a constant t, so an element of weight w is in the sample with probability 1 - exp(-t w).
TYPED_TEST(WeightedSampleProbabilities, ManyElements) {
  std::size_t const n = 50'000, classes = 5, k = 1000;
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i)
    weights[i] = std::ldexp(1, static_cast<int>(2 * (i % classes)));
  auto const probability = [](double t, std::size_t c) {
    return -std::expm1(-t * std::ldexp(1, static_cast<int>(2 * c)));
  };
  double low = 0, high = 1;
  for (int step = 0; step < 100; ++step) {
    double const t = (low + high) / 2;
    double expected = 0;
    for (std::size_t c = 0; c < classes; ++c) expected += probability(t, c) * n / classes;
    (expected < k ? low : high) = t;
  }
  std::uint64_t const draws = 500;
  std::vector<double> counts(classes), halves(2);
  for (std::uint64_t stream = 0; stream < draws; ++stream) {
    for (auto const i : this->sample(weights, k, stream)) {
      ++counts[static_cast<std::size_t>(i) % classes];
      ++halves[static_cast<std::size_t>(i) < n / 2 ? 0 : 1];
    }
  }
  for (std::size_t c = 0; c < classes; ++c) {
    double const expected = probability(low, c) * n / classes * draws;
    EXPECT_LT(std::abs(counts[c] - expected), 5 * std::sqrt(expected)) << c;
  }
  EXPECT_LT(std::abs(halves[0] - halves[1]), 5 * std::sqrt(k * draws));
}

}  // namespace
}  // namespace riffle::test::weighted_sample_probabilities_test
