// Scans of segments and sums of runs of equal keys.

#include <Kokkos_Core.hpp>
#include <riffle/segmented_scan.hpp>
#include <riffle/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::segmented_scans_cases {
namespace {

/// Keys in runs of random lengths.
inline std::vector<std::int32_t> keys_in_runs(std::size_t n) {
  std::vector<std::int32_t> keys(n);
  for (std::size_t i = 1; i < n; ++i) keys[i] = keys[i - 1] + (word(i, 9) % 50 == 0 ? 1 : 0);
  return keys;
}

struct ByKey {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const keys = to_array<Exec>(keys_in_runs(n));
    auto const in = to_array<Exec>(plain_numbers<float>(n));
    auto const out = make_output<Exec, float>(n);
    inclusive_scan_by_key(exec, keys, in, out);
    results.add("inclusive", out);
    auto const before = make_output<Exec, double>(n);
    exclusive_scan_by_key(exec, keys, in, before, Sum<double>{}, 0.5);
    results.add("exclusive", before);
  }
};

struct OfRuns {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const keys = to_array<Exec>(keys_in_runs(n));
    auto const in = to_array<Exec>(plain_numbers<double>(n));
    auto const keys_out = make_output<Exec, std::int32_t>(n);
    auto const out = make_output<Exec, double>(n);
    Context const context(exec, "runs", workspace);
    results.add("count", reduce_by_key(context, keys, in, keys_out, out));
    results.add("keys", keys_out);
    results.add("sums", out);
  }
};

struct OfSegments {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::vector<std::uint64_t> offsets{0};
    for (std::uint64_t k = 0; offsets.back() < n; ++k)
      offsets.push_back(std::min<std::uint64_t>(n, offsets.back() + word(k, 3) % 70));
    auto const in = to_array<Exec>(plain_numbers<std::uint16_t>(n));
    auto const out = make_output<Exec, std::uint32_t>(n);
    auto const of_segments = to_array<Exec>(offsets);
    inclusive_scan_segments(exec, in, of_segments, out, Max<std::uint32_t>{});
    results.add("maxima", out);
    exclusive_scan_segments(exec, in, of_segments, out, Max<std::uint32_t>{}, 3u);
    results.add("maxima before", out);
  }
};

struct OfLines {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::size_t const columns = 60;
    auto const in = to_matrix<Exec>(plain_numbers<float>(n / columns * columns), columns);
    auto const out = make_output<Exec, float>(n / columns, columns);
    inclusive_scan_rows(exec, in, out);
    results.add("rows", out);
    exclusive_scan_rows(exec, in, out);
    results.add("before in rows", out);
    inclusive_scan_columns(exec, in, out);
    results.add("columns", out);
    exclusive_scan_columns(exec, in, out);
    results.add("before in columns", out);
  }
};

Cases const cases{
    make_case<ByKey>("scans_by_key", sizes()),
    make_case<OfRuns>("sums_of_runs_by_key", sizes()),
    make_case<OfSegments>("scan_segments_by_maximum", sizes()),
    make_case<OfLines>("scan_rows_and_columns", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::segmented_scans_cases
