#pragma once

// Writes numbers that were computed for sorted elements, such as ranks, to the indices that the
// elements had before the sort.

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/sort/detail/gpu/device_sort.hpp>
#include <riffle/sort/detail/gpu/keys_gpu.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// A sink that writes number i to view(j), where j is the index that sorted element i had before
/// the sort.
template <class Sorted, class View>
struct UnsortedSink {
  using Element = typename View::value_type;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& value) const {
    view(sorted.index(i)) = static_cast<Element>(value);
  }

  KOKKOS_FUNCTION Element read(std::uint64_t i) const { return view(sorted.index(i)); }

  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t i, Value const (&values)[quad_size]) const {
    write_quad_by_elements(*this, i, values);
  }

  Sorted sorted;
  View view;
};

template <class Sorted, class View>
struct WriteToPlaces {
  using Number = typename View::non_const_value_type;

  Sorted sorted;
  Number const* numbers;
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const { view(sorted.index(k)) = numbers[k]; }
};

/// Whether move_to_places() can be called: it requires sorted elements in memory with indices of at
/// most 32 bits. Wider indices are only used for 2^32 elements or more.
template <class Sorted>
inline constexpr bool can_move_to_places = false;
template <class Key, class Index>
inline constexpr bool can_move_to_places<SortedInMemory<Key, Index>> = sizeof(Index) <= 4;

/// Returns the array in which the caller stores the number for each sorted element before it calls
/// move_to_places().
template <class Number, class Sorted>
Number* number_array(Sorted const& sorted) {
  return reinterpret_cast<Number*>(sorted.memory.keys.spare);
}

/// Sets view(sorted.index(k)) = number_array(sorted)[k] for all k. If numbers were written in
/// sorted order, each write to a random index would move a whole sector of memory. Therefore the
/// numbers are first sorted by window: a window is the set of indices with equal upper bits
/// (window_bits). Overwrites the sorted keys and indices.
template <class Exec, class Sorted, class View>
void move_to_places(Context<Exec> const& context, Sorted sorted, View const& view) {
  using Number = typename View::non_const_value_type;
  std::uint64_t const n = view.extent(0);
  auto& memory = sorted.memory;
  backend::ArrayPair<Number> numbers{reinterpret_cast<Number*>(memory.keys.spare),
                                     reinterpret_cast<Number*>(memory.keys.current)};
  DeviceSort<Exec>::pairs(context.exec(), memory.temp_storage, memory.temp_storage_bytes,
                          memory.indices, numbers, n, window_bits, std::bit_width(n - 1));
  sorted.indices = memory.indices.current;
  context.named("places").for_each(n, WriteToPlaces<Sorted, View>{sorted, numbers.current, view});
}

}  // namespace riffle::detail::sort
