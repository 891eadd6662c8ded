#pragma once

// An NCCL communicator of all ranks, if Riffle is compiled with NCCL and each rank has a GPU of its own.

#if defined(RIFFLE_ENABLE_NCCL)

#include <mpi.h>
#include <nccl.h>

#include <Kokkos_Core.hpp>

namespace riffle::test {

class NcclRanks {
 public:
  NcclRanks() {
    int size = 1;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (size > Kokkos::num_devices()) return;
    ncclUniqueId id;
    if (rank == 0) ncclGetUniqueId(&id);
    MPI_Bcast(&id, static_cast<int>(sizeof(id)), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (ncclCommInitRank(&comm_, size, id, rank) != ncclSuccess) comm_ = nullptr;
  }
  ~NcclRanks() {
    if (comm_ != nullptr) ncclCommDestroy(comm_);
  }
  NcclRanks(NcclRanks const&) = delete;
  NcclRanks& operator=(NcclRanks const&) = delete;

  /// Null if ranks share a GPU.
  ncclComm_t comm() const { return comm_; }

 private:
  ncclComm_t comm_ = nullptr;
};

}  // namespace riffle::test

#endif
