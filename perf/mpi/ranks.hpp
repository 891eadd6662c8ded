#pragma once

// The communicator of the ranks that run the rows.

#include <mpi.h>

#include <cstdint>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>

#include "mpi/measured.hpp"
#include "mpi/nccl_comm.hpp"
#include "mpi/options.hpp"

namespace perf {

class Ranks {
 public:
  /// Collective. Throws std::invalid_argument on all ranks.
  explicit Ranks(Options const& options)
      : options_(options),
        nccl_(options.transport == "nccl"),
        all_(MPI_COMM_WORLD, transfers()),
        alone_(MPI_COMM_SELF) {}

  Options const& options() const { return options_; }
  riffle::mpi::Communicator const& all() const { return all_; }
  /// A communicator of this rank alone.
  riffle::mpi::Communicator const& alone() const { return alone_; }
  int rank() const { return all_.rank(); }
  int size() const { return all_.size(); }

  /// The times of rows that ran before.
  Measured& measured() { return measured_; }

  /// Whether a row could not be timed or gave a wrong answer.
  bool has_failed() const { return has_failed_; }
  void fail() { has_failed_ = true; }

  /// Calls work() on each rank. If one rank throws, all ranks throw. `work` must not wait for other ranks.
  template <class Work>
  void agree(Work const& work) const {
    riffle::detail::mpi::run_collectively(all_, "perf_mpi", work);
  }

  void wait_for_all() const { MPI_Barrier(all_.get()); }

  double greatest(double value) const {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, all_.get());
    return value;
  }

  /// Sum over all ranks modulo 2^64.
  std::uint64_t sum(std::uint64_t value) const {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, all_.get());
    return value;
  }

 private:
  riffle::mpi::TransferOptions transfers() const {
    riffle::mpi::TransferOptions transfers;
    transfers.transport = transport_of(options_.transport);
    nccl_.put_into(transfers);
    return transfers;
  }

  Options options_;
  NcclComm nccl_;
  riffle::mpi::Communicator all_;
  riffle::mpi::Communicator alone_;
  Measured measured_;
  bool has_failed_ = false;
};

}  // namespace perf
