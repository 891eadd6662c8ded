// Tests the search for the places that cut sorted runs, without ranks.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/sorts.hpp"

namespace riffle::test::mpi_cuts_test {
namespace {

using SortedRun = std::vector<int>;

/// The number of elements of each run among the first `target` elements of all runs.
Counts cut_of(std::vector<SortedRun> const& runs, std::uint64_t target) {
  std::vector<std::pair<int, std::size_t>> all;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (int const key : runs[r]) all.emplace_back(key, r);
  }
  std::sort(all.begin(), all.end());
  Counts counts(runs.size(), 0);
  for (std::uint64_t i = 0; i < target; ++i) ++counts[all[i].second];
  return counts;
}

/// The sorted order of the samples of all runs.
std::vector<std::uint32_t> order_of(std::vector<SortedRun> const& runs,
                                    std::vector<detail::mpi::BracketSamples> const& samples) {
  std::vector<int> keys;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::uint64_t k = 0; k < samples[r].count(); ++k) {
      keys.push_back(runs[r][samples[r].place(k)]);
    }
  }
  std::vector<std::uint32_t> order;
  for (auto const i : stable_order(keys, Ascending{}))
    order.push_back(static_cast<std::uint32_t>(i));
  return order;
}

void expect_cut(std::vector<SortedRun> const& runs, std::uint64_t target, std::uint64_t most) {
  std::vector<detail::mpi::Bracket> brackets;
  for (auto const& run : runs) brackets.push_back({0, run.size()});
  detail::mpi::CutSearch search(target, brackets);
  while (search.undecided() > 0) {
    std::uint64_t const undecided = search.undecided();
    auto const samples = search.samples(most);
    ASSERT_TRUE(search.narrow(samples, order_of(runs, samples)));
    // The bound of brackets.hpp for each round.
    ASSERT_LE(search.undecided(), 4 * undecided / most + 2);
  }
  Counts found;
  for (auto const& bracket : search.brackets()) found.push_back(bracket.low);
  EXPECT_EQ(found, cut_of(runs, target)) << "target = " << target;
}

TEST(MpiCuts, AreExactForRunsOfAnyKind) {
  std::mt19937 generator(24);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<SortedRun> runs(1 + generator() % 9);
    int const values = trial % 3 == 0 ? 2 : trial % 3 == 1 ? 50 : 1000000;
    std::uint64_t n = 0;
    for (auto& run : runs) {
      run.resize(generator() % 4 == 0 ? generator() % 5 : generator() % 3000);
      int const shift = static_cast<int>(generator() % 3) * values / 2;
      for (int& key : run) key = shift + static_cast<int>(generator()) % values;
      std::sort(run.begin(), run.end());
      n += run.size();
    }
    for (std::uint64_t const target : {std::uint64_t{0}, n / 7, n / 2, n - n / 5, n}) {
      expect_cut(runs, target, 16);
      expect_cut(runs, target, 100);
    }
  }
}

TEST(MpiCuts, AreRejectedIfOneRankIsOutOfOrder) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  int const ranks = comm.size();
  auto const partition = detail::mpi::Partition(Counts(static_cast<std::size_t>(ranks), 5));
  // Each rank has five elements. It sends them to rank 0, or keeps them if a rank's cuts are invalid.
  for (int faulty_rank = 0; faulty_rank <= ranks; ++faulty_rank) {
    Counts places(static_cast<std::size_t>(ranks), 5);
    places[0] = comm.rank() == faulty_rank ? 6 : 0;
    auto const shares = detail::mpi::shares_between(comm, places, partition, partition, 16);
    bool const has_cuts = faulty_rank == ranks;
    for (int r = 0; r < ranks; ++r) {
      bool const is_kept = r == comm.rank();
      EXPECT_EQ(shares.sent[r], (has_cuts ? r == 0 : is_kept) ? 5u : 0u);
      EXPECT_EQ(shares.received[r], (has_cuts ? comm.rank() == 0 : is_kept) ? 5u : 0u);
    }
  }
}

TEST(MpiCuts, BeginTransfersAtGranules) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  int const ranks = comm.size();
  auto const size = static_cast<std::size_t>(ranks);
  constexpr std::uint64_t granule = 16;
  // Rank s cuts its 100 P elements at 100 r + (7 s mod 50) for rank r > 0, and at 0 for rank 0.
  auto const cut = [&](int s, int r) -> std::uint64_t {
    if (r == 0) return 0;
    return static_cast<std::uint64_t>(r == ranks ? 100 * ranks : 100 * r + 7 * s % 50);
  };
  detail::mpi::Partition const partition(Counts(size, 100 * size));
  Counts places;
  for (int r = 0; r < ranks; ++r) places.push_back(cut(comm.rank(), r));
  auto const shares = detail::mpi::shares_between(comm, places, partition, partition, granule);
  auto const sent = shares.sent.starts();
  auto const received = shares.received.starts();
  std::uint64_t end = 0;
  for (int r = 0; r < ranks; ++r) {
    auto const k = static_cast<std::size_t>(r);
    EXPECT_EQ(sent[k], places[k] / granule * granule);
    EXPECT_EQ(sent[k] + shares.sent[r], cut(comm.rank(), r + 1));
    EXPECT_EQ(received[k] % granule, 0u);
    EXPECT_GE(received[k], end);
    end = received[k] + shares.received[r];
    std::uint64_t const lead = cut(r, comm.rank()) % granule;
    EXPECT_EQ(shares.runs[k].first, received[k] + lead);
    EXPECT_EQ(shares.runs[k].size(), cut(r, comm.rank() + 1) - cut(r, comm.rank()));
    EXPECT_EQ(shares.runs[k].last, end);
  }
  EXPECT_EQ(shares.received.end(), end);
}

TEST(MpiCuts, RejectSamplesOutOfOrder) {
  detail::mpi::CutSearch search(3, {{0, 4}, {0, 2}});
  auto const samples = search.samples(16);
  EXPECT_FALSE(search.narrow(samples, std::vector<std::uint32_t>{1, 0, 2, 3, 4, 5}));
  EXPECT_EQ(search.undecided(), 6u) << "nothing is known";
  EXPECT_TRUE(search.narrow(samples, std::vector<std::uint32_t>{0, 4, 1, 5, 2, 3}));
  EXPECT_EQ(search.brackets()[0].low, 2u);
  EXPECT_EQ(search.brackets()[1].low, 1u);
  EXPECT_EQ(search.undecided(), 0u);
}

}  // namespace
}  // namespace riffle::test::mpi_cuts_test
