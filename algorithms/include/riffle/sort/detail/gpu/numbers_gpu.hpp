#pragma once

// Sorts numbers on a GPU, alone or with one value each. riffle/sort/tuning.hpp says which algorithm
// sorts how many numbers.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_ranks.hpp>
#include <riffle/sort/detail/gpu/device_sort.hpp>
#include <riffle/sort/detail/gpu/samplesort/one_level.hpp>
#include <riffle/sort/detail/gpu/samplesort/two_levels.hpp>
#include <riffle/sort/detail/view_as_array.hpp>
#include <riffle/sort/number_code.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// The type with which CUB sorts numbers of type T. Integers, including char and bool, are sorted
/// as the standard integer type of their size. Other numbers are sorted by their codes.
template <class T, class Order, bool is_integer = std::is_integral_v<T>>
struct VendorNumber {
  using type = backend::CodedNumber<NumberCode<T, Order>>;
  static constexpr bool is_descending = false;  // codes ascend
};
template <class T, class Order>
struct VendorNumber<T, Order, true> {
  using Unsigned = UnsignedOf<sizeof(T)>;
  using type = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<Unsigned>, Unsigned>;
  static constexpr bool is_descending = std::is_same_v<Order, Descending>;
};

// --- memory ---

template <class View>
struct ArrayWithSpare {
  using T = typename View::non_const_value_type;

  ArrayWithSpare(View const& view, ArrayMemory& memory)
      : array(view, memory), spare(memory.take<T>(view.extent(0))) {}

  /// Copies the View's elements to `array`, if they are not there already. Returns both arrays as
  /// arrays of CUB's number type.
  template <class Number, class Exec>
  backend::ArrayPair<Number> read(Context<Exec> const& context) const {
    return {reinterpret_cast<Number*>(array.read(context)), reinterpret_cast<Number*>(spare)};
  }

  ViewAsArray<View> array;
  T* spare;
};

/// Returns the bytes of temporary memory that sort(memory, bytes) takes. If `memory` is null,
/// sort() only sets `bytes`.
template <class Sort>
std::size_t temp_storage_bytes_of(Sort const& sort) {
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  return bytes;
}

// --- numbers ---

/// Sorts numbers in place by CUB's radix sort.
template <class Order, class Exec, class View>
void sort_numbers_by_vendor(Context<Exec> const& context, View const& view) {
  using T = typename View::non_const_value_type;
  using Vendor = VendorNumber<T, Order>;
  using Number = typename Vendor::type;
  struct Arrays {
    ArrayWithSpare<View> numbers;
    void* temp_storage;
  };
  backend::ArrayPair<Number> numbers{};
  auto const sort = [&](void* memory, std::size_t& bytes) {
    DeviceSort<Exec>::template numbers<Vendor::is_descending>(context.exec(), memory, bytes,
                                                              numbers, view.extent(0));
  };
  std::size_t temp_storage_bytes = temp_storage_bytes_of(sort);
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{view, memory}, memory.take<std::byte>(temp_storage_bytes)};
  });
  numbers = arrays.numbers.template read<Number>(context);
  sort(arrays.temp_storage, temp_storage_bytes);
  arrays.numbers.array.write(context, reinterpret_cast<T const*>(numbers.current));
}

/// Sorts numbers from one array to another by CUB's radix sort. Returns false, and does nothing, if
/// `in` and `out` are the same View or one of them has gaps.
template <class Order, class Exec, class In, class Out>
bool copy_sorted_by_vendor(Context<Exec> const& context, In const& in, Out const& out) {
  using T = typename Out::non_const_value_type;
  using Vendor = VendorNumber<T, Order>;
  using Number = typename Vendor::type;
  std::uint64_t const n = out.extent(0);
  if (static_cast<void const*>(in.data()) == static_cast<void const*>(out.data())) return false;
  if (!is_contiguous(in) || !is_contiguous(out)) return false;
  auto const sort = [&](void* memory, std::size_t& bytes) {
    DeviceSort<Exec>::template copied_numbers<Vendor::is_descending>(
        context.exec(), memory, bytes, reinterpret_cast<Number const*>(in.data()),
        reinterpret_cast<Number*>(out.data()), n);
  };
  std::size_t temp_storage_bytes = temp_storage_bytes_of(sort);
  Scope scope(context);
  sort(scope.template take<std::byte>(temp_storage_bytes), temp_storage_bytes);
  return true;
}

/// Sorts numbers from `in` to `out`, which may be the same View.
template <class Order, class Exec, class In, class Out>
void sort_numbers_on_device(Context<Exec> const& context, In const& in, Out const& out) {
  using T = typename Out::non_const_value_type;
  std::uint64_t const n = out.extent(0);
  if constexpr (sizeof(T) == 1) {
    if (n <= max_bytes_by_one_team && copy_sorted_by_vendor<Order>(context, in, out)) return;
  }
  if (n <= max_by_ranks) {
    by_ranks::sort_numbers<Order>(context, in, out);
    return;
  }
  if constexpr (max_one_level<T> != 0) {
    if (n <= max_one_level<T>) {
      samplesort::one_level::sort_numbers<Order>(context, in, out);
      return;
    }
  }
  if constexpr (max_two_levels<T> != 0) {
    if (n <= max_two_levels<T> && samplesort::two_levels::sort_numbers<Order>(context, in, out)) {
      return;
    }
  }
  if (copy_sorted_by_vendor<Order>(context, in, out)) return;
  copy_unless_same(context, in, out);
  sort_numbers_by_vendor<Order>(context, out);
}

// --- numbers with one value each ---

/// Whether CUB's radix sort can move values of this type with keys.
template <class Value>
inline constexpr bool moves_with_keys_on_gpu = std::is_trivially_copyable_v<Value> &&
                                               sizeof(Value) <= 8 &&
                                               sizeof(Value) == alignof(Value);

/// Sorts keys, and values with them, by CUB's radix sort.
template <class Order, class Exec, class Keys, class Values>
void sort_pairs_by_vendor(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using T = typename Keys::non_const_value_type;
  using V = typename Values::non_const_value_type;
  using Vendor = VendorNumber<T, Order>;
  using Number = typename Vendor::type;
  using Payload = UnsignedOf<sizeof(V)>;
  struct Arrays {
    ArrayWithSpare<Keys> numbers;
    ArrayWithSpare<Values> payloads;
    void* temp_storage;
  };
  backend::ArrayPair<Number> numbers{};
  backend::ArrayPair<Payload> payloads{};
  auto const sort = [&](void* memory, std::size_t& bytes) {
    DeviceSort<Exec>::template pairs<Vendor::is_descending>(
        context.exec(), memory, bytes, numbers, payloads, keys.extent(0), 0, 8 * sizeof(Number));
  };
  std::size_t temp_storage_bytes = temp_storage_bytes_of(sort);
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{keys, memory}, {values, memory}, memory.take<std::byte>(temp_storage_bytes)};
  });
  numbers = arrays.numbers.template read<Number>(context);
  payloads = arrays.payloads.template read<Payload>(context);
  sort(arrays.temp_storage, temp_storage_bytes);
  arrays.numbers.array.write(context, reinterpret_cast<T const*>(numbers.current));
  arrays.payloads.array.write(context, reinterpret_cast<V const*>(payloads.current));
}

/// Sorts numbers, and one value with each.
template <class Order, class Exec, class Keys, class Values>
void sort_pairs_on_device(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using T = typename Keys::non_const_value_type;
  using Value = typename Values::non_const_value_type;
  std::uint64_t const n = keys.extent(0);
  if (n <= max_by_ranks) {
    by_ranks::sort_pairs<Order>(context, keys, values);
    return;
  }
  if constexpr (max_pairs_one_level<T> != 0) {
    if (n <= max_pairs_one_level<T>) {
      samplesort::one_level::sort_pairs<Order>(context, keys, values);
      return;
    }
  }
  if constexpr (max_pairs_two_levels < T, Value >> 0) {
    if (n <= max_pairs_two_levels<T, Value> &&
        samplesort::two_levels::sort_pairs<Order>(context, keys, values)) {
      return;
    }
  }
  sort_pairs_by_vendor<Order>(context, keys, values);
}

}  // namespace riffle::detail::sort
