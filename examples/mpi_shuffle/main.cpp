// Shuffles data that are distributed over ranks in blocks, and sorts them by their last digits. Prints hashes of both results,
// which do not depend on the number of ranks:
//
//     mpirun -n 4 mpi_shuffle [elements [seed]]

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <riffle/mpi.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using Exec = Kokkos::DefaultExecutionSpace;
using Data = Kokkos::View<std::uint64_t*, Exec>;

/// A comparison under which many elements are equivalent; the sort is stable.
struct ByLastDigits {
  KOKKOS_FUNCTION bool operator()(std::uint64_t a, std::uint64_t b) const {
    return a % 1000 < b % 1000;
  }
};

/// A hash of this rank's elements and their positions; the hash of all elements is the sum over the ranks.
std::uint64_t hash_of(Exec const& exec, Data const& data, std::uint64_t first) {
  std::uint64_t hash = 0;
  Kokkos::parallel_reduce(
      "hash", Kokkos::RangePolicy(exec, 0, data.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum) {
        std::uint64_t x = (first + i) * 0x9E3779B97F4A7C15u ^ (data(i) + 1) * 0xD1B54A32D192ED03u;
        x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
        sum += x ^ x >> 29;
      },
      hash);
  return hash;
}

void run(std::uint64_t n, std::uint64_t seed) {
  Exec const exec;
  riffle::mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const block = riffle::mpi::block_of(n, comm.rank(), comm.size());
  Data const data("data", block.count);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy(exec, 0, block.count),
      KOKKOS_LAMBDA(std::size_t i) { data(i) = block.first + i; });

  riffle::mpi::shuffle(exec, comm, data, seed);
  std::uint64_t const shuffled = hash_of(exec, data, block.first);

  riffle::mpi::sort(exec, comm, data, ByLastDigits{});
  std::uint64_t hashes[2] = {shuffled, hash_of(exec, data, block.first)};
  MPI_Allreduce(MPI_IN_PLACE, hashes, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (comm.rank() == 0) {
    std::printf("%llu elements, shuffled with seed %llu: hash %016llx, then sorted: hash %016llx\n",
                static_cast<unsigned long long>(n), static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(hashes[0]),
                static_cast<unsigned long long>(hashes[1]));
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Kokkos::ScopeGuard guard(argc, argv);
    run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000,
        argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 42);
  }
  MPI_Finalize();
}
