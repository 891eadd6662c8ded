#include <riffle/mpi.hpp>
#include <riffle/rank.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "mpi/on_devices.hpp"
#include "mpi/ranking_rules.hpp"

namespace riffle::test::mpi_device_rank_test {
namespace {

TEST(MpiDeviceTest, Ranks) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto all = numbers<float>(n);
    std::sort(all.begin(), all.end());
    auto const data = on_device(all, counts, comm.rank());
    OnDevice<double> const ranks("ranks", data.extent(0));
    for_each_rule<double>([&](auto const& rule) {
      auto const expected = found_on_host<double>(
          all, [&](auto const& in, auto const& out) { riffle::rank(Exec(), in, out, rule); });
      mpi::rank(Device(), comm, data, ranks, rule);
      Device().fence();
      EXPECT_EQ(to_host(ranks), expected_part(expected, counts, comm.rank()));
    });
  });
}

}  // namespace
}  // namespace riffle::test::mpi_device_rank_test
