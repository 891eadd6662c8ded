#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/check_mpi.hpp>

namespace riffle::detail::mpi {

/// Replaces each of the numbers, of which all ranks have as many, by its sum over the ranks.
inline void sum_over_ranks(riffle::mpi::Communicator const& comm,
                           std::vector<std::uint64_t>& numbers) {
  // In pieces, since MPI counts in int.
  constexpr std::size_t piece = std::size_t{1} << 24;
  for (std::size_t begin = 0; begin < numbers.size(); begin += piece) {
    auto const size = static_cast<int>(std::min(piece, numbers.size() - begin));
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, numbers.data() + begin, size, MPI_UINT64_T, MPI_SUM,
                            comm.get()),
              "MPI_Allreduce");
  }
}

}  // namespace riffle::detail::mpi
