#pragma once

// Permutation tests of linear models. The ranks divide the replicates.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/linear_model.hpp>
#include <riffle/monte_carlo/linear_model_tests.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/detail/tests_by_ranks.hpp>
#include <riffle/mpi/permutation_tests.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::mpi {

/// Returns the digest of the model from which this rank makes replicates.
inline std::uint64_t digest_of_model(LinearModel const& model) {
  Digest digest;
  digest.add(static_cast<std::uint64_t>(model.method()));
  digest.add(model.is_f());
  for (auto const size :
       {model.effects(), model.nuisance_columns(), model.adjustments(), model.residual_columns()}) {
    digest.add(size);
  }
  digest.add(model.interest());
  digest.add(model.nuisance());
  digest.add(model.weights());
  digest.add(model.residual_basis());
  digest.add(model.row_types());
  return digest.value();
}

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// Computes the result of riffle::permutation_tests for a linear model. The ranks divide the
/// replicates, and every rank returns the result.
///
/// - model: as for riffle::permutation_tests. Each rank makes it from the same design, contrast and
///   method.
///
/// The contract is otherwise the same as for the other overloads of mpi::permutation_tests.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data>
PermutationTestsResult permutation_tests(Exec const& exec, Communicator const& comm,
                                         LinearModel const& model, Data const& data,
                                         PermutationTestsOptions const& options = {}) {
  namespace of_ranks = detail::mpi;
  char const* const function = "mpi::permutation_tests";
  detail::Call const context(exec, "riffle::mpi::permutation_tests");
  of_ranks::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const columns = [&] { return detail::variables::model_of(function, model, options); };
  auto const describe = [&] {
    return std::vector<of_ranks::EqualNumber>{
        {"the number of the statistic", of_ranks::number_of_type<LinearModel>()},
        {"the digest of the model", of_ranks::digest_of_model(model)}};
  };
  return of_ranks::tests_by_ranks(call, data, columns, describe, options);
}

}  // namespace riffle::mpi
