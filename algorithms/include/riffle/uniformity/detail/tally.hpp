#pragma once

// Counts the items of samples that have many items.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/worker.hpp>

namespace riffle::detail::uniformity {

/// Adds 1 to the observer's counter cell(k) for k = 0, ..., items - 1. Requires items <= n. If
/// there are no more cells than items, the worker first counts in its own memory, so that workers
/// do not contend for a few counters.
template <class Worker, class Observer, class Cell>
KOKKOS_FUNCTION void tally(Worker const& worker, Sample const& sample, Observer const& observer,
                           std::uint64_t cells, std::uint64_t items, Cell const& cell) {
  if (cells > items) {
    for (std::uint64_t k = worker.rank(); k < items; k += worker.size()) observer.add(cell(k), 1);
    return;
  }
  Row const& counts = sample.work[0];
  worker.barrier();  // no thread may still use `work` for the previous test
  for (std::uint64_t c = worker.rank(); c < cells; c += worker.size()) counts[c] = 0;
  worker.barrier();
  for (std::uint64_t k = worker.rank(); k < items; k += worker.size())
    Kokkos::atomic_inc(&counts[cell(k)]);
  worker.barrier();
  for (std::uint64_t c = worker.rank(); c < cells; c += worker.size())
    if (counts[c] != 0) observer.add(c, counts[c]);
}

}  // namespace riffle::detail::uniformity
