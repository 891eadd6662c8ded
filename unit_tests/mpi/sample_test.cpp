// Samples over ranks are compared with the results of one device, and with the first elements of the permutation.

#include <riffle/mpi.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"

namespace riffle::test::mpi_sample_test {
namespace {

/// A sample of k of n elements, for all partitions.
template <class T>
void expect_sample(mpi::Communicator const& comm, std::uint64_t n, std::uint64_t k) {
  Exec const exec;
  RandomPermutation const sigma(n, same_seed);
  std::vector<T> images;
  for (std::uint64_t i = 0; i < k; ++i) images.push_back(static_cast<T>(sigma(i)));
  Array<T> const of_one_device("of one device", k);
  riffle::sample(exec, n, of_one_device, same_seed);
  EXPECT_TRUE(to_vector(of_one_device) == images);
  for (Counts const& counts : partitions(k, comm.size())) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", k = " + std::to_string(k));
    Array<T> const own("own", counts[static_cast<std::size_t>(comm.rank())]);
    Kokkos::deep_copy(own, T{77});
    mpi::sample(exec, comm, n, own, same_seed);
    EXPECT_TRUE(to_vector(own) == expected_part(images, counts, comm.rank()));
  }
}

TEST(MpiSample, AsOnOneDevice) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::uint64_t const k : {0, 1, 2, 19, 20, 21, 513, 5000}) {
    for (std::uint64_t const more : {0, 1, 70000}) expect_sample<int>(comm, k + more, k);
  }
  expect_sample<std::uint64_t>(comm, RandomPermutation::max_size, 2000);
  expect_sample<std::int8_t>(comm, 128, 100);
}

TEST(MpiSample, TakesAStream) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  RandomPermutation const sigma(1000, same_seed, 5);
  std::vector<int> images;
  for (std::uint64_t i = 0; i < 100; ++i) images.push_back(static_cast<int>(sigma(i)));
  Counts const counts = partitions(100, comm.size())[0];
  Array<int> const own("own", counts[static_cast<std::size_t>(comm.rank())]);
  mpi::sample(Exec(), comm, 1000, own, same_seed, 5);
  EXPECT_TRUE(to_vector(own) == expected_part(images, counts, comm.rank()));
}

TEST(MpiSample, OfViewsWithStrides) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const own = mpi::block_of(1001, comm.rank(), comm.size());
  Kokkos::View<int*, Kokkos::LayoutStride, Exec> const out("out",
                                                           Kokkos::LayoutStride(own.count, 3));
  mpi::sample(Exec(), comm, 1u << 30, out, same_seed);
  RandomPermutation const sigma(1u << 30, same_seed);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) {
    wrong += static_cast<std::uint64_t>(out(i)) != sigma(own.first + i);
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(MpiSample, RejectsMoreThanThereAre) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const ranks = static_cast<std::uint64_t>(comm.size());
  ErrorCase const s(comm, 0);
  std::uint64_t const k = per_rank * ranks;
  auto const text = thrown_message([&] { mpi::sample(s.exec, comm, k - 1, s.out, same_seed); });
  EXPECT_EQ(text, "riffle::mpi::sample: out has " + std::to_string(k) +
                      " elements, on all ranks: must not exceed n = " + std::to_string(k - 1));
  for (std::uint64_t i = 0; i < per_rank; ++i) EXPECT_EQ(s.out(i), untouched);
}

TEST(MpiSample, ReportsInvalidArgumentsOfOneRank) {
  expect_thrown_by_all(
      "riffle::mpi::sample: n = 1001 on rank @ and 1000 on rank 0: must be the same on all ranks",
      [](ErrorCase const& s) {
        mpi::sample(s.exec, s.comm, s.is_faulty() ? 1001 : 1000, s.out, same_seed);
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::sample: seed = 7 on rank @ and 1906 on rank 0: must be the same on all ranks",
      [](ErrorCase const& s) {
        mpi::sample(s.exec, s.comm, 1000, s.out, s.is_faulty() ? 7 : same_seed);
      },
      1);
  expect_thrown_by_all(
      "riffle::mpi::sample: stream = 7 on rank @ and 0 on rank 0: must be the same on all ranks",
      [](ErrorCase const& s) {
        mpi::sample(s.exec, s.comm, 1000, s.out, same_seed, s.is_faulty() ? 7 : 0);
      },
      1);
  std::string const text =
      "riffle::mpi::sample: n = 1000: the value type of out holds no index above 127 (found on "
      "rank @)";
  expect_thrown_by_all(text, [](ErrorCase const& s) {
    if (s.is_faulty()) {
      mpi::sample(s.exec, s.comm, 1000, Array<std::int8_t>("bytes", per_rank), same_seed);
    } else {
      mpi::sample(s.exec, s.comm, 1000, s.out, same_seed);
    }
  });
}

}  // namespace
}  // namespace riffle::test::mpi_sample_test
