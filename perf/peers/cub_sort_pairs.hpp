#pragma once

// Only with CUDA: CUB's radix sort of the values with their indices, with temporary storage and indices made in advance.

#include <cub/device/device_radix_sort.cuh>

#include <cstdint>

#include "peers/cub_temporary.hpp"
#include "support/check_order.hpp"

namespace perf {

struct WriteIndex {
  OrderIndices indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    indices(i) = static_cast<std::uint32_t>(i);
  }
};

/// A row: see rank_unsorted.cpp.
class CubSortPairs {
 public:
  using Answer = OrderAnswer<true>;
  static constexpr char const* name = "CubSortPairs";
  // Indices, sorted values, and CUB's copies of both arrays.
  static constexpr std::uint64_t scratch_bytes_per_item =
      2 * sizeof(std::uint32_t) + 2 * sizeof(double);

  CubSortPairs(Exec const& exec, std::uint64_t n)
      : exec_(exec),
        unsorted_(allocate<std::uint32_t>(exec, "perf::unsorted_indices", n)),
        sorted_(allocate<double>(exec, "perf::sorted", n)),
        temporary_(exec, [&](void* storage, std::size_t& bytes) {
          return sort(storage, bytes, nullptr, nullptr);
        }) {
    Kokkos::parallel_for("perf::write_index", range(exec, n), WriteIndex{unsorted_});
  }

  void operator()(UnsortedValues const& values, OrderIndices const& indices) {
    temporary_.run([&](void* storage, std::size_t& bytes) {
      return sort(storage, bytes, values.data(), indices.data());
    });
  }

 private:
  cudaError_t sort(void* storage, std::size_t& bytes, double const* values,
                   std::uint32_t* indices) const {
    std::uint32_t const* const unsorted = unsorted_.data();
    // CUB is faster with 32-bit sizes, and all sizes here permit them.
    return cub::DeviceRadixSort::SortPairs(storage, bytes, values, sorted_.data(), unsorted,
                                           indices, static_cast<std::uint32_t>(unsorted_.extent(0)),
                                           0, 64, exec_.cuda_stream());
  }

  Exec exec_;
  OrderIndices unsorted_;
  UnsortedValues sorted_;
  CubTemporary temporary_;
};

}  // namespace perf
