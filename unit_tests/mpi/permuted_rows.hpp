#pragma once

// For tests of permutations over ranks: permutations of every kind, rows of all ranks, and a loop that permutes them.

#include <riffle/mpi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "mpi/partitioned_data.hpp"

namespace riffle::test {

// --- permutations ---

using Indices = std::vector<std::uint64_t>;

enum class Kind { identity, reversal, rotation, bit_reversal, swapped_ranks, within_ranks, random };

/// Bit reversal of the numbers below the next power of two, without the results >= n.
inline Indices bits_reversed(std::uint64_t n) {
  Indices result;
  int bits = 0;
  while (std::uint64_t{1} << bits < n) ++bits;
  for (std::uint64_t i = 0; i < std::uint64_t{1} << bits; ++i) {
    std::uint64_t reversed = 0;
    for (int b = 0; b < bits; ++b) reversed |= (i >> b & 1) << (bits - 1 - b);
    if (reversed < n) result.push_back(reversed);
  }
  return result;
}

/// A permutation of n rows in equal blocks. `rotation` moves each row to the next rank, `swapped_ranks` to the rank half of the
/// ranks further, and `within_ranks` keeps each row on its rank.
inline Indices permutation(Kind kind, std::uint64_t n, int ranks) {
  Indices p(n);
  std::iota(p.begin(), p.end(), std::uint64_t{0});
  std::uint64_t const block = n / static_cast<std::uint64_t>(ranks);
  switch (kind) {
    case Kind::reversal: return Indices(p.rbegin(), p.rend());
    case Kind::bit_reversal: return bits_reversed(n);
    case Kind::rotation:
      for (auto& place : p) place = (place + block) % n;
      return p;
    case Kind::swapped_ranks:
      for (auto& place : p) place = (place + n / 2) % n;
      return p;
    case Kind::within_ranks:
      for (int r = 0; r < ranks; ++r) {
        auto const own = mpi::block_of(n, r, ranks);
        for (std::uint64_t i = 0; i < own.count; ++i) {
          p[own.first + i] = own.first + own.count - 1 - i;
        }
      }
      return p;
    case Kind::random: std::shuffle(p.begin(), p.end(), std::mt19937_64(7 + n)); return p;
    default: return p;
  }
}

/// A rank's part of a permutation. The indices have one type; full/mpi/permute_types_test.cpp tests other types.
inline Array<std::int32_t> indices_of_rank(Indices const& p, Counts const& counts, int rank) {
  return part_of(std::vector<std::int32_t>(p.begin(), p.end()), counts, rank);
}

// --- rows ---

template <class T>
T value_at(std::uint64_t i) {
  T value;
  std::array<unsigned char, sizeof(T)> bytes;
  for (std::size_t b = 0; b < sizeof(T); ++b) {
    bytes[b] = static_cast<unsigned char>((i * 40503 + 977 * b * (i + 1)) >> (b % 4 * 2));
  }
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <>
inline double value_at<double>(std::uint64_t i) {
  return static_cast<double>(i) / 3 - 100;
}

template <class T>
std::vector<T> values(std::uint64_t n) {
  std::vector<T> result;
  for (std::uint64_t i = 0; i < n; ++i) result.push_back(value_at<T>(i));
  return result;
}

/// Moves row i to place p(i), or with `is_inverse` row p(i) to place i.
template <class T>
std::vector<T> permuted(std::vector<T> const& all, Indices const& p, bool is_inverse) {
  std::vector<T> result(all.size());
  for (std::uint64_t i = 0; i < p.size(); ++i) {
    if (is_inverse) {
      result[i] = all[p[i]];
    } else {
      result[p[i]] = all[i];
    }
  }
  return result;
}

template <class T>
bool same_bits(Array<T> const& view, std::vector<T> const& part) {
  return view.extent(0) == part.size() &&
         (part.empty() || std::memcmp(view.data(), part.data(), part.size() * sizeof(T)) == 0);
}

/// A rank's output rows.
template <class T>
Array<T> rows_of(Counts const& counts, int rank) {
  return Array<T>("rows", counts[static_cast<std::size_t>(rank)]);
}

/// Permutes all ranks' rows by the plan and back.
template <class T>
void expect_moved(mpi::Communicator const& comm, mpi::PlannedPermutation<Exec> const& plan,
                  Indices const& p, Counts const& of_in, Counts const& of_out) {
  Exec const exec;
  auto const all = values<T>(p.size());
  auto const in = part_of(all, of_in, comm.rank());
  auto const out = rows_of<T>(of_out, comm.rank());
  plan(exec, comm, in, out);
  exec.fence();
  auto const expected = permuted(all, p, false);
  EXPECT_TRUE(same_bits(out, expected_part(expected, of_out, comm.rank())));
  EXPECT_TRUE(same_bits(in, expected_part(all, of_in, comm.rank()))) << "in has changed";
  auto const back = rows_of<T>(of_in, comm.rank());
  auto const whole = part_of(all, of_out, comm.rank());
  mpi::permute(exec, comm, whole, plan.inverse(), back);
  exec.fence();
  EXPECT_TRUE(same_bits(back, expected_part(permuted(all, p, true), of_in, comm.rank())))
      << "the inverse";
}

}  // namespace riffle::test
