#include <riffle/mpi.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/expect_tree.hpp"
#include "mpi/on_devices.hpp"
#include "mpi/row_of_three.hpp"

namespace riffle::test::mpi_device_shuffle_test {
namespace {

constexpr std::uint64_t seed = 20;

TEST(MpiDeviceTest, Shuffles) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = numbers<double>(n);
    auto const expected = on_host(
        all, [](auto const& in, auto const& out) { riffle::shuffle_copy(Exec(), in, out, seed); });
    auto const own = on_device(all, counts, comm.rank());
    OnDevice<double> const out("out", own.extent(0));
    mpi::shuffle_copy(Device(), comm, own, out, seed);
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(expected, counts, comm.rank()));
    mpi::shuffle(Device(), comm, own, seed);
    Device().fence();
    EXPECT_EQ(to_host(own), expected_part(expected, counts, comm.rank()));
  });
}

TEST(MpiDeviceTest, PermutationsAndSamples) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = std::vector<std::uint64_t>(n);
    auto const permutation = on_host(
        all, [](auto const&, auto const& out) { riffle::random_permutation(Exec(), out, seed); });
    auto const sample = on_host(
        all, [n](auto const&, auto const& out) { riffle::sample(Exec(), 3 * n, out, seed); });
    OnDevice<std::uint64_t> const out("out", counts[static_cast<std::size_t>(comm.rank())]);
    mpi::random_permutation(Device(), comm, out, seed);
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(permutation, counts, comm.rank()));
    mpi::sample(Device(), comm, 3 * n, out, seed);
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(sample, counts, comm.rank()));
  });
}

TEST(MpiDeviceTest, TreesOfOneAndTwoLevels) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::uint32_t const n : {1, 5, 257, 4097, 70001, 200001}) {
    for (int const levels : {1, 2}) expect_tree<Device>(comm, numbers<float>(n), levels, seed);
  }
}

/// Rows of three numbers, and values that are larger than a word.
TEST(MpiDeviceTest, ShufflesOfRows) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    std::vector<RowOfThree> vectors(n);
    for (std::uint64_t i = 0; i < n; ++i) vectors[i] = {static_cast<float>(i), 0, -1};
    auto const expected = on_host(vectors, [](auto const& in, auto const& out) {
      riffle::shuffle_copy(Exec(), in, out, seed);
    });
    auto const own = on_device(vectors, counts, comm.rank());
    OnDevice<RowOfThree> const out("out", own.extent(0));
    Kokkos::View<float**, Kokkos::LayoutLeft, Device> const left("left", own.extent(0), 3);
    Kokkos::View<float**, Kokkos::LayoutRight, Device> const right("right", own.extent(0), 3);
    OnDevice<float> const column("column", own.extent(0));
    std::vector<float> firsts(n);
    for (std::uint64_t i = 0; i < n; ++i) firsts[i] = vectors[i].x[0];
    Kokkos::deep_copy(Kokkos::subview(left, Kokkos::ALL, 2),
                      on_device(firsts, counts, comm.rank()));
    mpi::shuffle_copy(Device(), comm, pack(own, left), pack(out, right), seed);
    Device().fence();
    auto const expected_own = expected_part(expected, counts, comm.rank());
    EXPECT_EQ(to_host(out), expected_own);
    Kokkos::deep_copy(column, Kokkos::subview(right, Kokkos::ALL, 2));
    auto const found = to_host(column);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected_own[i].x[0];
    EXPECT_EQ(wrong, 0u);
  });
}

}  // namespace
}  // namespace riffle::test::mpi_device_shuffle_test
