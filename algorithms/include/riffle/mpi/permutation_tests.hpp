#pragma once

// Permutation tests of many variables. The ranks divide the replicates. Tests of linear models are
// in riffle/mpi/linear_model_tests.hpp.

#include <Kokkos_Core.hpp>

#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/detail/tests_by_ranks.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::mpi {

/// Computes the result of riffle::permutation_tests. The ranks divide the replicates, and every
/// rank returns the result. For any number of ranks, and for random or enumerated replicates, the
/// result is bitwise identical to the result on one device. If options.keep_maxima, the result
/// contains the maxima of all replicates; otherwise the memory does not grow with the number of
/// ranks.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - statistic, data, by: as for riffle::permutation_tests. Every rank passes all values: the data
///   is not distributed.
/// - options: the same on all ranks, also `resume`, except for `batch`, `progress` and `stop`. If
///   any rank passes `progress` or `stop`, all ranks synchronise after each batch; `progress` then
///   receives the number of replicates that all ranks together have evaluated, and the tests end if
///   `stop` returns true on any rank. How many replicates are evaluated then depends on the batches
///   and on the number of ranks. The result equals the result on one device for this number of
///   replicates. An exception that `progress` or `stop` throws on one rank is thrown on all ranks.
///
/// Throws on all ranks, with the text of the lowest rank that found the error: the exceptions of
/// riffle::permutation_tests; std::invalid_argument if statistics, options, sizes or values differ
/// between ranks (values are compared by their digests); std::runtime_error if a rank has too
/// little memory. Blocking: fences `exec`. Reproducible.
///
/// Complexity: each rank prepares the tests and evaluates its part of the replicates, and needs the
/// same memory as one device. In addition, for m replicates and G variables:
///
///     always                each rank reads the data once for digests; a few small reductions, and one of 3 G counts
///     options.keep_maxima   each rank receives the maxima of all ranks, 8 m bytes (in device memory if possible)
///     options.min_p         the ranks divide the variables; two reductions of m numbers and one of 2 G numbers. A rank
///                           evaluates its variables twice if the memory cannot store m numbers for each of them
template <detail::InstanceOrContext Exec, class Statistic, detail::MatrixFrom<Exec> Data,
          detail::ArrayFrom<Exec> By>
PermutationTestsResult permutation_tests(Exec const& exec, Communicator const& comm,
                                         Statistic statistic, Data const& data, By const& by,
                                         PermutationTestsOptions const& options = {}) {
  namespace of_ranks = detail::mpi;
  char const* const function = "mpi::permutation_tests";
  detail::Call const context(exec, "riffle::mpi::permutation_tests");
  of_ranks::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const model = [&] {
    call.check_device("by", by);
    return detail::variables::model_of(function, statistic, detail::host_values(context, by));
  };
  auto const describe = [&] {
    return std::vector<of_ranks::EqualNumber>{
        {"the number of the statistic", of_ranks::number_of_type<Statistic>()},
        {"the digest of by", of_ranks::digest_of(context, by)}};
  };
  return of_ranks::tests_by_ranks(call, data, model, describe, options);
}

/// Overload for a one-sample statistic; replicates change the signs of the observations.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data>
PermutationTestsResult permutation_tests(Exec const& exec, Communicator const& comm, OneSampleT,
                                         Data const& data,
                                         PermutationTestsOptions const& options = {}) {
  namespace of_ranks = detail::mpi;
  char const* const function = "mpi::permutation_tests";
  detail::Call const context(exec, "riffle::mpi::permutation_tests");
  of_ranks::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const model = [&] {
    return detail::variables::model_of(function, OneSampleT{}, data.extent(1));
  };
  auto const describe = [] {
    return std::vector<of_ranks::EqualNumber>{
        {"the number of the statistic", of_ranks::number_of_type<OneSampleT>()}};
  };
  return of_ranks::tests_by_ranks(call, data, model, describe, options);
}

RIFFLE_CALL_DIAGNOSTICS(permutation_tests, Comm, OrNumber<statistic<NoView>>, data<Matrix>,
                        by<Array>, options<Optional<NoView>>)

}  // namespace riffle::mpi
