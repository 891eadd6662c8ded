#pragma once

// Makes permutation tests of Riffle's own statistics of the numbers that callers pass.

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/groups.hpp>
#include <riffle/monte_carlo/detail/paired_samples.hpp>
#include <riffle/monte_carlo/detail/pairs.hpp>
#include <riffle/monte_carlo/detail/ranks.hpp>
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
  auto const test_of = [&](auto const& own_x,
                           auto const& own_y) -> std::unique_ptr<ReplicateTest<Exec>> {
    auto problem = make_problem(function, context, statistic, own_x, own_y);
    return std::make_unique<TestOfProblem<Exec, decltype(problem)>>(function, context,
                                                                    std::move(problem), options);
  };
  if constexpr (is_of_groups<Statistic>) {
    using Memory = typename Exec::memory_space;
    return std::visit(
        [&](auto const& values) {
          if (auto const* labels = std::get_if<Kokkos::View<std::uint64_t const*, Memory>>(&y)) {
            return test_of(values, *labels);
          }
          return test_of(values, std::get<Kokkos::View<std::int64_t const*, Memory>>(y));
        },
        x);
  } else {
    return std::visit(test_of, x, y);
  }
}

}  // namespace riffle::detail
