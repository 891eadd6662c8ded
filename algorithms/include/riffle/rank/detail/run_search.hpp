#pragma once

// Searches for the end of a run of ties, by the modified binary search of J. Liang et al.
// (riffle/rank/ranking_methods.hpp), sections III.C and D. The search proceeds from an element of the run outwards, so
// that its cost depends on the length of the run. It also counts missing values, which are at either end of sorted
// data.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/rank/detail/ranker.hpp>

namespace riffle::detail::rank {

/// Returns the largest k <= limit such that is_tied(1), ..., is_tied(k) are true, or 0 if is_tied(1) is false.
///
/// Requires: is_tied is true up to some number and false beyond it; limit is below the largest Index. For any other
/// is_tied the search ends, too, and never calls is_tied(k) with k > limit. Complexity: O(log k) calls.
template <class Index, class IsTied>
KOKKOS_FUNCTION Index run_length(Index limit, IsTied const& is_tied) {
  Index known = 0;   // is_tied is true up to here
  Index untied = 1;  // the least number for which is_tied is not known to be true
  while (untied <= limit && is_tied(untied)) {
    known = untied;
    untied = untied > limit / 2 ? limit + 1 : 2 * untied;
  }
  if (untied > limit) untied = limit + 1;
  while (untied - known > 1) {
    Index const middle = known + (untied - known) / 2;
    if (is_tied(middle)) {
      known = middle;
    } else {
      untied = middle;
    }
  }
  return known;
}

/// run_length() by lanes of a GPU. `Lanes` consecutive lanes of a warp do one search together; each search of a warp
/// has its own limit. In each step, lane j of a search calls is_tied for probe j, with probes in ascending order.
/// `known` is the largest number for which is_tied is known to be true, at first 0 or an argument:
/// - While known = 0 and no probe was untied, the probes are 1, 2, ...
/// - While known > 0 and no probe was untied, they are 2 known, 4 known, 8 known, ..., capped at the limit.
/// - After that, they divide the interval between `known` and the first untied probe into Lanes + 1 parts.
///
/// With more lanes per search, a search waits for memory fewer times, but reads more elements.
template <int Lanes, class Index>
class WarpSearch {
 public:
  /// Requires: the limit is 0 for lanes without a search; is_tied is true up to `known` <= limit.
  KOKKOS_FUNCTION WarpSearch(Index limit, int lane, Index known = 0)
      : known_(known), last_(limit), lane_(lane) {}

  template <class IsTied>
  KOKKOS_FUNCTION Index run(IsTied const& is_tied) {
    while (backend::ballot(is_searching()) != 0) {
      set_step();
      test_next_numbers(is_tied);
    }
    return known_;
  }

 private:
  static_assert(backend::width % Lanes == 0);

  KOKKOS_FUNCTION bool is_searching() const { return known_ < last_; }

  /// Sets step_, the distance between the probes of neighbouring lanes. Not used while each lane's probe is twice the
  /// previous lane's probe (is_far_ and known_ > 0).
  KOKKOS_FUNCTION void set_step() {
    Index const between = last_ - known_;
    constexpr Index parts = Lanes + 1;
    step_ = known_ == 0 && is_far_ ? 1 : between / parts + (between % parts == 0 ? 0 : 1);
  }

  /// Probe j of this step. Probes ascend with j.
  KOKKOS_FUNCTION std::uint64_t number(int j) const {
    if (is_far_ && known_ > 0) {
      bool const is_inside = known_ <= std::uint64_t{last_} >> (j + 1);
      return is_inside ? std::uint64_t{known_} << (j + 1) : static_cast<std::uint64_t>(last_);
    }
    return known_ + std::uint64_t{step_} * (static_cast<std::uint64_t>(j) + 1);
  }

  template <class IsTied>
  KOKKOS_FUNCTION void test_next_numbers(IsTied const& is_tied) {
    std::uint64_t const own = number(lane_ % Lanes);
    bool const is_own_tied = is_searching() && own <= last_ && is_tied(static_cast<Index>(own));
    std::uint32_t const all = backend::ballot(is_own_tied) >> (lane_ / Lanes * Lanes);
    std::uint32_t const others = ~all & (~std::uint32_t{0} >> (backend::width - Lanes));
    if (!is_searching()) return;
    int const count = others == 0 ? Lanes : backend::lowest_one(others);
    std::uint64_t const untied = number(count);
    std::uint64_t const holds = count > 0 ? number(count - 1) : known_;
    if (count < Lanes) {
      if (untied <= last_) last_ = static_cast<Index>(untied - 1);
      is_far_ = false;
    }
    known_ = static_cast<Index>(holds);
  }

  Index known_;  // is_tied is true up to here
  Index last_;   // is_tied is false beyond here, or this is the limit
  Index step_ = 1;
  bool is_far_ = true;  // is_tied was true for all probes
  int lane_;
};

template <class Index, class IsTied>
KOKKOS_FUNCTION Index run_length_by_warp(Index limit, int lane, IsTied const& is_tied) {
  return WarpSearch<backend::width, Index>(limit, lane).run(is_tied);
}

// --- searches by one thread of a CPU, or by one warp of a GPU ---

/// A kernel that calls find.store(find(search)) once, where search(limit, holds) returns run_length(limit, holds).
template <class Find>
struct SearchOnce {
  static constexpr int threads = backend::width;

  Find find;

  /// Runs on a CPU.
  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    find.store(
        find([](std::uint64_t limit, auto const& holds) { return run_length(limit, holds); }));
  }

  /// Runs on a GPU.
  template <class Member>
  requires requires(Member const& team) { team.team_rank(); }
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank();
    auto const found = find([lane](std::uint64_t limit, auto const& holds) {
      return run_length_by_warp(limit, lane, holds);
    });
    if (lane == 0) find.store(found);
  }
};

template <class Exec, class Find>
void search_once(Context<Exec> const& context, Find const& find) {
  SearchOnce<Find> const kernel{find};
  if constexpr (backend::is_cpu<Exec>) {
    run_on_calling_thread(context, kernel);
  } else {
    launch_league(context, {1, kernel.threads}, kernel);
  }
}

/// Finds the number of NaNs at each end of n > 0 sorted elements.
template <class Source>
struct CountMissing {
  Source source;
  std::uint64_t n;
  MissingCounts* counts;

  template <class Search>
  KOKKOS_FUNCTION MissingCounts operator()(Search const& search) const {
    std::uint64_t const before = search(n, [&](std::uint64_t k) { return is_missing_at(k - 1); });
    std::uint64_t const after =
        search(before > 0 ? 0 : n, [&](std::uint64_t k) { return is_missing_at(n - k); });
    return {before, after};
  }

  KOKKOS_FUNCTION void store(MissingCounts const& found) const { *counts = found; }

 private:
  /// A source of radix keys has a function is_missing(), because the key of a NaN is an integer.
  KOKKOS_FUNCTION bool is_missing_at(std::uint64_t i) const {
    if constexpr (requires { source.is_missing(i); }) {
      return source.is_missing(i);
    } else {
      return detail::is_nan(source(i));
    }
  }
};

template <class Exec, class Source>
void count_missing(Context<Exec> const& context, std::uint64_t n, Source const& source,
                   MissingCounts* counts) {
  search_once(context, CountMissing<Source>{source, n, counts});
}

}  // namespace riffle::detail::rank
