#pragma once

// Checks ranks of unsorted data without a sort. Elements with the same rank form a group. If
//   1. the elements of a group have the same value,
//   2. groups with greater ranks have greater values, and
//   3. the rank of each group follows from the rule and the sizes of this group and the groups before it,
// then the groups are the runs of ties in order, and all ranks are right.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/rank/ties.hpp>

#include "support/exec.hpp"
#include "support/unsorted_values.hpp"

namespace perf {

/// The groups, indexed by twice the rank, counted from 0, which is an integer for fractional ranks, too.
struct RankGroups {
  Kokkos::View<std::uint32_t*, Exec> sizes;
  Kokkos::View<double*, Exec> values;  // the value of any element of the group
};

template <class Rank>
KOKKOS_FUNCTION double place_of(Rank rank) {
  return 2 * (static_cast<double>(rank) - 1);
}

/// Collects the groups, and counts invalid ranks.
template <class Rank>
struct GatherRankGroups {
  UnsortedValues values;
  Kokkos::View<Rank*, Exec> ranks;
  RankGroups groups;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    double const number = place_of(ranks(i));
    // Negated, so that NaN counts as invalid.
    if (!(number >= 0 && number < static_cast<double>(groups.sizes.extent(0)))) {
      ++wrong;
      return;
    }
    auto const place = static_cast<std::uint64_t>(number);
    if (static_cast<double>(place) != number) ++wrong;
    Kokkos::atomic_inc(&groups.sizes(place));
    Kokkos::atomic_store(&groups.values(place), values(i));
  }
};

/// Counts the elements whose value differs from the value of their group.
template <class Rank>
struct CountStrangers {
  UnsortedValues values;
  Kokkos::View<Rank*, Exec> ranks;
  RankGroups groups;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    if (groups.values(static_cast<std::uint64_t>(place_of(ranks(i)))) != values(i)) ++wrong;
  }
};

/// places(g) is the index of the g-th group.
struct ListPlaces {
  RankGroups groups;
  Kokkos::View<std::uint64_t*, Exec> places;

  KOKKOS_FUNCTION void operator()(std::uint64_t place, std::uint64_t& listed, bool is_final) const {
    if (groups.sizes(place) == 0) return;
    if (is_final) places(listed) = place;
    ++listed;
  }
};

/// Counts the groups whose rank does not follow from the group before them.
template <class Rule>
struct CountMisplacedGroups {
  RankGroups groups;
  Kokkos::View<std::uint64_t*, Exec> places;

  KOKKOS_FUNCTION void operator()(std::uint64_t g, std::uint64_t& wrong) const {
    bool const has_greater_value =
        g == 0 || groups.values(places(g - 1)) < groups.values(places(g));
    if (!has_greater_value || !is_in_place(Rule{}, g)) ++wrong;
  }

 private:
  KOKKOS_FUNCTION std::int64_t place(std::uint64_t g) const {
    return static_cast<std::int64_t>(places(g));
  }
  KOKKOS_FUNCTION std::int64_t size(std::uint64_t g) const { return groups.sizes(places(g)); }

  KOKKOS_FUNCTION bool is_in_place(riffle::ties::Competition, std::uint64_t g) const {
    return place(g) == (g == 0 ? 0 : place(g - 1) + 2 * size(g - 1));
  }

  KOKKOS_FUNCTION bool is_in_place(riffle::ties::Dense, std::uint64_t g) const {
    return place(g) == 2 * static_cast<std::int64_t>(g);
  }

  // The mean of the ordinal ranks from `start` on is start + (size - 1) / 2.
  KOKKOS_FUNCTION bool is_in_place(riffle::ties::Fractional, std::uint64_t g) const {
    auto const twice_start = [this](std::uint64_t h) { return place(h) - (size(h) - 1); };
    return twice_start(g) == (g == 0 ? 0 : twice_start(g - 1) + 2 * size(g - 1));
  }
};

/// Ranks by a rule.
template <class Rule, class Rank>
struct RankAnswer {
  using Item = Rank;

  /// Checks `ranks` of the values. Returns the error, or an empty text.
  static std::string error(Exec const& exec, UnsortedValues const& values,
                           Kokkos::View<Rank*, Exec> const& ranks) {
    std::uint64_t const n = values.extent(0);
    RankGroups const groups{
        Kokkos::View<std::uint32_t*, Exec>(Kokkos::view_alloc(exec, "perf::sizes"), 2 * n),
        allocate<double>(exec, "perf::group_values", 2 * n)};
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::gather_rank_groups", range(exec, n),
                            GatherRankGroups<Rank>{values, ranks, groups}, wrong);
    if (wrong > 0) return "wrong ranks: invalid: " + std::to_string(wrong);
    Kokkos::parallel_reduce("perf::count_strangers", range(exec, n),
                            CountStrangers<Rank>{values, ranks, groups}, wrong);
    if (wrong > 0)
      return "wrong ranks: elements whose value differs from their group: " + std::to_string(wrong);
    wrong = count_misplaced(exec, groups, n);
    return wrong == 0 ? "" : "wrong ranks: misplaced groups: " + std::to_string(wrong);
  }

 private:
  static std::uint64_t count_misplaced(Exec const& exec, RankGroups const& groups,
                                       std::uint64_t n) {
    auto const places = allocate<std::uint64_t>(exec, "perf::places", n);
    std::uint64_t count = 0;
    Kokkos::parallel_scan("perf::list_places", range(exec, groups.sizes.extent(0)),
                          ListPlaces{groups, places}, count);
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::count_misplaced_groups", range(exec, count),
                            CountMisplacedGroups<Rule>{groups, places}, wrong);
    return wrong;
  }
};

}  // namespace perf
