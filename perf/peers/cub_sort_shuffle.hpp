#pragma once

// Only with CUDA: a shuffle by CUB's radix sort of random 32-bit numbers, as in torch.randperm. Items with equal numbers keep
// their order, so the shuffle is slightly biased.

#include <cub/device/device_radix_sort.cuh>

#include <cstdint>

#include "baselines/sort_shuffle.hpp"
#include "peers/cub_temporary.hpp"

namespace perf {

/// A row: see shuffle.cpp.
class CubSortShuffle {
 public:
  static constexpr char const* name = "CubSortShuffle";
  // Numbers, sorted numbers, and CUB's copies of both arrays.
  static constexpr std::uint64_t scratch_bytes_per_item =
      3 * sizeof(std::uint32_t) + sizeof(std::uint64_t);

  CubSortShuffle(Exec const& exec, std::uint64_t n)
      : exec_(exec),
        numbers_(allocate<std::uint32_t>(exec, "perf::numbers", n)),
        sorted_(allocate<std::uint32_t>(exec, "perf::sorted", n)),
        temporary_(exec, [&](void* storage, std::size_t& bytes) {
          return sort(storage, bytes, nullptr, nullptr);
        }) {}

  void operator()(Keys const& in, Keys const& out) {
    Kokkos::parallel_for("perf::draw", range(exec_, in.extent(0)),
                         DrawNumbers<std::uint32_t>{numbers_});
    temporary_.run([&](void* storage, std::size_t& bytes) {
      return sort(storage, bytes, in.data(), out.data());
    });
  }

 private:
  cudaError_t sort(void* storage, std::size_t& bytes, std::uint64_t const* in,
                   std::uint64_t* out) const {
    std::uint32_t const* const numbers = numbers_.data();
    return cub::DeviceRadixSort::SortPairs(storage, bytes, numbers, sorted_.data(), in, out,
                                           static_cast<std::uint64_t>(numbers_.extent(0)), 0, 32,
                                           exec_.cuda_stream());
  }

  Exec exec_;
  Kokkos::View<std::uint32_t*, Exec> numbers_;
  Kokkos::View<std::uint32_t*, Exec> sorted_;
  CubTemporary temporary_;
};

}  // namespace perf
