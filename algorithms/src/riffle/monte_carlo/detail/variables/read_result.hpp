#pragma once

// Makes the result of riffle::permutation_tests from counts.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/host_copies.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_counter.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/monte_carlo/variable_status.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort/argsort.hpp>

namespace riffle::detail::variables {

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

/// Writes the reported statistics of the first to.extent(0) test statistics in `from`. Fences.
template <class Exec>
void write_statistics(Context<Exec> const& context, Array<typename Exec::memory_space> const& from,
                      ColumnModel const& model, PermutationTestsResult::Values<double> const& to) {
  HostArrays<Exec> host(context);
  ReportedStatistic const function(model);
  context.named("maxima").for_each(to.extent(0),
                                   MapValues<typename Exec::memory_space, ReportedStatistic>{
                                       from, function, host.view(to.data(), to.extent(0)).data()});
  host.read();
}

// --- memory ---

/// Returns memory for a result of `variables` variables and `done` replicates, whose first `kept` maxima are kept.
///
/// The first access to each page of newly allocated memory causes a page fault, which takes far longer than copying the
/// page. Therefore the memory is in huge pages. If a device will later copy results to this memory, the function also
/// writes to each page once, while the device is still counting. Does not fence.
template <class Exec>
PermutationTestsResult allocate_result(Context<Exec> const& context, std::uint64_t variables,
                                       std::uint64_t done, std::uint64_t kept) {
  PermutationTestsResult result;
  auto const allocate = [&]<class T>(char const* name, PermutationTestsResult::Values<T>& values,
                                     std::uint64_t count, bool is_filled = !can_access_host<Exec>) {
    values = PermutationTestsResult::Values<T>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, context.label() + name), count);
    backend::prefer_huge_pages(values.data(), count * sizeof(T));
    if (is_filled) std::fill_n(values.data(), count, T{});
  };
  allocate("::status", result.status, variables);
  allocate("::statistic", result.statistic, variables);
  allocate("::p", result.p, variables);
  allocate("::extreme", result.extreme, variables);
  allocate("::observations", result.observations, variables);
  allocate("::p_single_step", result.p_single_step, variables);
  allocate("::p_step_down", result.p_step_down, variables);
  allocate("::p_false_discovery", result.p_false_discovery, variables);
  allocate("::uncertain", result.uncertain, variables, true);
  allocate("::maxima", result.maxima, kept);
  result.counts.done = done;
  result.counts.extreme = zeros_on_host<std::uint64_t>(variables);
  result.counts.step_down = zeros_on_host<std::uint64_t>(variables);
  result.counts.single_step = zeros_on_host<std::uint64_t>(variables);
  result.counts.maxima = zeros_on_host<double>(kept);
  return result;
}

// --- values for variables ---

/// Writes the step-down p-values of tested variables. The scan is over these variables from the most to the least
/// extreme one; index i stands for position last - i. The maximum of the counts so far makes the p-values monotone.
template <class Memory>
struct WriteStepDown {
  Kokkos::View<std::uint64_t*, Memory> order;
  Counts<Memory> by_place;
  std::uint64_t last;
  std::uint64_t replicates;
  bool is_exact;
  Array<Memory> p;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return by_place(last - i); }
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t count) const {
    p(order(last - i)) = p_of_count(count, replicates, is_exact);
  }
};

/// Writes Benjamini and Hochberg's p-values of tested variables. The scan is over these variables from the greatest to
/// the least p-value. p(order(i)) is the p-value of rank i + 1.
template <class Memory>
struct WriteFalseDiscovery {
  Kokkos::View<std::uint64_t*, Memory> order;
  Array<Memory> p;
  std::uint64_t count;
  Array<Memory> adjusted;

  KOKKOS_FUNCTION double operator()(std::uint64_t i) const {
    std::uint64_t const rank = count - i;
    return Kokkos::min(1.0,
                       p(order(rank - 1)) * static_cast<double>(count) / static_cast<double>(rank));
  }
  KOKKOS_FUNCTION void operator()(std::uint64_t i, double least) const {
    adjusted(order(count - 1 - i)) = least;
  }
};

/// Writes all other values of a variable, and NaNs in place of the p-values of a variable that is not tested.
template <class Memory>
struct WriteValues {
  Kokkos::View<VariableFacts*, Memory> facts;
  Array<Memory> observed;
  Counts<Memory> single_step;
  ReportedStatistic function;
  bool has_own_statistic;  // VariableFacts::statistic
  std::uint64_t replicates;
  bool is_exact;
  Kokkos::View<VariableStatus*, Memory> status;
  Kokkos::View<std::uint64_t*, Memory> observations;
  Array<Memory> statistic;
  Counts<Memory> extreme;  // on entry: the counts of all variables
  Array<Memory> p;
  Array<Memory> p_single_step;
  Array<Memory> p_step_down;
  Array<Memory> p_false_discovery;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    VariableFacts const& own = facts(g);
    observations(g) = static_cast<std::uint64_t>(own.n);
    if (own.is_tested) {
      status(g) = VariableStatus::tested;
      statistic(g) = has_own_statistic ? own.statistic : function(observed(g));
      p(g) = p_of_count(extreme(g), replicates, is_exact);
      p_single_step(g) = p_of_count(single_step(g), replicates, is_exact);
    } else {
      status(g) = own.is_missing ? VariableStatus::missing_values : VariableStatus::no_variation;
      extreme(g) = 0;
      statistic(g) = p(g) = p_single_step(g) = p_step_down(g) = p_false_discovery(g) = hidden_nan();
    }
  }
};

/// Writes the values for each variable, except for `uncertain` and min-P. Fences.
template <class Exec>
void write_values(Context<Exec> const& context, ReplicateCounter<Exec> const& counting,
                  ColumnModel const& model, PermutationTestsResult const& result) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const count = counting.variables();
  std::uint64_t const tested = count - counting.untested();
  HostArrays<Exec> host(context);
  auto const kernels = [&](auto const& values) { return host.view(values.data(), count); };
  auto const extreme = kernels(result.extreme);
  auto const p = kernels(result.p);
  auto const p_step_down = kernels(result.p_step_down);
  auto const p_false_discovery = kernels(result.p_false_discovery);
  counting.write_extreme(extreme);
  context.named("values").for_each(
      count, WriteValues<Memory>{counting.facts(), counting.observed(), counting.single_step(),
                                 ReportedStatistic(model), has_per_variable_n(model.form),
                                 result.replicates, result.exact, kernels(result.status),
                                 kernels(result.observations), kernels(result.statistic), extreme,
                                 p, kernels(result.p_single_step), p_step_down, p_false_discovery});
  WriteStepDown<Memory> const step_down{counting.order(), counting.step_down_by_place(),
                                        count - 1,        result.replicates,
                                        result.exact,     p_step_down};
  inclusive_scan(context.named("step_down"), tested, step_down, step_down, Max<std::uint64_t>{});
  Kokkos::View<std::uint64_t*, Memory> const order(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::order"),
      count);
  argsort(context.named("order"), p, order);  // NaNs come last
  WriteFalseDiscovery<Memory> const false_discovery{order, p, tested, p_false_discovery};
  inclusive_scan(context.named("false_discovery"), tested, false_discovery, false_discovery,
                 Min<double>{});
  host.read();
}

// --- the minimum of p-values ---

/// Returns the indices of the variables from the least to the most significant one. If p-values are equal, the less
/// extreme variable comes first.
template <class Exec>
std::vector<std::uint64_t> order_by_p(Context<Exec> const& context,
                                      ReplicateCounter<Exec> const& counting,
                                      PermutationTestsResult const& result) {
  auto variables = to_std_vector<std::uint64_t>(context, counting.order());
  // Untested variables are already in front.
  std::stable_sort(variables.begin() + static_cast<std::ptrdiff_t>(counting.untested()),
                   variables.end(), [&](std::uint64_t a, std::uint64_t b) {
                     return result.counts.extreme[a] > result.counts.extreme[b];
                   });
  return variables;
}

/// Writes the min-P p-values. They are counts divided by `arrangements`, a number which includes the observed
/// arrangement.
inline void write_min_p(std::string const& label, MinPCounts const& counts,
                        std::vector<std::uint64_t> const& order, std::uint64_t arrangements,
                        PermutationTestsResult& result) {
  auto const allocate = [&](char const* name) {
    return PermutationTestsResult::Values<double>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, label + name), order.size());
  };
  result.p_single_step_min_p = allocate("::p_single_step_min_p");
  result.p_step_down_min_p = allocate("::p_step_down_min_p");
  std::uint64_t largest = 0;
  for (std::uint64_t place = order.size(); place-- > 0;) {
    std::uint64_t const g = order[place];
    bool const is_tested = result.status(g) == VariableStatus::tested;
    largest = std::max(largest, counts.step_down[place]);
    auto const p = [&](std::uint64_t count) {
      return is_tested ? p_of_count(count, arrangements, true) : hidden_nan();
    };
    result.p_step_down_min_p(g) = p(largest);
    result.p_single_step_min_p(g) = p(counts.single_step[place]);
  }
}

}  // namespace riffle::detail::variables
