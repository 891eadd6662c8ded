#pragma once

// For tests of rankings over ranks: data for all ranks, ranked by one device and by ranks.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/ranking_rules.hpp"
#include "mpi/tagged_order.hpp"
#include "support/rank_oracle.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// All partitions, and random ones in which most ranks have no element or one.
inline std::vector<Counts> partitions_of(std::uint64_t n, int ranks) {
  auto all = partitions(n, ranks);
  std::mt19937_64 generator(n);
  for (int trial = 0; trial < 3 && ranks > 1; ++trial) {
    Counts counts(static_cast<std::size_t>(ranks), 0);
    std::uint64_t left = n;
    for (auto& count : counts) {
      std::uint64_t const wanted[] = {0, 1, left / 2, n / 4};
      count = std::min(left, wanted[generator() % 4]);
      left -= count;
    }
    counts[generator() % counts.size()] += left;
    all.push_back(counts);
  }
  return all;
}

template <class Rank>
bool same_bits(std::vector<Rank> const& a, std::vector<Rank> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Rank)) == 0);
}

/// Whether the oracle defines the rule.
template <class Rule>
inline constexpr bool has_oracle = !std::is_same_v<Rule, ties::Random>;

template <class Order>
RankOracleOptions for_oracle(RankOptions<Order> const& options) {
  return {options.missing == Missing::excluded, options.first, options.relative};
}

/// Compares the ranking over ranks with the one on one device, and this with the oracle.
template <class Rank, class T, class Ranking>
void expect_ranks(mpi::Communicator const& comm, std::vector<T> const& values,
                  Ranking const& ranking) {
  std::uint64_t const n = values.size();
  Array<T> const all = part_of(values, {n}, 0);
  Array<Rank> const one("one", n);
  ranking.on_one_device(all, one);
  auto const expected = to_vector(one);
  if constexpr (requires { ranking.oracle(values); }) {
    EXPECT_TRUE(same_ranks(expected, ranking.oracle(values))) << "on one device";
  }
  for (auto const& counts : partitions_of(n, comm.size())) {
    auto const own = part_of(values, counts, comm.rank());
    Array<Rank> const ranks("ranks", own.extent(0));
    ranking.over_ranks(comm, own, ranks);
    EXPECT_TRUE(same_bits(to_vector(ranks), expected_part(expected, counts, comm.rank())))
        << "n = " << n << ", here " << own.extent(0);
    EXPECT_TRUE(same_bits(to_vector(own), expected_part(values, counts, comm.rank())))
        << "the data have changed";
  }
}

template <class Rule, class Order, class Method>
struct SortedRanking {
  Rule rule;
  RankOptions<Order> options;
  Method method;

  void on_one_device(auto const& in, auto const& out) const {
    rank(Exec(), in, out, rule, options, method);
  }
  void over_ranks(mpi::Communicator const& comm, auto const& in, auto const& out) const {
    mpi::rank(Exec(), comm, in, out, rule, options, method);
  }
  template <class T>
  std::vector<double> oracle(std::vector<T> const& values) const requires(has_oracle<Rule>) {
    return rank_oracle(values, rule, for_oracle(options), options.order);
  }
};

template <class Rule, class Order>
struct UnsortedRanking {
  Rule rule;
  RankOptions<Order> options;

  void on_one_device(auto const& in, auto const& out) const {
    rank_unsorted(Exec(), in, out, rule, options);
  }
  void over_ranks(mpi::Communicator const& comm, auto const& in, auto const& out) const {
    mpi::rank_unsorted(Exec(), comm, in, out, rule, options);
  }
  template <class T>
  std::vector<double> oracle(std::vector<T> const& values) const requires(has_oracle<Rule>) {
    return unsorted_rank_oracle(values, rule, for_oracle(options), options.order,
                                options.missing == Missing::first);
  }
};

template <class Rank, class T, class Order = Ascending, class Method = DefaultRanking>
void expect_sorted_ranks(mpi::Communicator const& comm, std::vector<T> const& values,
                         RankOptions<Order> const& options = {}, Method const& method = {}) {
  for_each_rule<Rank>([&]<class Rule>(Rule const& rule) {
    SCOPED_TRACE(typeid(Rule).name());
    expect_ranks<Rank>(comm, values, SortedRanking<Rule, Order, Method>{rule, options, method});
  });
}

template <class Rank, class T, class Order = Ascending>
void expect_unsorted_ranks(mpi::Communicator const& comm, std::vector<T> const& values,
                           RankOptions<Order> const& options = {}) {
  for_each_rule<Rank>([&]<class Rule>(Rule const& rule) {
    SCOPED_TRACE(typeid(Rule).name());
    expect_ranks<Rank>(comm, values, UnsortedRanking<Rule, Order>{rule, options});
  });
}

// Two rules only, since each type and order takes long to compile.

template <class Rank, class T, class Order = Ascending>
void expect_some_sorted_ranks(mpi::Communicator const& comm, std::vector<T> const& values,
                              RankOptions<Order> const& options = {}) {
  for_two_rules([&]<class Rule>(Rule const& rule) {
    expect_ranks<Rank>(comm, values, SortedRanking<Rule, Order, DefaultRanking>{rule, options, {}});
  });
}

template <class Rank, class T, class Order = Ascending>
void expect_some_unsorted_ranks(mpi::Communicator const& comm, std::vector<T> const& values,
                                RankOptions<Order> const& options = {}) {
  for_two_rules([&]<class Rule>(Rule const& rule) {
    expect_ranks<Rank>(comm, values, UnsortedRanking<Rule, Order>{rule, options});
  });
}

/// All combinations of the treatment of NaNs, the first rank, and relative ranks.
template <class Order = Ascending>
std::vector<RankOptions<Order>> all_options() {
  std::vector<RankOptions<Order>> all;
  for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
    for (bool const is_relative : {false, true}) {
      all.push_back({{}, missing, is_relative ? 0 : 1, is_relative});
    }
  }
  return all;
}

}  // namespace riffle::test
