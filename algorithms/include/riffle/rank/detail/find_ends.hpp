#pragma once

// Where the first run of sorted data ends, and where the last one begins.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/rank/detail/search.hpp>

namespace riffle::detail::rank {

struct EndRuns {
  std::uint64_t end_of_first;
  std::uint64_t start_of_last;
};

/// Finds them for n > 0 elements, of which the first and the last one are kept in values[0] and values[1].
template <class Source, class Order>
struct FindEndRuns {
  static constexpr int threads = backend::width;

  Source source;
  Order order;
  std::uint64_t n;
  EndRuns* runs;
  typename Source::Item* values;

  /// Runs on a CPU.
  KOKKOS_FUNCTION void operator()(std::uint64_t) const { KOKKOS_IF_ON_HOST((run();)) }
  KOKKOS_FUNCTION void run() const {
    keep(find([](std::uint64_t limit, auto const& holds) { return run_length(limit, holds); }));
  }

  /// Runs on a GPU.
  template <class Member>
  requires requires(Member const& team) { team.team_rank(); }
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank();
    EndRuns const found = find([lane](std::uint64_t limit, auto const& holds) {
      return run_length_by_warp(limit, lane, holds);
    });
    if (lane == 0) keep(found);
  }

 private:
  KOKKOS_FUNCTION void keep(EndRuns const& found) const {
    *runs = found;
    values[0] = source(0);
    values[1] = source(n - 1);
  }

  template <class Search>
  KOKKOS_FUNCTION EndRuns find(Search const& search) const {
    std::uint64_t const last = n - 1;
    std::uint64_t const behind_first =
        search(last, [&](std::uint64_t k) { return !differ(order, source(0), source(k)); });
    std::uint64_t const before_last = search(
        last, [&](std::uint64_t k) { return !differ(order, source(last - k), source(last)); });
    return {behind_first + 1, last - before_last};
  }
};

template <class Exec, class Source, class Order>
void find_end_runs(Context<Exec> const& context, std::uint64_t n, Source const& source,
                   Order const& order, EndRuns* runs, typename Source::Item* values) {
  FindEndRuns<Source, Order> const kernel{source, order, n, runs, values};
  if constexpr (backend::is_cpu<Exec>) {
    run_by_caller(context, kernel);
  } else {
    launch_league(context, {1, kernel.threads}, kernel);
  }
}

}  // namespace riffle::detail::rank
