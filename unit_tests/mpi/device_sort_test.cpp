#include <riffle/mpi.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/on_devices.hpp"

namespace riffle::test::mpi_device_sort_test {
namespace {

/// x -> a x + b; composition is not commutative.
struct Affine {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  friend bool operator==(Affine const&, Affine const&) = default;
};
struct Compose {
  KOKKOS_FUNCTION Affine operator()(Affine const& f, Affine const& g) const {
    return {f.a * g.a, g.a * f.b + g.b};
  }
};

TEST(MpiDeviceTest, Scans) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = numbers<float>(n);
    auto const expected = on_host(
        all, [](auto const& in, auto const& out) { riffle::inclusive_scan(Exec(), in, out); });
    auto const own = on_device(all, counts, comm.rank());
    mpi::inclusive_scan(Device(), comm, own, own);
    Device().fence();
    EXPECT_EQ(to_host(own), expected_part(expected, counts, comm.rank()));
    std::vector<Affine> maps(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      maps[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i * i)};
    }
    auto const composed = on_host(maps, [](auto const& in, auto const& out) {
      riffle::exclusive_scan(Exec(), in, out, Compose(), Affine());
    });
    auto const own_maps = on_device(maps, counts, comm.rank());
    OnDevice<Affine> const out("out", own_maps.extent(0));
    mpi::exclusive_scan(Device(), comm, own_maps, out, Compose(), Affine());
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(composed, counts, comm.rank()));
  });
}

TEST(MpiDeviceTest, Sorts) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = numbers<double>(n);
    auto const expected =
        on_host(all, [](auto const& in, auto const& out) { riffle::sort_copy(Exec(), in, out); });
    auto const keys = on_device(all, counts, comm.rank());
    OnDevice<double> const out("out", keys.extent(0));
    mpi::sort_copy(Device(), comm, keys, out);
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(expected, counts, comm.rank()));
    // Equal keys keep their order.
    std::vector<std::uint64_t> places(n);
    for (std::uint64_t i = 0; i < n; ++i) places[i] = i;
    auto const expected_places = on_host(places, [&](auto const& in, auto const& sorted) {
      Array<double> const host_keys("keys", n);
      std::copy(all.begin(), all.end(), host_keys.data());
      Kokkos::deep_copy(sorted, in);
      riffle::sort_by_key(Exec(), host_keys, sorted);
    });
    auto const values = on_device(places, counts, comm.rank());
    mpi::sort_by_key(Device(), comm, keys, values);
    Device().fence();
    EXPECT_EQ(to_host(keys), expected_part(expected, counts, comm.rank()));
    EXPECT_EQ(to_host(values), expected_part(expected_places, counts, comm.rank()));
  });
}

}  // namespace
}  // namespace riffle::test::mpi_device_sort_test
