#pragma once

// Permutation tests of many variables under way (riffle/monte_carlo/detail/running_tests.hpp): what the library compiles for
// each execution space.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/host_results.hpp>
#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/detail/test_data.hpp>
#include <riffle/monte_carlo/detail/variables/count_min_p.hpp>
#include <riffle/monte_carlo/detail/variables/counting.hpp>
#include <riffle/monte_carlo/detail/variables/host_maxima.hpp>
#include <riffle/monte_carlo/detail/variables/own_model.hpp>
#include <riffle/monte_carlo/detail/variables/own_values.hpp>
#include <riffle/monte_carlo/detail/variables/read_result.hpp>
#include <riffle/monte_carlo/exchanges.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::variables {

// --- checks, which know of no execution space (permutation_tests.cpp) ---

/// The alternative that is tested. Throws as check_alternative() does.
Alternative checked_alternative(char const* function, PermutationTestsOptions const& options,
                                ColumnModel const& model);

/// What is exchanged. Throws where the exchanges do not go with the model.
Exchanges checked_exchanges(char const* function, PermutationTestsOptions const& options,
                            ColumnModel const& model);

/// Earlier counts go without maxima where none are kept and they are counted already.
void check_counts(char const* function, PermutationCounts const& counts, bool keeps_maxima,
                  std::uint64_t variables, std::uint64_t total);

/// Whether variables are to have numbers of observations of their own. Fences where they may have.
template <class Exec>
bool leaves_values_out(char const* function, Context<Exec> const& context,
                       TestData<Exec> const& data, MissingValues missing) {
  check(missing == MissingValues::leave_variable_out || missing == MissingValues::leave_value_out,
        function, "options.missing = ", static_cast<int>(missing),
        ": must be leave_variable_out or leave_value_out");
  if (missing == MissingValues::leave_variable_out) return false;
  using Values = Matrix<typename Exec::memory_space>;
  Values const values(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                         context.label() + "::missing"),
                      data.extent(0), data.extent(1));
  copy_as_doubles(context.named("missing"), data, values);
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label() + "::missing", range(context.exec(), 0, values.size()),
                          CountMissing<Values>{values}, count);
  return count > 0;
}

template <class Exec>
class RunningTests<Exec>::State {
 public:
  /// Throws where something is wrong with what was passed. The context outlives the tests. Fences.
  State(char const* function, Context<Exec> const& context, TestData<Exec> const& data,
        ColumnModel model, PermutationTestsOptions const& options)
      : context_(context), scope_(context), model_(std::move(model)), batch_(options.batch) {
    check(data.extent(1) == model_.n, function, "data.extent(1) = ", data.extent(1),
          ": must be the number of observations, ", model_.n);
    check_sizes(function, data.extent(1));
    alternative_ = checked_alternative(function, options, model_);
    auto const exchanges = checked_exchanges(function, options, model_);
    if (data.extent(0) == 0) return;
    if (leaves_values_out(function, context, data, options.missing)) model_ = own_model(model_);
    std::uint64_t const arrangements = exchanges.arrangements();
    bool const is_exact = options.enumerate && model_.identity_is_observed &&
                          arrangements < saturated && arrangements <= options.replicates;
    total_ = is_exact ? arrangements : options.replicates;
    numbering_ = {options.seed, is_exact ? total_ : 0};
    keeps_maxima_ = options.keep_maxima;
    constexpr std::uint64_t most_maxima = std::uint64_t{1} << 59;
    check(!keeps_maxima_ || total_ <= most_maxima, function,
          "options.replicates = ", options.replicates,
          " with options.keep_maxima: must be at most ", most_maxima);
    if (options.resume) {
      check_counts(function, *options.resume, keeps_maxima_, data.extent(0), total_);
    }
    plan_.emplace(make_exchange_plan(context, scope_, exchanges.layout()));
    std::uint64_t const kept = keeps_maxima_ ? total_ : 0;
    counting_.emplace(function, context, data, model_, alternative_, kept);
    Precision precision{may_be_wide(model_) && needs_wide(is_exact)};
    auto const counted = precision.is_wide ? wide_model(model_) : model_;
    if (precision.is_wide) {
      counting_.emplace(function, context, data, counted, alternative_, kept, precision);
    }
    if (!is_exact || has_own_n(model_.form)) return;
    if (!counting_->has_tested(&VariableFacts::is_certain, false)) return;
    precision.counts_near = false;
    bool const is_free =
        arrangements ==
        Exchanges::free(model_.n).with_equal_observations(model_.types).arrangements();
    bool const exchanges_samples = is_free && model_.n_1 > 0 && model_.n_1 == model_.n_2;
    bool const has_mirror =
        alternative_ == Alternative::two_sided && (exchanges_samples || exchanges.flips_signs());
    known_ties_ = has_mirror                            ? 2
                  : is_free && model_.explains_constant ? orders_of_groups(model_)
                                                        : 1;
    beyond_.emplace(function, context, data, counted, alternative_, 0, precision);
  }

  /// Whether enumerated arrangements may tie with the data or not, as rounding does not tell.
  bool has_uncertain() const { return beyond_.has_value(); }

  /// How many of the replicates first, ..., first + count - 1, by variable, are surely as extreme as the data.
  std::vector<std::uint64_t> count_surely(std::uint64_t first, std::uint64_t count) {
    std::uint64_t const step = beyond_->batch_size(batch_);
    for (std::uint64_t done = 0; done < count; done += step) {
      beyond_->count(*plan_, numbering_, first + done, std::min(step, count - done));
    }
    return beyond_->template counts<PermutationCounts>().extreme;
  }

  /// Adds to the result how many arrangements are uncertain, where those are counted that are surely as extreme as the data.
  /// The observed one itself is as extreme, and those that exchange groups of one size, or where |T| is compared all signs.
  void add_uncertain(std::vector<std::uint64_t> const& sure, PermutationTestsResult& result) const {
    for (std::uint64_t g = 0; g < sure.size(); ++g) {
      auto const& facts = counting_->facts(g);
      std::uint64_t const known = sure[g] + known_ties_;
      bool const is_open = facts.is_tested && !facts.is_certain && result.extreme(g) > known;
      result.uncertain(g) = is_open ? result.extreme(g) - known : 0;
    }
  }

  /// The replicates of the whole tests; none where there are no variables.
  std::uint64_t total() const { return total_; }

  /// Replicates that are best counted at once.
  std::uint64_t batch_size() const { return counting_->batch_size(batch_); }

  /// Begins with these counts, of replicates 0, ..., counts.done - 1.
  void begin_with(PermutationCounts const& counts) { counting_->add(counts); }

  /// Begins with no counts beside the maxima of these, where they are kept.
  void begin_beside(PermutationCounts const& counts) {
    if (keeps_maxima_) counting_->place_maxima(counts.maxima);
  }

  /// Counts replicates first, ..., first + count - 1 as well. Does not fence.
  void count(std::uint64_t first, std::uint64_t count) {
    counting_->count(*plan_, numbering_, first, count);
    counting_->count_single_step(first, count);
  }

  /// The counts so far, said to be those of the first `done` replicates, without their maxima. Fences.
  PermutationCounts counts(std::uint64_t done) const {
    auto counts = counting_->template counts<PermutationCounts>();
    counts.done = done;
    return counts;
  }

  /// Memory of the host for the maxima of so many replicates, where they are kept. Does not fence: best called while a
  /// device counts.
  HostMaxima memory_for_maxima(std::uint64_t done) const {
    return variables::memory_for_maxima(context_, keeps_maxima_ ? done : 0);
  }

  /// The maxima of all replicates by their numbers, where they are kept, of which those are there that are counted.
  Array<typename Exec::memory_space> const& maxima() const { return counting_->maxima(); }

  /// Reads them as far as there is memory, which they stay in when result() is given it. Fences.
  void read_comparands(HostMaxima& maxima) const {
    variables::read_comparands(context_, counting_->maxima(), maxima);
  }

  /// Writes what others have added to them. Fences.
  void write_comparands(HostMaxima const& maxima) const {
    counting_->place_maxima(maxima.comparands);
  }

  /// What the first counts.done replicates say, which are all that are counted, and whose maxima are there. Fences.
  PermutationTestsResult result(PermutationCounts counts, HostMaxima maxima,
                                bool is_stopped) const {
    auto result = read_result(context_, *counting_, model_, std::move(counts),
                              numbering_.is_exact() && !is_stopped);
    result.stopped = is_stopped;
    result.alternative = alternative_;
    if (keeps_maxima_) read_maxima(context_, *counting_, model_, std::move(maxima), result);
    return result;
  }

  /// Where there are no variables.
  PermutationTestsResult result_of_none() const {
    auto result = allocate_result(context_.label(), 0);
    result.alternative = alternative_;
    return result;
  }

  /// The variables from the least to the most significant, by a result of all replicates.
  std::vector<std::uint64_t> order_of(PermutationTestsResult const& result) const {
    return order_by_p(*counting_, result.counts);
  }

  /// Adds p-values by their minimum to that result, by what is counted in that order.
  void add_min_p(PermutationTestsResult& result, std::vector<std::uint64_t> const& order,
                 MinPCounts const& counts) {
    write_min_p(context_.label(), *counting_, counts, order, all_replicates().arrangements(),
                result);
  }

  /// Takes consecutive places of that order.
  void begin_min_p(std::vector<std::uint64_t> variables) {
    places_.emplace(context_, *counting_, all_replicates(), std::move(variables));
  }

  /// Counts by the minimum of p-values over these places. Fences.
  MinPCounts count_min_p(std::vector<std::uint32_t>& least) { return places_->count(least); }

  AllReplicates<typename Exec::memory_space> all_replicates() const {
    return {*plan_, numbering_, total_, batch_};
  }

 private:
  /// Whether data are to be compared in more bits: of enumerated arrangements where the order is not certain by doubles, if they
  /// are not too many, and wherever rounding leaves few bits. The same on every back end.
  bool needs_wide(bool is_exact) const {
    constexpr double most_products = 0x1p37;
    bool const gains_bits = counting_->has_tested(&VariableFacts::gains_bits, true);
    if (is_exact && gains_bits && counting_->products(total_) < most_products) return true;
    return model_.is_coarse || counting_->has_tested(&VariableFacts::is_coarse, true);
  }

  Context<Exec> const& context_;
  Scope<Exec> scope_;
  ColumnModel model_;
  std::uint64_t batch_;
  std::uint64_t total_ = 0;
  Numbering numbering_{};
  bool keeps_maxima_ = false;
  Alternative alternative_ = Alternative::two_sided;
  std::optional<ExchangePlan<typename Exec::memory_space>> plan_;
  std::optional<Counting<Exec>> counting_;
  std::optional<Counting<Exec>> beyond_;
  std::optional<MinPOfPlaces<Exec>> places_;
  std::uint64_t known_ties_ = 1;  // with the observed statistic, whatever the rounding
};

// --- what callers see ---

template <class Exec>
RunningTests<Exec>::RunningTests(char const* function, Context<Exec> const& context,
                                 TestData<Exec> const& data, ColumnModel model,
                                 PermutationTestsOptions const& options)
    : state_(std::make_unique<State>(function, context, data, std::move(model), options)) {}

template <class Exec>
RunningTests<Exec>::~RunningTests() = default;

template <class Exec>
bool RunningTests<Exec>::has_uncertain() const {
  return state_->has_uncertain();
}

template <class Exec>
std::vector<std::uint64_t> RunningTests<Exec>::count_surely(std::uint64_t first,
                                                            std::uint64_t count) {
  return state_->count_surely(first, count);
}

template <class Exec>
void RunningTests<Exec>::add_uncertain(std::vector<std::uint64_t> const& sure,
                                       PermutationTestsResult& result) const {
  state_->add_uncertain(sure, result);
}

template <class Exec>
std::uint64_t RunningTests<Exec>::total() const {
  return state_->total();
}

template <class Exec>
std::uint64_t RunningTests<Exec>::arrangements() const {
  return state_->all_replicates().arrangements();
}

template <class Exec>
std::uint64_t RunningTests<Exec>::batch_size() const {
  return state_->batch_size();
}

template <class Exec>
void RunningTests<Exec>::begin_with(PermutationCounts const& counts) {
  state_->begin_with(counts);
}

template <class Exec>
void RunningTests<Exec>::begin_beside(PermutationCounts const& counts) {
  state_->begin_beside(counts);
}

template <class Exec>
void RunningTests<Exec>::count(std::uint64_t first, std::uint64_t count) {
  state_->count(first, count);
}

template <class Exec>
PermutationCounts RunningTests<Exec>::counts(std::uint64_t done) const {
  return state_->counts(done);
}

template <class Exec>
HostMaxima RunningTests<Exec>::memory_for_maxima(std::uint64_t done) const {
  return state_->memory_for_maxima(done);
}

template <class Exec>
Array<typename Exec::memory_space> const& RunningTests<Exec>::maxima() const {
  return state_->maxima();
}

template <class Exec>
void RunningTests<Exec>::read_comparands(HostMaxima& maxima) const {
  state_->read_comparands(maxima);
}

template <class Exec>
void RunningTests<Exec>::write_comparands(HostMaxima const& maxima) const {
  state_->write_comparands(maxima);
}

template <class Exec>
PermutationTestsResult RunningTests<Exec>::result(PermutationCounts counts, HostMaxima maxima,
                                                  bool is_stopped) const {
  return state_->result(std::move(counts), std::move(maxima), is_stopped);
}

template <class Exec>
PermutationTestsResult RunningTests<Exec>::result_of_none() const {
  return state_->result_of_none();
}

template <class Exec>
std::vector<std::uint64_t> RunningTests<Exec>::order_of(
    PermutationTestsResult const& result) const {
  return state_->order_of(result);
}

template <class Exec>
void RunningTests<Exec>::begin_min_p(std::vector<std::uint64_t> variables) {
  state_->begin_min_p(std::move(variables));
}

template <class Exec>
MinPCounts RunningTests<Exec>::count_min_p(std::vector<std::uint32_t>& least) {
  return state_->count_min_p(least);
}

template <class Exec>
void RunningTests<Exec>::add_min_p(PermutationTestsResult& result,
                                   std::vector<std::uint64_t> const& order,
                                   MinPCounts const& counts) {
  state_->add_min_p(result, order, counts);
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
  if (total == 0) return tests.result_of_none();
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
  auto maxima = tests.memory_for_maxima(done);
  context.exec().fence(context.label() + "::result");
  auto result = tests.result(tests.counts(done), std::move(maxima), is_stopped);
  if (tests.has_uncertain() && !is_stopped)
    tests.add_uncertain(tests.count_surely(0, total), result);
  if (options.min_p && !is_stopped) {
    auto const order = tests.order_of(result);
    auto least = no_ranks(tests.arrangements());
    tests.begin_min_p(order);
    MinPCounts counts = tests.count_min_p(least);
    count_single_step(least, counts);
    tests.add_min_p(result, order, counts);
  }
  return result;
}

}  // namespace riffle::detail::variables
