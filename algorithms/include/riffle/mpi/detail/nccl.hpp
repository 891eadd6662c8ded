#pragma once

// Transfers with NCCL. Compiled only if RIFFLE_ENABLE_NCCL is defined.

#if defined(RIFFLE_ENABLE_NCCL)

#include <nccl.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/transfers.hpp>

namespace riffle::detail::mpi {

inline void check_nccl(ncclResult_t code, char const* call) {
  if (code == ncclSuccess) return;
  throw std::runtime_error(concatenate("riffle::mpi: ", call, ": ", ncclGetErrorString(code)));
}

/// An execution space whose kernels run on a CUDA stream, which NCCL needs.
template <class Exec>
concept HasStream = requires(Exec const& exec) {
  exec.cuda_stream();
};

/// Enqueues all sends and receives as one group on the stream of the instance. Does not wait.
template <HasStream Exec>
void transfer_by_nccl(Exec const& exec, riffle::mpi::Communicator const& comm,
                      std::vector<Transfer> const& sends, std::vector<Transfer> const& receives,
                      std::byte const* from, std::byte* to) {
  ncclComm_t const nccl = comm.options().nccl;
  auto const stream = exec.cuda_stream();
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (auto const& send : sends) {
    if (send.bytes == 0) continue;
    check_nccl(ncclSend(from + send.begin, send.bytes, ncclChar, send.rank, nccl, stream),
               "ncclSend");
  }
  for (auto const& receive : receives) {
    if (receive.bytes == 0) continue;
    check_nccl(ncclRecv(to + receive.begin, receive.bytes, ncclChar, receive.rank, nccl, stream),
               "ncclRecv");
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

}  // namespace riffle::detail::mpi

#endif
