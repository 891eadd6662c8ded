#pragma once

// Which rules of ranking the tests over ranks use.

#include <riffle/rank/ties.hpp>

#include <type_traits>

namespace riffle::test {

/// use(rule) for all rules, or for all that give integers.
template <class Rank, class Use>
void for_each_rule(Use const& use) {
  use(ties::Competition{});
  use(ties::ModifiedCompetition{});
  use(ties::Dense{});
  use(ties::Ordinal{});
  use(ties::Random{77});
  if constexpr (std::is_floating_point_v<Rank>) use(ties::Fractional{});
}

/// Those of which one needs where runs end, and one how many there are.
template <class Use>
void for_two_rules(Use const& use) {
  use(ties::ModifiedCompetition{});
  use(ties::Dense{});
}

}  // namespace riffle::test
