#pragma once

// Values as words of as many bytes, so that kernels that move values are compiled once for all types of a size.
//
// Values of 16 bytes whose type does not say that they lie as words of so many may do so all the same: one instruction of
// a GPU moves a word, where it takes two or more for the parts of such a value.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/detail/gpu/rows_by_warps.hpp>
#include <riffle/primitives/detail/row_copy.hpp>
#include <riffle/primitives/radix_key.hpp>

namespace riffle::detail {

/// The unsigned word of so many bytes.
template <std::size_t Bytes>
struct WordOf {};
template <std::size_t Bytes>
requires(Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8) struct WordOf<Bytes> {
  using type = UnsignedOf<Bytes>;
};
template <>
struct WordOf<16> {
  using type = Word16;
};

/// What values of type T are moved as: words, where T is as large and as aligned as one, else T.
template <class T>
struct MovedAs {
  using type = T;
};
template <class T>
requires(sizeof(T) == alignof(T) &&
         requires { typename WordOf<sizeof(T)>::type; }) struct MovedAs<T> : WordOf<sizeof(T)> {
};

/// Whether the values of a View of rank 1 are known to lie one after the other.
template <class View>
inline constexpr bool is_dense_array =
    View::rank() == 1 && (std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft> ||
                          std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>)&&std::
                             is_same_v<typename View::reference_type, typename View::value_type&>;

/// A View's values as those that they are moved as. The result keeps no memory alive.
template <class Exec, class View>
auto moved_values(View const& view) {
  using T = typename View::non_const_value_type;
  using Moved = typename MovedAs<T>::type;
  return Kokkos::View<Moved*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      reinterpret_cast<Moved*>(const_cast<T*>(view.data())), view.extent(0));
}

/// Whether values of In may lie so, and become those of Out by their bytes alone.
template <class Exec, class In, class Out>
inline constexpr bool may_be_words = !backend::is_cpu<Exec> && always_has_words<In, Out> &&
                                     sizeof(typename Out::value_type) == sizeof(Word16) &&
                                     alignof(typename Out::value_type) < alignof(Word16);

/// Calls use(from, to) with n values of `in` and `out` as Views of words if that is how they lie; else returns false.
template <class Exec, class In, class Out, class Use>
bool with_words(std::uint64_t n, In const& in, Out const& out, Use const& use) {
  RowBytes const values = row_bytes(in, out);
  if (values.word != sizeof(Word16) || values.from_pitch != sizeof(Word16) ||
      values.to_pitch != sizeof(Word16)) {
    return false;
  }
  auto const words = [n](std::byte const* bytes) {
    return Kokkos::View<Word16*, typename Exec::memory_space,
                        Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        reinterpret_cast<Word16*>(const_cast<std::byte*>(bytes)), n);
  };
  use(words(values.from), words(values.to));
  return true;
}

}  // namespace riffle::detail
