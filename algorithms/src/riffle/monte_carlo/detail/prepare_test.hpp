#pragma once

// Makes permutation tests of the library's statistics from the converted data of callers (numeric_views.hpp).

#include <memory>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/compared_test.hpp>
#include <riffle/monte_carlo/detail/correlations.hpp>
#include <riffle/monte_carlo/detail/group_statistics.hpp>
#include <riffle/monte_carlo/detail/paired_samples.hpp>
#include <riffle/monte_carlo/detail/rank_statistics.hpp>
#include <riffle/monte_carlo/detail/replicate_test.hpp>
#include <riffle/monte_carlo/detail/two_samples.hpp>
#include <riffle/monte_carlo/statistics.hpp>

namespace riffle::detail {

template <class Exec, class Statistic>
std::unique_ptr<ReplicateTest<Exec>> prepare_test(char const* function,
                                                  Context<Exec> const& context, Statistic statistic,
                                                  Numbers<typename Exec::memory_space> const& x,
                                                  Numbers<typename Exec::memory_space> const& y,
                                                  PermutationTestOptions const& options) {
  auto problem = make_problem(function, context, statistic, x, y);
  return std::make_unique<ComparedTest<Exec, decltype(problem)>>(function, context,
                                                                 std::move(problem), options);
}

}  // namespace riffle::detail
