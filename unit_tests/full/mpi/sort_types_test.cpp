// Sorts over ranks, with several types of values.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>

#include <gtest/gtest.h>

#include <cstdint>

#include "mpi/sorts.hpp"

namespace riffle::test::mpi_sort_types_test {
namespace {

TEST(MpiSortTypes, OtherNumbers) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : all_data) {
    expect_sorted<float>(comm, data, 3001);
    expect_sorted<float>(comm, data, 3001, Descending{});
    expect_sorted<std::int8_t>(comm, data, 2000);
    expect_sorted<std::uint16_t>(comm, data, 2000, Descending{});
    expect_sorted<std::int32_t>(comm, data, many);
    expect_sorted<std::uint64_t>(comm, data, 2001);
    expect_sorted<bool>(comm, data, 500);
    expect_sorted_by_key<float>(comm, data, 3001);
    expect_sorted_by_key<double>(comm, data, 3001, Descending{});
  }
}

TEST(MpiSortTypes, OfWideValuesByManyRoundsOfFewSamples) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : {Data::random, Data::few_values, Data::descending}) {
    expect_sorted<Wide>(comm, data, 12007, ByWideKey{});
  }
}

}  // namespace
}  // namespace riffle::test::mpi_sort_types_test
