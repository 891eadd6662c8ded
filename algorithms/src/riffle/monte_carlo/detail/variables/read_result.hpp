#pragma once

// From counts to what riffle::permutation_tests returns.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/variables/adjust.hpp>
#include <riffle/monte_carlo/detail/variables/counting.hpp>
#include <riffle/monte_carlo/detail/variables/host_maxima.hpp>
#include <riffle/monte_carlo/detail/variables/statistic_of_comparand.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>

namespace riffle::detail::variables {

/// All values are to be written but `uncertain`, which is 0. There are none of replicates.
inline PermutationTestsResult allocate_result(std::string const& label, std::uint64_t variables) {
  PermutationTestsResult result;
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, label + name);
  };
  using Doubles = PermutationTestsResult::Values<double>;
  result.status = PermutationTestsResult::Values<VariableStatus>(named("::status"), variables);
  result.statistic = Doubles(named("::statistic"), variables);
  result.p = Doubles(named("::p"), variables);
  result.extreme = PermutationTestsResult::Values<std::uint64_t>(named("::extreme"), variables);
  result.observations =
      PermutationTestsResult::Values<std::uint64_t>(named("::observations"), variables);
  result.p_single_step = Doubles(named("::p_single_step"), variables);
  result.p_step_down = Doubles(named("::p_step_down"), variables);
  result.p_false_discovery = Doubles(named("::p_false_discovery"), variables);
  result.maxima = Doubles(named("::maxima"), 0);
  result.uncertain = PermutationTestsResult::Values<std::uint64_t>(named("::uncertain"), variables);
  std::fill_n(result.uncertain.data(), variables, 0);
  return result;
}

/// Adds the maxima of all that is counted, to memory for them.
template <class Exec>
void read_maxima(Context<Exec> const& context, Counting<Exec> const& counting,
                 ColumnModel const& model, HostMaxima maxima, PermutationTestsResult& result) {
  if (!maxima.has_comparands) read_comparands(context, counting.maxima(), maxima);
  read_statistics(context, counting.maxima(), StatisticOfComparand(model), maxima);
  result.maxima = maxima.statistics;
  result.counts.maxima = std::move(maxima.comparands);
}

/// Benjamini and Hochberg's p-values, from the unadjusted ones.
inline void write_false_discovery(PermutationTestsResult const& result) {
  auto const adjusted =
      benjamini_hochberg(std::vector<double>(result.p.data(), result.p.data() + result.p.size()));
  std::copy(adjusted.begin(), adjusted.end(), result.p_false_discovery.data());
}

/// `counts` are those of all replicates that are counted, by `counting` or by others, too. The result is without maxima.
template <class Exec>
PermutationTestsResult read_result(Context<Exec> const& context, Counting<Exec> const& counting,
                                   ColumnModel const& model, PermutationCounts counts_of_all,
                                   bool is_exact) {
  std::uint64_t const count = counting.variables();
  std::uint64_t const replicates = counts_of_all.done;
  auto result = allocate_result(context.label(), count);
  result.replicates = replicates;
  result.exact = is_exact;
  result.counts = std::move(counts_of_all);
  StatisticOfComparand const statistic(model);
  auto const observed = counting.observed();
  auto const& counts = result.counts;
  std::vector<double> p_step_down(count);
  for (std::uint64_t place = 0; place < count; ++place) {
    std::uint64_t const g = counting.order()[place];
    p_step_down[place] = p_of_count(counts.step_down[g], replicates, is_exact);
  }
  make_monotone(p_step_down);
  double const none = hidden_nan();
  for (std::uint64_t place = 0; place < count; ++place) {
    std::uint64_t const g = counting.order()[place];
    auto const& facts = counting.facts(g);
    bool const is_tested = facts.is_tested;
    result.status(g) = is_tested          ? VariableStatus::tested
                       : facts.is_missing ? VariableStatus::missing_values
                                          : VariableStatus::no_variation;
    result.observations(g) = static_cast<std::uint64_t>(facts.n);
    double const found = has_own_n(model.form) ? facts.statistic : statistic(observed[g]);
    result.statistic(g) = is_tested ? found : none;
    result.extreme(g) = is_tested ? counts.extreme[g] : 0;
    result.p(g) = is_tested ? p_of_count(counts.extreme[g], replicates, is_exact) : none;
    result.p_step_down(g) = is_tested ? p_step_down[place] : none;
    result.p_single_step(g) =
        is_tested ? p_of_count(counts.single_step[g], replicates, is_exact) : none;
  }
  write_false_discovery(result);
  return result;
}

/// Variables from the least to the most significant; of equal p-values the less extreme comes first.
template <class Exec>
std::vector<std::uint64_t> order_by_p(Counting<Exec> const& counting,
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

/// All p-values are of `arrangements`, the observed one among them.
template <class Exec>
void write_min_p(std::string const& label, Counting<Exec> const& counting, MinPCounts const& counts,
                 std::vector<std::uint64_t> const& order, std::uint64_t arrangements,
                 PermutationTestsResult& result) {
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
