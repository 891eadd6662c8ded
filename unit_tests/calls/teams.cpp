// Sorts, shuffles and scans by the threads of a team.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/team_scan.hpp>
#include <riffle/team/team_shuffle.hpp>
#include <riffle/team/team_sort.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::teams_cases {
namespace {

constexpr int league_size = 3;

template <class Exec>
using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

/// Runs a kernel by teams whose size suits n elements of T, with scratch memory for it.
template <class T, class Exec, class Kernel>
void run_in_teams(Exec const& exec, std::uint64_t n, std::size_t scratch_bytes,
                  Kernel const& kernel) {
  Kokkos::TeamPolicy<Exec> policy(exec, league_size, team_sort_size<Exec, T>(n));
  // Uses level 1 if level 0 of a CPU is too small.
  int const level = scratch_bytes <= static_cast<std::size_t>(policy.scratch_size_max(0)) ? 0 : 1;
  policy.set_scratch_size(level, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
  Kokkos::parallel_for("riffle::test::teams", policy, kernel);
}

template <class Exec, class T, class Comparison>
struct SortRows {
  Matrix<Exec, T> rows;
  Matrix<Exec, T> copies;
  Array<Exec, int> done;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& team) const {
    auto const row = Kokkos::subview(rows, team.league_rank(), Kokkos::ALL);
    auto const copy = Kokkos::subview(copies, team.league_rank(), Kokkos::ALL);
    bool const copied = team_sort_copy(team, row, copy, Comparison{});
    bool const sorted = team_sort(team, row, Comparison{});
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { done(team.league_rank()) = (copied ? 1 : 0) + (sorted ? 2 : 0); });
  }
};

template <class T, class Comparison>
struct TeamSort {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    SortRows<Exec, T, Comparison> const kernel{to_matrix<Exec>(values(league_size * n), n),
                                               make_output<Exec, T>(n == 0 ? 0 : league_size, n),
                                               make_output<Exec, int>(league_size)};
    if (n > 0) {
      run_in_teams<T>(exec, n, team_sort_scratch_bytes<T, Comparison>(n), kernel);
    }
    results.add("sorted", kernel.rows);
    results.add("sorted copies", kernel.copies);
    results.add("done", kernel.done);
  }

  static std::vector<T> values(std::uint64_t n) {
    if constexpr (std::is_same_v<T, Card>) {
      return cards(n);
    } else {
      return special_numbers<T>(n);
    }
  }
};

template <class Exec, class Key, class Value, class Comparison>
struct SortRowsByKey {
  Matrix<Exec, Key> keys;
  Matrix<Exec, Value> values;
  Array<Exec, int> done;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& team) const {
    bool const sorted =
        team_sort_by_key(team, Kokkos::subview(keys, team.league_rank(), Kokkos::ALL),
                         Kokkos::subview(values, team.league_rank(), Kokkos::ALL), Comparison{});
    Kokkos::single(Kokkos::PerTeam(team), [&] { done(team.league_rank()) = sorted ? 1 : 0; });
  }
};

struct TeamSortByKey {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    if (n == 0) return results.add("nothing", 0);
    SortRowsByKey<Exec, float, Card, Descending> const kernel{
        to_matrix<Exec>(special_numbers<float>(league_size * n), n),
        to_matrix<Exec>(cards(league_size * n), n), make_output<Exec, int>(league_size)};
    run_in_teams<float>(exec, n, team_sort_by_key_scratch_bytes<float, Card, Descending>(n),
                        kernel);
    results.add("keys", kernel.keys);
    results.add("cards", kernel.values);
    results.add("done", kernel.done);
  }
};

/// The last card whose suit is not 0; not commutative.
struct LastCard {
  using value_type = Card;
  KOKKOS_FUNCTION static Card identity() { return {0, 0}; }
  KOKKOS_FUNCTION Card operator()(Card const& left, Card const& right) const {
    return right.suit == 0 ? Card{left.suit, left.number + right.number} : right;
  }
};

/// Each team scans a row, one element per thread at a time. Op is exact, so the number of threads does not matter.
template <class Exec, class Op>
struct ScanRows {
  using T = typename Op::value_type;

  Matrix<Exec, T> in;
  Matrix<Exec, T> inclusive;
  Matrix<Exec, T> exclusive;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& team) const {
    Op const op;
    int const row = team.league_rank();
    int const n = static_cast<int>(in.extent(1));
    T before = op.identity();
    for (int first = 0; first < n; first += team.team_size()) {
      int const i = first + team.team_rank();
      T const value = i < n ? in(row, i) : op.identity();
      T total;
      T total_again;
      T const up_to_own = team_inclusive_scan(team, value, op, total);
      T const up_to_previous = team_exclusive_scan(team, value, op, total_again);
      bool const is_same = team_inclusive_scan(team, value, op) == up_to_own &&
                           team_exclusive_scan(team, value, op) == up_to_previous &&
                           total == total_again;
      if (i < n && is_same) {
        inclusive(row, i) = op(before, up_to_own);
        exclusive(row, i) = op(before, up_to_previous);
      }
      before = op(before, total);
    }
  }
};

template <class Op>
struct TeamScan {
  using T = typename Op::value_type;

  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    // Teams of whole warps, and of partial ones.
    for (int const threads : {64, 40}) {
      int const size = backend::is_cpu<Exec> ? 1 : threads;
      ScanRows<Exec, Op> const kernel{to_matrix<Exec>(values(league_size * n), n),
                                      make_output<Exec, T>(n == 0 ? 0 : league_size, n),
                                      make_output<Exec, T>(n == 0 ? 0 : league_size, n)};
      Kokkos::TeamPolicy<Exec> policy(exec, league_size, size);
      policy.set_scratch_size(0,
                              Kokkos::PerTeam(static_cast<int>(team_scan_scratch_bytes<T>(size))));
      Kokkos::parallel_for("riffle::test::team_scan", policy, kernel);
      results.add("inclusive", kernel.inclusive);
      results.add("exclusive", kernel.exclusive);
    }
  }

  static std::vector<T> values(std::uint64_t n) {
    if constexpr (std::is_same_v<T, Card>) {
      return cards(n);
    } else {
      return plain_numbers<T>(n);
    }
  }
};

/// Each team shuffles a row, by its number's stream, and writes a permutation into another row.
template <class Exec>
struct ShuffleRows {
  Matrix<Exec, Card> rows;
  Matrix<Exec, std::uint32_t> permutations;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& team) const {
    auto const r = static_cast<std::uint64_t>(team.league_rank());
    auto const row = Kokkos::subview(rows, team.league_rank(), Kokkos::ALL);
    team_fisher_yates(team, row, row.extent(0), 1906, r);
    auto const permutation = Kokkos::subview(permutations, team.league_rank(), Kokkos::ALL);
    team_random_permutation(team, permutation.extent(0), permutation, 1906, r);
  }
};

struct TeamShuffle {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    if (n == 0) return results.add("nothing", 0);
    // With scratch memory for the words, and with too little.
    for (std::size_t const bytes : {team_fisher_yates_scratch_bytes(n), std::size_t{0}}) {
      ShuffleRows<Exec> const kernel{to_matrix<Exec>(cards(league_size * n), n),
                                     make_output<Exec, std::uint32_t>(league_size, n)};
      run_in_teams<std::uint64_t>(exec, n, bytes, kernel);
      results.add("cards", kernel.rows);
      results.add("permutations", kernel.permutations);
    }
  }
};

std::vector<std::uint64_t> sizes_of_teams() {
  return {0, 1, 2, 31, 32, 33, 1000, 1024, 1025, 2048};
}

Cases const cases{
    make_case<TeamSort<double, Ascending>>("team_sort_doubles", sizes_of_teams()),
    make_case<TeamSort<std::int16_t, Descending>>("team_sort_int16s", sizes_of_teams()),
    make_case<TeamSort<Card, BySuit>>("team_sort_cards_by_users_comparison", sizes_of_teams()),
    make_case<TeamSortByKey>("team_sort_by_key", sizes_of_teams()),
    make_case<TeamShuffle>("team_shuffles", sizes_of_teams()),
    make_case<TeamScan<Sum<std::uint64_t>>>("team_scan_of_uint64s", sizes_of_teams()),
    make_case<TeamScan<LastCard>>("team_scan_by_users_monoid", sizes_of_teams()),
};

}  // namespace
}  // namespace riffle::test::calls::teams_cases
