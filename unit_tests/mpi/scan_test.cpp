// Scans over ranks are compared with the results of one device, bit by bit: for bundles of 2^17 elements that several ranks
// share, and for many bundles.

#include <riffle/monoid.hpp>
#include <riffle/mpi.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/scans.hpp"

namespace riffle::test::mpi_scan_test {
namespace {

std::vector<std::uint64_t> sizes() {
  return {0, 1, 2, 7, 5000, bundle, bundle + 1, 5 * bundle - 3};
}

TEST(MpiScan, SumsOfDoubles) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const n : sizes()) expect_both<double, double>(comm, n, Sum<double>{});
}

TEST(MpiScan, SumsByEveryTransfer) {
  for (auto const& options : all_transfers(100)) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_both<double, double>(comm, 2 * bundle + 77, Sum<double>{});
  }
}

TEST(MpiScan, OperationsThatDoNotCommute) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const n : {std::uint64_t{9}, 2 * bundle + 1}) {
    expect_both<Affine, Affine>(comm, n, Compose{});
  }
}

TEST(MpiScan, WithoutAnIdentity) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  for (auto const n : {std::uint64_t{9}, bundle + 100}) {
    expect_same_bits<int, int>(
        comm, n, [&](auto const& in, auto const& out) { inclusive_scan(exec, in, out, Last{}); },
        [&](auto const& ranks, auto const& in, auto const& out) {
          mpi::inclusive_scan(exec, ranks, in, out, Last{});
        });
    expect_same_bits<int, int>(
        comm, n, [&](auto const& in, auto const& out) { exclusive_scan(exec, in, out, Last{}, 5); },
        [&](auto const& ranks, auto const& in, auto const& out) {
          mpi::exclusive_scan(exec, ranks, in, out, Last{}, 5);
        });
  }
}

TEST(MpiScan, InitialValueAndAnotherType) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  std::uint64_t const n = 2 * bundle + 5;
  expect_same_bits<float, double>(
      comm, n,
      [&](auto const& in, auto const& out) { inclusive_scan(exec, in, out, std::plus<>{}, 0.1); },
      [&](auto const& ranks, auto const& in, auto const& out) {
        mpi::inclusive_scan(exec, ranks, in, out, std::plus<>{}, 0.1);
      });
  expect_same_bits<std::uint32_t, std::uint64_t>(
      comm, n,
      [&](auto const& in, auto const& out) {
        exclusive_scan(exec, in, out, Count<std::uint64_t>{});
      },
      [&](auto const& ranks, auto const& in, auto const& out) {
        mpi::exclusive_scan(exec, ranks, in, out, Count<std::uint64_t>{});
      });
}

TEST(MpiScan, OfViewsWithStrides) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  std::uint64_t const n = bundle + 1001;
  auto const own = mpi::block_of(n, comm.rank(), comm.size());
  Kokkos::View<double*, Kokkos::LayoutStride, Exec> const data("data",
                                                               Kokkos::LayoutStride(own.count, 3));
  for (std::uint64_t i = 0; i < own.count; ++i) data(i) = static_cast<double>(own.first + i);
  mpi::inclusive_scan(exec, comm, data, data);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) {
    // Sums of integers below 2^53 are exact.
    wrong += data(i) != static_cast<double>((own.first + i) * (own.first + i + 1) / 2);
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace riffle::test::mpi_scan_test
