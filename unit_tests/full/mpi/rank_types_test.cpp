// Rankings over ranks, with several types of values and ranks.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/rankings.hpp"
#include "support/rank_oracle.hpp"
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
  for (std::size_t const n : {0, 1, 2, 3, 7, 20, 1000}) {
    expect_sorted_ranks<int>(comm, random_runs(n, 0.6));
    expect_sorted_ranks<double>(comm, random_runs(n, 0.6));
    expect_some_sorted_ranks<std::uint64_t>(comm, random_runs<std::int64_t>(n, 0.95));
  }
}

TEST(MpiRankTypes, OfNumbersInAnyOrder) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  expect_some_unsorted_ranks<std::int16_t>(comm, random_values<std::int8_t>(2000));
  expect_some_unsorted_ranks<double>(comm, few_values<std::uint16_t>(2000, 300));
  expect_some_unsorted_ranks<float>(comm, random_values<std::uint64_t>(900));
  expect_some_unsorted_ranks<std::int64_t>(comm, concentrated_values<float>(20000));
  expect_some_unsorted_ranks<std::int8_t>(comm, random_values<double>(120));
  expect_some_unsorted_ranks<int>(comm, few_values<int>(3000, 7));
  expect_some_unsorted_ranks<double>(comm, few_values<std::int64_t>(3000, 7));
}

TEST(MpiRankTypes, OfUnsortedNumbersByAllRules) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::size_t const n : {0, 1, 2, 3, 7, 20, 3000}) {
    expect_unsorted_ranks<double>(comm, random_values<double>(n));
    expect_unsorted_ranks<double>(comm, few_values<double>(n, 7));
  }
  for (auto const& options : all_options()) {
    expect_unsorted_ranks<double>(comm, special_values<double>(1000), options);
  }
}

TEST(MpiRankTypes, NaNs) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::vector<double> before(50, not_a_number);
  for (int x = 40; x > 0; --x) before.push_back(x / 3);
  for (auto const& options : all_options<Descending>()) {
    expect_some_sorted_ranks<float>(comm, before, options);
    expect_some_unsorted_ranks<double>(comm, special_values<float>(1000), options);
    expect_some_unsorted_ranks<float>(comm, special_values<double>(1000), options);
  }
}

}  // namespace
}  // namespace riffle::test::mpi_rank_types_test
