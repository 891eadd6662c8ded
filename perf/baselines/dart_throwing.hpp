#pragma once

// Dart throwing: every key is thrown at random places of an array of twice the size until it hits a free place. The free places
// are then removed. See section 6 of
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287,
// after J. H. Reif, "An optimal parallel algorithm for integer sorting", FOCS '85 (1985). If two keys hit the same place, the
// first one gets it, so the result differs between runs.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/integers.hpp>

#include "baselines/split_mix.hpp"
#include "support/check_shuffle.hpp"

namespace perf {

struct ThrowKey {
  static constexpr std::uint64_t free = ~std::uint64_t{0};  // no key has this value

  Keys in;
  Keys places;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    SplitMix64 random(mix(i));
    std::uint64_t place = 0;
    do {
      place = riffle::detail::multiply_high(random(), std::uint64_t{places.extent(0)});
    } while (Kokkos::atomic_compare_exchange(&places(place), free, in(i)) != free);
  }
};

struct SqueezeOutFreePlaces {
  Keys places;
  Keys out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& rank, bool is_final) const {
    if (places(i) == ThrowKey::free) return;
    if (is_final) out(rank) = places(i);
    ++rank;
  }
};

/// A row: see shuffle.cpp.
class DartThrowing {
 public:
  static constexpr char const* name = "DartThrowing";
  static constexpr std::uint64_t scratch_bytes_per_item = 2 * sizeof(std::uint64_t);

  DartThrowing(Exec const& exec, std::uint64_t n)
      : exec_(exec), places_(allocate<std::uint64_t>(exec, "perf::places", 2 * n)) {}

  void operator()(Keys const& in, Keys const& out) const {
    Kokkos::deep_copy(exec_, places_, ThrowKey::free);
    Kokkos::parallel_for("perf::throw", range(exec_, in.extent(0)), ThrowKey{in, places_});
    Kokkos::parallel_scan("perf::squeeze", range(exec_, places_.extent(0)),
                          SqueezeOutFreePlaces{places_, out});
  }

 private:
  Exec exec_;
  Keys places_;
};

}  // namespace perf
