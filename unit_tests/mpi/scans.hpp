#pragma once

// For tests of scans over ranks: operations, data, and a comparison of the bits with a scan of one device.

#include <Kokkos_Core.hpp>

#include <riffle/mpi.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "mpi/partitioned_data.hpp"

namespace riffle::test {

/// x -> a x + b modulo 2^32; composition is not commutative.
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

/// An operation that has no identity and is not commutative.
struct Last {
  KOKKOS_FUNCTION int operator()(int, int b) const { return b; }
};

template <class T>
std::vector<T> scan_values(std::uint64_t n) {
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

/// Compares `scan(in, out)` of one device with `scan_of_ranks(comm, in, out)`, for all partitions.
template <class T, class U, class Scan, class ScanOfRanks>
void expect_same_bits(mpi::Communicator const& comm, std::uint64_t n, Scan const& scan,
                      ScanOfRanks const& scan_of_ranks) {
  auto const all = scan_values<T>(n);
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

inline constexpr std::uint64_t bundle = 1 << 17;

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

}  // namespace riffle::test
