#include <riffle/mpi.hpp>
#include <riffle/permute.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/on_devices.hpp"
#include "mpi/row_of_three.hpp"

namespace riffle::test::mpi_device_permute_test {
namespace {

constexpr std::uint64_t seed = 20;

TEST(MpiDeviceTest, Permutations) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const p = on_host(std::vector<std::uint64_t>(n), [](auto const&, auto const& out) {
      riffle::random_permutation(Exec(), out, seed);
    });
    Array<std::uint64_t> const host_p("p", n);
    std::copy(p.begin(), p.end(), host_p.data());
    auto const all = numbers<double>(n);
    std::vector<RowOfThree> vectors(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      vectors[i] = {static_cast<float>(i), static_cast<float>(all[i]), -1};
    }
    auto const scattered = [&](auto const& in, auto const& out) {
      riffle::permute(Exec(), in, host_p, out);
    };
    auto const expected = on_host(all, scattered);
    auto const expected_vectors = on_host(vectors, scattered);
    mpi::PlannedPermutation const plan(Device(), comm, on_device(p, counts, comm.rank()));
    auto const in = on_device(all, counts, comm.rank());
    auto const in_vectors = on_device(vectors, counts, comm.rank());
    OnDevice<double> const out("out", in.extent(0));
    OnDevice<RowOfThree> const out_vectors("out", in.extent(0));
    plan(Device(), comm, pack(in, in_vectors), pack(out, out_vectors));
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(expected, counts, comm.rank()));
    EXPECT_EQ(to_host(out_vectors), expected_part(expected_vectors, counts, comm.rank()));
    plan.inverse()(Device(), comm, out, in);
    Device().fence();
    EXPECT_EQ(to_host(in), expected_part(all, counts, comm.rank()));
    // Rows of LayoutLeft and of LayoutRight.
    Kokkos::View<double**, Kokkos::LayoutLeft, Device> const left("left", in.extent(0), 3);
    Kokkos::View<double**, Kokkos::LayoutRight, Device> const right("right", in.extent(0), 3);
    auto const column = Kokkos::subview(left, Kokkos::ALL, 1);
    Kokkos::deep_copy(column, in);
    mpi::permute(Device(), comm, left, plan, right);
    mpi::permute(Device(), comm, right, plan.inverse(), left);
    Kokkos::deep_copy(out, Kokkos::subview(right, Kokkos::ALL, 1));
    EXPECT_EQ(to_host(out), expected_part(expected, counts, comm.rank()));
    Kokkos::deep_copy(in, column);
    EXPECT_EQ(to_host(in), expected_part(all, counts, comm.rank()));
  });
}

}  // namespace
}  // namespace riffle::test::mpi_device_permute_test
