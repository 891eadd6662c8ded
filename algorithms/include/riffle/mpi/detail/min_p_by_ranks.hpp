#pragma once

// Adjustment by the minimum of p-values, where the ranks divide the variables: the p-values of a variable's replicates need
// all of its replicates, but a minimum over variables can be taken in parts. Each rank finds the minima over its own places in
// the order of significance, learns those over all places before, and counts with them as one device does.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/rank_call.hpp>

namespace riffle::detail::mpi {

/// Puts the own counts and bounds at their places among those of all ranks.
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

/// `order` has the variables from the least to the most significant.
template <class Exec>
variables::MinPCounts min_p_by_ranks(RankCall<Exec> const& call,
                                     variables::RunningTests<Exec>& tests,
                                     std::vector<std::uint64_t> const& order) {
  auto const own = riffle::mpi::block_of(order.size(), call.comm.rank(), call.comm.size());
  auto const begin = order.begin() + static_cast<std::ptrdiff_t>(own.first);
  std::vector<std::uint32_t> least;
  variables::MinPCounts counts;
  call.agree([&] {
    tests.begin_min_p({begin, begin + static_cast<std::ptrdiff_t>(own.count)});
    least = variables::no_ranks(tests.arrangements());
    counts = tests.count_min_p(least);
  });
  auto least_before = least_over_ranks_before(call.comm, least);
  call.agree([&] { counts = tests.count_min_p(least_before); });
  gather_min_p(call.comm, own, order.size(), counts);
  variables::count_single_step(least_over_ranks(call.comm, least), counts);
  return counts;
}

}  // namespace riffle::detail::mpi
