#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/rank/ties.hpp>

#include "support/exec.hpp"
#include "support/recurring_values.hpp"

namespace perf {

template <class Rank>
using Ranks = Kokkos::View<Rank*, Exec>;

/// Counts the places that break the definition of a rule's ranks by neighbours or by the place itself. If there is none, all ranks
/// are right, by induction.
template <class Rule, class Rank>
struct CountRankErrors {
  Values values;
  Ranks<Rank> ranks;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    if (!is_right(Rule{}, i)) ++wrong;
  }

 private:
  KOKKOS_FUNCTION bool is_first_of_ties(std::uint64_t i) const {
    return i == 0 || values(i - 1) != values(i);
  }
  KOKKOS_FUNCTION bool is_last_of_ties(std::uint64_t i) const {
    return i + 1 == n || values(i) != values(i + 1);
  }

  KOKKOS_FUNCTION static Rank ordinal(std::uint64_t i) { return static_cast<Rank>(i + 1); }

  KOKKOS_FUNCTION bool is_right(riffle::ties::Competition, std::uint64_t i) const {
    return ranks(i) == (is_first_of_ties(i) ? ordinal(i) : ranks(i - 1));
  }

  KOKKOS_FUNCTION bool is_right(riffle::ties::ModifiedCompetition, std::uint64_t i) const {
    return ranks(i) == (is_last_of_ties(i) ? ordinal(i) : ranks(i + 1));
  }

  KOKKOS_FUNCTION bool is_right(riffle::ties::Dense, std::uint64_t i) const {
    if (i == 0) return ranks(i) == 1;
    return ranks(i) == ranks(i - 1) + (is_first_of_ties(i) ? 1 : 0);
  }

  KOKKOS_FUNCTION bool is_right(riffle::ties::Ordinal, std::uint64_t i) const {
    return ranks(i) == ordinal(i);
  }

  // Twice the mean minus the first rank is the last ordinal rank of the ties, where they must end.
  KOKKOS_FUNCTION bool is_right(riffle::ties::Fractional, std::uint64_t i) const {
    if (!is_first_of_ties(i)) return ranks(i) == ranks(i - 1);
    double const last = 2 * ranks(i) - ordinal(i);
    if (!(last >= ordinal(i) && last <= static_cast<double>(n))) return false;
    auto const end = static_cast<std::uint64_t>(last);
    return static_cast<double>(end) == last && values(end - 1) == values(i) &&
           is_last_of_ties(end - 1);
  }
};

/// Checks `ranks` of sorted values by the rule. Returns the error, or an empty text.
template <class Rule, class Rank>
std::string rank_error(Exec const& exec, Values const& values, Ranks<Rank> const& ranks) {
  std::uint64_t const n = values.extent(0);
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_rank_errors", range(exec, n),
                          CountRankErrors<Rule, Rank>{values, ranks, n}, wrong);
  return wrong == 0 ? "" : "wrong ranks: " + std::to_string(wrong);
}

}  // namespace perf
