#pragma once

// Ranks of unsorted data, compared with a sort and ranks by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/rank_oracle.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test {

struct Particle {
  float energy;
  int id;
};

struct HigherEnergy {
  KOKKOS_FUNCTION bool operator()(Particle const& a, Particle const& b) const {
    return a.energy > b.energy;
  }
};

/// Particles with these energies, numbered by id.
inline std::vector<Particle> particles_of(std::vector<float> const& energies) {
  std::vector<Particle> particles;
  for (float const energy : energies) {
    particles.push_back({energy, static_cast<int>(particles.size())});
  }
  return particles;
}

/// Data and their sorted order, which is computed once for all rules.
template <class T, class Before>
struct Ordered {
  std::vector<T> data;
  Before is_before;
  std::vector<std::size_t> order;

  Ordered(std::vector<T> const& values, Before const& before, bool has_nans_first)
      : data(values), is_before(before), order(order_oracle(values, before, has_nans_first)) {}

  template <class Rule>
  std::vector<double> ranks(Rule const& rule, RankOracleOptions const& options) const {
    return ranks_by_order(data, order, rule, options, is_before);
  }
};

template <class Exec>
class RankUnsortedBase : public ::testing::Test {
 protected:
  template <class Rank, class T, class Rule, class Order, class Before>
  void expect_ranks(Ordered<T, Before> const& expected, Rule const& rule,
                    RankOptions<Order> const& options) {
    auto const ranks = to_view<Exec>(std::vector<Rank>(expected.data.size(), Rank(77)));
    riffle::rank_unsorted(Context(exec, workspace), to_view<Exec>(expected.data), ranks, rule,
                          options);
    exec.fence();
    EXPECT_TRUE(
        same_ranks(to_vector(ranks), expected.ranks(rule, {options.missing == Missing::excluded,
                                                           options.first, options.relative})));
  }

  template <class Rank, class T, class Rule, class Order, class Before>
  void expect_ranks(std::vector<T> const& data, Rule const& rule, RankOptions<Order> const& options,
                    Before const& is_before) {
    expect_ranks<Rank>(Ordered(data, is_before, options.missing == Missing::first), rule, options);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};

}  // namespace riffle::test
