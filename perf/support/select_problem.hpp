#pragma once

// The data of the benchmarks of compaction, and their results, computed one after the other on the host.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/exec.hpp"

namespace perf {

using Numbers = Kokkos::View<std::int32_t*, Exec>;

struct IsBelow {
  std::int32_t bound;

  KOKKOS_FUNCTION bool operator()(std::int32_t value) const { return value < bound; }
};

struct SelectProblem {
  SelectProblem(std::uint64_t n, std::int32_t bound)
      : in(allocate<std::int32_t>(exec, "perf::in", n)),
        out(allocate<std::int32_t>(exec, "perf::out", n)),
        lengths(allocate<std::int32_t>(exec, "perf::lengths", n)),
        count("perf::count"),
        is_kept{bound} {}

  Exec exec;
  Numbers in;
  Numbers out;
  Numbers lengths;
  Kokkos::View<std::int64_t, Exec> count;
  IsBelow is_kept;
};

struct Selected {
  std::vector<std::int32_t> values;
  std::vector<std::int32_t> lengths;
};

inline std::vector<std::int32_t> on_host(Exec const& exec, Numbers const& numbers,
                                         std::uint64_t n) {
  std::vector<std::int32_t> result(n);
  Kokkos::View<std::int32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const target(
      result.data(), n);
  Kokkos::deep_copy(exec, target,
                    Kokkos::subview(numbers, Kokkos::pair<std::uint64_t, std::uint64_t>(0, n)));
  exec.fence("perf::on_host");
  return result;
}

inline Selected kept_values(SelectProblem const& data) {
  Selected result;
  for (std::int32_t const value : on_host(data.exec, data.in, data.in.extent(0))) {
    if (data.is_kept(value)) result.values.push_back(value);
  }
  return result;
}

inline Selected runs_of(SelectProblem const& data) {
  Selected result;
  for (std::int32_t const value : on_host(data.exec, data.in, data.in.extent(0))) {
    if (result.values.empty() || result.values.back() != value) {
      result.values.push_back(value);
      result.lengths.push_back(0);
    }
    ++result.lengths.back();
  }
  return result;
}

/// Returns what is wrong with the results in data.out, data.count and, if has_lengths, data.lengths.
inline std::string select_error(SelectProblem const& data, Selected const& expected,
                                bool has_lengths) {
  std::int64_t count = 0;
  Kokkos::deep_copy(count, data.count);
  std::size_t const size = expected.values.size();
  if (count != static_cast<std::int64_t>(size))
    return "a count of " + std::to_string(count) + " instead of " + std::to_string(size);
  if (on_host(data.exec, data.out, size) != expected.values) return "wrong values";
  if (has_lengths && on_host(data.exec, data.lengths, size) != expected.lengths)
    return "wrong lengths";
  return "";
}

}  // namespace perf
