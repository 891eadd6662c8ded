#pragma once

// Permutation tests of many variables, whose replicates several ranks divide. Those of linear models are in
// riffle/mpi/linear_model_tests.hpp.

#include <Kokkos_Core.hpp>

#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/tests_by_ranks.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::mpi {

/// The outcome of riffle::permutation_tests, on every rank, by replicates that the ranks divide: the same bits as on one
/// device, for any number of ranks, random or enumerated, the maxima of all replicates included, unless
/// options.keep_maxima is false: then nothing grows with the number of ranks.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - statistic, data, by: as for riffle::permutation_tests. Every rank has all values: the data are not divided.
/// - options: the same on all ranks, `resume` included, but for `batch`, `progress` and `stop`. Where a rank has one of the
///   last two, all meet after each batch of every rank: each rank's `progress` is told of the replicates of all ranks, and the
///   tests end where `stop` of any rank says so. How many are done then depends on the batches and on the number of ranks; the
///   outcome is that of one device with as many. What they throw, all ranks throw.
///
/// Throws on all ranks, with the text of the first that finds it, what riffle::permutation_tests throws, and
/// std::invalid_argument where statistics, options or sizes differ between ranks, or values, by digests of them;
/// std::runtime_error where a rank has too little memory. Fences `exec`. Reproducible.
///
/// Cost: each rank prepares the tests, and evaluates its part of the replicates, with memory as on one device; a read of
/// the data for digests, a few small reductions, one of 3 G counts, and, where options.keep_maxima, what it takes that every
/// rank has the maxima of all: each receives 8 m bytes, on the devices where they can exchange. For options.min_p the ranks
/// divide the variables, and reduce m numbers twice and 2 G once more; a rank whose variables' ranks, of m each, fill memory
/// evaluates them twice.
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
    return std::vector<of_ranks::Alike>{
        {"the number of the statistic", of_ranks::number_of_type<Statistic>()},
        {"the digest of by", of_ranks::digest_of(context, by)}};
  };
  return of_ranks::tests_by_ranks(call, data, model, describe, options);
}

/// The same for a statistic of one sample, whose signs are changed.
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
    return std::vector<of_ranks::Alike>{
        {"the number of the statistic", of_ranks::number_of_type<OneSampleT>()}};
  };
  return of_ranks::tests_by_ranks(call, data, model, describe, options);
}

RIFFLE_EXPLAIN_MISTAKES(permutation_tests, Comm, OrNumber<statistic<NoView>>, data<Matrix>,
                        by<Array>, options<Optional<NoView>>)

}  // namespace riffle::mpi
