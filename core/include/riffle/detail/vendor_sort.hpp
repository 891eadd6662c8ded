#pragma once

// The sorts that a device's maker provides, for riffle/lanes.hpp's back ends: CUB on CUDA. Temporary memory is the
// caller's.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#endif

namespace riffle::lanes {

/// Two arrays, of which one holds the data and the other is free.
template <class T>
struct ArrayPair {
  T* current;
  T* spare;
};

/// The sorts for `Exec`, where has_vendor_sort<Exec>.
template <class Exec>
struct VendorSort;

template <class Exec>
inline constexpr bool has_vendor_sort = false;

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)

template <>
inline constexpr bool has_vendor_sort<Kokkos::Cuda> = true;

template <>
struct VendorSort<Kokkos::Cuda> {
  /// Sorts n keys by their bits from first_bit up to end_bit - 1, and values with them; stable. Afterwards `current` of both is where they
  /// are. Without memory, sets `bytes` to what it needs, and does nothing else.
  template <class Key, class Value>
  static void pairs(Kokkos::Cuda const& exec, void* memory, std::size_t& bytes,
                    ArrayPair<Key>& keys, ArrayPair<Value>& values, std::uint64_t n, int first_bit,
                    int end_bit) {
    cub::DoubleBuffer<Key> key_buffers(keys.current, keys.spare);
    cub::DoubleBuffer<Value> value_buffers(values.current, values.spare);
    check(cub::DeviceRadixSort::SortPairs(memory, bytes, key_buffers, value_buffers,
                                          static_cast<std::int64_t>(n), first_bit, end_bit,
                                          exec.cuda_stream()));
    keys = {key_buffers.Current(), key_buffers.Alternate()};
    values = {value_buffers.Current(), value_buffers.Alternate()};
  }

  /// Sorts n values by a comparison; stable. Without memory as pairs().
  template <class Value, class Before>
  static void by_comparison(Kokkos::Cuda const& exec, void* memory, std::size_t& bytes,
                            Value* values, std::uint64_t n, Before const& before) {
    check(cub::DeviceMergeSort::StableSortKeys(memory, bytes, values, static_cast<std::int64_t>(n),
                                               before, exec.cuda_stream()));
  }

 private:
  static void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    throw std::runtime_error(std::string("riffle: sort on the device: ") +
                             cudaGetErrorString(status));
  }
};

#endif

}  // namespace riffle::lanes
