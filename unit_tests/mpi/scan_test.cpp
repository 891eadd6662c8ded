// Scans over ranks against those of one device, bit by bit: bundles of 2^17 elements that ranks share, and many.

#include <riffle/monoid.hpp>
#include <riffle/mpi.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "mpi/ranks.hpp"

namespace riffle::test::mpi_scan_test {
namespace {

/// x -> a x + b modulo 2^32: composition does not commute.
struct Affine {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
};

struct Compose {
  using value_type = Affine;
  KOKKOS_FUNCTION static Affine identity() { return {}; }
  KOKKOS_FUNCTION Affine operator()(Affine const& f, Affine const& g) const {
    return {f.a * g.a, f.b * g.a + g.b};
  }
};

/// Without an identity, and not commutative.
struct Last {
  KOKKOS_FUNCTION int operator()(int, int b) const { return b; }
};

template <class T>
std::vector<T> random_values(std::uint64_t n) {
  std::mt19937 generator(5);
  std::vector<T> values(n);
  for (auto& value : values) {
    if constexpr (std::is_same_v<T, Affine>) {
      value = {static_cast<std::uint32_t>(generator()), static_cast<std::uint32_t>(generator())};
    } else if constexpr (std::is_floating_point_v<T>) {
      value = std::uniform_real_distribution<T>(-1, 1)(generator);
    } else {
      value = static_cast<T>(generator());
    }
  }
  return values;
}

template <class T>
bool same_bits(Array<T> const& part, Array<T> const& all, std::uint64_t begin) {
  return part.extent(0) == 0 ||
         std::memcmp(part.data(), all.data() + begin, part.extent(0) * sizeof(T)) == 0;
}

/// `scan(in, out)` of one device and `scan_of_ranks(comm, in, out)`, for all partitions.
template <class T, class U, class Scan, class ScanOfRanks>
void expect_same_bits(mpi::Communicator const& comm, std::uint64_t n, Scan const& scan,
                      ScanOfRanks const& scan_of_ranks) {
  auto const all = random_values<T>(n);
  Array<T> const whole("whole", n);
  for (std::uint64_t i = 0; i < n; ++i) whole(i) = all[i];
  Array<U> const expected("expected", n);
  scan(whole, expected);
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", partition " + std::to_string(k));
    Counts const& counts = kinds[k];
    auto const in = part_of(all, counts, comm.rank());
    Array<U> const out("out", in.extent(0));
    scan_of_ranks(comm, in, out);
    std::uint64_t const begin = begin_of(counts, comm.rank());
    EXPECT_TRUE(same_bits(out, expected, begin));
    EXPECT_TRUE(same_bits(in, whole, begin)) << "in has changed";
    if constexpr (std::is_same_v<T, U>) {
      scan_of_ranks(comm, in, in);
      EXPECT_TRUE(same_bits(in, expected, begin)) << "in place";
    }
  }
}

constexpr std::uint64_t bundle = 1 << 17;

std::vector<std::uint64_t> sizes() {
  return {0, 1, 2, 7, 5000, bundle, bundle + 1, 5 * bundle - 3};
}

template <class T, class U, class Op>
void expect_both(mpi::Communicator const& comm, std::uint64_t n, Op const& op) {
  Exec const exec;
  expect_same_bits<T, U>(
      comm, n, [&](auto const& in, auto const& out) { inclusive_scan(exec, in, out, op); },
      [&](auto const& ranks, auto const& in, auto const& out) {
        mpi::inclusive_scan(exec, ranks, in, out, op);
      });
  expect_same_bits<T, U>(
      comm, n, [&](auto const& in, auto const& out) { exclusive_scan(exec, in, out, op); },
      [&](auto const& ranks, auto const& in, auto const& out) {
        mpi::exclusive_scan(exec, ranks, in, out, op);
      });
}

TEST(MpiScan, SumsOfDoubles) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const n : sizes()) expect_both<double, double>(comm, n, Sum<double>{});
}

TEST(MpiScan, SumsOfFloatsByEveryTransfer) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_both<float, float>(comm, 2 * bundle + 77, Sum<float>{});
  }
}

TEST(MpiScan, OperationsThatDoNotCommute) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const n : {std::uint64_t{9}, 2 * bundle + 1}) {
    expect_both<Affine, Affine>(comm, n, Compose{});
  }
}

TEST(MpiScan, WithoutAnIdentity) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  for (auto const n : {std::uint64_t{9}, bundle + 100}) {
    expect_same_bits<int, int>(
        comm, n, [&](auto const& in, auto const& out) { inclusive_scan(exec, in, out, Last{}); },
        [&](auto const& ranks, auto const& in, auto const& out) {
          mpi::inclusive_scan(exec, ranks, in, out, Last{});
        });
    expect_same_bits<int, int>(
        comm, n, [&](auto const& in, auto const& out) { exclusive_scan(exec, in, out, Last{}, 5); },
        [&](auto const& ranks, auto const& in, auto const& out) {
          mpi::exclusive_scan(exec, ranks, in, out, Last{}, 5);
        });
  }
}

TEST(MpiScan, BehindAValueAndIntoAnotherType) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  std::uint64_t const n = 2 * bundle + 5;
  expect_same_bits<float, double>(
      comm, n,
      [&](auto const& in, auto const& out) { inclusive_scan(exec, in, out, std::plus<>{}, 0.1); },
      [&](auto const& ranks, auto const& in, auto const& out) {
        mpi::inclusive_scan(exec, ranks, in, out, std::plus<>{}, 0.1);
      });
  expect_same_bits<std::int32_t, std::int64_t>(
      comm, n, [&](auto const& in, auto const& out) { exclusive_scan(exec, in, out); },
      [&](auto const& ranks, auto const& in, auto const& out) {
        mpi::exclusive_scan(exec, ranks, in, out);
      });
  expect_both<std::uint32_t, std::uint64_t>(comm, n, Count<std::uint64_t>{});
}

TEST(MpiScan, OfFlags) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 2 * bundle + 3;
  auto const own = mpi::block_of(n, comm.rank(), comm.size());
  Array<bool> const flags("flags", own.count);
  std::uint64_t const first = bundle + 5;
  for (std::uint64_t i = 0; i < own.count; ++i) flags(i) = own.first + i == first;
  mpi::exclusive_scan(Exec(), comm, flags, flags, BitOr<bool>{});
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) wrong += flags(i) != (own.first + i > first);
  EXPECT_EQ(wrong, 0u);
}

TEST(MpiScan, OfViewsWithStrides) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  Exec const exec;
  std::uint64_t const n = bundle + 1001;
  auto const own = mpi::block_of(n, comm.rank(), comm.size());
  Kokkos::View<std::uint64_t*, Kokkos::LayoutStride, Exec> const data(
      "data", Kokkos::LayoutStride(own.count, 3));
  for (std::uint64_t i = 0; i < own.count; ++i) data(i) = own.first + i;
  mpi::inclusive_scan(exec, comm, data, data);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) {
    wrong += data(i) != (own.first + i) * (own.first + i + 1) / 2;
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace riffle::test::mpi_scan_test
