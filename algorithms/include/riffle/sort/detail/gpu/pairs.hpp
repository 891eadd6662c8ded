#pragma once

// Sorts numbers on a GPU, each with a value, by the vendor's sort of pairs (CUB on CUDA).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/numbers_gpu.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort {

/// Whether the vendor's sort moves such values with numbers.
template <class Value>
inline constexpr bool moves_with_numbers = std::is_trivially_copyable_v<Value> &&
                                           sizeof(Value) <= 8 && sizeof(Value) == alignof(Value);

/// Sorts keys, and values with them.
template <class Order, class Exec, class Keys, class Values>
void sort_plain_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using T = typename Keys::non_const_value_type;
  using V = typename Values::non_const_value_type;
  using OnDevice = NumberOnDevice<T, Order>;
  using Number = typename OnDevice::type;
  using Companion = UnsignedOf<sizeof(V)>;
  struct Arrays {
    PlainArrays<Keys> numbers;
    PlainArrays<Values> companions;
    void* rest;
  };
  backend::ArrayPair<Number> numbers{};
  backend::ArrayPair<Companion> companions{};
  auto const sort = [&](void* memory, std::size_t& bytes) {
    backend::VendorSort<Exec>::template pairs<OnDevice::is_descending>(
        context.exec(), memory, bytes, numbers, companions, keys.extent(0), 0, 8 * sizeof(Number));
  };
  std::size_t rest_bytes = rest_bytes_of(sort);
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{keys, memory}, {values, memory}, memory.take<std::byte>(rest_bytes)};
  });
  numbers = arrays.numbers.template read<Number>(context);
  companions = arrays.companions.template read<Companion>(context);
  sort(arrays.rest, rest_bytes);
  arrays.numbers.array.write(context, reinterpret_cast<T const*>(numbers.current));
  arrays.companions.array.write(context, reinterpret_cast<V const*>(companions.current));
}

}  // namespace riffle::detail::sort
