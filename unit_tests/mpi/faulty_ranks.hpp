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

#include "mpi/partitioned_data.hpp"
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
inline void expect_all_to_all_works(mpi::Communicator const& comm) {
  detail::mpi::Shares const one(
      std::vector<std::uint64_t>(static_cast<std::size_t>(comm.size()), 1));
  std::vector<int> const from(one.total(), comm.rank());
  std::vector<int> to(one.total(), -1);
  detail::mpi::Redistribution<Exec> const exchange(comm, sizeof(int), one, one);
  exchange.run(Context<Exec>(Exec()), from.data(), to.data());
  Exec().fence();
  for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(to[static_cast<std::size_t>(r)], r);
}

/// The arguments of a call in which the rank `faulty_rank` passes a wrong argument.
struct ErrorCase {
  mpi::Communicator const& comm;
  int faulty_rank;
  Exec exec;
  Array<int> in{"in", per_rank};
  Array<int> out{"out", per_rank};

  ErrorCase(mpi::Communicator const& ranks, int faulty) : comm(ranks), faulty_rank(faulty) {
    Kokkos::deep_copy(out, untouched);
  }
  bool is_faulty() const { return comm.rank() == faulty_rank; }
};

/// Expects that all ranks throw this text for each faulty_rank rank; @ stands for its number.
template <class Exception = std::invalid_argument, class Call>
void expect_thrown_by_all(std::string const& pattern, Call const& call, int first_faulty = 0) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (int faulty_rank = first_faulty; faulty_rank < comm.size(); ++faulty_rank) {
    ErrorCase const error_case(comm, faulty_rank);
    std::string const text = thrown_message<Exception>([&] { call(error_case); });
    std::string expected;
    for (char const c : pattern)
      expected += c == '@' ? std::to_string(faulty_rank) : std::string(1, c);
    for (auto const& of_rank : of_all_ranks(text, MPI_COMM_WORLD)) {
      EXPECT_EQ(of_rank.find(expected), 0u) << of_rank << "\nis not\n" << expected;
    }
    for (std::uint64_t i = 0; i < per_rank; ++i) EXPECT_EQ(error_case.out(i), untouched);
    expect_all_to_all_works(comm);
  }
}

}  // namespace riffle::test
