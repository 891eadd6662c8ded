#pragma once

// F of several groups: random labels.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include <riffle/detail/fixed_point.hpp>
#include <riffle/detail/label_walk.hpp>
#include <riffle/detail/permutation_test/common.hpp>
#include <riffle/errors.hpp>
#include <riffle/statistics.hpp>

namespace riffle::detail {

/// F over `Capacity` groups at most, compared by the sum of squares between the groups.
template <int Capacity>
struct FComparand {
  GroupSizes<Capacity> groups;
  double total;
  double total_of_squares;
  double square_unit;
  double relative_error;

  KOKKOS_FUNCTION double operator()(Kokkos::Array<std::int64_t, Capacity> const& sums) const {
    double between = 0;
    for (int g = 0; g < groups.count; ++g) {
      double const sum = static_cast<double>(sums[g]);
      between = Kokkos::fma(sum, sum / groups.size[g], between);
    }
    return between;
  }
  KOKKOS_FUNCTION double value(double comparand) const {
    double const n = groups.total();
    double const between = Kokkos::max(0.0, Kokkos::fma(-total / n, total, comparand));
    double const within = Kokkos::max(0.0, Kokkos::fma(total_of_squares, square_unit, -comparand));
    return (between / (groups.count - 1)) / (within / (n - groups.count));
  }
  double tolerance(double) const { return relative_error * total_of_squares * square_unit; }
};

/// Several groups, by the sum of each.
template <class Values, int Capacity>
struct GroupsSource {
  static constexpr bool is_per_team = false;
  static constexpr int max_width = 1;

  Values values;
  Numbering numbering;
  FComparand<Capacity> comparand;

  template <int Width>
  KOKKOS_FUNCTION void operator()(std::uint64_t first, double (&comparands)[Width]) const {
    Kokkos::Array<std::int64_t, Capacity> sums{};
    numbering.walk_labels(comparand.groups, first,
                          [&](std::uint32_t i, int group) { sums[group] += values(i); });
    comparands[0] = comparand(sums);
  }

  KOKKOS_FUNCTION double value(double c) const { return comparand.value(c); }
};

/// Groups by label. The kernels know at most `max_groups`, in three sizes, so that few groups stay
/// in registers.
template <class Exec, class Values>
class GroupsProblem {
 public:
  static constexpr bool has_one_tail = true;
  static constexpr int max_groups = 64;

  GroupsProblem(Values values, FComparand<max_groups> comparand, double observed)
      : values_(values), comparand_(comparand), observed_(observed) {}

  std::uint64_t count_arrangements(std::uint64_t limit) const {
    return count_assignments(comparand_.groups, limit);
  }
  double observed_comparand() const { return observed_; }
  double tolerance(double observed) const { return comparand_.tolerance(observed); }
  double value(double comparand) const { return comparand_.value(comparand); }

  template <class Visitor>
  auto visit_source(Numbering numbering, Visitor const& visitor) const {
    int const count = comparand_.groups.count;
    if (count <= 4) return visitor(source<4>(numbering));
    if (count <= 16) return visitor(source<16>(numbering));
    return visitor(source<max_groups>(numbering));
  }

 private:
  template <int Capacity>
  GroupsSource<Values, Capacity> source(Numbering numbering) const {
    GroupSizes<Capacity> groups;
    groups.count = comparand_.groups.count;
    for (int g = 0; g < groups.count; ++g) groups.size[g] = comparand_.groups.size[g];
    return {values_,
            numbering,
            {groups, comparand_.total, comparand_.total_of_squares, comparand_.square_unit,
             comparand_.relative_error}};
  }

  Values values_;
  FComparand<max_groups> comparand_;
  double observed_;
};

template <class Labels, class Values>
struct SumGroups {
  Labels labels;
  Values values;
  Values sums;  // of group g: the values at 2 g, their number at 2 g + 1

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const group = static_cast<int>(labels(i));
    Kokkos::atomic_add(&sums(2 * group), values(i));
    Kokkos::atomic_add(&sums(2 * group + 1), std::int64_t{1});
  }
};

template <class Exec, class X, class Labels>
auto make_problem(std::string const& label, Exec const& exec, FStatistic, X const& x,
                  Labels const& labels) {
  static_assert(std::is_integral_v<typename Labels::non_const_value_type>,
                "labels are of an integer type");
  using Values = Kokkos::View<std::int64_t*, typename Exec::memory_space>;
  using Problem = GroupsProblem<Exec, Values>;
  std::uint64_t const n = x.extent(0);
  check(n == labels.extent(0), "permutation_test", "x.extent(0) = ", n,
        " and labels.extent(0) = ", labels.extent(0), ": must be equal");
  check(n >= 3, "permutation_test", "x.extent(0) = ", n, ": must be at least 3");
  check_sizes(n);
  auto const ends = extremes(label, exec, labels);
  check(ends.lowest >= 0 && ends.highest < Problem::max_groups, "permutation_test",
        "labels range from ", ends.lowest, " to ", ends.highest, ": must lie between 0 and ",
        Problem::max_groups - 1);
  check(ends.highest >= 1, "permutation_test",
        "labels: one group only, there must be at least two");

  int const bits = bits_for_sum(n);
  auto const sample =
      make_fixed_point(label, exec, bits, x, Kokkos::View<double*, typename Exec::memory_space>());
  check_not_constant(sample.is_constant(), "x");
  auto const count = static_cast<int>(ends.highest) + 1;
  check(n > static_cast<std::uint64_t>(count), "permutation_test", "x.extent(0) = ", n,
        ": must exceed the number of groups, ", count);
  Values const sums(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label + "::group_sums"),
                    static_cast<std::size_t>(2 * count));
  Kokkos::parallel_for(label + "::fill", range(exec, 0, sums.extent(0)), FillZero<Values>{sums});
  Kokkos::parallel_for(label + "::sum_groups", range(exec, 0, n),
                       SumGroups<Labels, Values>{labels, sample.values, sums});
  auto const host_sums = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, sums);
  Kokkos::deep_copy(exec, host_sums, sums);
  exec.fence("riffle::permutation_test: group sums");

  FComparand<Problem::max_groups> comparand{};
  comparand.groups.count = count;
  Kokkos::Array<std::int64_t, Problem::max_groups> group_sums{};
  for (int g = 0; g < count; ++g) {
    check(host_sums(2 * g + 1) > 0, "permutation_test", "labels: group ", g, " is empty");
    comparand.groups.size[g] = static_cast<std::uint32_t>(host_sums(2 * g + 1));
    group_sums[g] = host_sums(2 * g);
  }
  comparand.total = static_cast<double>(sample.total);
  comparand.total_of_squares = static_cast<double>(
      exact_sum(label, exec, make_squares(label, exec, sample.values, bits), 0, n));
  comparand.square_unit = std::ldexp(1.0, bits);
  comparand.relative_error = relative_error(sample);
  return Problem(sample.values, comparand, comparand(group_sums));
}

}  // namespace riffle::detail
