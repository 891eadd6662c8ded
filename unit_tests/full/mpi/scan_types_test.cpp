// Scans over ranks, with several types of values.

#include <riffle/monoid.hpp>
#include <riffle/mpi.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstdint>

#include "mpi/partitioned_data.hpp"
#include "mpi/scans.hpp"

namespace riffle::test::mpi_scan_types_test {
namespace {

TEST(MpiScanTypes, SumsOfFloats) {
  for (auto const& options : all_transfers(100)) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_both<float, float>(comm, 2 * bundle + 77, Sum<float>{});
  }
}

TEST(MpiScanTypes, IntoAnotherType) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 2 * bundle + 5;
  expect_both<std::int32_t, std::int64_t>(comm, n, Sum<std::int64_t>{});
  expect_both<std::uint32_t, std::uint64_t>(comm, n, Count<std::uint64_t>{});
}

TEST(MpiScanTypes, OfFlags) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 2 * bundle + 3;
  auto const own = mpi::block_of(n, comm.rank(), comm.size());
  Array<bool> const flags("flags", own.count);
  std::uint64_t const first = bundle + 5;
  for (std::uint64_t i = 0; i < own.count; ++i) flags(i) = own.first + i == first;
  mpi::exclusive_scan(Exec(), comm, flags, flags, BitOr<bool>{});
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) wrong += flags(i) != (own.first + i > first);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace riffle::test::mpi_scan_types_test
