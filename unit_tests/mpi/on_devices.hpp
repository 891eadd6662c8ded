#pragma once

// Calls over ranks on the default device, for every available transport: tests compare the bits with the results of one call on
// the host for the data of all ranks. If the default device is the host, this repeats other tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <riffle/mpi/communicator.hpp>

#include "mpi/nccl_ranks.hpp"
#include "mpi/partitioned_data.hpp"

namespace riffle::test {

using Device = Kokkos::DefaultExecutionSpace;
template <class T>
using OnDevice = Kokkos::View<T*, Device>;

inline constexpr bool is_host = std::is_same_v<Device, Exec>;
/// Sizes at the edges of tiles and at 2^23, from which on shuffles use buckets.
inline constexpr std::uint64_t device_sizes[] = {
    0, 1, 3, 1000, 100003, (1u << 18) + 1, (1u << 23) + 5};

/// Calls use(name, communicator) for all transports.
template <class Use>
void for_each_transport(Use const& use) {
  int number = 0;
  for (auto const& options : all_transfers()) {
    bool const is_direct = options.transport == mpi::Transport::direct;
    // An MPI without support of GPUs cannot access their memory.
    if (is_direct && !is_host) continue;
    // Rounds of some hundred bytes are for small arrays.
    auto own = options;
    own.max_round_bytes = std::max<std::size_t>(own.max_round_bytes, 1 << 20);
    use("transport " + std::to_string(number++), mpi::Communicator(MPI_COMM_WORLD, own));
  }
#if defined(RIFFLE_ENABLE_NCCL)
  NcclRanks const ranks;
  if (ranks.comm() == nullptr) return;
  mpi::TransferOptions options;
  options.transport = mpi::Transport::nccl;
  options.nccl = ranks.comm();
  use("NCCL", mpi::Communicator(MPI_COMM_WORLD, options));
  // Short rounds divide large shuffles into batches.
  options.max_round_bytes = 1 << 20;
  use("NCCL, of short rounds", mpi::Communicator(MPI_COMM_WORLD, options));
#endif
}

/// Calls test(n, counts, communicator) for all sizes, partitions and transports.
template <class Test>
void for_each_case(Test const& test) {
  for_each_transport([&](std::string const& name, mpi::Communicator const& comm) {
    for (std::uint64_t const n : device_sizes) {
      for (auto const& counts : partitions(n, comm.size())) {
        SCOPED_TRACE(std::to_string(n) + " elements, " + name);
        // The largest size has one partition only; on the host it is skipped, since it takes a minute.
        if (n > 1 << 20 && counts != partitions(n, comm.size()).front()) continue;
        if (n > 1 << 17 && is_host) continue;
        test(n, counts, comm);
      }
    }
  });
}

template <class T>
std::vector<T> numbers(std::uint64_t n) {
  std::mt19937_64 generator(n);
  std::vector<T> all(n);
  for (T& x : all) x = static_cast<T>(static_cast<double>(generator() % 1000) / 8 - 60);
  return all;
}

template <class T>
OnDevice<T> on_device(std::vector<T> const& all, Counts const& counts, int rank) {
  return part_in_memory_of<Device>(all, counts, rank);
}

/// The result of `call` on the host for the data of all ranks.
template <class Result, class T, class Call>
std::vector<Result> found_on_host(std::vector<T> const& all, Call const& call) {
  Array<T> const in("in", all.size());
  Array<Result> const out("out", all.size());
  std::copy(all.begin(), all.end(), in.data());
  call(in, out);
  Exec().fence();
  return to_vector(out);
}

template <class T, class Call>
std::vector<T> on_host(std::vector<T> const& all, Call const& call) {
  return found_on_host<T>(all, call);
}

}  // namespace riffle::test
