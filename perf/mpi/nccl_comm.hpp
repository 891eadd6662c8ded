#pragma once

// An NCCL communicator of all ranks, if Riffle is compiled with NCCL and the transport needs it.

#include <mpi.h>

#include <string>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/nccl.hpp>

namespace perf {

#if defined(RIFFLE_ENABLE_NCCL)
class NcclComm {
 public:
  /// Call this after Kokkos has chosen the GPU of this rank. Collective if NCCL is used.
  explicit NcclComm(bool is_wanted) {
    if (!is_wanted) return;
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ncclUniqueId id;
    if (rank == 0) riffle::detail::mpi::check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    riffle::detail::mpi::check_nccl(ncclCommInitRank(&comm_, size, id, rank), "ncclCommInitRank");
  }
  ~NcclComm() {
    if (comm_ != nullptr) ncclCommDestroy(comm_);
  }
  NcclComm(NcclComm const&) = delete;
  NcclComm& operator=(NcclComm const&) = delete;

  void put_into(riffle::mpi::TransferOptions& options) const { options.nccl = comm_; }

  static std::string version() {
    int number = 0;
    ncclGetVersion(&number);
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }

 private:
  ncclComm_t comm_ = nullptr;
};
#else
struct NcclComm {
  explicit NcclComm(bool) {}
  void put_into(riffle::mpi::TransferOptions&) const {}
  static std::string version() { return "none"; }
};
#endif

}  // namespace perf
