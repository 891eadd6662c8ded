#pragma once

// Permutation tests of many variables. The ranks divide the replicates.
//
// In each round, each rank computes one block of the next replicates. If no rank passes a
// `progress` or a `stop` function, there is only one round. At the end the counts are summed over
// the ranks. If options.keep_maxima, the maxima of each round are gathered, too. Then every rank
// computes the same result as one device would, from the same data.

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/permutation_tests_options.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>

namespace riffle::detail::mpi {

// --- adjustment by the minimum of p-values ---
//
// The ranks divide the variables, not the replicates. The reason is that the p-value of one
// replicate depends on all replicates of the variable, whereas a minimum over variables can be
// computed in parts. The variables are sorted by significance, and each rank processes a contiguous
// range. A rank computes the minima over its own variables, receives the minima over all variables
// before its own, and then counts with both as one device does.

/// Gathers the counts and bounds for all variables. On entry `counts` contains the values for this
/// rank's variables own.first, own.first + 1, ...; on return it contains the values for all
/// variables.
inline void gather_min_p(riffle::mpi::Communicator const& comm, riffle::mpi::BlockRange const& own,
                         std::uint64_t places, variables::MinPCounts& counts) {
  std::vector<std::uint64_t> numbers(2 * places);
  for (std::uint64_t i = 0; i < own.count; ++i) {
    numbers[own.first + i] = counts.step_down[i];
    numbers[places + own.first + i] = counts.bounds[i];
  }
  sum_over_ranks(comm, numbers);
  auto const middle = numbers.begin() + static_cast<std::ptrdiff_t>(places);
  counts.step_down.assign(numbers.begin(), middle);
  counts.bounds.resize(places);
  std::transform(middle, numbers.end(), counts.bounds.begin(),
                 [](std::uint64_t bound) { return static_cast<std::uint32_t>(bound); });
}

/// Returns the min-P counts of all variables. Collective. `order` lists the variables from the
/// least to the most significant one.
template <class Exec>
variables::MinPCounts min_p_by_ranks(RankCall<Exec> const& call,
                                     variables::RunningTests<Exec>& tests,
                                     std::vector<std::uint64_t> const& order) {
  auto const own = riffle::mpi::block_of(order.size(), call.comm.rank(), call.comm.size());
  auto const begin = order.begin() + static_cast<std::ptrdiff_t>(own.first);
  std::vector<std::uint32_t> least;
  variables::MinPCounts counts;
  call.run_collectively([&] {
    tests.begin_min_p({begin, begin + static_cast<std::ptrdiff_t>(own.count)});
    least = variables::greatest_ranks(tests.arrangements());
    counts = tests.count_min_p(least);
  });
  auto least_before = least_over_ranks_before(call.comm, least);
  call.run_collectively([&] { counts = tests.count_min_p(least_before); });
  gather_min_p(call.comm, own, order.size(), counts);
  variables::count_single_step(least_over_ranks(call.comm, least), counts);
  return counts;
}

// --- tests ---

// --- the arguments that must be equal on all ranks ---

inline std::uint64_t digest_of_scheme(std::optional<PermutationScheme> const& scheme) {
  Digest digest;
  if (!scheme) return digest.value();
  auto const& layout = scheme->layout();
  digest.add(layout.n);
  for (auto const& set : layout.sets) {
    for (std::uint64_t const number : {set.first, set.count, set.size}) digest.add(number);
  }
  digest.add(layout.positions);
  digest.add(layout.sign_unit);
  digest.add(layout.types);
  return digest.value();
}

inline std::uint64_t digest_of_counts(std::optional<PermutationCounts> const& counts) {
  Digest digest;
  if (!counts) return digest.value();
  digest.add(counts->done);
  digest.add(counts->extreme);
  digest.add(counts->step_down);
  digest.add(counts->maxima);
  digest.add(counts->single_step);
  return digest.value();
}

inline std::vector<EqualNumber> numbers_of_options(PermutationTestsOptions const& options) {
  return {{"options.replicates", options.replicates},
          {"options.seed", options.seed},
          {"options.alternative", static_cast<std::uint64_t>(options.alternative)},
          {"options.missing", static_cast<std::uint64_t>(options.missing)},
          {"options.enumerate", options.enumerate},
          {"options.min_p", options.min_p},
          {"options.keep_maxima", options.keep_maxima},
          {"the digest of options.scheme", digest_of_scheme(options.scheme)},
          {"the digest of options.resume", digest_of_counts(options.resume)}};
}

// --- the replicates of a rank ---

/// Sums the counts over the ranks.
inline void sum_counts(riffle::mpi::Communicator const& comm, PermutationCounts& counts) {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t>* const all[] = {&counts.extreme, &counts.step_down,
                                             &counts.single_step};
  for (auto const* part : all) numbers.insert(numbers.end(), part->begin(), part->end());
  sum_over_ranks(comm, numbers);
  auto number = numbers.begin();
  for (auto* part : all) {
    for (auto& count : *part) count = *number++;
  }
}

/// Runs the tests on one rank, which counts the replicates that it evaluates.
template <class Exec>
class TestsOfRank {
 public:
  using Tests = variables::RunningTests<Exec>;

  TestsOfRank(RankCall<Exec> const& call, Tests& tests, PermutationTestsOptions const& options)
      : call_(call), tests_(tests), options_(options) {}

  PermutationTestsResult run() {
    begin();
    while (done_ < tests_.total() && !is_stopped_) {
      std::uint64_t const count = std::min(round_, tests_.total() - done_);
      call_.run_collectively([&] { count_own(done_, count); });
      done_ += count;
      if (is_watched_) report_progress();
    }
    PermutationTestsResult result;
    call_.run_collectively([&] {
      result = tests_.memory_for_result(done_);
      tests_.read_counts(result.counts);
    });
    if (options_.keep_maxima) gather_maxima(result.counts.maxima);
    sum_counts(call_.comm, result.counts);
    call_.run_collectively([&] {
      tests_.write_counts(result.counts);
      tests_.write_result(result, is_stopped_);
    });
    if (tests_.has_uncertain() && !is_stopped_) {
      std::vector<std::uint64_t> sure;
      auto const own = own_of(tests_.total());
      call_.run_collectively([&] { sure = tests_.count_certain(own.first, own.count); });
      sum_over_ranks(call_.comm, sure);
      call_.run_collectively([&] { tests_.add_uncertain(sure, result); });
    }
    if (options_.min_p && !is_stopped_) {
      auto const order = tests_.order_by_significance(result);
      auto const min_p = min_p_by_ranks(call_, tests_, order);
      call_.run_collectively([&] { tests_.add_min_p(result, order, min_p); });
    }
    return result;
  }

 private:
  void begin() {
    if (options_.resume) first_ = done_ = options_.resume->done;
    // A rank watches if it has a `progress` or `stop` function. The minimum over the ranks is
    // `unwatched` if no rank watches, and otherwise the minimum batch size among the ranks that
    // watch. Batch sizes may differ because devices may differ.
    constexpr std::uint64_t unwatched = std::numeric_limits<std::uint64_t>::max();
    bool const watches = options_.progress || options_.stop;
    std::uint64_t const batch =
        least_over_ranks(call_.comm, watches ? tests_.batch_size() : unwatched);
    is_watched_ = batch != unwatched;
    round_ = is_watched_ ? batch * static_cast<std::uint64_t>(call_.comm.size()) : unwatched;
    if (!options_.resume) return;
    // The earlier counts must be added only once to the sum over the ranks, so only rank 0 adds
    // them.
    call_.run_collectively([&] {
      if (call_.comm.rank() == 0) {
        tests_.begin_with(*options_.resume);
      } else {
        tests_.begin_with_maxima(*options_.resume);
      }
    });
  }

  riffle::mpi::BlockRange own_of(std::uint64_t count) const {
    return riffle::mpi::block_of(count, call_.comm.rank(), call_.comm.size());
  }

  /// Evaluates this rank's part of the replicates first, ..., first + count - 1.
  void count_own(std::uint64_t first, std::uint64_t count) {
    auto const own = own_of(count);
    std::uint64_t const step = tests_.batch_size();
    for (std::uint64_t done = 0; done < own.count;) {
      std::uint64_t const of_batch = std::min(step, own.count - done);
      tests_.count(first + own.first + done, of_batch);
      done += of_batch;
    }
    if (is_watched_) call_.context.exec().fence(call_.context.label() + "::progress");
  }

  /// Calls `progress` with the number of replicates that all ranks together have processed, and
  /// calls `stop`. The tests end if `stop` returns true on any rank.
  void report_progress() {
    bool stops = false;
    call_.run_collectively([&] {
      if (options_.progress) options_.progress(done_, tests_.total());
      stops = done_ < tests_.total() && options_.stop && options_.stop();
    });
    is_stopped_ = least_over_ranks(call_.comm, stops ? 0 : 1) == 0;
  }

  /// Calls visit(first, count) for each round, whose replicates are first, ..., first + count - 1.
  template <class Visit>
  void for_each_round(Visit const& visit) const {
    for (std::uint64_t first = first_; first < done_;) {
      std::uint64_t const count = std::min(round_, done_ - first);
      visit(first, count);
      first += count;
    }
  }

  /// Gathers the maxima for all ranks' replicates: in kernel-accessible memory if possible,
  /// otherwise in `maxima`, host memory.
  void gather_maxima(std::vector<double>& maxima) {
    double* const of_kernels = tests_.maxima().data();
    bool const is_of_kernels = gathers_of_kernels<Exec>(call_.comm);
    call_.run_collectively([&] {
      if (!is_of_kernels) tests_.read_maxima(maxima);
    });
    for_each_round([&](std::uint64_t first, std::uint64_t count) {
      if (is_of_kernels) {
        gather_blocks(call_.context, call_.comm, count, of_kernels + first);
      } else {
        gather_blocks_by_mpi(call_.comm, count, maxima.data() + first);
      }
    });
    if (!is_of_kernels) {
      call_.run_collectively([&] { tests_.write_maxima(maxima); });
    }
  }

  RankCall<Exec> const& call_;
  Tests& tests_;
  PermutationTestsOptions const& options_;
  std::uint64_t round_ = 0;
  bool is_watched_ = false;
  std::uint64_t first_ = 0;
  std::uint64_t done_ = 0;
  bool is_stopped_ = false;
};

/// Runs the tests with the alternative in `used`, which is one-sided or compares magnitudes.
/// `options` are the caller's options; they are compared between ranks.
template <class Exec, class Data, class MakeModel, class Describe>
PermutationTestsResult one_test_by_ranks(RankCall<Exec> const& call, Data const& data,
                                         MakeModel const& make_model, Describe const& describe,
                                         PermutationTestsOptions const& options,
                                         PermutationTestsOptions const& used) {
  std::optional<variables::RunningTests<Exec>> tests;
  std::vector<EqualNumber> numbers{{"data.extent(0)", data.extent(0)},
                                   {"data.extent(1)", data.extent(1)}};
  call.run_collectively([&] {
    call.check_device("data", data);
    auto const model = make_model();
    variables::check_alternative(call.function, options, *model);
    tests.emplace(call.function, call.context, variables::test_data<Exec>(data), *model, used);
    for (auto const& number : describe()) numbers.push_back(number);
    numbers.push_back({"the digest of data", digest_of(call.context, data)});
    for (auto const& number : numbers_of_options(options)) numbers.push_back(number);
  });
  run_collectively(
      call.comm, call.function, [] {}, numbers);
  if (data.extent(0) == 0) return tests->empty_result();
  return TestsOfRank<Exec>(call, *tests, used).run();
}

/// Runs the tests with the model that make_model() returns. describe() returns numbers that must be
/// equal on all ranks. Both functions may throw, also if they do not throw on other ranks.
template <class Exec, class Data, class MakeModel, class Describe>
PermutationTestsResult tests_by_ranks(RankCall<Exec> const& call, Data const& data,
                                      MakeModel const& make_model, Describe const& describe,
                                      PermutationTestsOptions const& options) {
  auto const run = [&](PermutationTestsOptions const& used) {
    return one_test_by_ranks(call, data, make_model, describe, options, used);
  };
  if (options.alternative != Alternative::two_sided_doubled) return run(options);
  return variables::double_smaller_tails(options, run);
}

}  // namespace riffle::detail::mpi
