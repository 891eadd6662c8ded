#pragma once

// Runs a function of the uniformity tests in all supported ways: by single threads with contiguous or strided rows, and by
// teams.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <riffle/primitives/loops.hpp>
#include <riffle/uniformity/detail/observe.hpp>

#include "support/views.hpp"

namespace riffle::test {

/// Worker k draws permutations 2 k and 2 k + 1; its result is function(worker, a, b).
template <class Exec, class Sampler, class Function>
struct PairKernel {
  detail::uniformity::WorkersMemory<Exec> memory;
  Sampler sampler;
  Function function;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> results;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const { work(detail::uniformity::Alone{}, k); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    work(detail::uniformity::Together<Member>(member),
         static_cast<std::uint64_t>(member.league_rank()));
  }

 private:
  template <class Worker>
  KOKKOS_FUNCTION void work(Worker const& worker, std::uint64_t k) const {
    auto a = memory.sample(k, 0);
    auto b = memory.sample(k, 1);
    draw(worker, sampler, 2 * k, a);
    draw(worker, sampler, 2 * k + 1, b);
    std::int64_t const result = function(worker, a, b);
    if (worker.rank() == 0) results(k) = result;
  }
};

template <class Exec, class Sampler, class Function>
PairKernel<Exec, Sampler, Function> pair_kernel(std::uint64_t n, std::uint64_t pairs,
                                                bool side_by_side, Sampler const& sampler,
                                                Function const& function) {
  return {{Exec(), n, pairs, side_by_side}, sampler, function, zeros<Exec, std::int64_t>(pairs)};
}

template <class Exec, class Sampler, class Function>
std::vector<std::int64_t> by_lone_threads(std::uint64_t n, std::uint64_t pairs, bool side_by_side,
                                          Sampler const& sampler, Function const& function) {
  auto const kernel = pair_kernel<Exec>(n, pairs, side_by_side, sampler, function);
  Kokkos::parallel_for("lone threads", detail::range(Exec(), 0, pairs), kernel);
  return to_vector(kernel.results);
}

template <class Exec, class Sampler, class Function>
std::vector<std::int64_t> by_teams(std::uint64_t n, std::uint64_t pairs, Sampler const& sampler,
                                   Function const& function) {
  auto const kernel = pair_kernel<Exec>(n, pairs, false, sampler, function);
  auto const league = static_cast<int>(pairs);
  int const most =
      Kokkos::TeamPolicy<Exec>(league, 1).team_size_max(kernel, Kokkos::ParallelForTag());
  Kokkos::parallel_for("teams", Kokkos::TeamPolicy<Exec>(league, std::min(most, 128)), kernel);
  return to_vector(kernel.results);
}

/// Equivalent to observe_draws, by teams on any device; each team observes several pairs.
template <class Exec, class Sampler, class... Observers>
void observe_by_teams(detail::uniformity::Draws const& draws, Sampler const& sampler,
                      Observers const&... observers) {
  using namespace detail::uniformity;
  std::uint64_t const teams = 3;
  ObserveDraws<Exec, Sampler, ObserverList<Observers...>> const kernel{
      draws,
      sampler,
      observer_list(observers...),
      WorkersMemory<Exec>(Exec(), draws.n, teams, false),
      teams,
      Kokkos::View<std::uint64_t, typename Exec::memory_space>("fault")};
  int const most =
      Kokkos::TeamPolicy<Exec>(teams, 1).team_size_max(kernel, Kokkos::ParallelForTag());
  Kokkos::parallel_for("teams", Kokkos::TeamPolicy<Exec>(teams, std::min(most, 128)), kernel);
}

}  // namespace riffle::test
