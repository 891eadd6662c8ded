#pragma once

// Sums and minima over the ranks, of lists of which all ranks have as many numbers.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/check_mpi.hpp>

namespace riffle::detail::mpi {

/// Calls reduce(first, count) for pieces of a list, since MPI counts in int.
template <class Reduce>
void in_pieces(std::size_t size, Reduce const& reduce) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  for (std::size_t begin = 0; begin < size; begin += piece) {
    reduce(begin, static_cast<int>(std::min(piece, size - begin)));
  }
}

/// Replaces each of the numbers by that over all ranks.
inline void reduce_over_ranks(riffle::mpi::Communicator const& comm, MPI_Op op,
                              std::vector<std::uint64_t>& numbers) {
  in_pieces(numbers.size(), [&](std::size_t first, int count) {
    check_mpi(
        MPI_Allreduce(MPI_IN_PLACE, numbers.data() + first, count, MPI_UINT64_T, op, comm.get()),
        "MPI_Allreduce");
  });
}

inline void sum_over_ranks(riffle::mpi::Communicator const& comm,
                           std::vector<std::uint64_t>& numbers) {
  reduce_over_ranks(comm, MPI_SUM, numbers);
}

inline std::uint64_t least_over_ranks(riffle::mpi::Communicator const& comm, std::uint64_t value) {
  std::vector<std::uint64_t> values{value};
  reduce_over_ranks(comm, MPI_MIN, values);
  return values[0];
}

inline std::vector<std::uint32_t> least_over_ranks(riffle::mpi::Communicator const& comm,
                                                   std::vector<std::uint32_t> const& values) {
  std::vector<std::uint64_t> least(values.begin(), values.end());
  reduce_over_ranks(comm, MPI_MIN, least);
  return {least.begin(), least.end()};
}

/// The same over the ranks before this one: of rank 0, the largest numbers.
inline std::vector<std::uint32_t> least_over_ranks_before(
    riffle::mpi::Communicator const& comm, std::vector<std::uint32_t> const& values) {
  std::vector<std::uint64_t> const own(values.begin(), values.end());
  std::vector<std::uint64_t> before(own.size());
  in_pieces(own.size(), [&](std::size_t first, int count) {
    check_mpi(MPI_Exscan(own.data() + first, before.data() + first, count, MPI_UINT64_T, MPI_MIN,
                         comm.get()),
              "MPI_Exscan");
  });
  // MPI leaves this undefined.
  if (comm.rank() == 0) std::fill(before.begin(), before.end(), ~std::uint32_t{0});
  return {before.begin(), before.end()};
}

}  // namespace riffle::detail::mpi
