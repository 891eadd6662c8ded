#include <riffle/mpi.hpp>
#include <riffle/rank/rank_unsorted.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "mpi/on_devices.hpp"
#include "mpi/ranking_rules.hpp"

namespace riffle::test::mpi_device_rank_unsorted_test {
namespace {

TEST(MpiDeviceTest, RanksOfUnsortedData) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = numbers<float>(n);
    auto const data = on_device(all, counts, comm.rank());
    OnDevice<double> const ranks("ranks", data.extent(0));
    for_each_rule<double>([&](auto const& rule) {
      auto const expected = found_on_host<double>(all, [&](auto const& in, auto const& out) {
        riffle::rank_unsorted(Exec(), in, out, rule);
      });
      mpi::rank_unsorted(Device(), comm, data, ranks, rule);
      Device().fence();
      EXPECT_EQ(to_host(ranks), expected_part(expected, counts, comm.rank()));
    });
  });
}

TEST(MpiDeviceTest, RanksOfNumbersWithNaNs) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto all = numbers<double>(n);
    for (std::uint64_t i = 0; i < n; i += 7) all[i] = std::numeric_limits<double>::quiet_NaN();
    auto const data = on_device(all, counts, comm.rank());
    OnDevice<std::int64_t> const ranks("ranks", data.extent(0));
    for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
      RankOptions<> options;
      options.missing = missing;
      auto const expected = found_on_host<std::int64_t>(all, [&](auto const& in, auto const& out) {
        riffle::rank_unsorted(Exec(), in, out, ties::Competition{}, options);
      });
      mpi::rank_unsorted(Device(), comm, data, ranks, ties::Competition{}, options);
      Device().fence();
      EXPECT_EQ(to_host(ranks), expected_part(expected, counts, comm.rank()));
    }
  });
}

}  // namespace
}  // namespace riffle::test::mpi_device_rank_unsorted_test
