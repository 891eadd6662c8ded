#pragma once

// Statistics that require a pass over the whole permutation. They are computed once for all tests
// that use them.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/worker.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// Writes row[begin, end) to `to` in ascending order. Returns the number of inversions, that is, of
/// pairs in descending order.
KOKKOS_INLINE_FUNCTION std::int64_t sort_run(Row const& row, Row const& to, std::uint64_t begin,
                                             std::uint64_t end) {
  std::uint64_t wrong = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    std::uint32_t const x = row[i];
    std::uint64_t k = i;
    for (; k > begin && to[k - 1] > x; --k) to[k] = to[k - 1];
    to[k] = x;
    wrong += i - k;
  }
  return static_cast<std::int64_t>(wrong);
}

/// Two ascending runs, [begin, middle) and [middle, end).
struct Runs {
  std::uint64_t begin;
  std::uint64_t middle;
  std::uint64_t end;
};

/// Returns how many of the first `count` numbers of the merged runs are from the left run.
KOKKOS_INLINE_FUNCTION std::uint64_t taken_from_left(Row const& from, Runs const& runs,
                                                     std::uint64_t count) {
  std::uint64_t const all_right = runs.end - runs.middle;
  std::uint64_t low = count > all_right ? count - all_right : 0;
  std::uint64_t high = Kokkos::min(count, runs.middle - runs.begin);
  while (low < high) {
    std::uint64_t const left = (low + high) / 2;
    if (from[runs.begin + left] < from[runs.middle + count - left - 1]) {
      low = left + 1;
    } else {
      high = left;
    }
  }
  return low;
}

/// Merges two runs, but computes only to[first, last). Returns the number of inversions, that is,
/// of pairs (x, y) with x > y, where x is in the left run and y is in the right run. Counts only
/// pairs whose y is written by this call.
KOKKOS_INLINE_FUNCTION std::int64_t merge_piece(Row const& from, Row const& to, Runs const& runs,
                                                std::uint64_t first, std::uint64_t last) {
  std::uint64_t left = runs.begin + taken_from_left(from, runs, first - runs.begin);
  std::uint64_t const left_end = runs.begin + taken_from_left(from, runs, last - runs.begin);
  std::uint64_t right = runs.middle + (first - left);
  std::uint64_t const right_end = runs.middle + (last - left_end);
  std::uint64_t wrong = 0;
  std::uint64_t k = first;
  while (left < left_end && right < right_end) {
    // No branch, because a CPU could not predict it.
    std::uint32_t const a = from[left];
    std::uint32_t const b = from[right];
    std::uint64_t const takes_right = b < a ? 1 : 0;
    to[k++] = Kokkos::min(a, b);
    wrong += (0 - takes_right) & (runs.middle - left);
    right += takes_right;
    left += 1 - takes_right;
  }
  wrong += (right_end - right) * (runs.middle - left);
  while (left < left_end) to[k++] = from[left++];
  while (right < right_end) to[k++] = from[right++];
  return static_cast<std::int64_t>(wrong);
}

/// Merges pairs of runs of `size` numbers into runs of 2 * size numbers. Each merge is divided into
/// pieces, so that the last few merges also occupy all threads: S. Odeh, O. Green, Z. Mwassi, O.
/// Shmueli, Y. Birk, "Merge path - parallel merging made simple", IPDPS Workshops (2012). The sizes
/// of runs and pieces are powers of two. Returns the number of inversions that this thread has
/// counted.
template <class Worker>
KOKKOS_FUNCTION std::int64_t merge_runs(Worker const& worker, std::uint64_t n, std::uint64_t size,
                                        std::uint64_t piece, Row const& from, Row const& to) {
  std::int64_t wrong = 0;
  for (std::uint64_t first = piece * worker.rank(); first < n; first += piece * worker.size()) {
    std::uint64_t const begin = first - first % (2 * size);
    Runs const runs{begin, Kokkos::min(begin + size, n), Kokkos::min(begin + 2 * size, n)};
    wrong += merge_piece(from, to, runs, first, Kokkos::min(first + piece, runs.end));
  }
  return wrong;
}

/// Counts the pairs i < j with row[i] > row[j] by a merge sort, in n log n steps: W. R. Knight, "A
/// computer method for calculating Kendall's tau with ungrouped data", J. Amer. Statist. Assoc. 61
/// (1966). The row does not change; `work` is overwritten.
template <class Worker>
KOKKOS_FUNCTION std::int64_t count_inversions(Worker const& worker, std::uint64_t n, Row const& row,
                                              Row const (&work)[2]) {
  std::int64_t wrong = 0;
  for (std::uint64_t begin = run_length * worker.rank(); begin < n;
       begin += run_length * worker.size())
    wrong += sort_run(row, work[0], begin, Kokkos::min(begin + run_length, n));
  std::uint64_t share = run_length;
  while (share * worker.size() < n) share *= 2;
  int from = 0;
  for (std::uint64_t size = run_length; size < n; size *= 2) {
    worker.barrier();
    wrong += merge_runs(worker, n, size, Kokkos::min(2 * size, share), work[from], work[1 - from]);
    from = 1 - from;
  }
  return worker.sum(wrong);
}

/// Counts the cycles of a permutation. One thread does this, and marks the visited elements in
/// `work`.
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
