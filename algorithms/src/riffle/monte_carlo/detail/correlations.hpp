#pragma once

// Tests of a correlation between x and y, by random or enumerated permutations of y.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/compared_problem.hpp>
#include <riffle/monte_carlo/detail/exact_sum.hpp>
#include <riffle/monte_carlo/detail/fixed_point.hpp>
#include <riffle/monte_carlo/detail/numeric_views.hpp>
#include <riffle/monte_carlo/detail/permutation_sums.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/random_permutation.hpp>

namespace riffle::detail {

/// Computes the correlation. Its test statistic is the sum of products.
struct CorrelationStatistic {
  double offset;  // -sum(x) sum(y) / n
  double spread;  // sqrt(sum of squares of x * sum of squares of y)
  double tie;     // sums tie if they differ by at most this; less than 1 if sums are exact
  int128 base =
      0;  // subtracted from the sums, so that sums close to the observed one are exact as doubles

  KOKKOS_FUNCTION double operator()(int128 products) const { return to_double(products - base); }
  KOKKOS_FUNCTION double value(double test_statistic) const {
    return Kokkos::min(1.0, Kokkos::max(-1.0, (test_statistic + offset) / spread));
  }
  double tolerance(double) const { return tie; }

  /// For whole values: lets only equal sums tie. `observed` is the observed sum; `largest` is an upper bound for the
  /// magnitude of all sums.
  void compare_exactly(int128 observed, double largest) {
    constexpr double all_whole = 0x1p53;
    tie = 0.5;
    if (largest < all_whole) return;
    base = observed;
    offset += to_double(base);
  }

  /// Returns a copy whose base is `whole`. Do not call value() on the copy, because value() assumes the original base.
  CorrelationStatistic with_base(int128 whole) const {
    CorrelationStatistic other = *this;
    other.base = whole;
    return other;
  }

  /// Returns the mirror of the observed sum. twice_middle / count is twice the sum that corresponds to correlation 0.
  Mirror mirror(int128 observed, int128 twice_middle, int128 count) const {
    return mirror_of_sum(observed, twice_middle, count, base);
  }
};

/// Enumerates the sums of products of all permutations, on a CPU.
template <class Values>
struct PairsInOrder {
  Values x;
  Values y;
  CorrelationStatistic test_statistic;

  void enumerate(std::uint64_t first, std::uint64_t count, double* test_statistics) const {
    sum_ranked_permutations<int128>(
        static_cast<int>(x.extent(0)), first, count,
        [&](int i, int j) {
          return static_cast<int128>(x(static_cast<std::size_t>(i))) *
                 y(static_cast<std::size_t>(j));
        },
        [&](int128 products) { *test_statistics++ = test_statistic(products); });
  }
};

/// The replicate source for pairs. The test statistic of a replicate is a sum of products, which a lane or a team
/// computes. The sum is exact, so both give the same bits.
template <class Values, bool PerTeam, int SideBySide>
struct PairsSource {
  static constexpr bool is_per_team = PerTeam;
  static constexpr int max_width = 1;
  static constexpr int arrangements_in_order =
      blocks_of_permutations_in_order * PermutationBlocks::size;

  Values x;
  Values y;
  Numbering numbering;
  CorrelationStatistic test_statistic;

  template <int Width>
  KOKKOS_FUNCTION void operator()(std::uint64_t first, double (&test_statistics)[Width]) const {
    static_assert(Width == 1);
    RandomPermutation const sigma = numbering.permutation(x.extent(0), first);
    int128 products = 0;
    for (int chunk = 0; chunk < chunks(); ++chunk) products += sum_chunk(sigma, chunk);
    test_statistics[0] = test_statistic(products);
  }

  template <class Member>
  KOKKOS_FUNCTION double operator()(Member const& member, std::uint64_t r) const {
    RandomPermutation const sigma = numbering.permutation(x.extent(0), r);
    ExactSum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, chunks()),
        [&](int chunk, ExactSum& partial) { partial += ExactSum(sum_chunk(sigma, chunk)); }, sum);
    return test_statistic(sum.value());
  }

  PairsInOrder<Values> in_order() const { return {x, y, test_statistic}; }

  KOKKOS_FUNCTION double value(double c) const { return test_statistic.value(c); }

 private:
  KOKKOS_FUNCTION int chunks() const {
    return static_cast<int>((x.extent(0) + SideBySide - 1) / SideBySide);
  }

  KOKKOS_FUNCTION int128 sum_chunk(RandomPermutation const& sigma, int chunk) const {
    std::uint64_t const n = x.extent(0);
    std::uint64_t const first = static_cast<std::uint64_t>(chunk) * SideBySide;
    int128 sum = 0;
    if (n - first >= SideBySide) {
      std::uint64_t images[SideBySide];
      sigma.images(first, images);
      for (int w = 0; w < SideBySide; ++w) {
        sum += product(first + static_cast<std::uint64_t>(w), images[w]);
      }
    } else {
      for (std::uint64_t i = first; i < n; ++i) sum += product(i, sigma(i));
    }
    return sum;
  }

  KOKKOS_FUNCTION int128 product(std::uint64_t i, std::uint64_t j) const {
    return static_cast<int128>(x(i)) * y(j);
  }
};

template <class Exec, class Values>
double sum_of_products(Context<Exec> const& context, Values const& x, Values const& y) {
  return to_double(exact_products(context, x, y, 0, x.extent(0)));
}

/// Returns the sum of squared deviations from the mean, in squared fixed-point units.
template <class Exec, class Sample>
double centred_squares(Context<Exec> const& context, Sample const& sample) {
  auto const total = static_cast<double>(sample.total);
  return std::fma(-total / static_cast<double>(sample.size()), total,
                  sum_of_products(context, sample.values, sample.values));
}

/// The problem (see ProblemTest) for correlations.
template <class Exec, class Values>
class PairsProblem : public ComparedProblem<CorrelationStatistic> {
 public:
  PairsProblem(Values x, Values y, CorrelationStatistic const& test_statistic, double observed,
               Mirror const& mirror, KnownTies ties)
      : ComparedProblem(test_statistic, observed, mirror, std::move(ties)), x_(x), y_(y) {}

  std::uint64_t count_arrangements(std::uint64_t limit) const {
    return count_permutations(x_.extent(0), limit);
  }

  template <class Visitor>
  auto visit_source(Numbering numbering, Visitor const& visitor) const {
    constexpr int width = backend::problems_per_thread<Exec>;
    if (x_.extent(0) < team_of_pairs_from) {
      return visitor(PairsSource<Values, false, width>{x_, y_, numbering, test_statistic_});
    }
    return visitor(PairsSource<Values, true, width>{x_, y_, numbering, test_statistic_});
  }

 private:
  Values x_;
  Values y_;
};

template <class X, class Y>
void check_pairs(char const* function, X const& x, Y const& y, std::uint64_t least) {
  std::uint64_t const n = x.extent(0);
  check(n == y.extent(0), function, "x.extent(0) = ", n, " and y.extent(0) = ", y.extent(0),
        ": must be equal");
  check(n >= least, function, "x.extent(0) = ", n, ": must be at least ", least);
  check_sizes(function, n);
}

template <class Exec, class X, class Y>
auto make_problem(char const* function, Context<Exec> const& context, PearsonCorrelation,
                  X const& x, Y const& y) {
  check_pairs(function, x, y, 2);
  std::uint64_t const n = x.extent(0);
  // A sum of n numbers with `bits` bits fits in 63 bits, and a sum of n products of two such numbers in 126 bits.
  int const bits = bits_for_sum(n);
  auto const a = make_sample(function, context, bits, x);
  auto const b = make_sample(function, context, bits, y, {}, "y");
  check_not_constant(function, a.is_constant(), "x");
  check_not_constant(function, b.is_constant(), "y");
  double const spread_x = centred_squares(context, a);
  double const spread_y = centred_squares(context, b);
  double const spread = std::sqrt(spread_x) * std::sqrt(spread_y);
  CorrelationStatistic test_statistic{
      -static_cast<double>(a.total) / static_cast<double>(n) * static_cast<double>(b.total), spread,
      (relative_error(a) + relative_error(b)) * spread};
  int128 const observed = exact_products(context, a.values, b.values, 0, n);
  bool const is_exact = a.is_exact && b.is_exact;
  if (is_exact) {
    test_statistic.compare_exactly(observed, static_cast<double>(n) * static_cast<double>(a.reach) *
                                                 static_cast<double>(b.reach));
  }
  using Values = std::decay_t<decltype(a.values)>;
  int128 const twice_middle = 2 * static_cast<int128>(a.total) * b.total;
  return PairsProblem<Exec, Values>(
      a.values, b.values, test_statistic, test_statistic(observed),
      test_statistic.mirror(observed, twice_middle, static_cast<int128>(n)),
      {is_exact, [context, x, y] {
         return certain_ties_of_pairs(host_values(context, x), host_values(context, y));
       }});
}

}  // namespace riffle::detail
