// Rankings over ranks of the model: results with the bits of one device, and the traffic of each rank.

#include <riffle/mpi.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_unsorted.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mpi_model/expected_traffic.hpp"
#include "support/model_mpi/model_ranks.hpp"

namespace riffle::test::mpi_model_ranks_test {
namespace {

using namespace mpi_model;

std::uint64_t const n = 200003;

/// The bytes of run_collectively(), for the communicator, the call and its memory.
constexpr std::uint64_t bytes_to_agree = 8 * 33;
constexpr std::uint64_t bytes_of_extents = 16;
/// Five numbers and two values for the boundaries of a part.
constexpr std::uint64_t bytes_of_part = 40 + 2 * sizeof(double);

/// Sorted data with runs of ties of all lengths, within a rank and over several ranks.
Array<double> sorted_with_ties() {
  Array<double> const all("all", n);
  for (std::uint64_t i = 0; i < n; ++i) {
    all(i) = static_cast<double>(i < n / 3 ? i / 3 : i < 2 * n / 3 ? n : n + i / 5000);
  }
  return all;
}

template <class Rule>
void expect_few_words(Rule const& rule) {
  auto const all = sorted_with_ties();
  Array<double> const ranked("ranked", n);
  rank(Exec(), all, ranked, rule);
  for (int const ranks : {1, 2, 3, 7, 64, 255, 1024, 4096}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int own) {
      auto const sorted = block_of_all(all, own, ranks);
      Array<double> const out("out", sorted.extent(0));
      mpi::rank(Exec(), mpi::Communicator(MPI_COMM_WORLD), sorted, out, rule);
      right += is_part(out, ranked, own, ranks);
    });
    EXPECT_EQ(right, ranks);
    std::uint64_t const of_part = ranks == 1 ? 0 : bytes_of_part;
    std::uint64_t wrong = 0;
    for (int r = 0; r < ranks; ++r) {
      auto const& traffic = model.traffic(r);
      wrong += traffic.messages != 0;
      // 2 of the communicator, 2 to agree on the call and on memory, the extents, and the boundaries of parts.
      wrong += traffic.collectives != (ranks == 1 ? 5u : 6u);
      wrong += traffic.collective_bytes != 3 * bytes_to_agree + bytes_of_extents + of_part;
    }
    EXPECT_EQ(wrong, 0u) << model.traffic(0).collectives << " collectives, "
                         << model.traffic(0).collective_bytes << " bytes";
  }
}

TEST(MpiModelRanks, SortedElementsAreNotSent) {
  expect_few_words(ties::Fractional{});
  expect_few_words(ties::Dense{});
  expect_few_words(ties::Ordinal{});
}

TEST(MpiModelRanks, AnElementIsSentOnceAndItsRankOnce) {
  auto const all = values_with_ties(n);
  auto const order = stable_order(all);
  Array<std::uint32_t> const ranked("ranked", n);
  rank_unsorted(Exec(), all, ranked, ties::ModifiedCompetition{});
  for (int const ranks : {1, 2, 3, 16, 64, 256}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int own) {
      auto const data = block_of_all(all, own, ranks);
      Array<std::uint32_t> const out("out", data.extent(0));
      mpi::rank_unsorted(Exec(), mpi::Communicator(MPI_COMM_WORLD), data, out,
                         ties::ModifiedCompetition{});
      right += is_part(out, ranked, own, ranks);
    });
    EXPECT_EQ(right, ranks);
    ExpectedTraffic const expected(order, ranks);
    std::uint64_t const rounds = ranks == 1 ? 0 : rounds_of_samples(n, samples_per_run(ranks));
    // The collectives of a sort, and the boundaries of parts.
    std::uint64_t const fewest = ranks == 1 ? 5 : 8;
    std::uint64_t wrong = 0;
    for (int r = 0; r < ranks; ++r) {
      auto const& traffic = model.traffic(r);
      wrong += traffic.messages != expected.messages(r) + expected.senders(r);
      wrong += traffic.bytes_sent !=
               sizeof(double) * expected.sent(r) + sizeof(std::uint32_t) * expected.received(r);
      wrong += traffic.bytes_received !=
               sizeof(double) * expected.received(r) + sizeof(std::uint32_t) * expected.sent(r);
      wrong += traffic.rounds > 2;
      wrong += (traffic.collectives - fewest) % 3 != 0;
      wrong += traffic.collectives > fewest + 3 * rounds;
    }
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace riffle::test::mpi_model_ranks_test
