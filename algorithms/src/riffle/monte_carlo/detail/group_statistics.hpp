#pragma once

// Tests of F and H for several groups, by random or enumerated labels.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/compared_problem.hpp>
#include <riffle/monte_carlo/detail/exact_order.hpp>
#include <riffle/monte_carlo/detail/fixed_point.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>
#include <riffle/monte_carlo/detail/labels_in_order.hpp>
#include <riffle/monte_carlo/detail/numeric_views.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/monte_carlo/tuning.hpp>

namespace riffle::detail {

/// Computes, for at most `Capacity` groups, F (the mean square between groups divided by the mean square within groups)
/// or Kruskal and Wallis's H (the sum of squares between groups divided by the mean square of all values). The test
/// statistic of both is the sum of squares between groups.
template <int Capacity>
struct GroupsStatistic {
  GroupSizes<Capacity> groups;
  double total;
  double total_of_squares;
  double square_unit;
  double relative_error;
  bool is_to_all;

  KOKKOS_FUNCTION double operator()(Kokkos::Array<std::int64_t, Capacity> const& sums) const {
    double between = 0;
    for (int g = 0; g < groups.count; ++g) {
      double const sum = static_cast<double>(sums[g]);
      between = Kokkos::fma(sum, sum / groups.size[g], between);
    }
    return between;
  }
  KOKKOS_FUNCTION double value(double test_statistic) const {
    double const n = groups.total();
    double const between = Kokkos::max(0.0, Kokkos::fma(-total / n, total, test_statistic));
    if (is_to_all) return between / (total_of_squares * square_unit / (n - 1));
    double const within =
        Kokkos::max(0.0, Kokkos::fma(total_of_squares, square_unit, -test_statistic));
    return (between / (groups.count - 1)) / (within / (n - groups.count));
  }
  double tolerance(double) const { return relative_error * total_of_squares * square_unit; }
};

/// Computes L times the test statistic of groups of whole numbers. L is a common multiple of the group sizes, so the
/// result is a whole number.
template <int Capacity>
struct WholeGroups {
  GroupSizes<Capacity> groups;
  Kokkos::Array<std::uint64_t, Capacity> factors{};  // factors[g] = L / size of group g
  double multiple = 1;                               // L

  explicit WholeGroups(GroupSizes<Capacity> const& sizes) : groups(sizes) {
    std::uint64_t common = 1;
    for (int g = 0; g < groups.count; ++g) {
      common = std::lcm(common, std::uint64_t{groups.size[g]});
      multiple = std::max(multiple, static_cast<double>(common));
      if (multiple >= most_multiple) return;
    }
    for (int g = 0; g < groups.count; ++g) factors[g] = common / groups.size[g];
  }

  KOKKOS_FUNCTION int128 operator()(Kokkos::Array<std::int64_t, Capacity> const& sums) const {
    int128 between = 0;
    for (int g = 0; g < groups.count; ++g) {
      between += static_cast<int128>(sums[g]) * sums[g] * static_cast<int128>(factors[g]);
    }
    return between;
  }

  /// Returns whether all intermediate results fit in exact_order_bits bits, given the sum of squares of the values.
  bool fits(double squares) const {
    return multiple < most_multiple && multiple * squares < std::ldexp(1.0, exact_order_bits);
  }

 private:
  static constexpr double most_multiple = 0x1p31;
};

/// Compares the F or H of an enumerated replicate with the observed one, exactly.
template <class Values, int Capacity>
struct GroupsOrder {
  Values values;
  WholeGroups<Capacity> between;
  std::uint64_t arrangements;
  int128 observed;

  KOKKOS_FUNCTION OrderOfReplicate operator()(std::uint64_t r) const {
    Kokkos::Array<std::int64_t, Capacity> sums{};
    walk_ranked_labels(between.groups, arrangements, r,
                       [&](std::uint32_t i, int group) { sums[group] += values(i); });
    int const side = order_of(between(sums), observed);
    return {side, side};
  }
};

/// The Statistic that LabelsInOrder needs to enumerate the sums of all groups.
template <class Values, int Capacity>
struct SumsOfGroups {
  using Sums = Kokkos::Array<std::int64_t, Capacity>;

  Values values;
  GroupsStatistic<Capacity> compare;

  KOKKOS_FUNCTION void add(Sums& sums, std::uint32_t i, int group) const {
    sums[group] += values(i);
  }
  void remove(Sums& sums, std::uint32_t i, int group) const { sums[group] -= values(i); }
  void merge(Sums& sums, Sums const& others) const {
    int const last =
        Capacity <= 4 ? Capacity : compare.groups.count;  // small counts without a loop
    for (int g = 0; g < last; ++g) sums[g] += others[g];
  }
  double test_statistic(Sums const& sums) const { return compare(sums); }
};

/// The replicate source for several groups: it computes the sum of each group.
template <class Values, int Capacity>
struct GroupsSource {
  static constexpr bool is_per_team = false;
  static constexpr int max_width = 1;
  static constexpr int arrangements_in_order = arrangements_of_groups_in_order;
  using Sums = Kokkos::Array<std::int64_t, Capacity>;

  Values values;
  Numbering numbering;
  GroupsStatistic<Capacity> test_statistic;

  template <int Width>
  KOKKOS_FUNCTION void operator()(std::uint64_t first, double (&test_statistics)[Width]) const {
    if (numbering.is_exact()) return sum_by_ranks(first, test_statistics);
    for (int w = 0; w < Width; ++w) {
      Sums sums{};
      walk_random_labels(test_statistic.groups, numbering.seed,
                         first + static_cast<std::uint64_t>(w),
                         [&](std::uint32_t i, int group) { sums[group] += values(i); });
      test_statistics[w] = test_statistic(sums);
    }
  }

  auto in_order() const {
    SumsOfGroups<Values, Capacity> const sums{values, test_statistic};
    return LabelsInOrder(test_statistic.groups, numbering.arrangements, sums);
  }

  KOKKOS_FUNCTION double value(double c) const { return test_statistic.value(c); }

 private:
  template <int Width>
  KOKKOS_FUNCTION void sum_by_ranks(std::uint64_t first, double (&test_statistics)[Width]) const {
    Sums sums[Width];
    sum_ranked_labels(test_statistic.groups, numbering.arrangements, first, sums,
                      [&](Sums& to, std::uint32_t i, int group) { to[group] += values(i); });
    for (int w = 0; w < Width; ++w) test_statistics[w] = test_statistic(sums[w]);
  }
};

/// The problem (see ProblemTest) for several groups, which labels define. Kernels are instantiated for three
/// capacities, the largest of which is `max_groups`, so that the sums of few groups stay in registers.
template <class Exec, class Values>
class GroupsProblem : public ComparedProblem<GroupsStatistic<64>> {
 public:
  static constexpr bool has_one_tail = true;
  static constexpr int max_groups = 64;

  using Order = GroupsOrder<Values, max_groups>;

  GroupsProblem(Values values, GroupsStatistic<max_groups> const& test_statistic, double observed,
                KnownTies ties, std::optional<Order> order)
      : ComparedProblem(test_statistic, observed, {}, std::move(ties)),
        values_(values),
        order_(order) {}

  /// If all values are exact but doubles do not decide all ties, returns an object that compares enumerated replicates
  /// exactly.
  std::optional<CountSidesExactly<Order>> exact_counting(std::uint64_t arrangements) const {
    if (!order_) return {};
    auto order = *order_;
    order.arrangements = arrangements;
    double const error = 64 * tolerance(observed_);
    return CountSidesExactly<Order>{order, observed_ - error, observed_ + error};
  }

  std::uint64_t count_arrangements(std::uint64_t limit) const {
    return count_assignments(test_statistic_.groups, limit);
  }

  template <class Visitor>
  auto visit_source(Numbering numbering, Visitor const& visitor) const {
    int const count = test_statistic_.groups.count;
    if (count <= 4) return visitor(source<4>(numbering));
    if (count <= 16) return visitor(source<16>(numbering));
    return visitor(source<max_groups>(numbering));
  }

 private:
  template <int Capacity>
  GroupsSource<Values, Capacity> source(Numbering numbering) const {
    GroupSizes<Capacity> groups;
    groups.count = test_statistic_.groups.count;
    for (int g = 0; g < groups.count; ++g) groups.size[g] = test_statistic_.groups.size[g];
    return {
        values_,
        numbering,
        {groups, test_statistic_.total, test_statistic_.total_of_squares,
         test_statistic_.square_unit, test_statistic_.relative_error, test_statistic_.is_to_all}};
  }

  Values values_;
  std::optional<Order> order_;
};

/// The sizes and sums of a sample's groups.
template <int Capacity>
struct GroupSums {
  GroupSizes<Capacity> groups;
  Kokkos::Array<std::int64_t, Capacity> sums{};
};

template <class Labels, class Values>
struct SumGroups {
  Labels labels;
  Values values;
  Values sums;  // sums(2 g): the sum of the values of group g; sums(2 g + 1): its size

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const group = static_cast<int>(labels(i));
    Kokkos::atomic_add(&sums(2 * group), values(i));
    Kokkos::atomic_add(&sums(2 * group + 1), std::int64_t{1});
  }
};

/// Throws unless there are at least two groups and all labels are in 0, ..., max_groups - 1. Returns the number of
/// groups; some may be empty.
template <class Exec, class X, class Labels>
int count_groups(char const* function, Context<Exec> const& context, X const& x,
                 Labels const& labels, std::uint64_t least, int max_groups) {
  std::uint64_t const n = x.extent(0);
  check(n == labels.extent(0), function, "x.extent(0) = ", n,
        " and labels.extent(0) = ", labels.extent(0), ": must be equal");
  check(n >= least, function, "x.extent(0) = ", n, ": must be at least ", least);
  check_sizes(function, n);
  auto const ends = extremes(context, labels);
  check(ends.lowest >= 0 && ends.highest < max_groups, function, "labels range from ", ends.lowest,
        " to ", ends.highest, ": must lie between 0 and ", max_groups - 1);
  check(ends.highest >= 1, function, "labels: one group only, there must be at least two");
  return static_cast<int>(ends.highest) + 1;
}

/// Throws if a group is empty.
template <int Capacity, class Exec, class Values>
GroupSums<Capacity> sum_groups(char const* function, Context<Exec> const& context,
                               Numbers<typename Exec::memory_space> const& labels,
                               Values const& values, int count) {
  Values const sums(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                       context.label() + "::group_sums"),
                    static_cast<std::size_t>(2 * count));
  context.named("fill").for_each(sums.extent(0), FillZero<Values>{sums});
  auto const sum = [&]<class Labels>(Labels const& own) {
    context.named("sum_groups")
        .for_each(values.extent(0), SumGroups<Labels, Values>{own, values, sums});
  };
  using Memory = typename Exec::memory_space;
  if (auto const* own = std::get_if<Kokkos::View<std::uint64_t const*, Memory>>(&labels.values)) {
    sum(*own);
  } else {
    sum(std::get<Kokkos::View<std::int64_t const*, Memory>>(labels.values));
  }
  auto const host_sums = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, sums);
  Kokkos::deep_copy(context.exec(), host_sums, sums);
  context.exec().fence("riffle::permutation_test: group sums");

  GroupSums<Capacity> found;
  found.groups.count = count;
  for (int g = 0; g < count; ++g) {
    check(host_sums(2 * g + 1) > 0, function, "labels: group ", g, " is empty");
    found.groups.size[g] = static_cast<std::uint32_t>(host_sums(2 * g + 1));
    found.sums[g] = host_sums(2 * g);
  }
  return found;
}

/// Returns the problem for values in groups. For whole values, different test statistics differ by at least 1 / L,
/// where L is the least common multiple of the group sizes. This difference usually exceeds the rounding errors of test
/// statistics in doubles.
template <class Exec, class Values, int Capacity, class X, class Labels>
auto groups_problem(Context<Exec> const& context, Values const& values,
                    GroupSums<Capacity> const& found,
                    GroupsStatistic<Capacity> const& test_statistic, bool is_exact, X const& x,
                    Labels const& labels) {
  WholeGroups<Capacity> const between(found.groups);
  double const squares = test_statistic.total_of_squares * test_statistic.square_unit;
  bool const is_decided = is_exact && 2 * test_statistic.tolerance(0) * between.multiple < 1;
  std::optional<GroupsOrder<Values, Capacity>> order;
  if (is_exact && !is_decided && between.fits(2 * squares)) {
    order = GroupsOrder<Values, Capacity>{values, between, 0, between(found.sums)};
  }
  KnownTies ties{is_decided || order, [context, x, labels] {
                   return certain_ties_of_groups(host_values(context, x),
                                                 host_values(context, labels));
                 }};
  return GroupsProblem<Exec, Values>(values, test_statistic, test_statistic(found.sums),
                                     std::move(ties), order);
}

template <class Exec, class X, class Labels>
auto make_problem(char const* function, Context<Exec> const& context, FStatistic, X const& x,
                  Labels const& labels) {
  using Values = Kokkos::View<std::int64_t*, typename Exec::memory_space>;
  using Problem = GroupsProblem<Exec, Values>;
  int const count = count_groups(function, context, x, labels, 3, Problem::max_groups);
  std::uint64_t const n = x.extent(0);

  int const bits = bits_for_sum(n);
  auto const sample = make_sample(function, context, bits, x);
  check_not_constant(function, sample.is_constant(), "x");
  check(n > static_cast<std::uint64_t>(count), function, "x.extent(0) = ", n,
        ": must exceed the number of groups, ", count);
  auto const found =
      sum_groups<Problem::max_groups>(function, context, labels, sample.values, count);
  int const square_bits = bits_of_squares(sample, bits);
  auto const squares = make_squares(context, sample.values, square_bits);
  GroupsStatistic<Problem::max_groups> const test_statistic{
      found.groups,
      static_cast<double>(sample.total),
      static_cast<double>(exact_sum(context, squares, 0, n)),
      std::ldexp(1.0, square_bits),
      relative_error(sample),
      /*is_to_all=*/false};
  return groups_problem(context, sample.values, found, test_statistic, sample.is_exact, x, labels);
}

}  // namespace riffle::detail
