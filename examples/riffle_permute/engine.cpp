#include "engine.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <fstream>
#include <map>
#include <riffle/monte_carlo/p_value_intervals.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/version.hpp>
#include <stdexcept>
#include <utility>

#include "input_error.hpp"
#include "kokkos_scope.hpp"
#include "program_options.hpp"
#include "tests_on_device.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

using Result = riffle::PermutationTestsResult;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    auto const colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

template <class Space>
std::string device_name([[maybe_unused]] Space const& space) {
  if constexpr (requires { std::string(space.cuda_device_prop().name); }) {
    return space.cuda_device_prop().name;
  } else {
    return processor_name();
  }
}

// --- the permutation scheme ---

std::vector<int> types_of(std::vector<double> const& values) {
  std::map<double, int> type;
  std::vector<int> types;
  for (double const value : values) {
    types.push_back(type.try_emplace(value, static_cast<int>(type.size())).first->second);
  }
  return types;
}

// Nested blocks. Riffle takes a negative block number for a block whose contents stay in place.
riffle::PermutationScheme nested_scheme(Task const& task, Settings const& settings) {
  std::vector<bool> is_permuted = settings.permutes_blocks;
  is_permuted.push_back(settings.permutes_observations);
  std::vector<std::vector<int>> levels{std::vector<int>(task.data.observations.size(), 1)};
  for (auto const& level : task.blocks) levels.push_back(level.block_of);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (is_permuted[l]) continue;
    for (int& block : levels[l]) block = -block;
  }
  return riffle::PermutationScheme::nested(levels);
}

// The permutation scheme without sign changes.
riffle::PermutationScheme permutations_of(Task const& task, Settings const& settings) {
  using riffle::PermutationScheme;
  if (task.blocks.empty()) return PermutationScheme::free(task.data.observations.size());
  auto const& innermost = task.blocks.back().block_of;
  if (settings.blocks_are_pairs) return PermutationScheme::pairs(innermost);
  if (task.blocks.size() > 1) return nested_scheme(task, settings);
  if (!settings.permutes_blocks[0]) return PermutationScheme::within_blocks(innermost);
  return settings.permutes_observations ? PermutationScheme::within_and_whole_blocks(innermost)
                                        : PermutationScheme::whole_blocks(innermost);
}

// The blocks in which all signs change together: the innermost level whose blocks are permuted. Null: each observation's
// sign changes by itself.
std::vector<int> const* sign_blocks(Task const& task, Settings const& settings) {
  if (settings.permutes_observations) return nullptr;
  for (std::size_t l = task.blocks.size(); l-- > 0;) {
    if (settings.permutes_blocks[l]) return &task.blocks[l].block_of;
  }
  return nullptr;
}

riffle::PermutationScheme scheme_of(Task const& task, Settings const& settings) {
  auto const* const together = sign_blocks(task, settings);
  try {
    if (flips_signs_alone(settings)) {
      auto const signs = riffle::PermutationScheme::sign_flips(task.data.observations.size());
      return together != nullptr ? signs.with_block_sign_flips(*together) : signs;
    }
    auto const permutations = permutations_of(task, settings);
    if (settings.errors == Errors::exchangeable) return permutations;
    return together != nullptr ? permutations.with_block_sign_flips(*together)
                               : permutations.with_sign_flips();
  } catch (std::invalid_argument const& error) {
    // The library's message has block numbers, not names.
    throw InputError(settings.design + ": --block " + list_in_quotes(settings.blocks) + ": " +
                     without_function(error.what()));
  }
}

std::vector<int> types_of(Task const& task, Settings const& settings) {
  if (settings.statistic == Statistic::linear_model) return types_of_linear_model(task, settings);
  if (is_about_zero(settings.statistic)) {
    return std::vector<int>(task.data.observations.size(), 0);
  }
  return types_of(task.by);
}

// --- the test ---

// The number of replicates in a batch; 0 means the library's choice. Progress and Ctrl-C are handled between batches, so on a
// CPU a batch is limited to about a quarter of a second.
std::uint64_t batch_of(Exec const& exec, Task const& task, Settings const& settings) {
  bool const is_cpu = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;
  if (settings.batch > 0 || !is_cpu) return settings.batch;
  auto const columns = std::max<std::uint64_t>(1, task.groups.size());
  std::uint64_t const of_replicate = task.data.observations.size() * columns;
  std::uint64_t const largest = (std::uint64_t{1} << 21) / of_replicate;
  std::uint64_t const work = static_cast<std::uint64_t>(exec.concurrency()) << 29;
  std::uint64_t const batch = work / (task.data.variables.size() * of_replicate) + 1;
  return batch < largest ? batch : 0;
}

DeviceMatrix data_on_device(Exec const& exec, DataMatrix const& data) {
  DeviceMatrix const view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "data"),
                          data.variables.size(), data.observations.size());
  Kokkos::View<double const**, Kokkos::LayoutRight, Kokkos::HostSpace,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(data.values.data(),
                                                                   view.extent(0), view.extent(1));
  Kokkos::deep_copy(exec, view, host);
  exec.fence("riffle_permute: data are on the device");
  return view;
}

Kokkos::View<double*, Exec> by_on_device(Exec const& exec, std::vector<double> const& by) {
  Kokkos::View<double*, Exec> const view(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "by"), by.size());
  Kokkos::deep_copy(
      exec, view,
      Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          by.data(), by.size()));
  exec.fence("riffle_permute: the design is on the device");
  return view;
}

riffle::PermutationTestsOptions to_riffle(Task const& task, Settings const& settings,
                                          std::optional<Counts> const& resume,
                                          Callbacks callbacks) {
  riffle::PermutationTestsOptions options;
  options.replicates = settings.replicates;
  options.seed = settings.seed;
  options.alternative = settings.alternative;
  options.scheme = scheme_of(task, settings);
  options.enumerate = settings.enumerate;
  options.min_p = settings.min_p;
  options.missing = settings.missing;
  options.progress = std::move(callbacks.progress);
  if (can_save_counts(settings)) options.stop = std::move(callbacks.stop);
  if (resume) {
    options.resume =
        riffle::PermutationCounts{resume->done, resume->extreme, resume->step_down, resume->maxima};
  }
  return options;
}

Result test(Exec const& exec, Task const& task, Settings const& settings, DeviceMatrix const& data,
            riffle::PermutationTestsOptions const& options) {
  auto const with = [&](auto statistic) {
    return riffle::permutation_tests(exec, statistic, data, by_on_device(exec, task.by), options);
  };
  switch (settings.statistic) {
    case Statistic::linear_model: return test_linear_model(exec, task, settings, data, options);
    case Statistic::one_sample_t:
    case Statistic::paired_t:
      return riffle::permutation_tests(exec, riffle::OneSampleT{}, data, options);
    case Statistic::welch_t: return with(riffle::WelchT{});
    case Statistic::f: return with(riffle::FStatistic{});
    case Statistic::pearson: return with(riffle::PearsonCorrelation{});
    case Statistic::spearman: return with(riffle::SpearmanCorrelation{});
    case Statistic::mann_whitney_u: return with(riffle::MannWhitneyU{});
    case Statistic::kruskal_wallis_h: return with(riffle::KruskalWallisH{});
    default: return with(riffle::StudentT{});
  }
}

// Adds the file and the column, which the library does not know, to its errors.
Result test_or_refuse(Exec const& exec, Task const& task, Settings const& settings,
                      DeviceMatrix const& data, riffle::PermutationTestsOptions const& options) {
  try {
    return test(exec, task, settings, data, options);
  } catch (std::invalid_argument const& error) {
    std::string const column =
        settings.by.empty() ? "" : ", column " + in_quotes(settings.by) + " of " + settings.design;
    throw InputError(task.data.file + column + ": " + without_function(error.what()));
  }
}

template <class T>
std::vector<T> to_vector(Result::Values<T> const& view) {
  return {view.data(), view.data() + view.size()};
}

void add_intervals(Result const& result, double level, Outcome& outcome) {
  auto const add = [](riffle::Interval const& interval, Intervals& all) {
    all.lower.push_back(interval.lower);
    all.upper.push_back(interval.upper);
  };
  for (auto const& intervals : riffle::p_value_intervals(result, level)) {
    add(intervals.p, outcome.interval_p);
    add(intervals.p_single_step, outcome.interval_single_step);
    add(intervals.p_step_down, outcome.interval_step_down);
    add(intervals.p_single_step_min_p, outcome.interval_single_step_min_p);
    add(intervals.p_step_down_min_p, outcome.interval_step_down_min_p);
  }
}

Outcome to_outcome(Result const& result) {
  Outcome outcome;
  outcome.status = to_vector(result.status);
  outcome.statistic = to_vector(result.statistic);
  outcome.p = to_vector(result.p);
  outcome.p_single_step = to_vector(result.p_single_step);
  outcome.p_step_down = to_vector(result.p_step_down);
  outcome.p_false_discovery = to_vector(result.p_false_discovery);
  outcome.p_single_step_min_p = to_vector(result.p_single_step_min_p);
  outcome.p_step_down_min_p = to_vector(result.p_step_down_min_p);
  outcome.extreme = to_vector(result.extreme);
  outcome.uncertain = to_vector(result.uncertain);
  outcome.replicates = result.replicates;
  outcome.stopped = result.stopped;
  auto const& counts = result.counts;
  outcome.counts = {counts.done, counts.extreme, counts.step_down, counts.maxima};
  return outcome;
}

}  // namespace

Plan plan_of(Task const& task, Settings const& settings) {
  auto const types = types_of(task, settings);
  Plan plan;
  plan.arrangements = scheme_of(task, settings).with_equal_observations(types).arrangements();
  // With ter Braak's method, the observed statistic is not among the statistics of permuted residuals.
  bool const has_observed =
      settings.statistic != Statistic::linear_model || settings.nuisance != Nuisance::ter_braak;
  plan.is_exact = settings.enumerate && has_observed && plan.arrangements <= settings.replicates;
  plan.total = plan.is_exact ? plan.arrangements : settings.replicates;
  return plan;
}

Outcome run(Task const& task, Settings const& settings, Plan const& plan,
            std::optional<Counts> const& resume, Callbacks callbacks,
            std::vector<std::string> kokkos_arguments) {
  double const numbers_read = static_cast<double>(plan.total) *
                              static_cast<double>(task.data.variables.size()) *
                              static_cast<double>(task.data.observations.size());
  KokkosScope const scope("riffle_permute", std::move(kokkos_arguments), numbers_read);
  Exec const exec;
  auto options = to_riffle(task, settings, resume, std::move(callbacks));
  options.batch = batch_of(exec, task, settings);
  auto const data = data_on_device(exec, task.data);
  Kokkos::Timer const timer;
  auto const result = test_or_refuse(exec, task, settings, data, options);
  double const seconds = timer.seconds();
  auto outcome = to_outcome(result);
  outcome.seconds = seconds;
  if (settings.intervals > 0 && !result.stopped) {
    add_intervals(result, settings.intervals, outcome);
  }
  outcome.resumed = resume ? resume->done : 0;
  outcome.back_end = {Exec::name(), device_name(exec), exec.concurrency(), kokkos_version(),
                      RIFFLE_VERSION_STRING};
  return outcome;
}

void print_kokkos_help() { KokkosScope const scope("riffle_permute", {"--kokkos-help"}); }

}  // namespace example::permute
