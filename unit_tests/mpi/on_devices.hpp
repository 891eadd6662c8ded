#pragma once

// The calls over ranks on the default device, by every transport that it has: tests compare them bit by bit with what one
// call gives on the host for the data of all ranks. Where the device is the host, this asks again what other tests ask.

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
#include "mpi/ranks.hpp"

namespace riffle::test {

using Device = Kokkos::DefaultExecutionSpace;
template <class T>
using OnDevice = Kokkos::View<T*, Device>;

inline constexpr bool is_host = std::is_same_v<Device, Exec>;
/// At the edges of tiles and of the shuffle in buckets, which begins at 2^23.
inline constexpr std::uint64_t device_sizes[] = {
    0, 1, 3, 1000, 100003, (1u << 18) + 1, (1u << 23) + 5};

/// use(name, communicator) for all transports.
template <class Use>
void for_each_transport(Use const& use) {
  int number = 0;
  for (auto const& options : all_transfers()) {
    bool const is_direct = options.transport == mpi::Transport::direct;
    // The addresses of a GPU are nothing to an MPI that is not made for them.
    if (is_direct && !is_host) continue;
    // Pieces of some hundred bytes are for small arrays.
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
  // Which divides large shuffles in batches.
  options.max_round_bytes = 1 << 20;
  use("NCCL, of short rounds", mpi::Communicator(MPI_COMM_WORLD, options));
#endif
}

/// test(n, counts, communicator) for all sizes, partitions and transports.
template <class Test>
void for_each_case(Test const& test) {
  for_each_transport([&](std::string const& name, mpi::Communicator const& comm) {
    for (std::uint64_t const n : device_sizes) {
      for (auto const& counts : partitions(n, comm.size())) {
        SCOPED_TRACE(std::to_string(n) + " elements, " + name);
        // Of the largest one partition; and on the host none, where it would take a minute.
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

/// What all ranks' data are in one place, and what `call` makes of them there.
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
