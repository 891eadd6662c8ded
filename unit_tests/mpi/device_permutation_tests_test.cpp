#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mpi/on_devices.hpp"

namespace riffle::test::mpi_device_permutation_tests_test {
namespace {

constexpr std::uint64_t seed = 20;

TEST(MpiDeviceTest, PermutationTests) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::size_t const n = 20;
  std::size_t const variables = 200;
  Kokkos::View<double**, Device> const data("data", variables, n);
  OnDevice<double> const labels("labels", n);
  auto const host_data = Kokkos::create_mirror_view(data);
  auto const host_labels = Kokkos::create_mirror_view(labels);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < n; ++i) host_labels(i) = i < 8 ? 1 : 0;
  for (std::size_t g = 0; g < variables; ++g) {
    for (std::size_t i = 0; i < n; ++i) host_data(g, i) = normal(generator);
  }
  Kokkos::deep_copy(data, host_data);
  Kokkos::deep_copy(labels, host_labels);
  PermutationTestsOptions options;
  options.replicates = 10007;
  options.seed = seed;
  auto const expected =
      riffle::permutation_tests(Exec(), StudentT{}, host_data, host_labels, options);
  auto const values_of = [](auto const& view) {
    return std::vector<double>(view.data(), view.data() + view.extent(0));
  };
  for_each_transport([&](std::string const& name, mpi::Communicator const& by_transport) {
    SCOPED_TRACE(name);
    for (bool const is_watched : {false, true}) {
      for (bool const keeps_maxima : {true, false}) {
        auto own = options;
        own.keep_maxima = keeps_maxima;
        if (is_watched) own.batch = 1024;
        if (is_watched) own.progress = [](std::uint64_t, std::uint64_t) {};
        auto const found =
            mpi::permutation_tests(Device(), by_transport, StudentT{}, data, labels, own);
        EXPECT_EQ(found.counts.extreme, expected.counts.extreme);
        EXPECT_EQ(found.counts.step_down, expected.counts.step_down);
        EXPECT_EQ(found.counts.single_step, expected.counts.single_step);
        EXPECT_EQ(values_of(found.p_single_step), values_of(expected.p_single_step));
        std::vector<double> const none;
        EXPECT_EQ(found.counts.maxima, keeps_maxima ? expected.counts.maxima : none);
        EXPECT_EQ(values_of(found.maxima), keeps_maxima ? values_of(expected.maxima) : none);
      }
    }
  });

  auto const x = Kokkos::subview(host_data, 0, Kokkos::ALL);
  auto const y = Kokkos::subview(host_data, 1, Kokkos::ALL);
  Array<double> const host_x("x", n);
  Array<double> const host_y("y", n);
  Kokkos::deep_copy(host_x, x);
  Kokkos::deep_copy(host_y, y);
  auto const device_x = Kokkos::create_mirror_view_and_copy(Device(), host_x);
  auto const device_y = Kokkos::create_mirror_view_and_copy(Device(), host_y);
  PermutationTestOptions of_one;
  of_one.replicates = 100003;
  of_one.seed = seed;
  auto const one = riffle::permutation_test(Exec(), DifferenceOfMeans{}, host_x, host_y, of_one);
  auto const of_ranks =
      mpi::permutation_test(Device(), comm, DifferenceOfMeans{}, device_x, device_y, of_one);
  EXPECT_EQ(of_ranks.statistic, one.statistic);
  EXPECT_EQ(of_ranks.less_equal, one.less_equal);
  EXPECT_EQ(of_ranks.greater_equal, one.greater_equal);
}

}  // namespace
}  // namespace riffle::test::mpi_device_permutation_tests_test
