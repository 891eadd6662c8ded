#pragma once

// For tests with the model of ranks: blocks of data, and the traffic that an algorithm should have.

#include <Kokkos_Core.hpp>

#include <riffle/mpi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace riffle::test::mpi_model {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Exec>;

/// A rank's block of an array of all elements.
template <class T>
Array<T> block_of_all(Array<T> const& all, int rank, int ranks) {
  auto const own = mpi::block_of(all.extent(0), rank, ranks);
  Array<T> const block("block", own.count);
  std::copy_n(all.data() + own.first, own.count, block.data());
  return block;
}

/// Whether a block has the bits of the rank's part of all elements.
template <class T>
bool is_part(Array<T> const& block, Array<T> const& all, int rank, int ranks) {
  auto const own = mpi::block_of(all.extent(0), rank, ranks);
  return block.extent(0) == own.count &&
         (own.count == 0 ||
          std::memcmp(block.data(), all.data() + own.first, own.count * sizeof(T)) == 0);
}

template <class T>
Array<T> numbers(std::uint64_t n) {
  Array<T> const all("all", n);
  for (std::uint64_t i = 0; i < n; ++i)
    all(i) = static_cast<T>((i + 1) * 2654435761u % 1000003) / 7;
  return all;
}

inline int owner_of(std::uint64_t i, std::uint64_t n, int ranks) {
  auto rank = static_cast<int>(i * static_cast<std::uint64_t>(ranks) / n);
  while (mpi::block_of(n, rank, ranks).first > i) --rank;
  while (rank + 1 < ranks && mpi::block_of(n, rank + 1, ranks).first <= i) ++rank;
  return rank;
}

/// The traffic if each element is sent directly to its destination; images(i) is the source of element i.
class ExpectedTraffic {
 public:
  ExpectedTraffic(Array<std::uint32_t> const& images, int ranks)
      : ranks_(ranks), rows_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {
    std::uint64_t const n = images.extent(0);
    for (int to = 0; to < ranks; ++to) {
      auto const own = mpi::block_of(n, to, ranks);
      for (std::uint64_t i = own.first; i < own.first + own.count; ++i) {
        ++rows_[at(owner_of(images(i), n, ranks), to)];
      }
    }
  }

  /// The number of ranks to which a rank sends rows.
  std::uint64_t messages(int from) const {
    return over_others([&](int to) { return rows_[at(from, to)] > 0 ? 1u : 0u; }, from);
  }
  /// The number of ranks from which a rank receives rows.
  std::uint64_t senders(int to) const {
    return over_others([&](int from) { return rows_[at(from, to)] > 0 ? 1u : 0u; }, to);
  }
  std::uint64_t sent(int from) const {
    return over_others([&](int to) { return rows_[at(from, to)]; }, from);
  }
  std::uint64_t received(int to) const {
    return over_others([&](int from) { return rows_[at(from, to)]; }, to);
  }

 private:
  std::size_t at(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) +
           static_cast<std::size_t>(to);
  }
  template <class Of>
  std::uint64_t over_others(Of const& of, int rank) const {
    std::uint64_t sum = 0;
    for (int other = 0; other < ranks_; ++other) sum += other == rank ? 0 : of(other);
    return sum;
  }

  int ranks_;
  std::vector<std::uint32_t> rows_;
};

/// The number of rounds of samples that cut runs of n elements in all. With `samples` samples of each run, a round leaves
/// 4 / samples of the undecided places, plus two; if no run has more places than samples, it leaves none.
inline std::uint64_t rounds_of_samples(std::uint64_t n, std::uint64_t samples) {
  std::uint64_t rounds = 0;
  for (std::uint64_t doubtful = n; doubtful > samples; ++rounds) {
    doubtful = 4 * doubtful / samples + 2;
  }
  return rounds + 1;
}

/// The number of samples of each run that a rank takes in a round.
inline std::uint64_t samples_per_run(int ranks) {
  std::uint64_t const room = (1 << 16) / (static_cast<std::uint64_t>(ranks) * sizeof(double));
  return std::clamp<std::uint64_t>(room, 16, 1024);
}

/// Values with many ties, so that the destinations of tied elements matter.
inline Array<double> values_with_ties(std::uint64_t n) {
  Array<double> const all("all", n);
  for (std::uint64_t i = 0; i < n; ++i) {
    all(i) = static_cast<double>((i + 1) * 2654435761u % 1000003 % 5003) - 2500;
  }
  return all;
}

/// The sources of the elements of a stable sort.
inline Array<std::uint32_t> stable_order(Array<double> const& values) {
  Array<std::uint32_t> const order("order", values.extent(0));
  std::uint32_t* const end = order.data() + order.extent(0);
  std::iota(order.data(), end, 0u);
  std::stable_sort(order.data(), end,
                   [&](std::uint32_t a, std::uint32_t b) { return values(a) < values(b); });
  return order;
}

}  // namespace riffle::test::mpi_model
