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

/// Counts the places that break what defines a rule's ranks, of a neighbour or of the place itself. Ranks
/// without such a place are right everywhere, by induction.
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

  // Twice the mean less the first is the last ordinal rank of the ties: there they must end.
  KOKKOS_FUNCTION bool is_right(riffle::ties::Fractional, std::uint64_t i) const {
    if (!is_first_of_ties(i)) return ranks(i) == ranks(i - 1);
    double const last = 2 * ranks(i) - ordinal(i);
    if (!(last >= ordinal(i) && last <= static_cast<double>(n))) return false;
    auto const end = static_cast<std::uint64_t>(last);
    return static_cast<double>(end) == last && values(end - 1) == values(i) &&
           is_last_of_ties(end - 1);
  }
};

/// What is wrong with `ranks` as those of sorted values by the rule; nothing where the text is empty.
template <class Rule, class Rank>
std::string rank_error(Exec const& exec, Values const& values, Ranks<Rank> const& ranks) {
  std::uint64_t const n = values.extent(0);
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_rank_errors", range(exec, n),
                          CountRankErrors<Rule, Rank>{values, ranks, n}, wrong);
  return wrong == 0 ? "" : "not these ranks: " + std::to_string(wrong) + " are wrong";
}

}  // namespace perf
