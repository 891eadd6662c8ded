// Communicators, and the all-to-all that all calls use.

#include <riffle/mpi.hpp>
#include <riffle/mpi/detail/redistribution.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpi/partitioned_data.hpp"

namespace riffle::test::mpi_redistribution_test {
namespace {

/// The number of elements that `from` sends to `to`: 0 for some pairs, and more than a round can move for one.
std::uint64_t amount(int from, int to) {
  if ((from + to) % 3 == 1) return 0;
  return static_cast<std::uint64_t>(from == 0 && to == 1 ? 5000 : 1 + 7 * from + to);
}

std::uint32_t value(int from, int to, std::uint64_t i) {
  return static_cast<std::uint32_t>(1000000 * from + 100000 * to) + static_cast<std::uint32_t>(i);
}

TEST(MpiRedistribution, DeliversBlocksOfAllRanks) {
  Exec const exec;
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    detail::mpi::Shares sent(comm.size());
    detail::mpi::Shares received(comm.size());
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> expected;
    for (int r = 0; r < comm.size(); ++r) {
      sent[r] = amount(comm.rank(), r);
      received[r] = amount(r, comm.rank());
      for (std::uint64_t i = 0; i < sent[r]; ++i) from.push_back(value(comm.rank(), r, i));
      for (std::uint64_t i = 0; i < received[r]; ++i) expected.push_back(value(r, comm.rank(), i));
    }
    std::vector<std::uint32_t> to(expected.size());
    detail::mpi::Redistribution<Exec> const exchange(comm, sizeof(std::uint32_t), sent, received);
    exchange.run(Context<Exec>(exec), from.data(), to.data());
    exec.fence();
    EXPECT_EQ(to, expected);
  }
}

TEST(MpiRedistribution, RoundsOfOneByte) {
  Exec const exec;
  mpi::Communicator const comm(MPI_COMM_WORLD, transfers(mpi::Transport::staged, 1));
  detail::mpi::Shares const shares(
      std::vector<std::uint64_t>(static_cast<std::size_t>(comm.size()), 3));
  std::vector<char> from(shares.total(), static_cast<char>('a' + comm.rank()));
  std::vector<char> to(shares.total());
  detail::mpi::Redistribution<Exec> const exchange(comm, 1, shares, shares);
  exchange.run(Context<Exec>(exec), from.data(), to.data());
  exec.fence();
  for (std::size_t i = 0; i < to.size(); ++i) EXPECT_EQ(to[i], static_cast<char>('a' + i / 3));
}

TEST(MpiCommunicator, DuplicatesAndMoves) {
  mpi::Communicator first(MPI_COMM_WORLD);
  int compared = MPI_UNEQUAL;
  MPI_Comm_compare(first.get(), MPI_COMM_WORLD, &compared);
  EXPECT_EQ(compared, MPI_CONGRUENT);
  mpi::Communicator second(std::move(first));
  EXPECT_TRUE(first.get() == MPI_COMM_NULL);  // NOLINT(bugprone-use-after-move)
  first = std::move(second);
  int rank = -1;
  MPI_Comm_rank(first.get(), &rank);
  EXPECT_EQ(rank, first.rank());
}

TEST(MpiCommunicator, RejectsTheNullCommunicator) {
  EXPECT_THROW(mpi::Communicator(MPI_COMM_NULL), std::invalid_argument);
}

TEST(MpiCommunicator, ReturnsErrors) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  try {
    detail::mpi::check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, comm.size(), 0, comm.get()), "MPI_Send");
    ADD_FAILURE() << "there is no such rank";
  } catch (std::runtime_error const& error) {
    EXPECT_EQ(std::string(error.what()).find("riffle::mpi: MPI_Send: "), 0u) << error.what();
  }
}

TEST(MpiBlocks, FollowEachOther) {
  for (std::uint64_t const n :
       {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1000}, std::uint64_t{1} << 63}) {
    for (int const ranks : {1, 3, 8, 4096}) {
      std::uint64_t next = 0;
      for (int r = 0; r < ranks; ++r) {
        mpi::BlockRange const block = mpi::block_of(n, r, ranks);
        EXPECT_EQ(block.first, next);
        EXPECT_LE(block.count, n / static_cast<std::uint64_t>(ranks) + 1);
        next += block.count;
      }
      EXPECT_EQ(next, n);
    }
  }
  EXPECT_EQ(mpi::block_of(10, 2, 4).first, 5u);
  EXPECT_THROW(mpi::block_of(10, 4, 4), std::invalid_argument);
}

}  // namespace
}  // namespace riffle::test::mpi_redistribution_test
