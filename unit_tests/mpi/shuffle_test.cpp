// Shuffles over ranks are compared with the results of one device, and with the tree's definition.

#include <riffle/mpi.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "mpi/expect_tree.hpp"
#include "mpi/partitioned_data.hpp"

namespace riffle::test::mpi_shuffle_test {
namespace {

constexpr std::uint64_t seed = 1906;

template <class T>
std::vector<T> numbers(std::uint64_t n) {
  std::vector<T> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = static_cast<T>(3 * i + 1);
  return values;
}

// The type of errors_test.cpp and failed_allocations_test.cpp, too. Trees are tested with larger values.
using Value = int;

template <class Algorithm>
std::vector<Value> images_of_one_device(std::uint64_t n, std::uint64_t stream = 0) {
  Array<Value> const images("images", n);
  riffle::random_permutation(Exec(), images, seed, stream, Algorithm{});
  return to_vector(images);
}

/// Tests all calls for one n and all partitions.
template <class Algorithm>
void expect_as_on_one_device(mpi::Communicator const& comm, std::uint64_t n,
                             std::uint64_t stream = 0) {
  Exec const exec;
  auto const all = numbers<Value>(n);
  auto const images = images_of_one_device<Algorithm>(n, stream);
  std::vector<Value> shuffled(n);
  for (std::uint64_t i = 0; i < n; ++i) shuffled[i] = all[static_cast<std::size_t>(images[i])];
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", partition " + std::to_string(k));
    Counts const& of_in = kinds[k];
    Counts const& of_out = kinds[(k + 1) % kinds.size()];
    auto const in = part_of(all, of_in, comm.rank());
    Array<Value> const out("out", of_out[static_cast<std::size_t>(comm.rank())]);
    mpi::shuffle_copy(exec, comm, in, out, seed, stream, Algorithm{});
    EXPECT_TRUE(to_vector(out) == expected_part(shuffled, of_out, comm.rank()));
    EXPECT_TRUE(to_vector(in) == expected_part(all, of_in, comm.rank())) << "in has changed";
    mpi::shuffle(exec, comm, in, seed, stream, Algorithm{});
    EXPECT_TRUE(to_vector(in) == expected_part(shuffled, of_in, comm.rank())) << "in place";
    Array<Value> const own("own", in.extent(0));
    mpi::random_permutation(exec, comm, own, seed, stream, Algorithm{});
    EXPECT_TRUE(to_vector(own) == expected_part(images, of_in, comm.rank())) << "images";
  }
}

TEST(MpiShuffle, FewElementsAsOnOneDevice) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    for (std::uint64_t const n : {0, 1, 2, 3, 7, 20, 21, 1000, 12345}) {
      expect_as_on_one_device<DefaultShuffle>(comm, n);
    }
    expect_as_on_one_device<PermutationGather>(comm, 777);
    expect_as_on_one_device<DefaultShuffle>(comm, 777, 3);
  }
}

TEST(MpiShuffle, InBucketsAsOnOneDevice) {
  // Rounds of this size divide the shuffle into eight batches.
  auto const staged = transfers(mpi::Transport::staged, 20000);
  for (auto const& options : {mpi::TransferOptions{}, staged}) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_as_on_one_device<BucketShuffle>(comm, (1 << 20) + 37, 3);
  }
}

TEST(MpiShuffle, ByDefaultInBucketsFrom2To23On) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = (1 << 23) + 1001;
  auto const images = images_of_one_device<DefaultShuffle>(n);
  auto const own = mpi::block_of(n, comm.rank(), comm.size());
  Array<Value> const data("data", own.count);
  for (std::uint64_t i = 0; i < own.count; ++i) data(i) = static_cast<Value>(own.first + i);
  mpi::shuffle(Exec(), comm, data, seed);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) wrong += data(i) != images[own.first + i];
  EXPECT_EQ(wrong, 0u);
}

void expect_tree_on_host(mpi::Communicator const& comm, std::uint64_t n, int levels) {
  expect_tree<Exec>(comm, numbers<std::uint64_t>(n), levels, seed);
}

TEST(MpiShuffle, TreesOfOneLevel) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    for (std::uint32_t const n : {1, 5, 255, 256, 257, 4097, 70001})
      expect_tree_on_host(comm, n, 1);
  }
}

TEST(MpiShuffle, TreesOfTwoLevels) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::uint32_t const n : {3, 5000, 200001}) expect_tree_on_host(comm, n, 2);
}

TEST(MpiShuffle, BatchesDivideLeaves) {
  for (std::size_t const count : {1, 2, 3, 4, 5, 7, 1000, 16385}) {
    detail::mpi::LeafRange const range{11, 11 + count};
    for (int const batches : {1, 2, 3, 4}) {
      std::size_t leaf = range.first;
      for (std::size_t batch = 0; batch < static_cast<std::size_t>(batches); ++batch) {
        auto const leaves = detail::mpi::leaves_of_batch(range, batch, batches);
        EXPECT_EQ(leaves.first, leaf);
        for (; leaf < leaves.last; ++leaf) {
          ASSERT_EQ(detail::mpi::batch_of(leaf, range, batches), batch) << leaf;
        }
      }
      EXPECT_EQ(leaf, range.last);
    }
  }
  EXPECT_EQ(detail::mpi::leaves_of_batch({5, 5}, 1, 4).count(), 0u);
}

TEST(MpiShuffle, MovesRowsAndPacks) {
  Exec const exec;
  mpi::Communicator const comm(MPI_COMM_WORLD, transfers(mpi::Transport::automatic, 5000));
  for (std::uint64_t const n : {100u, 1u << 20}) {
    auto const images = images_of_one_device<BucketShuffle>(n);
    auto const own = mpi::block_of(n, comm.rank(), comm.size());
    Kokkos::View<std::uint64_t*, Kokkos::LayoutStride, Exec> const strided(
        "strided", Kokkos::LayoutStride(own.count, 2));
    Kokkos::View<float**, Kokkos::LayoutLeft, Exec> const rows("rows", own.count, 3);
    for (std::uint64_t i = 0; i < own.count; ++i) {
      strided(i) = own.first + i;
      for (std::uint64_t c = 0; c < 3; ++c) rows(i, c) = static_cast<float>(own.first + i + c);
    }
    Array<double> const out("out", own.count);
    Array<std::uint32_t> const narrow("narrow", own.count);
    Kokkos::View<float**, Kokkos::LayoutRight, Exec> const out_rows("out rows", own.count, 3);
    for (std::uint64_t i = 0; i < own.count; ++i) narrow(i) = static_cast<std::uint32_t>(i);
    mpi::shuffle_copy(exec, comm, pack(narrow, rows), pack(out, out_rows), seed, BucketShuffle{});
    mpi::shuffle(exec, comm, pack(rows, strided), seed, BucketShuffle{});
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < own.count; ++i) {
      auto const image = static_cast<std::uint64_t>(images[own.first + i]);
      int owner = 0;
      while (mpi::block_of(n, owner, comm.size()).first +
                 mpi::block_of(n, owner, comm.size()).count <=
             image) {
        ++owner;
      }
      wrong += strided(i) != image;
      wrong += out(i) != static_cast<double>(image - mpi::block_of(n, owner, comm.size()).first);
      for (std::uint64_t c = 0; c < 3; ++c) {
        wrong += rows(i, c) != static_cast<float>(image + c);
        wrong += out_rows(i, c) != static_cast<float>(image + c);
      }
    }
    EXPECT_EQ(wrong, 0u) << "n = " << n;
  }
}

}  // namespace
}  // namespace riffle::test::mpi_shuffle_test
