#pragma once

// Permutation tests. The ranks divide the replicates.

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::mpi {

/// Divides replicates 0, ..., total - 1 among the ranks. Returns the contiguous range that this
/// rank evaluates. The range begins at a multiple of `granularity`.
inline ReplicateRange replicates_of(riffle::mpi::Communicator const& comm, std::uint64_t total,
                                    std::uint64_t granularity) {
  std::uint64_t const units = total / granularity + (total % granularity != 0);
  auto const own = riffle::mpi::block_of(units, comm.rank(), comm.size());
  std::uint64_t const end = own.first + own.count;
  // The last unit may be incomplete, and end * granularity could overflow for it.
  return {std::min(own.first * granularity, total), end == units ? total : end * granularity};
}

/// Runs a test. make() returns this rank's test; describe(test) returns numbers that must be equal
/// on all ranks. Both functions may throw, also if they do not throw on other ranks.
template <class Exec, class Make, class Describe>
PermutationTestResult test_by_ranks(RankCall<Exec> const& call, std::uint64_t statistic,
                                    Make const& make, Describe const& describe,
                                    PermutationTestOptions const& options) {
  std::unique_ptr<ReplicateTest<Exec>> test;
  std::vector<EqualNumber> numbers{
      {"the number of the statistic", statistic},
      {"options.replicates", options.replicates},
      {"options.seed", options.seed},
      {"options.alternative", static_cast<std::uint64_t>(options.alternative)},
      {"options.enumerate", options.enumerate}};
  call.run_collectively([&] {
    test = make();
    for (auto const& number : describe(*test)) numbers.push_back(number);
  });
  run_collectively(
      call.comm, call.function, [] {}, numbers);
  CountedSides own;
  call.run_collectively([&] {
    own = test->count([&](std::uint64_t granularity) {
      return replicates_of(call.comm, test->total(), granularity);
    });
  });
  std::vector<std::uint64_t> counts;
  for (auto const& part : {own.all, own.sure}) {
    counts.insert(counts.end(), {part.less_equal, part.greater_equal, part.as_far});
  }
  sum_over_ranks(call.comm, counts);
  return test->result({{counts[0], counts[1], counts[2]}, {counts[3], counts[4], counts[5]}});
}

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// Computes the result of riffle::permutation_test. The ranks divide the replicates, and every rank
/// returns the result. For any number of ranks, and for random or enumerated replicates, the result
/// is bitwise identical to the result on one device.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - statistic, x, y: as for riffle::permutation_test. Every rank passes all values of x and y: the
///   data is not distributed.
/// - options: the same on all ranks, except for `batch` and `progress`. The numbers that are passed
///   to `progress` on a rank count the replicates of that rank only.
///
/// Throws on all ranks, with the text of the lowest rank that found the error: the exceptions of
/// riffle::permutation_test; std::invalid_argument if statistics, options, sizes or values differ
/// between ranks (values are compared by their digests); std::runtime_error if a rank has too
/// little memory. Blocking: fences `exec`. Reproducible.
///
/// Complexity: each rank prepares the test and evaluates its part of the replicates. For the
/// two-sample statistics and PairedDifference, this part is a multiple of 32. In addition each rank
/// reads x and y once for the digests, and takes part in four small reductions: three check for
/// errors, and one sums the counts.
template <detail::InstanceOrContext Exec, class Statistic, detail::ArrayFrom<Exec> X,
          detail::ArrayFrom<Exec> Y>
PermutationTestResult permutation_test(Exec const& exec, Communicator const& comm,
                                       Statistic statistic, X const& x, Y const& y,
                                       PermutationTestOptions const& options = {}) {
  namespace of_ranks = detail::mpi;
  detail::Call const context(exec, "riffle::mpi::permutation_test");
  of_ranks::RankCall<detail::SpaceOf<Exec>> const call{"mpi::permutation_test", context, comm};
  auto const make = [&] {
    call.check_device("x", x);
    call.check_device("y", y);
    return detail::make_test(call.function, context, statistic, x, y, options);
  };
  auto const describe = [&](auto const&) {
    return std::vector<of_ranks::EqualNumber>{{"x.extent(0)", x.extent(0)},
                                              {"y.extent(0)", y.extent(0)},
                                              {"the digest of x", of_ranks::digest_of(context, x)},
                                              {"the digest of y", of_ranks::digest_of(context, y)}};
  };
  return of_ranks::test_by_ranks(call, of_ranks::number_of_type<Statistic>(), make, describe,
                                 options);
}

/// Overload for your own statistic on permutations of n elements.
///
/// - n, statistic: as for riffle::permutation_test, the same on all ranks. Only the observed
///   statistic is compared between ranks, not the data to which the statistic refers.
///
/// The contract is otherwise the same as for the other overload.
template <detail::InstanceOrContext Exec, class Statistic>
PermutationTestResult permutation_test(Exec const& exec, Communicator const& comm, std::uint64_t n,
                                       Statistic const& statistic,
                                       PermutationTestOptions const& options = {}) {
  namespace of_ranks = detail::mpi;
  using Space = detail::SpaceOf<Exec>;
  detail::Call const context(exec, "riffle::mpi::permutation_test");
  of_ranks::RankCall<Space> const call{"mpi::permutation_test", context, comm};
  auto const make = [&] {
    detail::UserProblem<Space, Statistic> const problem(call.function, context, n, statistic);
    return detail::make_test(call.function, context, problem, options);
  };
  auto const describe = [&](auto const& test) {
    return std::vector<of_ranks::EqualNumber>{
        {"n", n},
        {"the bits of the observed statistic",
         of_ranks::number_of_element(test.observed_test_statistic())}};
  };
  return of_ranks::test_by_ranks(call, of_ranks::number_of_type<Statistic>(), make, describe,
                                 options);
}

RIFFLE_CALL_DIAGNOSTICS(permutation_test, Comm,
                        OrNumber<statistic<NoView>, n<WholeNumber>, statistic<NoView>>, x<Array>,
                        y<Array>, options<Optional<NoView>>)

}  // namespace riffle::mpi
