#pragma once

// The rules of ranking that tests over ranks use.

#include <riffle/rank/ties.hpp>

#include <type_traits>

namespace riffle::test {

/// Calls use(rule) for all rules; for an integral Rank, for all with integral ranks.
template <class Rank, class Use>
void for_each_rule(Use const& use) {
  use(ties::Competition{});
  use(ties::ModifiedCompetition{});
  use(ties::Dense{});
  use(ties::Ordinal{});
  use(ties::Random{77});
  if constexpr (std::is_floating_point_v<Rank>) use(ties::Fractional{});
}

/// Calls use(rule) for a rule that needs run boundaries and for one that needs the number of runs.
template <class Use>
void for_two_rules(Use const& use) {
  use(ties::ModifiedCompetition{});
  use(ties::Dense{});
}

}  // namespace riffle::test
