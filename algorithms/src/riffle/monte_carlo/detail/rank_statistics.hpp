#pragma once

// Tests of rank statistics. The data are ranked once, and the ranks are tested like other data.
//
// The ranks are replaced by centred ranks d = 2 rank - (n + 1). These are whole numbers with |d| < n and sum 0, so sums
// over groups fit in 62 bits and sums of products in 93 bits.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/correlations.hpp>
#include <riffle/monte_carlo/detail/group_statistics.hpp>
#include <riffle/monte_carlo/detail/two_samples.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle::detail {

template <class Ranks, class Values>
struct CentreRanks {
  Ranks ranks;
  Values centred;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const sum_of_ends = static_cast<std::int64_t>(ranks.extent(0)) + 1;
    centred(i) = static_cast<std::int64_t>(2 * ranks(i)) - sum_of_ends;
  }
};

/// Writes keys(offset + i) for each view(i), such that keys compare in the same way as the values Number(view(i)).
template <class Number, class View, class Keys>
struct WriteKeys {
  View view;
  Keys keys;
  std::uint64_t offset;
  RadixKey<Number, Ascending> key_of{};

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    keys(offset + i) = key_of(static_cast<Number>(view(i)));
  }
};

/// Writes the keys of x followed by the keys of y. If x and y have the same type, values are compared exactly,
/// otherwise as doubles.
template <class Exec, class Keys>
void write_keys(Context<Exec> const& context, Numbers<typename Exec::memory_space> const& x,
                Numbers<typename Exec::memory_space> const& y, Keys const& keys) {
  bool const are_of_one_type =
      x.extent(0) == 0 || y.extent(0) == 0 || x.values.index() == y.values.index();
  auto const write = [&](auto const& numbers, std::uint64_t offset) {
    numbers.visit([&]<class View>(View const& view) {
      using Number = typename View::non_const_value_type;
      auto const of = [&]<class Compared>(Compared) {
        context.named("keys").for_each(view.extent(0),
                                       WriteKeys<Compared, View, Keys>{view, keys, offset});
      };
      are_of_one_type ? of(Number{}) : of(double{});
    });
  };
  write(x, 0);
  write(y, x.extent(0));
}

/// Returns the centred ranks of x followed by the centred ranks of y (which may be empty). Values are ranked among all
/// values of both. Throws unless all values are finite.
template <class Exec>
auto make_ranks(char const* function, Context<Exec> const& context,
                Numbers<typename Exec::memory_space> const& x,
                Numbers<typename Exec::memory_space> const& y = {}, char const* name_of_x = "x",
                char const* name_of_y = "y") {
  using Space = typename Exec::memory_space;
  using Ranks = Kokkos::View<double*, Space>;
  using Values = Kokkos::View<std::int64_t*, Space>;
  check_finite(function, context, name_of_x, x);
  check_finite(function, context, name_of_y, y);
  std::uint64_t const n = x.extent(0) + y.extent(0);
  auto const allocate = [&](char const* name) {
    return Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name);
  };
  Ranks const ranks(allocate("::ranks"), n);
  // Values of all types are converted to keys of one type, so that only one sort is instantiated.
  Kokkos::View<std::uint64_t*, Space> const keys(allocate("::keys"), n);
  write_keys(context, x, y, keys);
  rank_unsorted(context.named("rank"), keys, ranks, ties::Fractional{});
  Values const centred(allocate("::centred_ranks"), n);
  context.named("centre").for_each(n, CentreRanks<Ranks, Values>{ranks, centred});
  return centred;
}

template <class Exec, class X, class Y>
auto make_problem(char const* function, Context<Exec> const& context, MannWhitneyU, X const& x,
                  Y const& y) {
  check_samples(function, x, y, 1);
  auto const ranks = make_ranks(function, context, x, y);
  auto const first = exact_sum(context, ranks, 0, x.extent(0));
  // U = (the sum of x's d + n_x n_y) / 2
  double const half_of_pairs =
      0.5 * static_cast<double>(x.extent(0)) * static_cast<double>(y.extent(0));
  SumStatistic test_statistic{0.5, half_of_pairs, {}, 0};
  double const n = static_cast<double>(x.extent(0) + y.extent(0));
  test_statistic.compare_exactly(first, n * n);
  using Values = std::remove_const_t<decltype(ranks)>;
  return TwoSampleProblem<Values, SumStatistic>(ranks, {}, two_groups(x, y), test_statistic,
                                                test_statistic(first, 0),
                                                test_statistic.mirror(first));
}

/// With the correction for ties, H is (n - 1) times the sum of squares between groups divided by the total sum of
/// squares.
template <class Exec, class X, class Labels>
auto make_problem(char const* function, Context<Exec> const& context, KruskalWallisH, X const& x,
                  Labels const& labels) {
  using Values = Kokkos::View<std::int64_t*, typename Exec::memory_space>;
  using Problem = GroupsProblem<Exec, Values>;
  int const count = count_groups(function, context, x, labels, 2, Problem::max_groups);
  auto const ranks = make_ranks(function, context, x);
  double const squares = sum_of_products(context, ranks, ranks);
  check_not_constant(function, squares == 0, "x");
  auto const found = sum_groups<Problem::max_groups>(function, context, labels, ranks, count);
  GroupsStatistic<Problem::max_groups> const test_statistic{
      found.groups, 0, squares, 1, tie_epsilon, /*is_to_all=*/true};
  return groups_problem(context, ranks, found, test_statistic, true, x, labels);
}

template <class Exec, class X, class Y>
auto make_problem(char const* function, Context<Exec> const& context, SpearmanCorrelation,
                  X const& x, Y const& y) {
  check_pairs(function, x, y, 2);
  auto const a = make_ranks(function, context, x);
  auto const b = make_ranks(function, context, y, {}, "y");
  double const squares_x = sum_of_products(context, a, a);
  double const squares_y = sum_of_products(context, b, b);
  check_not_constant(function, squares_x == 0, "x");
  check_not_constant(function, squares_y == 0, "y");
  // The square root is taken of the product: it is exact if both factors are equal, so the correlation of equal ranks
  // is exactly 1.
  double const spread = std::sqrt(squares_x * squares_y);
  CorrelationStatistic test_statistic{0, spread, 0};
  int128 const observed = exact_products(context, a, b, 0, x.extent(0));
  test_statistic.compare_exactly(observed, spread);
  using Values = std::remove_const_t<decltype(a)>;
  return PairsProblem<Exec, Values>(a, b, test_statistic, test_statistic(observed),
                                    test_statistic.mirror(observed, 0, 1), {});
}

}  // namespace riffle::detail
