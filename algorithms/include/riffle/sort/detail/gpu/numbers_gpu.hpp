#pragma once

// Sorts numbers on a GPU: some thousands by their ranks, up to a million or two by parts, more of 8 bytes by splitters
// of two levels, up to 2^30, all others by the vendor's sort of numbers (CUB on CUDA). That keeps the order of -0 and 0,
// but has no place of its own for NaNs. From one array to another they are put there afterwards (settle_nans.hpp). In
// place they are counted beforehand: where there are some, or might be, keys that tell them apart are sorted, and the
// numbers move along.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/count_nans.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_estimates/sort_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_keys.hpp>
#include <riffle/sort/detail/gpu/by_parts/sort_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_ranks/sort_by_ranks.hpp>
#include <riffle/sort/detail/gpu/by_splitters/sort_by_splitters.hpp>
#include <riffle/sort/detail/gpu/settle_nans.hpp>
#include <riffle/sort/detail/gpu/sort_indices.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort {

/// A number's type as the vendor's sort knows it: char, bool and the like are integers of their size.
template <class T, bool is_integer = std::is_integral_v<T>>
struct NumberOnDevice {
  using type = T;
};
template <class T>
struct NumberOnDevice<T, true> {
  using Unsigned = UnsignedOf<sizeof(T)>;
  using type = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<Unsigned>, Unsigned>;
};

/// Whether floating-point numbers may have NaNs. Fences to look; few numbers are not looked at, since one would only
/// wait for the answer: the result is true for them.
template <class Exec, class View>
bool may_have_nans(Context<Exec> const& context, View const& view) {
  if (view.extent(0) < few_bits_from) return true;
  return count_nans(context.named("nans"), view) > 0;
}

template <class Exec, class In, class Out>
void copy_unless_same(Context<Exec> const& context, In const& in, Out const& out) {
  if (static_cast<void const*>(in.data()) == static_cast<void const*>(out.data())) return;
  context.named("copy").for_each(out.extent(0), CopyRows<In, Out>{in, out});
}

// --- what the sorts take ---

template <class View>
struct PlainArrays {
  using T = typename View::non_const_value_type;

  PlainArrays(View const& view, ArrayMemory& memory)
      : array(view, memory), spare(memory.take<T>(view.extent(0))) {}

  /// The arrays, with the elements read to them, as numbers of the vendor's sort.
  template <class Number, class Exec>
  backend::ArrayPair<Number> read(Context<Exec> const& context) const {
    return {reinterpret_cast<Number*>(array.read(context)), reinterpret_cast<Number*>(spare)};
  }

  ViewAsArray<View> array;
  T* spare;
};

/// The bytes of memory that sort(memory, bytes) needs: without memory, it only sets `bytes`.
template <class Sort>
std::size_t rest_bytes_of(Sort const& sort) {
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  return bytes;
}

// --- the sorts ---

/// Sorts numbers without NaNs.
template <class Order, class Exec, class View>
void sort_plain_numbers(Context<Exec> const& context, View const& view) {
  using T = typename View::non_const_value_type;
  using Number = typename NumberOnDevice<T>::type;
  struct Arrays {
    PlainArrays<View> numbers;
    void* rest;
  };
  backend::ArrayPair<Number> numbers{};
  auto const sort = [&](void* memory, std::size_t& bytes) {
    backend::VendorSort<Exec>::template numbers<std::is_same_v<Order, Descending>>(
        context.exec(), memory, bytes, numbers, view.extent(0));
  };
  std::size_t rest_bytes = rest_bytes_of(sort);
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{view, memory}, memory.take<std::byte>(rest_bytes)};
  });
  numbers = arrays.numbers.template read<Number>(context);
  sort(arrays.rest, rest_bytes);
  arrays.numbers.array.write(context, reinterpret_cast<T const*>(numbers.current));
}

/// Sorts numbers from one array to another, unless these are one, or no arrays: then returns false, and nothing is
/// written.
template <class Order, class Exec, class In, class Out>
bool sort_plain_copy(Context<Exec> const& context, In const& in, Out const& out) {
  using T = typename Out::non_const_value_type;
  using Number = typename NumberOnDevice<T>::type;
  std::uint64_t const n = out.extent(0);
  if (static_cast<void const*>(in.data()) == static_cast<void const*>(out.data())) return false;
  if (!is_contiguous(in) || !is_contiguous(out)) return false;
  auto const sort = [&](void* memory, std::size_t& bytes) {
    backend::VendorSort<Exec>::template copied_numbers<std::is_same_v<Order, Descending>>(
        context.exec(), memory, bytes, reinterpret_cast<Number const*>(in.data()),
        reinterpret_cast<Number*>(out.data()), n);
  };
  std::size_t rest_bytes = rest_bytes_of(sort);
  Scope scope(context);
  if constexpr (std::is_floating_point_v<T>) {
    struct Arrays {
      std::byte* rest;
      NaNMemory nans;
    };
    // What the vendor's sort works in is as large as the numbers, mostly, and free afterwards.
    auto const arrays = scope.arrays([&](ArrayMemory& memory) {
      return Arrays{memory.take_bytes(std::max(rest_bytes, n * sizeof(T))), {n, memory}};
    });
    sort(arrays.rest, rest_bytes);
    settle_nans(context, in, out.data(), reinterpret_cast<T*>(arrays.rest), arrays.nans);
  } else {
    sort(scope.template take<std::byte>(rest_bytes), rest_bytes);
  }
  return true;
}

template <class View, class Key>
struct MakeKeyedNumbers {
  View view;
  Key key;
  typename Key::Word* keys;
  typename View::non_const_value_type* numbers;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const number = view(i);
    keys[i] = key(number);
    numbers[i] = number;
  }
};

template <class Order, class Exec, class View>
void sort_numbers_with_nans(Context<Exec> const& context, View const& view) {
  using T = typename View::non_const_value_type;
  using Key = RadixKey<T, Order>;
  using Word = typename Key::Word;
  struct Arrays {
    backend::ArrayPair<Word> keys;
    backend::ArrayPair<T> numbers;
    void* rest;
  };
  std::uint64_t const n = view.extent(0);
  std::size_t rest_bytes = pairs_bytes<Exec, Word, T>(context.exec(), n, Key::bits);
  Scope scope(context);
  auto arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{memory.take<Word>(n), memory.take<Word>(n)},
                  {memory.take<T>(n), memory.take<T>(n)},
                  memory.take<std::byte>(rest_bytes)};
  });
  context.named("keys").for_each(
      n, MakeKeyedNumbers<View, Key>{view, Key(), arrays.keys.current, arrays.numbers.current});
  backend::VendorSort<Exec>::pairs(context.exec(), arrays.rest, rest_bytes, arrays.keys,
                                   arrays.numbers, n, 0, Key::bits);
  context.named("write").for_each(n, WriteElements<View, T>{arrays.numbers.current, view});
}

/// Sorts from `in` to `out`, which may be the same.
template <class Order, class Exec, class In, class Out>
void sort_numbers_on_device(Context<Exec> const& context, In const& in, Out const& out) {
  using T = typename Out::non_const_value_type;
  if constexpr (sizeof(T) == 1) {
    // A byte is one digit, so that CUB's sort, by one team, takes no longer than a launch.
    constexpr std::uint64_t max_of_team = 4096;
    if (out.extent(0) <= max_of_team && sort_plain_copy<Order>(context, in, out)) return;
  }
  if (by_ranks::is_preferred(out.extent(0))) {
    by_ranks::sort_numbers<Order>(context, in, out);
    return;
  }
  if constexpr (sizeof(T) >= 4) {
    if (by_parts::is_preferred<T, RadixWord<T>>(out.extent(0))) {
      by_parts::sort_numbers<Order>(context, in, out);
      return;
    }
  }
  if constexpr (sizeof(T) == 8) {
    if (by_estimates::is_preferred<T>(out.extent(0))) {
      using by_estimates::Verdict;
      if (by_estimates::sort_numbers<Order>(context, in, out) == Verdict::can_sort) return;
    }
    if (by_splitters::is_preferred<T>(out.extent(0))) {
      using by_splitters::Verdict;
      if (by_splitters::sort_numbers<Order>(context, in, out) == Verdict::can_sort) return;
    }
  }
  if (sort_plain_copy<Order>(context, in, out)) return;
  copy_unless_same(context, in, out);
  if constexpr (std::is_floating_point_v<T>) {
    if (may_have_nans(context, out)) {
      sort_numbers_with_nans<Order>(context, out);
      return;
    }
  }
  sort_plain_numbers<Order>(context, out);
}

}  // namespace riffle::detail::sort
