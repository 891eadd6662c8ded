#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/mpi/detail/run_collectively.hpp>

namespace riffle::detail::mpi {

/// Owner r owns the elements bounds[r], ..., bounds[r + 1] - 1. Returns the owner of element i: the
/// last r with first <= r < last and bounds[r] <= i. Requires that such an r exists, and that
/// `bounds` is ascending.
KOKKOS_INLINE_FUNCTION int owner_between(std::uint64_t const* bounds, int first, int last,
                                         std::uint64_t i) {
  while (last - first > 1) {
    int const middle = first + (last - first) / 2;
    if (bounds[middle] <= i) {
      first = middle;
    } else {
      last = middle;
    }
  }
  return first;
}

/// The distribution of n elements over the ranks. Each rank owns a contiguous range of elements; a
/// higher rank owns elements with higher indices.
class Partition {
 public:
  explicit Partition(std::vector<std::uint64_t> const& counts) : bounds_(1, 0) {
    for (auto const count : counts) bounds_.push_back(bounds_.back() + count);
  }

  std::uint64_t n() const { return bounds_.back(); }
  int ranks() const { return static_cast<int>(bounds_.size()) - 1; }
  std::uint64_t first(int rank) const { return bounds_[static_cast<std::size_t>(rank)]; }
  std::uint64_t end(int rank) const { return bounds_[static_cast<std::size_t>(rank) + 1]; }
  std::uint64_t count(int rank) const { return end(rank) - first(rank); }
  int owner(std::uint64_t i) const { return owner_between(bounds_.data(), 0, ranks(), i); }

  /// {first(0), ..., first(ranks() - 1), n()}.
  std::vector<std::uint64_t> const& bounds() const { return bounds_; }

 private:
  std::vector<std::uint64_t> bounds_;
};

/// Gathers the distributions of two arrays from all ranks. This rank owns `of_first` elements of
/// the first array and `of_second` elements of the second array.
template <class Comm>
std::pair<Partition, Partition> gather_partitions(Comm const& comm, std::uint64_t of_first,
                                                  std::uint64_t of_second) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  std::uint64_t const own[2] = {of_first, of_second};
  std::vector<std::uint64_t> all(2 * ranks);
  check_mpi(MPI_Allgather(own, 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, comm.get()),
            "MPI_Allgather");
  std::vector<std::uint64_t> first(ranks);
  std::vector<std::uint64_t> second(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    first[r] = all[2 * r];
    second[r] = all[2 * r + 1];
  }
  return {Partition(first), Partition(second)};
}

}  // namespace riffle::detail::mpi
