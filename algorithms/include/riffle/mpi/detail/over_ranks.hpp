#pragma once

// Reductions and gathers of lists over the ranks. A list has the same length on all ranks.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/nccl.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/detail/transfers.hpp>
#include <riffle/mpi/tuning.hpp>

namespace riffle::detail::mpi {

/// Divides a list of `size` elements into pieces, and calls reduce(first, count) for each piece in
/// order. The length of a piece fits in an int, because MPI counts in int.
template <class Reduce>
void in_pieces(std::size_t size, Reduce const& reduce) {
  for (std::size_t begin = 0; begin < size; begin += max_reduction_length) {
    reduce(begin, static_cast<int>(std::min(max_reduction_length, size - begin)));
  }
}

/// Replaces each number by its reduction over all ranks.
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

/// Returns, for each entry, the minimum over all lower ranks; on rank 0 the maximum uint32 value.
inline std::vector<std::uint32_t> least_over_ranks_before(
    riffle::mpi::Communicator const& comm, std::vector<std::uint32_t> const& values) {
  std::vector<std::uint64_t> const own(values.begin(), values.end());
  std::vector<std::uint64_t> before(own.size());
  in_pieces(own.size(), [&](std::size_t first, int count) {
    check_mpi(MPI_Exscan(own.data() + first, before.data() + first, count, MPI_UINT64_T, MPI_MIN,
                         comm.get()),
              "MPI_Exscan");
  });
  // MPI_Exscan leaves the result of rank 0 undefined.
  if (comm.rank() == 0) std::fill(before.begin(), before.end(), ~std::uint32_t{0});
  return {before.begin(), before.end()};
}

/// Sends bytes_each bytes from each rank to each rank: MPI_Alltoall.
inline void all_to_all(riffle::mpi::Communicator const& comm, void const* from, void* to,
                       std::size_t bytes_each) {
  int const count = static_cast<int>(bytes_each);
  check_mpi(MPI_Alltoall(from, count, MPI_BYTE, to, count, MPI_BYTE, comm.get()), "MPI_Alltoall");
}

// --- all-gather of blocks ---

/// A list with more elements than this is gathered in pieces, because MPI counts in int.
inline constexpr std::uint64_t max_gathered_at_once = (std::uint64_t{1} << 31) - 1;

/// Performs an in-place all-gather of `count` numbers. On entry, `all` contains this rank's block
/// (block_of) at its final position; on return, it contains the blocks of all ranks. Requires that
/// MPI can read `all`.
inline void gather_blocks_by_mpi(riffle::mpi::Communicator const& comm, std::uint64_t count,
                                 double* all, std::uint64_t max_at_once = max_gathered_at_once) {
  std::vector<int> counts;
  std::vector<int> begins;
  for (int r = 0; r < comm.size(); ++r) {
    auto const block = riffle::mpi::block_of(count, r, comm.size());
    if (count <= max_at_once) {
      counts.push_back(static_cast<int>(block.count));
      begins.push_back(static_cast<int>(block.first));
      continue;
    }
    in_pieces(block.count, [&](std::size_t first, int of_piece) {
      check_mpi(MPI_Bcast(all + block.first + first, of_piece, MPI_DOUBLE, r, comm.get()),
                "MPI_Bcast");
    });
  }
  if (count > max_at_once) return;
  check_mpi(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts.data(), begins.data(),
                           MPI_DOUBLE, comm.get()),
            "MPI_Allgatherv");
}

#if defined(RIFFLE_ENABLE_NCCL)
/// Does the same as gather_blocks_by_mpi(), but between GPUs. Each rank sends its block directly to
/// each other rank, so that no link of a switch carries a block twice.
template <HasStream Exec>
void gather_blocks_by_nccl(Exec const& exec, riffle::mpi::Communicator const& comm,
                           std::uint64_t count, double* all) {
  auto const transfer = [&](int rank, int from) {
    auto const block = riffle::mpi::block_of(count, from, comm.size());
    return Transfer{rank, block.first * sizeof(double), block.count * sizeof(double), 0};
  };
  std::vector<Transfer> sends;
  std::vector<Transfer> receives;
  for (int d = 1; d < comm.size(); ++d) {
    int const to = (comm.rank() + d) % comm.size();
    int const from = (comm.rank() + comm.size() - d) % comm.size();
    sends.push_back(transfer(to, comm.rank()));
    receives.push_back(transfer(from, from));
  }
  auto* const bytes = reinterpret_cast<std::byte*>(all);
  transfer_by_nccl(exec, comm, sends, receives, bytes, bytes);
}
#endif

/// Whether blocks are gathered in device memory; otherwise they are gathered on the host.
template <class Exec>
bool gathers_of_kernels(riffle::mpi::Communicator const& comm) {
  return is_by_nccl<Exec>(comm) || is_direct<Exec>(comm);
}

/// Gathers the blocks of all ranks in `all`, an array of `count` numbers in a memory space of Exec.
/// On entry, `all` contains this rank's block. The gather starts after all work that was enqueued
/// on the instance before; work that is enqueued on the instance afterwards can read all blocks.
template <class Exec>
void gather_blocks(Context<Exec> const& context, riffle::mpi::Communicator const& comm,
                   std::uint64_t count, double* all) {
  if (comm.size() == 1) return;
#if defined(RIFFLE_ENABLE_NCCL)
  if constexpr (HasStream<Exec>) {
    if (is_by_nccl<Exec>(comm)) {
      gather_blocks_by_nccl(context.exec(), comm, count, all);
      return;
    }
  }
#endif
  context.exec().fence("riffle::mpi: a block is ready to be gathered");
  gather_blocks_by_mpi(comm, count, all);
}

}  // namespace riffle::detail::mpi
