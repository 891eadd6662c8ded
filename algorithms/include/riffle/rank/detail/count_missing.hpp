#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/search.hpp>

namespace riffle::detail::rank {

/// Counts the NaNs at either end of n > 0 sorted elements.
template <class Source>
struct CountMissing {
  static constexpr int threads = backend::width;

  Source source;
  std::uint64_t n;
  MissingCounts* counts;

  /// Runs on a CPU.
  KOKKOS_FUNCTION void operator()(std::uint64_t) const { KOKKOS_IF_ON_HOST((run();)) }
  KOKKOS_FUNCTION void run() const {
    *counts =
        count([](std::uint64_t limit, auto const& holds) { return run_length(limit, holds); });
  }

  /// Runs on a GPU.
  template <class Member>
  requires requires(Member const& team) { team.team_rank(); }
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank();
    MissingCounts const found = count([lane](std::uint64_t limit, auto const& holds) {
      return run_length_by_warp(limit, lane, holds);
    });
    if (lane == 0) *counts = found;
  }

 private:
  /// Keys of numbers are never NaN themselves: their source knows which elements are missing.
  KOKKOS_FUNCTION bool is_missing_at(std::uint64_t i) const {
    if constexpr (requires { source.is_missing(i); }) {
      return source.is_missing(i);
    } else {
      return detail::is_nan(source(i));
    }
  }

  template <class Search>
  KOKKOS_FUNCTION MissingCounts count(Search const& search) const {
    std::uint64_t const before = search(n, [&](std::uint64_t k) { return is_missing_at(k - 1); });
    std::uint64_t const after =
        search(before > 0 ? 0 : n, [&](std::uint64_t k) { return is_missing_at(n - k); });
    return {before, after};
  }
};

template <class Exec, class Source>
void count_missing(Context<Exec> const& context, std::uint64_t n, Source const& source,
                   MissingCounts* counts) {
  CountMissing<Source> const kernel{source, n, counts};
  if constexpr (backend::is_cpu<Exec>) {
    run_by_caller(context, kernel);
  } else {
    launch_league(context, {1, kernel.threads}, kernel);
  }
}

}  // namespace riffle::detail::rank
