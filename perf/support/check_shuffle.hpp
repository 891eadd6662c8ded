#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include "support/exec.hpp"

namespace perf {

using Keys = Kokkos::View<std::uint64_t*, Exec>;

/// Counts the keys that are not below n, or occurred before.
template <class Key>
struct CountWrongKeys {
  Kokkos::View<Key*, Exec> keys;
  Kokkos::View<std::uint32_t*, Exec> seen;  // one bit for each value

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    std::uint64_t const key = keys(i);
    if (key >= keys.extent(0)) {
      ++wrong;
      return;
    }
    std::uint32_t const bit = std::uint32_t{1} << key % 32;
    if (Kokkos::atomic_fetch_or(&seen(key / 32), bit) & bit) ++wrong;
  }
};

/// Counts the keys that are at their old place, or follow the same key as before.
struct CountUnmovedKeys {
  Keys keys;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& unmoved) const {
    if (keys(i) == i || (i > 0 && keys(i) == keys(i - 1) + 1)) ++unmoved;
  }
};

/// The number of keys that are not below n, or occurred before.
template <class Key>
std::uint64_t count_wrong_keys(Exec const& exec, Kokkos::View<Key*, Exec> const& keys) {
  std::uint64_t const n = keys.extent(0);
  Kokkos::View<std::uint32_t*, Exec> const seen(Kokkos::view_alloc(exec, "perf::seen"), n / 32 + 1);
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_wrong", range(exec, n), CountWrongKeys<Key>{keys, seen},
                          wrong);
  return wrong;
}

/// Checks `keys` as a shuffle of 0, ..., n - 1. Returns the error, or an empty text.
inline std::string shuffle_error(Exec const& exec, Keys const& keys) {
  // A random permutation has two on average, and almost never more than twenty.
  constexpr std::uint64_t max_unmoved = 40;
  std::uint64_t const n = keys.extent(0);
  std::uint64_t const wrong = count_wrong_keys(exec, keys);
  std::uint64_t unmoved = 0;
  Kokkos::parallel_reduce("perf::count_unmoved", range(exec, n), CountUnmovedKeys{keys}, unmoved);
  if (wrong > 0) return "not a permutation: wrong or repeated keys: " + std::to_string(wrong);
  // If there are few keys, all but one may be unmoved.
  if (n > 1 && unmoved > std::min(max_unmoved, n - 1))
    return "not shuffled: unmoved keys: " + std::to_string(unmoved);
  return "";
}

}  // namespace perf
