#pragma once

#include <mpi.h>

#include <cstddef>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/check_mpi.hpp>

namespace riffle::detail::mpi {

/// A number of bytes of each rank for each rank.
inline void all_to_all(riffle::mpi::Communicator const& comm, void const* from, void* to,
                       std::size_t bytes_each) {
  int const count = static_cast<int>(bytes_each);
  check_mpi(MPI_Alltoall(from, count, MPI_BYTE, to, count, MPI_BYTE, comm.get()), "MPI_Alltoall");
}

}  // namespace riffle::detail::mpi
