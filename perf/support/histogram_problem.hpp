#pragma once

// The data of the benchmarks of histograms: labels or values, and their counts.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "baselines/split_mix.hpp"
#include "support/exec.hpp"

namespace perf {

/// `equal` percent of the labels are the same, the others random. Values are uniform in [0, bins), so their bins of width 1 are
/// random; `equal` percent of them are the same.
template <class T>
struct HistogramProblem {
  HistogramProblem(std::uint64_t n, std::uint64_t bins)
      : in(allocate<T>(exec, "perf::in", n)),
        counts(allocate<std::int32_t>(exec, "perf::counts", bins)) {}

  std::uint64_t bins() const { return counts.extent(0); }

  Exec exec;
  Kokkos::View<T*, Exec> in;
  Kokkos::View<std::int32_t*, Exec> counts;
};

template <class T>
struct WriteNumber {
  Kokkos::View<T*, Exec> in;
  std::uint64_t bins;
  std::uint64_t equal;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const word = mix(i) >> 8;
    std::uint64_t const label = mix(~i) % 100 < equal ? bins / 2 : word % bins;
    in(i) = static_cast<T>(label);
    if constexpr (std::is_floating_point_v<T>) {
      in(i) += static_cast<T>(word >> 40) / static_cast<T>(std::uint64_t{1} << 16);
    }
  }
};

template <class T>
std::vector<std::int32_t> counts_on_host(HistogramProblem<T> const& data) {
  auto const in = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), data.in);
  std::vector<std::int32_t> counts(data.bins());
  for (std::uint64_t i = 0; i < in.extent(0); ++i) ++counts[static_cast<std::size_t>(in(i))];
  return counts;
}

/// Whether the counts differ from `expected`.
template <class T>
bool has_wrong_counts(HistogramProblem<T> const& data, std::vector<std::int32_t> const& expected) {
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), data.counts);
  return !std::equal(expected.begin(), expected.end(), found.data());
}

}  // namespace perf
