#pragma once

// The cost of a scatter along a stored permutation, and of a schedule for it, from n and D_w(P): the paper's D_w(P) + 2 n/w + 3
// L - 3 (sec. 4), in nanoseconds and for memory with a cache.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/levels.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::planning {

/// The rates of several cores. Each core meets the whole array out of order, so that only its own cache helps it.
constexpr Rates of_cores(Rates rates, int cores) {
  auto const share = 1.0 / cores;
  for (double* const rate :
       {&rates.byte, &rates.cached_write, &rates.write, &rates.pass_byte, &rates.plan_element}) {
    *rate *= share;
  }
  return rates;
}

template <class Exec>
Rates rates_of(Exec const& exec) {
  if constexpr (backend::is_cpu<Exec>) {
    return of_cores(cpu_core_rates, std::max(1, static_cast<int>(exec.concurrency())));
  } else {
    return gpu_rates;
  }
}

/// The width w at which D_w(P) is computed: that of a group of 4-byte words.
inline std::uint64_t width(Rates const& rates) {
  return static_cast<std::uint64_t>(rates.group_bytes) / 4;
}

/// D_w(P) on the scale of its bounds: 0 where it is n/w, as for the identity, and 1 where it is n.
inline double spread(std::uint64_t distribution, std::uint64_t n, std::uint64_t w) {
  std::uint64_t const least = n / w + (n % w != 0);
  if (n == least) return 0;
  return static_cast<double>(distribution - std::min(distribution, least)) /
         static_cast<double>(n - least);
}

/// The known facts of a task: n elements of `bytes` bytes each, and the spread of their places.
struct Task {
  std::uint64_t n;
  double spread;
  std::size_t bytes;
};

/// The time to read and write in order: for each element an index, and the element from one array and to the other.
inline double in_order(Rates const& rates, Task const& task) {
  double const index = task.n <= std::uint64_t{1} << 32 ? 4 : 8;
  return rates.kernel +
         static_cast<double>(task.n) * (index + 2 * static_cast<double>(task.bytes)) * rates.byte;
}

/// The time for the groups that are moved beyond those of an array in order: D_w(P) - n/w, with the w of these
/// elements.
inline double out_of_order(Rates const& rates, Task const& task) {
  auto const n = static_cast<double>(task.n);
  auto const bytes = static_cast<double>(task.bytes);
  double const groups = task.spread * n * (1 - std::min(1.0, bytes / rates.group_bytes));
  double const hits = n == 0 ? 1 : std::min(1.0, rates.cache_bytes / (n * bytes));
  return groups * (hits * rates.cached_write + (1 - hits) * rates.write);
}

inline double scatter_time(Rates const& rates, Task const& task) {
  return in_order(rates, task) + out_of_order(rates, task);
}

/// The time of a plan, whatever the spread: each pass reads and writes the elements and reads 2 bytes of the plan.
inline double schedule_time(Rates const& rates, Task const& task) {
  schedule::Tiles const tiles{task.n, rates.shape.tile_bits};
  auto const levels = schedule::levels_of(tiles.count(), rates.shape.max_bucket_bits).size();
  auto const passes = static_cast<double>(levels + 1);
  return passes * (rates.pass + static_cast<double>(task.n) *
                                    (2 + 2 * static_cast<double>(task.bytes)) * rates.pass_byte);
}

inline double plan_time(Rates const& rates, std::uint64_t n) {
  return rates.plan + static_cast<double>(n) * rates.plan_element;
}

}  // namespace riffle::detail::planning
