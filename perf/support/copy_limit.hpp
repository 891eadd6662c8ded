#pragma once

// The limit of a scan: a copy, which reads and writes every item once.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

#include "support/timing.hpp"

namespace perf {

template <class T>
struct CopyItem {
  Kokkos::View<T const*, Exec> in;
  Kokkos::View<T*, Exec> out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = in(i); }
};

/// Copies by the faster of Kokkos's two methods at this n.
template <class T>
class FastestCopy {
 public:
  FastestCopy(Exec const& exec, Kokkos::View<T*, Exec> const& in, Kokkos::View<T*, Exec> const& out)
      : exec_(exec), in_(in), out_(out) {
    int const calls = calls_per_fence(in.extent(0));
    double const by_deep_copy = median_seconds(exec, calls, [this] { (*this)(); });
    uses_kernel_ = true;
    double const by_kernel = median_seconds(exec, calls, [this] { (*this)(); });
    uses_kernel_ = by_kernel < by_deep_copy;
    seconds_ = std::min(by_kernel, by_deep_copy);
  }

  /// The time of one copy.
  double seconds() const { return seconds_; }

  void operator()() const {
    if (uses_kernel_) {
      Kokkos::parallel_for("perf::copy", range(exec_, in_.extent(0)), CopyItem<T>{in_, out_});
    } else {
      Kokkos::deep_copy(exec_, out_, in_);
    }
  }

 private:
  Exec exec_;
  Kokkos::View<T*, Exec> in_;
  Kokkos::View<T*, Exec> out_;
  bool uses_kernel_ = false;
  double seconds_ = 0;
};

/// Items per second of the copy of n items, measured once per n.
template <class T>
double copy_rate(Exec const& exec, std::uint64_t n) {
  static std::map<std::uint64_t, double> known;
  auto const entry = known.find(n);
  if (entry != known.end()) return entry->second;
  Kokkos::View<T*, Exec> const in(Kokkos::view_alloc(exec, "perf::in"), n);
  Kokkos::View<T*, Exec> const out(Kokkos::view_alloc(exec, "perf::out"), n);
  double const rate = static_cast<double>(n) / FastestCopy<T>(exec, in, out).seconds();
  return known[n] = rate;
}

/// Items per second of a copy, of T, that moves `bytes_per_item` bytes for each of n items.
template <class T>
double limit_rate(Exec const& exec, std::uint64_t n, std::uint64_t bytes_per_item) {
  constexpr std::uint64_t bytes_copied = 2 * sizeof(T);
  double const copied = copy_rate<T>(exec, n * bytes_per_item / bytes_copied);
  return copied * static_cast<double>(bytes_copied) / static_cast<double>(bytes_per_item);
}

}  // namespace perf
