#pragma once

// SortShuffle of section 6 of
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287:
// Sorts the items by random 64-bit numbers with Kokkos's sort: a radix sort on a GPU, std::sort on one thread of a CPU.

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <cstdint>

#include "baselines/split_mix.hpp"
#include "support/check_shuffle.hpp"

namespace perf {

template <class Number>
struct DrawNumbers {
  Kokkos::View<Number*, Exec> numbers;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    numbers(i) = static_cast<Number>(SplitMix64(i * 0x9E3779B97F4A7C15u)());
  }
};

/// A row: see shuffle.cpp.
class SortShuffle {
 public:
  static constexpr char const* name = "SortShuffle";
  // The random numbers, and the memory that the sort allocates: copies of both arrays, or a permutation and a copy.
  static constexpr std::uint64_t scratch_bytes_per_item = 3 * sizeof(std::uint64_t);

  SortShuffle(Exec const& exec, std::uint64_t n)
      : exec_(exec), numbers_(allocate<std::uint64_t>(exec, "perf::numbers", n)) {}

  void operator()(Keys const& in, Keys const& out) const {
    Kokkos::parallel_for("perf::draw", range(exec_, in.extent(0)),
                         DrawNumbers<std::uint64_t>{numbers_});
    Kokkos::deep_copy(exec_, out, in);
    Kokkos::Experimental::sort_by_key(exec_, numbers_, out);
  }

 private:
  Exec exec_;
  Keys numbers_;
};

}  // namespace perf
