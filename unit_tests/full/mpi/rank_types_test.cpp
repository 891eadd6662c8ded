// Rankings over ranks of values, and to ranks, of several types.

#include <riffle/mpi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/rankings.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test::mpi_rank_types_test {
namespace {

template <class T>
std::vector<T> ascending(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST(MpiRankTypes, OfSortedNumbers) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  expect_some_sorted_ranks<std::int16_t>(comm, ascending(random_values<std::int8_t>(3000)));
  expect_some_sorted_ranks<float>(comm, ascending(few_values<std::uint16_t>(2000, 40)));
  expect_some_sorted_ranks<std::uint32_t>(comm, ascending(random_values<std::uint64_t>(900)));
  expect_some_sorted_ranks<double>(comm, ascending(random_values<float>(900)));
}

TEST(MpiRankTypes, OfNumbersInAnyOrder) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  expect_some_unsorted_ranks<std::int16_t>(comm, random_values<std::int8_t>(2000));
  expect_some_unsorted_ranks<double>(comm, few_values<std::uint16_t>(2000, 300));
  expect_some_unsorted_ranks<float>(comm, random_values<std::uint64_t>(900));
  expect_some_unsorted_ranks<std::int64_t>(comm, crowded_values<float>(20000));
  expect_some_unsorted_ranks<std::int8_t>(comm, random_values<double>(120));
}

}  // namespace
}  // namespace riffle::test::mpi_rank_types_test
