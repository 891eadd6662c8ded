#pragma once

// The data of the benchmark of sorts of segments, and the check of its answers.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "baselines/split_mix.hpp"
#include "support/exec.hpp"

namespace perf {

template <class T>
struct WriteRandomValue {
  Kokkos::View<T*, Exec> values;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    if constexpr (std::is_integral_v<T>) {
      values(i) = static_cast<T>(mix(i) >> 32);
    } else {
      values(i) = static_cast<T>(mix(i) >> 11) * 0x1p-53;
    }
  }
};

/// Values that all differ with high probability, in segments with random lengths of 0, ..., 2 mean.
template <class T>
class SegmentsProblem {
 public:
  using Values = Kokkos::View<T*, Exec>;

  SegmentsProblem(std::uint64_t n, std::uint64_t mean)
      : in(allocate<T>(exec, "perf::in", n)), offsets(random_offsets(n, mean)) {
    Kokkos::parallel_for("perf::write", range(exec, n), WriteRandomValue<T>{in});
  }

  std::uint64_t segments() const { return offsets.extent(0) - 1; }

  /// Returns the fault of sorted values, or an empty string.
  std::string error(Values const& sorted) const {
    if (violations(sorted) > 0) return "a segment is not sorted";
    if (checksum(sorted) != checksum(in)) return "a segment has other values than before";
    return "";
  }

  Exec exec;
  Values in;
  Kokkos::View<std::int32_t*, Exec> offsets;

  // Public, because nvcc requires it of functions with lambdas.
  std::uint64_t violations(Values const& values) const {
    auto const of = offsets;
    std::uint64_t count = 0;
    Kokkos::parallel_reduce(
        "perf::violations", range(exec, values.extent(0)),
        KOKKOS_LAMBDA(std::uint64_t i, std::uint64_t & sum) {
          bool const follows = i > 0 && segment_of(of, i) == segment_of(of, i - 1);
          sum += follows && values(i) < values(i - 1) ? 1 : 0;
        },
        count);
    return count;
  }

  /// The sum of hashes of the values with the numbers of their segments.
  std::uint64_t checksum(Values const& values) const {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto const of = offsets;
    std::uint64_t result = 0;
    Kokkos::parallel_reduce(
        "perf::checksum", range(exec, values.extent(0)),
        KOKKOS_LAMBDA(std::uint64_t i, std::uint64_t & sum) {
          std::uint64_t const word = Kokkos::bit_cast<Word>(values(i));
          sum += mix(mix(segment_of(of, i)) ^ word);
        },
        result);
    return result;
  }

 private:
  static Kokkos::View<std::int32_t*, Exec> random_offsets(std::uint64_t n, std::uint64_t mean) {
    std::vector<std::int32_t> offsets{0};
    for (std::uint64_t end = 0; end < n;) {
      end = std::min(n, end + mix(offsets.size()) % (2 * mean + 1));
      offsets.push_back(static_cast<std::int32_t>(end));
    }
    Kokkos::View<std::int32_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(
        offsets.data(), offsets.size());
    auto const result = allocate<std::int32_t>(Exec(), "perf::offsets", offsets.size());
    Kokkos::deep_copy(result, host);
    return result;
  }

  /// The last segment that begins at or before element i.
  KOKKOS_FUNCTION static std::uint64_t segment_of(Kokkos::View<std::int32_t*, Exec> const& offsets,
                                                  std::uint64_t i) {
    std::uint64_t low = 0;
    std::uint64_t high = offsets.extent(0) - 1;
    while (low + 1 < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      (static_cast<std::uint64_t>(offsets(middle)) <= i ? low : high) = middle;
    }
    return low;
  }
};

}  // namespace perf
