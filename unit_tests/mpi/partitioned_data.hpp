#pragma once

// For tests of riffle::mpi: communicators and partitions of every kind, and data.

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <riffle/mpi.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace riffle::test {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec>;

template <class T>
using Strided = Kokkos::View<T*, Kokkos::LayoutStride, Exec>;

inline mpi::TransferOptions transfers(mpi::Transport transport, std::size_t round_bytes) {
  mpi::TransferOptions options;
  options.transport = transport;
  options.max_round_bytes = round_bytes;
  return options;
}

/// All transfers in one round, in several rounds from the data's memory, and in several rounds through a staging buffer.
/// For large data the rounds are `times` as large, since ranks wait for each other in each round.
inline std::vector<mpi::TransferOptions> all_transfers(std::size_t times = 1) {
  auto const direct = transfers(mpi::Transport::direct, 1000 * times);
  auto const staged = transfers(mpi::Transport::staged, 700 * times);
  return {mpi::TransferOptions{}, direct, staged};
}

using Counts = std::vector<std::uint64_t>;

/// Numbers of elements per rank with the sum n: equal blocks; all on the first rank; all on the last; and increasing numbers
/// with 0 for the first and every third rank.
inline std::vector<Counts> partitions(std::uint64_t n, int ranks) {
  auto const size = static_cast<std::size_t>(ranks);
  Counts blocks(size);
  for (int r = 0; r < ranks; ++r) {
    blocks[static_cast<std::size_t>(r)] = mpi::block_of(n, r, ranks).count;
  }
  if (ranks == 1) return {blocks};
  Counts first(size, 0);
  Counts last(size, 0);
  Counts uneven(size, 0);
  first.front() = n;
  last.back() = n;
  std::uint64_t left = n;
  for (std::size_t r = 1; r < size; ++r) {
    if (r % 3 != 0) uneven[r] = left / (size - r + 2);
    left -= uneven[r];
  }
  uneven.back() += left;
  return {blocks, first, last, uneven};
}

/// The index of a rank's first element.
inline std::uint64_t begin_of(Counts const& counts, int rank) {
  std::uint64_t sum = 0;
  for (int r = 0; r < rank; ++r) sum += counts[static_cast<std::size_t>(r)];
  return sum;
}

/// A rank's part of the data of all ranks.
template <class T>
Array<T> part_of(std::vector<T> const& all, Counts const& counts, int rank) {
  std::uint64_t const begin = begin_of(counts, rank);
  Array<T> const part("part", counts[static_cast<std::size_t>(rank)]);
  for (std::uint64_t i = 0; i < part.extent(0); ++i) part(i) = all[begin + i];
  return part;
}

/// A rank's part, in the memory of an execution space.
template <class E, class T>
Kokkos::View<T*, E> part_in_memory_of(std::vector<T> const& all, Counts const& counts, int rank) {
  Kokkos::View<T*, E> const view("part", counts[static_cast<std::size_t>(rank)]);
  Kokkos::deep_copy(view, part_of(all, counts, rank));
  return view;
}

/// The values of an array in any memory.
template <class T, class Space>
std::vector<T> to_host(Kokkos::View<T*, Space> const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<T>(host.data(), host.data() + host.extent(0));
}

template <class T>
std::vector<T> to_vector(Array<T> const& view) {
  return std::vector<T>(view.data(), view.data() + view.extent(0));
}

/// Whether the array has the bits of `all` from element `begin` on.
template <class T>
bool same_bits(Array<T> const& array, Array<T> const& all, std::uint64_t begin) {
  return array.extent(0) == 0 ||
         std::memcmp(array.data(), all.data() + begin, array.extent(0) * sizeof(T)) == 0;
}

/// A rank's part of the result of one device.
template <class T>
std::vector<T> expected_part(std::vector<T> const& all, Counts const& counts, int rank) {
  auto const begin = all.begin() + static_cast<std::ptrdiff_t>(begin_of(counts, rank));
  return std::vector<T>(
      begin, begin + static_cast<std::ptrdiff_t>(counts[static_cast<std::size_t>(rank)]));
}

}  // namespace riffle::test
