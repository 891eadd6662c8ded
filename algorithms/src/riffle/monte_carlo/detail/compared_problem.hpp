#pragma once

// All tests of the library's statistics share this code. It defines how replicates compare with the data, and which
// replicates tie with the data.
//
// If an arrangement differs from the observed one only by moving equal values, the two certainly tie. If data are
// rounded, it is not known whether other arrangements whose statistics differ by no more than the rounding error tie.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <riffle/monte_carlo/detail/exact_sum.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

/// Returns the mirror of an observed whole-number sum at the middle of the null distribution, twice_middle / (2 count).
/// The mirrored sum is
///   m = twice_middle / count - observed,
/// and need not be whole. `low` is floor(m) - base and `high` is ceil(m) - base, because a test statistic is a sum
/// minus `base`.
inline Mirror mirror_of_sum(int128 observed, int128 twice_middle, int128 count, int128 base) {
  int128 const rest = (twice_middle % count + count) % count;
  int128 const below = (twice_middle - rest) / count - observed;
  int128 const above = rest > 0 ? below + 1 : below;
  constexpr int128 all_whole = int128{1} << 53;
  bool const is_low = observed < above;
  int128 const whole = is_low ? above : below;
  bool const is_far = base != 0 && (whole - base >= all_whole || base - whole >= all_whole);
  return {to_double(below - base), to_double(above - base), is_low, whole, is_far};
}

/// A product of factorials and of their reciprocals.
class FactorialProduct {
 public:
  void multiply(std::uint64_t n) { log_ += std::lgamma(static_cast<long double>(n) + 1); }
  void divide(std::uint64_t n) { log_ -= std::lgamma(static_cast<long double>(n) + 1); }

  /// Returns min(product, 2^62). Requires: the product is a whole number.
  std::uint64_t value() const {
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    long double const product = std::round(std::exp(log_));
    return product < static_cast<long double>(most) ? static_cast<std::uint64_t>(product) : most;
  }

 private:
  long double log_ = 0;
};

/// Returns how often each distinct element occurs.
template <class T>
std::vector<std::uint64_t> counts_of_equal(std::vector<T> const& elements) {
  std::map<T, std::uint64_t> counts;
  for (auto const& element : elements) ++counts[element];
  std::vector<std::uint64_t> numbers;
  for (auto const& [element, count] : counts) numbers.push_back(count);
  return numbers;
}

inline std::vector<std::pair<double, double>> pairs_of(std::vector<double> const& x,
                                                       std::vector<double> const& y) {
  std::vector<std::pair<double, double>> pairs(x.size());
  std::transform(x.begin(), x.end(), y.begin(), pairs.begin(),
                 [](double a, double b) { return std::pair(a, b); });
  return pairs;
}

/// Returns how many assignments of the labels to the values give each label the same multiset of values as in the data.
inline std::uint64_t certain_ties_of_labels(std::vector<double> const& values,
                                            std::vector<double> const& labels) {
  FactorialProduct product;
  for (std::uint64_t const count : counts_of_equal(values)) product.multiply(count);
  for (std::uint64_t const count : counts_of_equal(pairs_of(values, labels))) product.divide(count);
  return product.value();
}

/// Returns how many assignments of the labels to the values certainly tie with the data. In these assignments each
/// group contains the same multiset of values as in the data, possibly after groups of equal size have been swapped,
/// which does not change a statistic of groups.
inline std::uint64_t certain_ties_of_groups(std::vector<double> const& values,
                                            std::vector<double> const& labels) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  std::map<double, std::vector<double>> groups;
  for (std::size_t i = 0; i < values.size(); ++i) groups[labels[i]].push_back(values[i]);
  std::vector<std::size_t> sizes;
  std::vector<std::vector<double>> contents;
  for (auto& [label, group] : groups) {
    std::sort(group.begin(), group.end());
    sizes.push_back(group.size());
    contents.push_back(group);
  }
  FactorialProduct orders;
  for (std::uint64_t const count : counts_of_equal(sizes)) orders.multiply(count);
  for (std::uint64_t const count : counts_of_equal(contents)) orders.divide(count);
  std::uint64_t const of_labels = certain_ties_of_labels(values, labels);
  return of_labels < most / orders.value() ? of_labels * orders.value() : most;
}

/// Returns the number of permutations of y that give the same multiset of pairs (x_i, y_i).
inline std::uint64_t certain_ties_of_pairs(std::vector<double> const& x,
                                           std::vector<double> const& y) {
  FactorialProduct product;
  for (auto const* values : {&x, &y}) {
    for (std::uint64_t const count : counts_of_equal(*values)) product.multiply(count);
  }
  for (std::uint64_t const count : counts_of_equal(pairs_of(x, y))) product.divide(count);
  return product.value();
}

/// Returns the number of sign patterns that give the same multiset of differences.
inline std::uint64_t certain_ties_of_signs(std::vector<double> const& differences) {
  std::vector<double> sizes;
  std::vector<double> signs;
  std::uint64_t zeros = 0;
  for (double const difference : differences) {
    if (difference == 0) {
      ++zeros;
    } else {
      sizes.push_back(std::abs(difference));
      signs.push_back(difference > 0 ? 1 : -1);
    }
  }
  std::uint64_t const others = certain_ties_of_labels(sizes, signs);
  return zeros < 62 && others < (std::uint64_t{1} << (62 - zeros)) ? others << zeros
                                                                   : std::uint64_t{1} << 62;
}

/// Says whether ties are decided exactly. If not, sure() returns the number of arrangements that tie with the observed
/// one regardless of rounding.
struct KnownTies {
  bool are_decided = true;
  std::function<std::uint64_t()> sure = {};
  /// The number of arrangements that result from an arrangement by swapping samples of equal size or by changing all
  /// signs, including the arrangement itself. Their statistics are equal or negatives of each other.
  std::uint64_t equivalent_arrangements = 1;

  /// Given the number `near` of arrangements, including the observed one, whose statistics differ from the observed
  /// statistic by no more than the rounding error: returns how many of these arrangements do not certainly tie with the
  /// observed one.
  std::uint64_t uncertain(std::uint64_t near, bool is_two_sided) const {
    if (are_decided || !sure) return 0;
    std::uint64_t const factor = is_two_sided ? equivalent_arrangements : 1;
    std::uint64_t const known = sure();
    return known < near / factor + (near % factor != 0) ? near - known * factor : 0;
  }
};

/// The base class of problems for the library's statistics. It stores the observed statistic, and compares replicates
/// with it.
template <class TestStatistic>
class ComparedProblem {
 public:
  static constexpr bool has_one_tail = false;

  ComparedProblem(TestStatistic const& test_statistic, double observed, Mirror const& mirror,
                  KnownTies ties)
      : test_statistic_(test_statistic),
        observed_(observed),
        mirror_(mirror),
        ties_(std::move(ties)) {}

  double observed_test_statistic() const { return observed_; }
  double tolerance(double observed) const { return test_statistic_.tolerance(observed); }
  double value(double test_statistic) const { return test_statistic_.value(test_statistic); }
  KnownTies const& ties() const { return ties_; }
  Mirror const& mirror() const { return mirror_; }

  /// After this call, test statistics are the sums of replicates minus the mirrored sum (Mirror::whole), so that sums
  /// close to the mirrored sum are exact as doubles.
  void turn_to_mirror() requires requires(TestStatistic c, Mirror m) { c.with_base(m.whole); }
  { test_statistic_ = test_statistic_.with_base(mirror_.whole); }

 protected:
  TestStatistic test_statistic_;
  double observed_;
  Mirror mirror_;
  KnownTies ties_;
};

/// The result of comparing a replicate with the data: -1, 0 or 1 if the replicate's value is less, equal or greater.
/// `side` compares the statistics, `magnitude` their absolute values.
struct OrderOfReplicate {
  int side;
  int magnitude;
};

/// Counts like CountSides, but exactly: if the test statistic or its negative is in [lower, upper], order(r) decides
/// how the replicate compares with the observed one.
template <class Order>
struct CountSidesExactly {
  using value_type = SideCounts;
  Order order;
  double lower;
  double upper;

  template <class Source>
  KOKKOS_FUNCTION void operator()(Source const&, std::uint64_t r, double test_statistic,
                                  SideCounts& counts) const {
    bool const is_near = !(test_statistic < lower) && !(test_statistic > upper);
    bool const is_mirrored = test_statistic >= -upper && test_statistic <= -lower;
    double const farthest = Kokkos::max(Kokkos::abs(lower), Kokkos::abs(upper));
    OrderOfReplicate found{test_statistic < lower ? -1 : 1,
                           Kokkos::abs(test_statistic) > farthest ? 1 : -1};
    if (is_near || is_mirrored) found = order(r);
    counts.less_equal += found.side <= 0;
    counts.greater_equal += found.side >= 0;
    counts.as_far += found.magnitude >= 0;
  }
};

}  // namespace riffle::detail
