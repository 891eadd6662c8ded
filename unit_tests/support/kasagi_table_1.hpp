#pragma once

// Table 1 of A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU" (2014): rounds and running times of
// permutation algorithms on the HMM. A test runs the memory accesses of an algorithm and compares the model's counts:
//
//   EXPECT_EQ(machine.counts(), table_1::regular().rounds);
//   EXPECT_EQ(machine.time(), table_1::regular().time(n, w, k, latency));

#include <riffle/published/offline_permutation/memory_machine.hpp>

#include <cstdint>
#include <ostream>

namespace riffle {

/// For messages of GoogleTest.
inline void PrintTo(RoundCounts const& c, std::ostream* out) {
  *out << "{casual " << c.casual_reading << ", " << c.casual_writing << "; coalesced "
       << c.coalesced_reading << ", " << c.coalesced_writing << "; conflict-free "
       << c.conflict_free_reading << ", " << c.conflict_free_writing << "; conflicting "
       << c.conflicting_reading << ", " << c.conflicting_writing << "}";
}

}  // namespace riffle

namespace riffle::test::table_1 {

/// A row of an algorithm without casual rounds.
struct Row {
  RoundCounts rounds;
  /// The common factor of the terms of the running time.
  std::uint64_t factor;

  /// factor (n/w + n/(k w) + L - 1), for n a multiple of k w.
  std::uint64_t time(std::uint64_t n, std::uint64_t w, std::uint64_t k,
                     std::uint64_t latency) const {
    return factor * (n / w) + factor * (n / (k * w)) + factor * latency - factor;
  }
};

inline Row regular() { return {{0, 0, 1, 1, 1, 1, 0, 0}, 2}; }
inline Row row_wise() { return {{0, 0, 3, 1, 2, 2, 0, 0}, 4}; }
inline Row column_wise() { return {{0, 0, 5, 3, 4, 4, 0, 0}, 8}; }
inline Row scheduled() { return {{0, 0, 11, 5, 8, 8, 0, 0}, 16}; }

inline RoundCounts destination_designated() { return {0, 1, 2, 0, 0, 0, 0, 0}; }
inline RoundCounts source_designated() { return {1, 0, 1, 1, 0, 0, 0, 0}; }

/// D_w(P) + 2 n/w + 3 L - 3; with D_w(P^-1) for the source-designated algorithm.
inline std::uint64_t conventional_time(std::uint64_t distribution, std::uint64_t n, std::uint64_t w,
                                       std::uint64_t latency) {
  return distribution + 2 * (n / w) + 3 * latency - 3;
}

}  // namespace riffle::test::table_1
