#pragma once

// The sort of numbers by their bits on a GPU: the radix sort of the GPU's vendor, or, for a GPU without one, a merge sort.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_ranks.hpp>
#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>
#include <riffle/sort/key_value.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle::detail::sort {

/// Compares the bits first_bit, ..., end_bit - 1 of two numbers, or of the keys of two pairs, in the order of a radix sort.
template <bool is_descending>
class IsBeforeByBits {
 public:
  /// Requires first_bit < end_bit <= first_bit + 64.
  IsBeforeByBits(int first_bit, int end_bit)
      : first_bit_(first_bit), mask_(~std::uint64_t{0} >> (64 - (end_bit - first_bit))) {}

  template <class Number>
  KOKKOS_FUNCTION bool operator()(Number const& a, Number const& b) const {
    return is_descending ? chosen(b) < chosen(a) : chosen(a) < chosen(b);
  }

 private:
  template <class Number>
  KOKKOS_FUNCTION std::uint64_t chosen(Number const& number) const {
    return std::uint64_t{code(number)} >> first_bit_ & mask_;
  }

  template <class Integer>
  KOKKOS_FUNCTION static auto code(Integer number) {
    return NumberCode<Integer, Ascending>::encode(number);
  }
  template <class Code>
  KOKKOS_FUNCTION static typename Code::Word code(backend::CodedNumber<Code> number) {
    constexpr auto code_of = Code::of_words();
    return code_of.encode(number.bits);
  }
  template <class Key, class Value>
  KOKKOS_FUNCTION static auto code(KeyValue<Key, Value> const& pair) {
    return code(pair.key);
  }

  int first_bit_;
  std::uint64_t mask_;
};

template <class Key, class Value>
struct ReadPairs {
  KOKKOS_FUNCTION KeyValue<Key, Value> operator()(std::uint64_t i) const {
    return {keys[i], values[i]};
  }
  Key const* keys;
  Value const* values;
};

template <class Key, class Value>
struct WritePairs {
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    keys[i] = pairs[i].key;
    values[i] = pairs[i].value;
  }
  KeyValue<Key, Value> const* pairs;
  Key* keys;
  Value* values;
};

/// A merge sort with the members of backend::VendorSort.
template <class Exec>
struct MergeSortByBits {
  template <bool is_descending, class Number>
  static void numbers(Exec const& exec, void* memory, std::size_t& bytes,
                      backend::ArrayPair<Number>& array, std::uint64_t n, int first_bit = 0,
                      int end_bit = 8 * sizeof(Number)) {
    ArrayMemory all(memory);
    MergeArrays<Number> const arrays(array.current, array.spare, n, all);
    if (memory == nullptr) {
      bytes = all.used();
    } else if (n > 0) {
      merge_sort_on_device(context(exec), n, by_ranks::ArrayOf<Number const>{array.current}, arrays,
                           IsBeforeByBits<is_descending>(first_bit, end_bit));
    }
  }

  template <bool is_descending, class Number>
  static void copied_numbers(Exec const& exec, void* memory, std::size_t& bytes, Number const* from,
                             Number* to, std::uint64_t n) {
    ArrayMemory all(memory);
    MergeArrays<Number> const arrays(to, all.take<Number>(n), n, all);
    if (memory == nullptr) {
      bytes = all.used();
    } else if (n > 0) {
      merge_sort_on_device(context(exec), n, by_ranks::ArrayOf<Number const>{from}, arrays,
                           IsBeforeByBits<is_descending>(0, 8 * sizeof(Number)));
    }
  }

  template <bool is_descending = false, class Key, class Value>
  static void pairs(Exec const& exec, void* memory, std::size_t& bytes,
                    backend::ArrayPair<Key>& keys, backend::ArrayPair<Value>& values,
                    std::uint64_t n, int first_bit, int end_bit) {
    using Pair = KeyValue<Key, Value>;
    ArrayMemory all(memory);
    auto* const sorted = all.take<Pair>(n);
    MergeArrays<Pair> const arrays(sorted, all.take<Pair>(n), n, all);
    if (memory == nullptr) {
      bytes = all.used();
    } else if (n > 0) {
      merge_sort_on_device(context(exec), n, ReadPairs<Key, Value>{keys.current, values.current},
                           arrays, IsBeforeByBits<is_descending>(first_bit, end_bit));
      context(exec).for_each(n, WritePairs<Key, Value>{sorted, keys.current, values.current});
    }
  }

 private:
  static Context<Exec> context(Exec const& exec) { return {exec, "riffle::sort by bits"}; }
};

/// The sort of numbers, or of pairs of keys and values, by bits of the numbers. Stable.
template <class Exec>
using DeviceSort = std::conditional_t<backend::has_vendor_sort<Exec>, backend::VendorSort<Exec>,
                                      MergeSortByBits<Exec>>;

}  // namespace riffle::detail::sort
