#pragma once

// Gathers rows: out(i) = in(sigma(i)), where sigma(i) can be evaluated for any i. Also has helpers for kernels that
// compute their permutation themselves. (Copies by warps are in riffle/primitives/detail/gpu/gather_rows_gpu.hpp.)

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/detail/cpu/gather_rows_cpu.hpp>
#include <riffle/primitives/detail/gpu/gather_rows_gpu.hpp>
#include <riffle/primitives/detail/row_copy.hpp>
#include <riffle/primitives/for_each_image.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail {

template <class In, class Out>
struct GatherValue {
  In in;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    out(i) = static_cast<typename Out::value_type>(in(image));
  }
};

/// Whether a row set is one View whose values can each be moved by one instruction.
template <class Out>
inline constexpr bool is_word_array = false;
template <class Out>
requires(is_value_array<Out>) inline constexpr bool is_word_array<Out> =
    sizeof(typename Out::value_type) <= alignof(typename Out::value_type) &&
    sizeof(typename Out::value_type) <= sizeof(Word16);

/// Sets out(i) = in(sigma(i)) for i < n, in one kernel. Moves the values or rows of one View, or of each View of a
/// pack.
///
/// sigma is any function that kernels of `exec` can call. If sigma can evaluate blocks of consecutive values, or has
/// specialized forms, these are used.
template <class Exec, class Sigma, class In, class Out>
void gather_rows(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma, In const& in,
                 Out const& out) {
  if constexpr (is_word_array<Out>) {
    for_each_image(context, n, sigma, GatherValue<In, Out>{in, out});
  } else {
    auto const copies = row_copies(in, out);
    if (n == 0 || part_count(copies) == 0) return;
    if constexpr (backend::is_cpu<Exec>) {
      gather_by_blocks(context, n, sigma, copies);
    } else {
      gather_by_warps(context, n, sigma, copies);
    }
  }
}

template <class Out>
struct WriteImage {
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    out(i) = static_cast<typename Out::value_type>(image);
  }
};

/// Sets out(i) = sigma(i) for i < out.extent(0).
template <class Exec, class Sigma, class Out>
void write_images(Context<Exec> const& context, Sigma const& sigma, Out const& out) {
  for_each_image(context, out.extent(0), sigma, WriteImage<Out>{out});
}

/// Whether the rows of all Views are copied as a whole: row by row, and not in several parts.
template <class Copies>
bool are_copied_by_rows(Copies const& copies) {
  bool all = true;
  for_each_view(copies, [&](auto const& copy) { all = all && copy.by_rows; });
  return all && part_count(copies) <= 1;
}

// --- values as words of the same size ---
//
// Kernels that move values are compiled once for all value types of one size. Values of 16 bytes may be aligned as
// words even if their type has a smaller alignment. One instruction of a GPU then moves such a value, instead of two or
// more.

/// The unsigned word of `Bytes` bytes.
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

/// The type that is used to move values of type T: a word if T has the size and alignment of a word, otherwise T.
template <class T>
struct MovedAs {
  using type = T;
};
template <class T>
requires(sizeof(T) == alignof(T) &&
         requires { typename WordOf<sizeof(T)>::type; }) struct MovedAs<T> : WordOf<sizeof(T)> {
};

/// Whether it is known at compile time that the values of a View of rank 1 are contiguous.
template <class View>
inline constexpr bool is_dense_array =
    View::rank() == 1 && (std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft> ||
                          std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>)&&std::
                             is_same_v<typename View::reference_type, typename View::value_type&>;

/// Returns a View of the same values with the value type MovedAs. The result does not own the memory.
template <class Exec, class View>
auto moved_values(View const& view) {
  using T = typename View::non_const_value_type;
  using Moved = typename MovedAs<T>::type;
  return Kokkos::View<Moved*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      reinterpret_cast<Moved*>(const_cast<T*>(view.data())), view.extent(0));
}

/// Whether values of In have 16 bytes, may be aligned as words, and can be copied to Out as bytes.
template <class Exec, class In, class Out>
inline constexpr bool may_move_as_words = !backend::is_cpu<Exec> && always_has_words<In, Out> &&
                                          sizeof(typename Out::value_type) == sizeof(Word16) &&
                                          alignof(typename Out::value_type) < alignof(Word16);

/// If the values of `in` and `out` are contiguous and aligned as words, calls use(from, to) with n of them as Views of
/// words, and returns true. Otherwise returns false.
template <class Exec, class In, class Out, class Use>
bool with_word_views(std::uint64_t n, In const& in, Out const& out, Use const& use) {
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
