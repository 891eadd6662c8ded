#pragma once

// Makes the result of riffle::permutation_tests from counts.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/detail/variables/host_copies.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_counter.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/sort/argsort.hpp>

namespace riffle::detail::variables {

// --- maxima ---
//
// Copies the maxima of all replicates to the host.
//
// The first access to each page of newly allocated memory causes a page fault, which takes far longer than copying the
// page. Therefore results are allocated in huge pages, and the host writes to each page once while the device is still
// computing the counts.

/// Whether the host can read the memory of kernels without a copy.
template <class Memory>
inline constexpr bool is_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// Returns memory for `count` maxima. If a device will copy to it, each page has already been written to once. Does not
/// fence.
template <class Exec>
HostMaxima memory_for_maxima(Context<Exec> const& context, std::uint64_t count) {
  HostMaxima maxima;
  maxima.statistics = decltype(maxima.statistics)(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, context.label() + "::maxima"), count);
  maxima.test_statistics.reserve(count);
  backend::prefer_huge_pages(maxima.test_statistics.data(), count * sizeof(double));
  backend::prefer_huge_pages(maxima.statistics.data(), count * sizeof(double));
  if constexpr (!is_on_host<typename Exec::memory_space>) {
    maxima.test_statistics.resize(count);
    std::fill_n(maxima.statistics.data(), count, 0);
  }
  return maxima;
}

/// Copies the maxima of test statistics from the memory of kernels. Fences.
template <class Exec>
void read_test_statistics(Context<Exec> const& context,
                          Array<typename Exec::memory_space> const& from, HostMaxima& to) {
  std::uint64_t const count = to.statistics.extent(0);
  if constexpr (is_on_host<typename Exec::memory_space>) {
    context.exec().fence(context.label() + "::maxima");
    to.test_statistics.assign(from.data(), from.data() + count);
  } else {
    copy_to_host(context, from.data(), count, to.test_statistics.data());
  }
  to.has_test_statistics = true;
}

/// Writes to to.statistics the result of function(test statistic) for each maximum. Fences.
template <class Exec, class Function>
void read_statistics(Context<Exec> const& context, Array<typename Exec::memory_space> const& from,
                     Function const& function, HostMaxima const& to) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const count = to.statistics.extent(0);
  auto const map = [&](double* values) {
    context.named("maxima").for_each(count, MapValues<Memory, Function>{from, function, values});
  };
  if constexpr (is_on_host<Memory>) {
    map(to.statistics.data());
    context.exec().fence(context.label() + "::maxima");
  } else {
    Array<Memory> const found(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                                 context.label() + "::maxima"),
                              count);
    map(found.data());
    copy_to_host(context, found.data(), count, to.statistics.data());
  }
}

// --- statistics ---

/// Converts a test statistic, before the alternative is applied, to the reported statistic. The result has the same
/// bits in kernels and on the host.
class ReportedStatistic {
 public:
  explicit ReportedStatistic(ColumnModel const& model)
      : reported_(has_per_variable_n(model.form) ? Reported::itself : model.reported),
        degrees_of_freedom_(model.degrees_of_freedom),
        effect_degrees_(model.effect_degrees),
        last_(static_cast<double>(model.n) - 1),
        pairs_(model.n_1 * model.n_2),
        length_(std::sqrt(model.common_squares * pairs_ / (model.n_1 + model.n_2))) {}

  KOKKOS_FUNCTION double operator()(double test_statistic) const {
    if (is_infinite(test_statistic)) return test_statistic;
    switch (reported_) {
      case Reported::mann_whitney_u: return u(test_statistic);
      case Reported::t:
        return t_of_correlation(snap_to_one(test_statistic, 0x1p-50), degrees_of_freedom_);
      case Reported::f:
        return f_of_share(snap_to_one(test_statistic, 0x1p-47), effect_degrees_,
                          degrees_of_freedom_);
      case Reported::kruskal_wallis_h: return test_statistic * last_;
      default: return test_statistic;
    }
  }

 private:
  /// Returns U = (S + n_1 n_2) / 2, rounded to a multiple of one half. S is the sum of twice the centred ranks of the
  /// values with label 1.
  KOKKOS_FUNCTION double u(double test_statistic) const {
    return Kokkos::floor(Kokkos::fma(test_statistic, length_, pairs_) + 0.5) / 2;
  }

  /// Returns 1 or -1 if x differs from 1 or -1, respectively, by at most `rounding`; otherwise returns x.
  KOKKOS_FUNCTION static double snap_to_one(double x, double rounding) {
    return 1 - Kokkos::abs(x) <= rounding ? Kokkos::copysign(1.0, x) : x;
  }

  Reported reported_;
  double degrees_of_freedom_;
  double effect_degrees_;
  double last_;
  double pairs_;
  double length_;
};

// --- results ---

/// `p` is sorted from the least to the most extreme variable. Replaces each adjusted p-value by the maximum of this and
/// all later p-values.
inline void make_monotone(std::vector<double>& p) {
  for (std::size_t j = p.size(); j-- > 1;) p[j - 1] = std::max(p[j - 1], p[j]);
}

/// Returns a result with uninitialised values, except for `uncertain`, which is 0. It has no maxima.
inline PermutationTestsResult allocate_result(std::string const& label, std::uint64_t variables) {
  PermutationTestsResult result;
  auto const allocate = [&]<class T>(char const* name, PermutationTestsResult::Values<T>& values) {
    values = PermutationTestsResult::Values<T>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, label + name), variables);
    backend::prefer_huge_pages(values.data(), variables * sizeof(T));
  };
  allocate("::status", result.status);
  allocate("::statistic", result.statistic);
  allocate("::p", result.p);
  allocate("::extreme", result.extreme);
  allocate("::observations", result.observations);
  allocate("::p_single_step", result.p_single_step);
  allocate("::p_step_down", result.p_step_down);
  allocate("::p_false_discovery", result.p_false_discovery);
  allocate("::uncertain", result.uncertain);
  std::fill_n(result.uncertain.data(), variables, 0);
  return result;
}

/// Writes the maxima of all counted replicates to the result.
template <class Exec>
void read_maxima(Context<Exec> const& context, ReplicateCounter<Exec> const& counting,
                 ColumnModel const& model, HostMaxima maxima, PermutationTestsResult& result) {
  if (!maxima.has_test_statistics) read_test_statistics(context, counting.maxima(), maxima);
  read_statistics(context, counting.maxima(), ReportedStatistic(model), maxima);
  result.maxima = maxima.statistics;
  result.counts.maxima = std::move(maxima.test_statistics);
}

/// Computes Benjamini and Hochberg's p-values from the unadjusted p-values, which are sorted on the device. Fences.
template <class Exec>
void write_false_discovery(Context<Exec> const& context, PermutationTestsResult const& result) {
  std::vector<double> p(result.p.data(), result.p.data() + result.p.size());
  auto const values = upload(context, p);
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> const order(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::order"),
      p.size());
  argsort(context.named("order"), values, order);
  auto sorted = to_std_vector<std::uint64_t>(context, order);
  while (!sorted.empty() && detail::is_nan(p[sorted.back()])) sorted.pop_back();
  adjust_in_order(p, sorted);
  std::copy(p.begin(), p.end(), result.p_false_discovery.data());
}

/// Makes a result without maxima. `counts_of_all` are the counts of all replicates, including those that `counting` did
/// not count.
template <class Exec>
PermutationTestsResult read_result(Context<Exec> const& context,
                                   ReplicateCounter<Exec> const& counting, ColumnModel const& model,
                                   PermutationCounts counts_of_all, bool is_exact) {
  std::uint64_t const count = counting.variables();
  std::uint64_t const replicates = counts_of_all.done;
  auto result = allocate_result(context.label(), count);
  result.replicates = replicates;
  result.exact = is_exact;
  result.counts = std::move(counts_of_all);
  ReportedStatistic const statistic(model);
  auto const observed = counting.observed();
  auto const& counts = result.counts;
  std::vector<double> p_step_down(count);
  for (std::uint64_t place = 0; place < count; ++place) {
    p_step_down[place] =
        p_of_count(counts.step_down[counting.order()[place]], replicates, is_exact);
  }
  make_monotone(p_step_down);
  // Writing in this order causes random accesses, so only values that are stored in this order are written here. The
  // other values are written in the order of the data.
  for (std::uint64_t place = 0; place < count; ++place) {
    result.p_step_down(counting.order()[place]) = p_step_down[place];
  }
  double const none = hidden_nan();
  for (std::uint64_t g = 0; g < count; ++g) {
    auto const& facts = counting.facts(g);
    bool const is_tested = facts.is_tested;
    result.status(g) = is_tested          ? VariableStatus::tested
                       : facts.is_missing ? VariableStatus::missing_values
                                          : VariableStatus::no_variation;
    result.observations(g) = static_cast<std::uint64_t>(facts.n);
    double const found = has_per_variable_n(model.form) ? facts.statistic : statistic(observed[g]);
    result.statistic(g) = is_tested ? found : none;
    result.extreme(g) = is_tested ? counts.extreme[g] : 0;
    result.p(g) = is_tested ? p_of_count(counts.extreme[g], replicates, is_exact) : none;
    if (!is_tested) result.p_step_down(g) = none;
    result.p_single_step(g) =
        is_tested ? p_of_count(counts.single_step[g], replicates, is_exact) : none;
  }
  write_false_discovery(context, result);
  return result;
}

/// Returns the indices of the variables from the least to the most significant one. If p-values are equal, the less
/// extreme variable comes first.
template <class Exec>
std::vector<std::uint64_t> order_by_p(ReplicateCounter<Exec> const& counting,
                                      PermutationCounts const& counts) {
  auto variables = counting.order();
  std::stable_sort(variables.begin(), variables.end(), [&](std::uint64_t a, std::uint64_t b) {
    bool const is_a_tested = counting.facts(a).is_tested;
    bool const is_b_tested = counting.facts(b).is_tested;
    if (is_a_tested != is_b_tested) return is_b_tested;
    return counts.extreme[a] > counts.extreme[b];
  });
  return variables;
}

/// Writes the min-P p-values. They are counts divided by `arrangements`, a number which includes the observed
/// arrangement.
template <class Exec>
void write_min_p(std::string const& label, ReplicateCounter<Exec> const& counting,
                 MinPCounts const& counts, std::vector<std::uint64_t> const& order,
                 std::uint64_t arrangements, PermutationTestsResult& result) {
  auto const allocate = [&](char const* name) {
    return PermutationTestsResult::Values<double>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, label + name), order.size());
  };
  result.p_single_step_min_p = allocate("::p_single_step_min_p");
  result.p_step_down_min_p = allocate("::p_step_down_min_p");
  std::vector<double> step_down;
  for (std::uint64_t const count : counts.step_down) {
    step_down.push_back(p_of_count(count, arrangements, true));
  }
  make_monotone(step_down);
  for (std::uint64_t place = 0; place < order.size(); ++place) {
    std::uint64_t const g = order[place];
    bool const is_tested = counting.facts(g).is_tested;
    double const none = hidden_nan();
    result.p_step_down_min_p(g) = is_tested ? step_down[place] : none;
    result.p_single_step_min_p(g) =
        is_tested ? p_of_count(counts.single_step[place], arrangements, true) : none;
  }
}

}  // namespace riffle::detail::variables
