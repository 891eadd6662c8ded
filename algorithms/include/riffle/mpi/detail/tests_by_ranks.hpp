#pragma once

// Permutation tests of many variables, by replicates that the ranks divide.
//
// In each round the ranks divide the next replicates, each a range. Who neither watches nor stops the tests has one round. In
// the end all counts are summed. Of one round each rank's maxima are behind those of the ranks before it, and are
// gathered; of several their bits are summed with the counts, where a rank has 0 for replicates of others. So every rank
// gets what one device has, to read the result from.

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/check_mpi.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/min_p_by_ranks.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/rank_call.hpp>

namespace riffle::detail::mpi {

// --- what all ranks are told alike ---

inline std::uint64_t digest_of_exchanges(std::optional<Exchanges> const& exchanges) {
  Digest digest;
  if (!exchanges) return digest.value();
  auto const& layout = exchanges->layout();
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
  return digest.value();
}

inline std::vector<Alike> numbers_of_options(PermutationTestsOptions const& options) {
  return {{"options.replicates", options.replicates},
          {"options.seed", options.seed},
          {"options.alternative", static_cast<std::uint64_t>(options.alternative)},
          {"options.missing", static_cast<std::uint64_t>(options.missing)},
          {"options.enumerate", options.enumerate},
          {"options.min_p", options.min_p},
          {"the digest of options.exchanges", digest_of_exchanges(options.exchanges)},
          {"the digest of options.resume", digest_of_counts(options.resume)}};
}

// --- counts as numbers that can be summed ---

/// Counts of nothing, with maxima whose bits are 0.
inline PermutationCounts zero_counts(std::uint64_t variables, std::uint64_t replicates) {
  return {replicates, std::vector<std::uint64_t>(variables), std::vector<std::uint64_t>(variables),
          std::vector<double>(replicates)};
}

/// Sums the counts and the bits of the maxima.
inline void sum_counts(riffle::mpi::Communicator const& comm, PermutationCounts& counts) {
  std::vector<std::uint64_t> numbers = counts.extreme;
  numbers.insert(numbers.end(), counts.step_down.begin(), counts.step_down.end());
  for (double const maximum : counts.maxima) {
    numbers.push_back(Kokkos::bit_cast<std::uint64_t>(maximum));
  }
  sum_over_ranks(comm, numbers);
  auto number = numbers.begin();
  for (auto& count : counts.extreme) count = *number++;
  for (auto& count : counts.step_down) count = *number++;
  for (double& maximum : counts.maxima) maximum = Kokkos::bit_cast<double>(*number++);
}

/// Adds counts of the first replicates, which are not among those of `counts`.
inline void add_earlier(PermutationCounts const& earlier, PermutationCounts& counts) {
  for (std::size_t g = 0; g < counts.extreme.size(); ++g) {
    counts.extreme[g] += earlier.extreme[g];
    counts.step_down[g] += earlier.step_down[g];
  }
  std::copy(earlier.maxima.begin(), earlier.maxima.end(), counts.maxima.begin());
}

/// The tests of a rank, whose replicates are counted.
template <class Exec>
class TestsOfRank {
 public:
  using Tests = variables::RunningTests<Exec>;

  TestsOfRank(RankCall<Exec> const& call, Tests& tests, std::uint64_t variables,
              PermutationTestsOptions const& options)
      : call_(call), tests_(tests), variables_(variables), options_(options) {}

  PermutationTestsResult run() {
    begin();
    while (done_ < tests_.total() && !is_stopped_) {
      std::uint64_t const count = std::min(round_, tests_.total() - done_);
      call_.agree([&] { count_own(done_, count); });
      done_ += count;
      if (is_watched_) tell();
    }
    gather();
    PermutationTestsResult result;
    call_.agree([&] { result = tests_.result(done_, is_stopped_); });
    if (options_.min_p && !is_stopped_) {
      auto const order = tests_.order_of(result);
      auto const counts = min_p_by_ranks(call_, tests_, order);
      call_.agree([&] { tests_.add_min_p(result, order, counts); });
    }
    return result;
  }

 private:
  void begin() {
    if (options_.resume) done_ = options_.resume->done;
    // Somebody watches where the least of these numbers is no largest one. The ranks' batches may differ, as back ends do.
    constexpr std::uint64_t unwatched = std::numeric_limits<std::uint64_t>::max();
    bool const watches = options_.progress || options_.stop;
    std::uint64_t const batch =
        least_over_ranks(call_.comm, watches ? tests_.batch_size() : unwatched);
    is_watched_ = batch != unwatched;
    round_ = is_watched_ ? batch * static_cast<std::uint64_t>(call_.comm.size()) : unwatched;
    // MPI counts in int.
    gathers_ = !is_watched_ && tests_.total() < (std::uint64_t{1} << 31);
    std::uint64_t const sums = gathers_ ? 0 : tests_.total();
    call_.agree([&] { tests_.begin_with(zero_counts(variables_, sums)); });
  }

  /// Of the replicates first, ..., first + count - 1 of all ranks.
  void count_own(std::uint64_t first, std::uint64_t count) {
    auto const own = riffle::mpi::block_of(count, call_.comm.rank(), call_.comm.size());
    std::uint64_t const step = tests_.batch_size();
    for (std::uint64_t done = 0; done < own.count;) {
      std::uint64_t const of_batch = std::min(step, own.count - done);
      tests_.count(first + own.first + done, of_batch);
      done += of_batch;
    }
    if (is_watched_) call_.context.exec().fence(call_.context.label() + "::progress");
  }

  /// Tells how far all ranks are, and stops where one of them says so.
  void tell() {
    bool stops = false;
    call_.agree([&] {
      if (options_.progress) options_.progress(done_, tests_.total());
      stops = done_ < tests_.total() && options_.stop && options_.stop();
    });
    is_stopped_ = least_over_ranks(call_.comm, stops ? 0 : 1) == 0;
  }

  void gather() {
    std::uint64_t const first = options_.resume && gathers_ ? options_.resume->done : 0;
    std::uint64_t const count = done_ - first;
    auto const own = riffle::mpi::block_of(count, call_.comm.rank(), call_.comm.size());
    PermutationCounts counts;
    call_.agree([&] {
      counts = gathers_ ? tests_.counts(first + own.first, own.count) : tests_.counts(0, done_);
    });
    if (gathers_) {
      std::vector<double> maxima(done_);
      gather_blocks(call_.comm, counts.maxima, count, maxima.data() + first);
      counts.maxima.clear();
      sum_counts(call_.comm, counts);
      counts.maxima = std::move(maxima);
      counts.done = done_;
    } else {
      sum_counts(call_.comm, counts);
    }
    call_.agree([&] {
      if (options_.resume) add_earlier(*options_.resume, counts);
      tests_.begin_with(counts);
    });
  }

  RankCall<Exec> const& call_;
  Tests& tests_;
  std::uint64_t variables_;
  PermutationTestsOptions const& options_;
  std::uint64_t round_ = 0;
  bool is_watched_ = false;
  bool gathers_ = false;
  std::uint64_t done_ = 0;
  bool is_stopped_ = false;
};

/// Tests by a model that make_model() makes. `alike` are numbers by which all ranks' are one, describe() adds others. Both
/// may throw on some ranks alone.
template <class Exec, class Data, class MakeModel, class Describe>
PermutationTestsResult tests_by_ranks(RankCall<Exec> const& call, Data const& data,
                                      MakeModel const& make_model, Describe const& describe,
                                      PermutationTestsOptions const& options) {
  std::optional<variables::RunningTests<Exec>> tests;
  std::vector<Alike> alike{{"data.extent(0)", data.extent(0)}, {"data.extent(1)", data.extent(1)}};
  call.agree([&] {
    call.check_device("data", data);
    tests.emplace(call.function, call.context, data, make_model(), options);
    for (auto const& number : describe()) alike.push_back(number);
    alike.push_back({"the digest of data", digest_of(call.context, data)});
    for (auto const& number : numbers_of_options(options)) alike.push_back(number);
  });
  agree(
      call.comm, call.function, [] {}, alike);
  if (data.extent(0) == 0) return tests->result(0, false);
  return TestsOfRank<Exec>(call, *tests, data.extent(0), options).run();
}

}  // namespace riffle::detail::mpi
