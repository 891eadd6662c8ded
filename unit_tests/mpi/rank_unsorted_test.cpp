// Ranks of unsorted data over ranks are compared with the results of one device, bit by bit, and with the oracle.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_unsorted.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <typeinfo>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/rankings.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test::mpi_rank_unsorted_test {
namespace {

/// Calls use(rule) for a rule with an oracle, and for one that numbers the ties of a run.
template <class Use>
void for_rules_of_comparisons(Use const& use) {
  use(ties::Competition{});
  use(ties::Random{77});
}

/// Uses the default rule, one that counts runs, and one that numbers the ties of a run. rank_test.cpp has all rules for sorted
/// parts, which this ranking uses, too; full/mpi/rank_types_test.cpp has all rules for unsorted values.
void expect_doubles_ranked(mpi::Communicator const& comm, std::vector<double> const& values,
                           RankOptions<> const& options = {}) {
  auto const expect = [&]<class Rule>(Rule const& rule) {
    SCOPED_TRACE(typeid(Rule).name());
    expect_ranks<double>(comm, values, UnsortedRanking<Rule, Ascending>{rule, options});
  };
  expect(ties::Competition{});
  expect(ties::Dense{});
  expect(ties::Random{77});
}

TEST(MpiRankUnsorted, OfAnyNumberOfElements) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::size_t const n : {0, 1, 2, 3, 7, 20, 3000}) {
    // rank_errors_test.cpp also ranks integers by this rule.
    expect_ranks<int>(comm, std::vector<int>(n, 5),
                      UnsortedRanking<ties::Competition, Ascending>{{}, {}});
    expect_doubles_ranked(comm, random_values<double>(n));
    expect_doubles_ranked(comm, few_values<double>(n, 7));
  }
}

TEST(MpiRankUnsorted, SpecialNumbers) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::size_t const n : {1, 300}) {
    for (auto const& options : all_options()) {
      expect_doubles_ranked(comm, special_values<double>(n), options);
      expect_ranks<double>(comm, std::vector<double>(n, not_a_number),
                           UnsortedRanking<ties::Dense, Ascending>{{}, options});
    }
    for (auto const& options : all_options<Descending>()) {
      expect_ranks<double>(comm, special_values<double>(n),
                           UnsortedRanking<ties::ModifiedCompetition, Descending>{{}, options});
    }
    expect_ranks<int>(comm, special_values<double>(n),
                      UnsortedRanking<ties::Competition, Ascending>{
                          {}, RankOptions<>{{}, Missing::excluded, 0, false}});
  }
}

TEST(MpiRankUnsorted, ByAComparison) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::vector<Tagged> values;
  for (int const key : few_values<int>(2500, 60)) {
    values.push_back({key, static_cast<std::uint32_t>(values.size())});
  }
  for (auto const answers : {Answers::ascending, Answers::descending}) {
    RankOptions<TaggedOrder> const options{TaggedOrder{answers}};
    for_rules_of_comparisons([&]<class Rule>(Rule const& rule) {
      expect_ranks<double>(comm, values, UnsortedRanking<Rule, TaggedOrder>{rule, options});
    });
  }
}

TEST(MpiRankUnsorted, ByEveryTransfer) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_doubles_ranked(comm, few_values<double>(4001, 900));
  }
}

TEST(MpiRankUnsorted, InvalidComparisonsGiveSomeRanks) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::vector<Tagged> values;
  for (double const x : special_values<double>(3000)) values.push_back(std::bit_cast<Tagged>(x));
  for (auto const& counts : partitions_of(values.size(), comm.size())) {
    auto const own = part_of(values, counts, comm.rank());
    Array<double> const ranks("ranks", own.extent(0));
    for (auto const answers : {Answers::as_doubles, Answers::always}) {
      RankOptions<TaggedOrder> const options{TaggedOrder{answers}};
      for_rules_of_comparisons([&](auto const& rule) {
        mpi::rank_unsorted(Exec(), comm, own, ranks, rule, options);
        for (std::uint64_t i = 0; i < ranks.extent(0); ++i) {
          EXPECT_TRUE(1 <= ranks(i) && ranks(i) <= 3000);
        }
      });
    }
  }
}

}  // namespace
}  // namespace riffle::test::mpi_rank_unsorted_test
