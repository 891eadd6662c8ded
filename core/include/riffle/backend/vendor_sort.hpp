#pragma once

// Wraps the sorts of vendor libraries: CUB on CUDA, hipCUB, which calls rocPRIM, on HIP; CPUs have
// none. The caller provides temporary memory.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#if defined(RIFFLE_PORTABLE)
// none
#elif defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#define RIFFLE_HAS_VENDOR_SORT
#elif defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__)
#include <rocprim/rocprim_version.hpp>
// rocPRIM 4 (ROCm 7) has the codes of numbers in another place, for which nothing is written yet.
#if ROCPRIM_VERSION_MAJOR < 4
#include <hipcub/device/device_radix_sort.hpp>
#define RIFFLE_HAS_VENDOR_SORT
#endif
#endif

namespace riffle::backend {

/// Two arrays of the same size. `current` contains the data; the other array is free.
template <class T>
struct ArrayPair {
  T* current;
  T* spare;
};

/// The vendor's sorts for `Exec`. Defined only if has_vendor_sort<Exec>.
template <class Exec>
struct VendorSort;

template <class Exec>
inline constexpr bool has_vendor_sort = false;

/// A number that is sorted by its code (riffle/sort/number_code.hpp). The code and the number have
/// the same size.
template <class Code>
struct CodedNumber {
  typename Code::Word bits;

  // rocPRIM merges short arrays by comparisons.
  KOKKOS_FORCEINLINE_FUNCTION friend bool operator>(CodedNumber a, CodedNumber b) {
    constexpr auto code = Code::of_words();
    return code.encode(a.bits) > code.encode(b.bits);
  }
};

#if defined(RIFFLE_HAS_VENDOR_SORT)

namespace vendor {
#if defined(KOKKOS_ENABLE_CUDA)
using Space = Kokkos::Cuda;
using Status = cudaError_t;
inline constexpr Status success = cudaSuccess;
inline cudaStream_t stream_of(Space const& exec) { return exec.cuda_stream(); }
inline char const* message_of(Status status) { return cudaGetErrorString(status); }
namespace library = ::cub;
#else
using Space = Kokkos::HIP;
using Status = hipError_t;
inline constexpr Status success = hipSuccess;
inline hipStream_t stream_of(Space const& exec) { return exec.hip_stream(); }
inline char const* message_of(Status status) { return hipGetErrorString(status); }
namespace library = ::hipcub;
#endif
}  // namespace vendor

template <>
inline constexpr bool has_vendor_sort<vendor::Space> = true;

template <>
struct VendorSort<vendor::Space> {
  // rocPRIM sorts at most 2^20 elements by merging, and then compares wrong bits if first_bit > 0 and end_bit is the number of
  // all bits (ROCm/rocPRIM issue 775). Callers sort so few elements by all bits, or with end_bit below that number.

  /// Sorts n integers or coded numbers by their bits first_bit, ..., end_bit - 1. Stable. The
  /// sorted numbers are in array.current. If `memory` is null, the call only sets `bytes` to the
  /// size of the memory that it needs.
  template <bool is_descending, class Number>
  static void numbers(vendor::Space const& exec, void* memory, std::size_t& bytes,
                      ArrayPair<Number>& array, std::uint64_t n, int first_bit = 0,
                      int end_bit = 8 * sizeof(Number)) {
    vendor::library::DoubleBuffer<Number> buffers(array.current, array.spare);
    auto const count = static_cast<std::int64_t>(n);
    if constexpr (is_descending) {
      check(vendor::library::DeviceRadixSort::SortKeysDescending(
          memory, bytes, buffers, count, first_bit, end_bit, vendor::stream_of(exec)));
    } else {
      check(vendor::library::DeviceRadixSort::SortKeys(memory, bytes, buffers, count, first_bit,
                                                       end_bit, vendor::stream_of(exec)));
    }
    array = {buffers.Current(), buffers.Alternate()};
  }

  /// Sorts the numbers at `from` into `to`.
  template <bool is_descending, class Number>
  static void copied_numbers(vendor::Space const& exec, void* memory, std::size_t& bytes,
                             Number const* from, Number* to, std::uint64_t n) {
    constexpr int bits = 8 * sizeof(Number);
    auto const count = static_cast<std::int64_t>(n);
    if constexpr (is_descending) {
      check(vendor::library::DeviceRadixSort::SortKeysDescending(memory, bytes, from, to, count, 0,
                                                                 bits, vendor::stream_of(exec)));
    } else {
      check(vendor::library::DeviceRadixSort::SortKeys(memory, bytes, from, to, count, 0, bits,
                                                       vendor::stream_of(exec)));
    }
  }

  /// Sorts n keys by their bits first_bit, ..., end_bit - 1 (inverted if is_descending), and moves
  /// the values with the keys.
  template <bool is_descending = false, class Key, class Value>
  static void pairs(vendor::Space const& exec, void* memory, std::size_t& bytes,
                    ArrayPair<Key>& keys, ArrayPair<Value>& values, std::uint64_t n, int first_bit,
                    int end_bit) {
    vendor::library::DoubleBuffer<Key> key_buffers(keys.current, keys.spare);
    vendor::library::DoubleBuffer<Value> value_buffers(values.current, values.spare);
    auto const count = static_cast<std::int64_t>(n);
    if constexpr (is_descending) {
      check(vendor::library::DeviceRadixSort::SortPairsDescending(
          memory, bytes, key_buffers, value_buffers, count, first_bit, end_bit,
          vendor::stream_of(exec)));
    } else {
      check(vendor::library::DeviceRadixSort::SortPairs(memory, bytes, key_buffers, value_buffers,
                                                        count, first_bit, end_bit,
                                                        vendor::stream_of(exec)));
    }
    keys = {key_buffers.Current(), key_buffers.Alternate()};
    values = {value_buffers.Current(), value_buffers.Alternate()};
  }

 private:
  static void check(vendor::Status status) {
    if (status == vendor::success) return;
    throw std::runtime_error(std::string("riffle: sort on the device: ") +
                             vendor::message_of(status));
  }
};

#endif

}  // namespace riffle::backend

#if defined(RIFFLE_HAS_VENDOR_SORT) && defined(KOKKOS_ENABLE_CUDA)

/// CUB sorts numbers by the bits that TwiddleIn returns, and restores the numbers with TwiddleOut.
template <class Code>
struct cub::NumericTraits<riffle::backend::CodedNumber<Code>> {
  using UnsignedBits = typename Code::Word;
  static constexpr auto CATEGORY = cub::UNSIGNED_INTEGER;
  static constexpr bool PRIMITIVE = true;
  static constexpr bool NULL_TYPE = false;
  static constexpr bool is_primitive = true;
  // The bit patterns with the smallest and with the greatest code. CUB pads with these patterns
  // before it computes codes.
  static constexpr UnsignedBits LOWEST_KEY = Code::of_words().decode(0);
  static constexpr UnsignedBits MAX_KEY = Code::of_words().decode(~UnsignedBits{0});

  KOKKOS_FORCEINLINE_FUNCTION static UnsignedBits TwiddleIn(UnsignedBits bits) {
    constexpr auto code = Code::of_words();
    return code.encode(bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION static UnsignedBits TwiddleOut(UnsignedBits code) {
    constexpr auto words = Code::of_words();
    return words.decode(code);
  }
};

#elif defined(RIFFLE_HAS_VENDOR_SORT)

/// rocPRIM sorts numbers by the bits that encode() returns, and restores the numbers with decode().
template <class Code>
struct rocprim::detail::radix_key_codec_base<riffle::backend::CodedNumber<Code>> {
  using Number = riffle::backend::CodedNumber<Code>;
  using bit_key_type = typename Code::Word;

  KOKKOS_FORCEINLINE_FUNCTION static bit_key_type encode(Number number) {
    constexpr auto code = Code::of_words();
    return code.encode(number.bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Number decode(bit_key_type code) {
    constexpr auto words = Code::of_words();
    return Number{words.decode(code)};
  }
  template <bool is_descending>
  KOKKOS_FORCEINLINE_FUNCTION static unsigned extract_digit(bit_key_type code, unsigned first_bit,
                                                            unsigned bits) {
    return static_cast<unsigned>(code >> first_bit) & ((1u << bits) - 1);
  }
};

#endif
