#pragma once

// Calls in which one rank, each in turn, passes a wrong argument; all ranks must throw.

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <riffle/mpi.hpp>
#include <riffle/mpi/detail/redistribution.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/ranks.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test {

inline constexpr std::uint64_t same_seed = 1906;
inline constexpr std::uint64_t per_rank = 10;
inline constexpr int untouched = -1;

inline std::vector<std::string> of_all_ranks(std::string text, MPI_Comm comm) {
  constexpr std::size_t longest = 400;
  int size = 0;
  MPI_Comm_size(comm, &size);
  text.resize(longest, '\0');
  std::string all(longest * static_cast<std::size_t>(size), '\0');
  MPI_Allgather(text.data(), longest, MPI_CHAR, all.data(), longest, MPI_CHAR, comm);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += longest) texts.emplace_back(all.data() + at);
  return texts;
}

/// Expects that an all-to-all over the communicator works: no rank waits in another call, and no message is pending.
inline void expect_at_one_place(mpi::Communicator const& comm) {
  detail::mpi::Shares const one(
      std::vector<std::uint64_t>(static_cast<std::size_t>(comm.size()), 1));
  std::vector<int> const from(one.total(), comm.rank());
  std::vector<int> to(one.total(), -1);
  detail::mpi::Redistribution<Exec> const exchange(comm, sizeof(int), one, one);
  exchange.run(Context<Exec>(Exec()), from.data(), to.data());
  Exec().fence();
  for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(to[static_cast<std::size_t>(r)], r);
}

/// The arguments of a call in which the rank `guilty` passes a wrong argument.
struct Scene {
  mpi::Communicator const& comm;
  int guilty;
  Exec exec;
  Array<int> in{"in", per_rank};
  Array<int> out{"out", per_rank};

  Scene(mpi::Communicator const& ranks, int guilty_rank) : comm(ranks), guilty(guilty_rank) {
    Kokkos::deep_copy(out, untouched);
  }
  bool is_guilty() const { return comm.rank() == guilty; }
};

/// Expects that all ranks throw this text for each guilty rank; @ stands for its number.
template <class Exception = std::invalid_argument, class Call>
void expect_thrown_by_all(std::string const& pattern, Call const& call, int first_guilty = 0) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (int guilty = first_guilty; guilty < comm.size(); ++guilty) {
    Scene const scene(comm, guilty);
    std::string const text = thrown_message<Exception>([&] { call(scene); });
    std::string expected;
    for (char const c : pattern) expected += c == '@' ? std::to_string(guilty) : std::string(1, c);
    for (auto const& of_rank : of_all_ranks(text, MPI_COMM_WORLD)) {
      EXPECT_EQ(of_rank.find(expected), 0u) << of_rank << "\nis not\n" << expected;
    }
    for (std::uint64_t i = 0; i < per_rank; ++i) EXPECT_EQ(scene.out(i), untouched);
    expect_at_one_place(comm);
  }
}

}  // namespace riffle::test
