#pragma once

// What is counted by walks through the whole permutation, once for all tests that ask.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/uniformity/sample.hpp>
#include <riffle/detail/uniformity/worker.hpp>

namespace riffle::detail::uniformity {

/// Merges from[begin, middle) and from[middle, end), both ascending; returns how many pairs of the two
/// were in the wrong order.
KOKKOS_INLINE_FUNCTION std::int64_t merge_runs(Row const& from, Row const& to, std::uint64_t begin,
                                               std::uint64_t middle, std::uint64_t end) {
  std::int64_t wrong = 0;
  std::uint64_t left = begin;
  std::uint64_t right = middle;
  for (std::uint64_t k = begin; k < end; ++k) {
    bool const takes_right = right < end && (left == middle || from[right] < from[left]);
    if (takes_right) wrong += static_cast<std::int64_t>(middle - left);
    to[k] = takes_right ? from[right++] : from[left++];
  }
  return wrong;
}

/// The pairs i < j with row[i] > row[j], by a merge sort of n log n steps: W. R. Knight, "A computer
/// method for calculating Kendall's tau with ungrouped data", J. Amer. Statist. Assoc. 61 (1966). The
/// row is kept; `work` is overwritten.
template <class Worker>
KOKKOS_FUNCTION std::int64_t count_inversions(Worker const& worker, std::uint64_t n, Row const& row,
                                              Row const (&work)[2]) {
  std::int64_t wrong = 0;
  Row from = row;
  int to = 0;
  for (std::uint64_t size = 1; size < n; size *= 2) {
    for (std::uint64_t begin = 2 * size * worker.rank(); begin < n;
         begin += 2 * size * worker.size()) {
      std::uint64_t const middle = begin + size < n ? begin + size : n;
      std::uint64_t const end = middle + size < n ? middle + size : n;
      wrong += merge_runs(from, work[to], begin, middle, end);
    }
    worker.barrier();
    from = work[to];
    to = 1 - to;
  }
  return worker.sum(wrong);
}

/// By one thread, which marks where it has been in `work`.
template <class Worker>
KOKKOS_FUNCTION std::int64_t count_cycles(Worker const& worker, Sample const& sample) {
  Row const& seen = sample.work[0];
  for (std::uint64_t i = worker.rank(); i < sample.n; i += worker.size()) seen[i] = 0;
  worker.barrier();
  std::int64_t cycles = 0;
  if (worker.rank() == 0) {
    for (std::uint64_t i = 0; i < sample.n; ++i) {
      if (seen[i] != 0) continue;
      ++cycles;
      for (std::uint64_t at = i; seen[at] == 0; at = sample.sigma[at]) seen[at] = 1;
    }
  }
  return worker.sum(cycles);
}

}  // namespace riffle::detail::uniformity
