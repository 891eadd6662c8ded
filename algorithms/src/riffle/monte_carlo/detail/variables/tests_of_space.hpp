#pragma once

// Defines RunningTests (riffle/monte_carlo/detail/running_tests.hpp), which the library compiles for each execution
// space.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/count_min_p.hpp>
#include <riffle/monte_carlo/detail/variables/per_variable_n.hpp>
#include <riffle/monte_carlo/detail/variables/per_variable_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/read_result.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_counter.hpp>
#include <riffle/monte_carlo/detail/variables/statistic_models.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::variables {

// --- checks that do not depend on the execution space (permutation_tests.cpp) ---

/// Returns the alternative that is tested. Throws: as check_alternative().
Alternative checked_alternative(char const* function, PermutationTestsOptions const& options,
                                ColumnModel const& model);

/// Returns the permutation scheme of the tests. Throws if options.scheme does not fit the model.
PermutationScheme checked_scheme(char const* function, PermutationTestsOptions const& options,
                                 ColumnModel const& model);

/// Throws unless the counts of an earlier call fit these tests. They may lack maxima if `keeps_maxima` is false and
/// they contain single-step counts.
void check_counts(char const* function, PermutationCounts const& counts, bool keeps_maxima,
                  std::uint64_t variables, std::uint64_t total);

/// Throws unless `missing` is a value of the enumeration.
inline void check_missing(char const* function, MissingValues missing) {
  check(missing == MissingValues::leave_variable_out || missing == MissingValues::leave_value_out,
        function, "options.missing = ", static_cast<int>(missing),
        ": must be leave_variable_out or leave_value_out");
}

/// Returns whether any value is NaN. Fences.
template <class Exec>
bool has_missing(Context<Exec> const& context, Matrix<typename Exec::memory_space> const& values) {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label() + "::missing", range(context.exec(), 0, values.size()),
                          CountMissing<Matrix<typename Exec::memory_space>>{values}, count);
  return count > 0;
}

template <class Exec>
struct RunningTests<Exec>::State {
  using Memory = typename Exec::memory_space;

  Context<Exec> const& context;
  Scope<Exec> scope;
  ColumnModel model;
  std::uint64_t batch;  // options.batch
  std::uint64_t total = 0;
  Numbering numbering{};
  bool keeps_maxima = false;
  Alternative alternative = Alternative::two_sided;
  std::optional<SchemePlan<Memory>> plan;
  std::optional<ReplicateCounter<Exec>> counting;
  /// If rounding leaves some comparisons undecided: counts the arrangements that are certainly at least as extreme as
  /// the data.
  std::optional<ReplicateCounter<Exec>> certain;
  std::optional<MinPCounter<Exec>> places;
  std::uint64_t known_ties = 1;  // arrangements that tie with the data regardless of rounding

  State(char const* function, Context<Exec> const& instance, TestData<Exec> const& data,
        ColumnModel tested, PermutationTestsOptions const& options)
      : context(instance), scope(instance), model(std::move(tested)), batch(options.batch) {
    check(data.observations == model.n, function, "data.extent(1) = ", data.observations,
          ": must be the number of observations, ", model.n);
    check_sizes(function, data.observations);
    alternative = checked_alternative(function, options, model);
    auto const scheme = checked_scheme(function, options, model);
    if (data.variables == 0) return;
    check_missing(function, options.missing);
    auto first_data = data;
    if (options.missing == MissingValues::leave_value_out) {
      auto values = data.read(context);
      if (has_missing(context, values)) model = per_variable_model(model);
      first_data.read = [read = std::move(values)](Context<Exec> const&) mutable {
        return std::exchange(read, {});
      };
    }
    std::uint64_t const arrangements = scheme.arrangements();
    bool const is_exact = options.enumerate && model.identity_is_observed &&
                          arrangements < saturated && arrangements <= options.replicates;
    total = is_exact ? arrangements : options.replicates;
    numbering = {options.seed, is_exact ? total : 0};
    keeps_maxima = options.keep_maxima;
    constexpr std::uint64_t most_maxima = std::uint64_t{1} << 59;
    check(!keeps_maxima || total <= most_maxima, function,
          "options.replicates = ", options.replicates,
          " with options.keep_maxima: must be at most ", most_maxima);
    if (options.resume) {
      check_counts(function, *options.resume, keeps_maxima, data.variables, total);
    }
    plan.emplace(make_scheme_plan(context, scope, scheme.layout()));
    std::uint64_t const kept = keeps_maxima ? total : 0;
    counting.emplace(function, context, first_data, model, alternative, kept);
    bool const is_wide = can_be_wide(model) && needs_wide(is_exact);
    auto const counted = is_wide ? wide_model(model) : model;
    if (is_wide) {
      counting.emplace(function, context, data, counted, alternative, kept, Precision::wide);
    }
    if (!is_exact || has_per_variable_n(model.form)) return;
    if (counting->counted_facts().uncertain == 0) return;
    bool const is_free =
        arrangements ==
        PermutationScheme::free(model.n).with_equal_observations(model.types).arrangements();
    bool const swaps_samples = is_free && model.n_1 > 0 && model.n_1 == model.n_2;
    bool const has_mirror =
        alternative == Alternative::two_sided && (swaps_samples || scheme.flips_signs());
    known_ties = has_mirror ? 2 : is_free && model.explains_constant ? orders_of_groups(model) : 1;
    certain.emplace(counting->certain(counted));
  }

  AllReplicates<Memory> all_replicates() const { return {*plan, numbering, total, batch}; }

 private:
  /// Returns whether data must be compared as wide integers. This is the case if rounding leaves few bits for the
  /// differences between values, or if doubles do not decide the order of enumerated arrangements and counting them
  /// again takes fewer than max_wide_products products. The result is the same on every back end.
  bool needs_wide(bool is_exact) const {
    bool const gains_bits = counting->counted_facts().gaining_bits > 0;
    if (is_exact && gains_bits && counting->products(total) < max_wide_products) return true;
    return model.is_coarse || counting->counted_facts().coarse > 0;
  }
};

// --- the member functions of RunningTests, as documented in running_tests.hpp ---

template <class Exec>
RunningTests<Exec>::RunningTests(char const* function, Context<Exec> const& context,
                                 TestData<Exec> const& data, ColumnModel const& model,
                                 PermutationTestsOptions const& options)
    : state_(std::make_unique<State>(function, context, data, model, options)) {}

template <class Exec>
RunningTests<Exec>::~RunningTests() = default;

template <class Exec>
std::uint64_t RunningTests<Exec>::total() const {
  return state_->total;
}

template <class Exec>
std::uint64_t RunningTests<Exec>::arrangements() const {
  return state_->all_replicates().arrangements();
}

template <class Exec>
std::uint64_t RunningTests<Exec>::batch_size() const {
  return state_->counting->batch_size(state_->batch);
}

template <class Exec>
void RunningTests<Exec>::begin_with(PermutationCounts const& counts) {
  state_->counting->add(counts);
}

template <class Exec>
void RunningTests<Exec>::begin_with_maxima(PermutationCounts const& counts) {
  if (state_->keeps_maxima) state_->counting->place_maxima(counts.maxima);
}

template <class Exec>
void RunningTests<Exec>::count(std::uint64_t first, std::uint64_t count) {
  state_->counting->count(*state_->plan, state_->numbering, first, count);
  state_->counting->count_single_step(first, count);
}

template <class Exec>
PermutationTestsResult RunningTests<Exec>::memory_for_result(std::uint64_t done) const {
  return allocate_result(state_->context, state_->counting->variables(), done,
                         state_->keeps_maxima ? done : 0);
}

template <class Exec>
void RunningTests<Exec>::read_counts(PermutationCounts& counts) const {
  state_->counting->read_counts(counts);
}

template <class Exec>
void RunningTests<Exec>::write_counts(PermutationCounts const& counts) const {
  state_->counting->write_counts(counts);
}

template <class Exec>
Array<typename Exec::memory_space> const& RunningTests<Exec>::maxima() const {
  return state_->counting->maxima();
}

template <class Exec>
void RunningTests<Exec>::read_maxima(std::vector<double>& maxima) const {
  copy_to_host<double>(state_->context, state_->counting->maxima().data(), maxima.size(),
                       maxima.data());
}

template <class Exec>
void RunningTests<Exec>::write_maxima(std::vector<double> const& maxima) const {
  state_->counting->place_maxima(maxima);
}

template <class Exec>
void RunningTests<Exec>::write_result(PermutationTestsResult& result, bool is_stopped) const {
  result.replicates = result.counts.done;
  result.exact = state_->numbering.is_exact() && !is_stopped;
  result.stopped = is_stopped;
  result.alternative = state_->alternative;
  write_values(state_->context, *state_->counting, state_->model, result);
  if (!state_->keeps_maxima) return;
  read_maxima(result.counts.maxima);
  write_statistics(state_->context, state_->counting->maxima(), state_->model, result.maxima);
}

template <class Exec>
PermutationTestsResult RunningTests<Exec>::empty_result() const {
  auto result = allocate_result(state_->context, 0, 0, 0);
  result.alternative = state_->alternative;
  return result;
}

template <class Exec>
bool RunningTests<Exec>::has_uncertain() const {
  return state_->certain.has_value();
}

template <class Exec>
std::vector<std::uint64_t> RunningTests<Exec>::count_certain(std::uint64_t first,
                                                             std::uint64_t count) {
  auto& certain = *state_->certain;
  std::uint64_t const step = certain.batch_size(state_->batch);
  for (std::uint64_t done = 0; done < count; done += step) {
    certain.count(*state_->plan, state_->numbering, first + done, std::min(step, count - done));
  }
  return certain.extreme();
}

template <class Exec>
void RunningTests<Exec>::add_uncertain(std::vector<std::uint64_t> const& sure,
                                       PermutationTestsResult& result) const {
  auto const all_facts = to_std_vector<VariableFacts>(state_->context, state_->counting->facts());
  for (std::uint64_t g = 0; g < sure.size(); ++g) {
    auto const& facts = all_facts[g];
    std::uint64_t const known = sure[g] + state_->known_ties;
    bool const is_open = facts.is_tested && !facts.is_certain && result.extreme(g) > known;
    result.uncertain(g) = is_open ? result.extreme(g) - known : 0;
  }
}

template <class Exec>
std::vector<std::uint64_t> RunningTests<Exec>::order_by_significance(
    PermutationTestsResult const& result) const {
  return order_by_p(state_->context, *state_->counting, result);
}

template <class Exec>
void RunningTests<Exec>::begin_min_p(std::vector<std::uint64_t> variables) {
  state_->places.emplace(state_->context, *state_->counting, state_->all_replicates(),
                         std::move(variables));
}

template <class Exec>
MinPCounts RunningTests<Exec>::count_min_p(std::vector<std::uint32_t>& least) {
  return state_->places->count(least);
}

template <class Exec>
void RunningTests<Exec>::add_min_p(PermutationTestsResult& result,
                                   std::vector<std::uint64_t> const& order,
                                   MinPCounts const& counts) {
  write_min_p(state_->context.label(), counts, order, arrangements(), result);
}

template <class Exec>
PermutationTestsResult run_tests(char const* function, Context<Exec> const& context,
                                 TestData<Exec> const& data, ColumnModel const& model,
                                 PermutationTestsOptions const& options) {
  if (options.alternative == Alternative::two_sided_doubled) {
    check_alternative(function, options, model);
    return double_smaller_tails(options, [&](PermutationTestsOptions const& of_one_tail) {
      return run_tests(function, context, data, model, of_one_tail);
    });
  }
  RunningTests<Exec> tests(function, context, data, model, options);
  std::uint64_t const total = tests.total();
  if (total == 0) return tests.empty_result();
  std::uint64_t done = 0;
  if (options.resume) {
    tests.begin_with(*options.resume);
    done = options.resume->done;
  }
  bool is_stopped = false;
  while (done < total && !is_stopped) {
    std::uint64_t const count = std::min(tests.batch_size(), total - done);
    tests.count(done, count);
    done += count;
    if (options.progress || options.stop) context.exec().fence(context.label() + "::progress");
    if (options.progress) options.progress(done, total);
    is_stopped = done < total && options.stop && options.stop();
  }
  auto result = tests.memory_for_result(done);
  context.exec().fence(context.label() + "::result");
  tests.read_counts(result.counts);
  tests.write_result(result, is_stopped);
  if (tests.has_uncertain() && !is_stopped)
    tests.add_uncertain(tests.count_certain(0, total), result);
  if (options.min_p && !is_stopped) {
    auto const order = tests.order_by_significance(result);
    auto least = greatest_ranks(tests.arrangements());
    tests.begin_min_p(order);
    MinPCounts counts = tests.count_min_p(least);
    count_single_step(least, counts);
    tests.add_min_p(result, order, counts);
  }
  return result;
}

}  // namespace riffle::detail::variables
