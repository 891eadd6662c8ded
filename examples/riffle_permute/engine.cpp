#include "engine.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <fstream>
#include <map>
#include <riffle/monte_carlo/exchanges.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/version.hpp>
#include <stdexcept>
#include <utility>

#include "input_error.hpp"
#include "kokkos_scope.hpp"
#include "tests_on_device.hpp"

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

// --- what is exchanged ---

std::vector<int> types_of(std::vector<double> const& values) {
  std::map<double, int> type;
  std::vector<int> types;
  for (double const value : values) {
    types.push_back(type.try_emplace(value, static_cast<int>(type.size())).first->second);
  }
  return types;
}

// What changes places; none where signs alone change.
riffle::Exchanges places(Task const& task, Settings const& settings) {
  using riffle::Exchanges;
  if (task.block_of.empty()) return Exchanges::free(task.data.observations.size());
  switch (settings.block_rule) {
    case BlockRule::whole: return Exchanges::whole_blocks(task.block_of);
    case BlockRule::pairs: return Exchanges::pairs(task.block_of);
    default: return Exchanges::within_blocks(task.block_of);
  }
}

riffle::Exchanges exchanges_of(Task const& task, Settings const& settings) {
  bool const flips_alone =
      settings.statistic == Statistic::one_sample_t || settings.errors == Errors::symmetric;
  bool const together = !task.block_of.empty() && settings.block_rule == BlockRule::whole;
  try {
    if (flips_alone) {
      auto const signs = riffle::Exchanges::sign_flips(task.data.observations.size());
      return together ? signs.with_block_sign_flips(task.block_of) : signs;
    }
    auto const permutations = places(task, settings);
    if (settings.errors == Errors::exchangeable) return permutations;
    return together ? permutations.with_block_sign_flips(task.block_of)
                    : permutations.with_sign_flips();
  } catch (std::invalid_argument const& error) {  // numbers the blocks, and does not name them
    throw InputError(settings.design + ": column '" + settings.block + "' (its blocks numbered " +
                     "from 0 as they first appear): " + error.what());
  }
}

std::vector<int> types_of(Task const& task, Settings const& settings) {
  if (settings.statistic == Statistic::linear_model) return types_of_linear_model(task, settings);
  if (settings.statistic == Statistic::one_sample_t) {
    return std::vector<int>(task.data.observations.size(), 0);
  }
  return types_of(task.by);
}

// --- the test ---

// On a CPU, batches of about a quarter of a second where the library's own, chosen for speed alone, take longer: progress is
// shown, and Ctrl-C obeyed, between batches. 0: its own.
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

riffle::Alternative to_riffle(Alternative alternative) {
  switch (alternative) {
    case Alternative::less: return riffle::Alternative::less;
    case Alternative::greater: return riffle::Alternative::greater;
    default: return riffle::Alternative::two_sided;
  }
}

riffle::PermutationTestsOptions to_riffle(Task const& task, Settings const& settings,
                                          std::optional<Counts> const& resume,
                                          Callbacks callbacks) {
  riffle::PermutationTestsOptions options;
  options.replicates = settings.replicates;
  options.seed = settings.seed;
  options.alternative = to_riffle(settings.alternative);
  options.exchanges = exchanges_of(task, settings);
  options.enumerate = settings.enumerate;
  options.min_p = settings.min_p;
  options.progress = std::move(callbacks.progress);
  options.stop = std::move(callbacks.stop);
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

template <class T>
std::vector<T> to_vector(Result::Values<T> const& view) {
  return {view.data(), view.data() + view.size()};
}

Outcome to_outcome(Result const& result) {
  Outcome outcome;
  outcome.statistic = to_vector(result.statistic);
  outcome.p = to_vector(result.p);
  outcome.p_single_step = to_vector(result.p_single_step);
  outcome.p_step_down = to_vector(result.p_step_down);
  outcome.p_false_discovery = to_vector(result.p_false_discovery);
  outcome.p_single_step_min_p = to_vector(result.p_single_step_min_p);
  outcome.p_step_down_min_p = to_vector(result.p_step_down_min_p);
  outcome.extreme = to_vector(result.extreme);
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
  plan.arrangements = exchanges_of(task, settings).with_equal_observations(types).arrangements();
  // By ter Braak's method the arrangement as observed is none of those of the residuals.
  bool const has_observed = settings.statistic != Statistic::linear_model ||
                            settings.nuisance != NuisanceMethod::ter_braak;
  plan.is_exact = settings.enumerate && has_observed && plan.arrangements <= settings.replicates;
  plan.total = plan.is_exact ? plan.arrangements : settings.replicates;
  return plan;
}

Outcome run(Task const& task, Settings const& settings, std::optional<Counts> const& resume,
            Callbacks callbacks, std::vector<std::string> kokkos_arguments) {
  KokkosScope const scope("riffle_permute", std::move(kokkos_arguments));
  Exec const exec;
  auto options = to_riffle(task, settings, resume, std::move(callbacks));
  options.batch = batch_of(exec, task, settings);
  auto const data = data_on_device(exec, task.data);
  Kokkos::Timer const timer;
  auto outcome = to_outcome(test(exec, task, settings, data, options));
  outcome.seconds = timer.seconds();
  outcome.resumed = resume ? resume->done : 0;
  outcome.back_end = {Exec::name(), device_name(exec), exec.concurrency(), kokkos_version(),
                      RIFFLE_VERSION_STRING};
  return outcome;
}

void print_kokkos_help() { KokkosScope const scope("riffle_permute", {"--kokkos-help"}); }

}  // namespace example::permute
