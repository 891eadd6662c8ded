#pragma once

// BucketShuffle for Views and packs. There are two methods, also within one pack:
// - Small values in rank-1 Views are moved by the passes of the shuffle.
// - All other rows are gathered once. If possible on a GPU, sigma is computed during the gather. Otherwise sigma is
//   first stored as indices, by a shuffle of 0, ..., n - 1.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/cpu/shuffle_on_cpu.hpp>
#include <riffle/shuffle/detail/gpu/shuffle_on_gpu.hpp>
#include <riffle/shuffle/tuning.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::bucket_shuffle {

// --- one array, on the back end of the instance ---

/// The workspace, in bytes, for shuffling n elements of type T. Requires: n >= min_split.
template <class T, class Exec>
std::size_t bytes(Exec const& exec, std::uint64_t n) {
  if constexpr (backend::is_cpu<Exec>) {
    return bytes_on_cpu<T>(exec, n);
  } else {
    return bytes_on_gpu<T>(exec, n, level_count(n));
  }
}

/// Sets out(i) = source(sigma(i)) for i < n = out.extent(0). Requires: n >= min_split. InPlace: `source` reads from
/// `out`.
template <bool InPlace, class Exec, class Source, class Out>
void shuffle_elements(Context<Exec> const& context, std::uint64_t n, Source const& source,
                      Out const& out, std::uint64_t seed) {
  if constexpr (backend::is_cpu<Exec>) {
    shuffle_on_cpu<InPlace>(context, n, level_count(n), source, out, seed);
  } else {
    shuffle_on_gpu<InPlace>(context, n, level_count(n), source, out, seed);
  }
}

/// Whether gather_without_indices() can gather these rows.
template <class Exec, class Copies>
bool can_gather_without_indices(std::uint64_t n, Copies const& copies) {
  if constexpr (backend::is_cpu<Exec>) {
    return false;
  } else {
    return level_count(n) == depth_of_gather && are_copied_by_rows(copies);
  }
}

/// The workspace, in bytes, for gather_without_indices().
template <class Exec>
std::size_t bytes_to_gather_without_indices(Exec const& exec, std::uint64_t n) {
  if constexpr (backend::is_cpu<Exec>) {
    return 0;
  } else {
    return layout_of_gather(exec, n).bytes();
  }
}

/// Copies row sigma(i) to row i for i < n, without storing sigma. `copies` is a pack of RowCopy. Requires:
/// n >= min_split and can_gather_without_indices().
template <class Exec, class Copies>
void gather_without_indices(Context<Exec> const& context, std::uint64_t n, Copies const& copies,
                            std::uint64_t seed) {
  if constexpr (!backend::is_cpu<Exec>) gather_on_gpu(context, n, copies, seed);
}

// --- values as words of the same size ---
//
// Kernels that move values are compiled once for all value types with the same size. A 16-byte value may be aligned to
// 16 bytes even if its type has a smaller alignment. If so, a GPU moves it with one instruction instead of two or more.

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

/// The type with which values of type T are moved: a word if T has the size and alignment of a word, otherwise T.
template <class T>
struct MovedAs {
  using type = T;
};
template <class T>
requires(sizeof(T) == alignof(T) &&
         requires { typename WordOf<sizeof(T)>::type; }) struct MovedAs<T> : WordOf<sizeof(T)> {
};

/// Whether the values of a rank-1 View are known at compile time to be contiguous.
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

/// Calls use(from, to) with `in` and `out` as Views of n words, and returns true, if the values of both are contiguous
/// and aligned as words. Otherwise returns false.
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

// --- row sets ---

/// Whether the values of a View are small enough to be moved by the passes.
template <class View>
inline constexpr bool moves_values =
    has_rank<View, 1> &&
    sizeof(typename View::value_type) <=
        max_moved_bytes&& std::is_trivially_copyable_v<typename View::value_type>;

/// The number of Views in a row set that are gathered row by row.
template <class Rows>
inline constexpr int gathered_views = moves_values<Rows> ? 0 : 1;
template <class... Views>
inline constexpr int gathered_views<ViewPack<Views...>> = (0 + ... + gathered_views<Views>);

/// Returns a pack with one RowCopy for each View that is gathered row by row.
template <class In, class Out>
auto gathered_copies([[maybe_unused]] In const& in, [[maybe_unused]] Out const& out) {
  if constexpr (gathered_views<Out> == 0) {
    return ViewPack<>{};
  } else if constexpr (!is_view_pack<Out>) {
    return row_copies(in, out);
  } else if constexpr (gathered_views<std::decay_t<decltype(out.first)>> == 0) {
    return gathered_copies(in.rest, out.rest);
  } else {
    return prepend(RowCopy(in.first, out.first), gathered_copies(in.rest, out.rest));
  }
}

/// The maximum number of bytes for the copy of one View, over all Views whose rows are gathered.
template <class Rows>
std::size_t bytes_for_copies(Rows const& rows) {
  std::size_t most = 0;
  for_each_view(rows, [&]<class View>(View const& view) {
    if constexpr (!moves_values<View>) most = std::max(most, copy_bytes_of_view(view));
  });
  return most;
}

/// The workspace, in bytes, for gathering rows. `bytes_of_copies` of these bytes are for copies of the rows.
template <class Rows, class Exec>
std::size_t bytes_for_gathered_rows(Exec const& exec, Rows const& rows, std::uint64_t n,
                                    std::size_t bytes_of_copies) {
  bool const one_by_one = bytes_of_copies > 0 && gathered_views<Rows> > 1;
  if (!one_by_one && can_gather_without_indices<Exec>(n, gathered_copies(rows, rows))) {
    return aligned_bytes(bytes_to_gather_without_indices(exec, n)) + aligned_bytes(bytes_of_copies);
  }
  std::size_t all = 0;
  with_index_type(n, [&]<class Index>(Index) {
    std::size_t const temporary = std::max(bytes<Index>(exec, n), bytes_of_copies);
    all = aligned_bytes(n * sizeof(Index)) + aligned_bytes(temporary);
  });
  return all;
}

/// The workspace, in bytes, for shuffling n rows with the types of `rows`. `bytes_of_copies` of these bytes are for
/// copies of gathered rows.
template <class Rows, class Exec>
std::size_t bytes_for_rows(Exec const& exec, Rows const& rows, std::uint64_t n,
                           std::size_t bytes_of_copies) {
  std::size_t most = 0;
  for_each_view(rows, [&]<class View>(View const&) {
    if constexpr (moves_values<View>) {
      most = std::max(most, bytes<typename View::non_const_value_type>(exec, n));
    }
  });
  if constexpr (gathered_views<Rows> != 0) {
    most = std::max(most, bytes_for_gathered_rows(exec, rows, n, bytes_of_copies));
  }
  return most;
}

/// Sets out(i) = sigma(i) for i < n = out.extent(0). The values of `out` are integers.
template <class Exec, class Out>
void write_indices(Context<Exec> const& context, std::uint64_t n, Out const& out,
                   std::uint64_t seed) {
  auto const write = [&]<class To>(To const& to) {
    shuffle_elements<false>(context, n, IndexSource<typename To::non_const_value_type>{}, to, seed);
  };
  if constexpr (!backend::is_cpu<Exec> && is_dense_array<Out>) {
    write(moved_values<Exec>(out));
  } else {
    write(out);
  }
}

/// Calls use(indices, scope), where `indices` is a View of sigma in memory that `scope` owns.
template <class Exec, class Use>
void with_indices(Context<Exec> const& context, std::uint64_t n, std::uint64_t seed,
                  Use const& use) {
  with_index_type(n, [&]<class Index>(Index) {
    using Indices =
        Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Scope scope(context);
    Indices const indices(scope.template take<Index>(n), n);
    write_indices(context, n, indices, seed);
    use(indices, scope);
  });
}

/// Shuffles a View of small values. InPlace: `in` and `out` are the same View.
template <bool InPlace, class In, class Out, class Exec>
void shuffle_values(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    std::uint64_t seed) {
  auto const shuffle_all = [&]<class From, class To>(From const& from, To const& to) {
    using Value = typename To::non_const_value_type;
    shuffle_elements<InPlace>(context, n, ReadView<From, Value>{from}, to, seed);
  };
  if constexpr (may_move_as_words<Exec, In, Out>) {
    if (with_word_views<Exec>(n, in, out, shuffle_all)) return;
  }
  if constexpr (!backend::is_cpu<Exec> && may_copy_bytes<In, Out> && is_dense_array<In> &&
                is_dense_array<Out>) {
    shuffle_all(moved_values<Exec>(in), moved_values<Exec>(out));
  } else {
    shuffle_all(in, out);
  }
}

template <class Exec, class Indices, class In, class Out>
void gather_by(Context<Exec> const& context, std::uint64_t n, Indices const& indices, In const& in,
               Out const& out) {
  gather_rows(context.named("gather"), n, StoredPermutation<Indices>{indices}, in, out);
}

/// Sets out(i) = in(sigma(i)) for each row i < n. Small values are moved by the passes, other rows are gathered.
template <class Exec, class In, class Out>
void move_or_gather_rows(Context<Exec> const& context, std::uint64_t n, In const& in,
                         Out const& out, std::uint64_t seed) {
  for_each_pair(in, out, [&](auto const& from, auto const& to) {
    if constexpr (moves_values<std::decay_t<decltype(to)>>) {
      shuffle_values<false>(context, n, from, to, seed);
    }
  });
  if constexpr (gathered_views<Out> != 0) {
    auto const copies = gathered_copies(in, out);
    if (can_gather_without_indices<Exec>(n, copies))
      return gather_without_indices(context, n, copies, seed);
    with_indices(context, n, seed, [&](auto const& indices, auto&) {
      for_each_pair(in, out, [&](auto const& from, auto const& to) {
        if constexpr (!moves_values<std::decay_t<decltype(to)>>) {
          gather_by(context, n, indices, from, to);
        }
      });
    });
  }
}

/// If exactly one View of `data` is gathered row by row, and can_gather_without_indices(): gathers its rows in place,
/// without stored indices, and returns true. Otherwise returns false.
template <class Exec, class Data>
bool gather_in_place_without_indices(Context<Exec> const& context, std::uint64_t n,
                                     Data const& data, std::uint64_t seed) {
  if constexpr (gathered_views<Data> != 1) {
    return false;
  } else {
    if (!can_gather_without_indices<Exec>(n, gathered_copies(data, data))) return false;
    Scope scope(context);
    void* const memory = scope.template take<std::byte>(bytes_for_copies(data));
    for_each_view(data, [&](auto const& view) {
      if constexpr (!moves_values<std::decay_t<decltype(view)>>) {
        auto const copy = copy_rows_to(memory, context.named("copy"), view);
        gather_without_indices(context, n, row_copies(copy, view), seed);
      }
    });
    return true;
  }
}

/// Does the same as move_or_gather_rows(), but in place. Rows that are gathered are copied first.
template <class Exec, class Data>
void move_or_gather_in_place(Context<Exec> const& context, std::uint64_t n, Data const& data,
                             std::uint64_t seed) {
  for_each_view(data, [&]<class View>(View const& view) {
    if constexpr (moves_values<View>) {
      shuffle_values<true>(context, n, view, view, seed);
    }
  });
  if constexpr (gathered_views<Data> != 0) {
    if (gather_in_place_without_indices(context, n, data, seed)) return;
    auto const gather = [&](auto const& indices, Scope<Exec>& scope) {
      void* const memory = scope.template take<std::byte>(bytes_for_copies(data));
      for_each_view(data, [&](auto const& view) {
        if constexpr (!moves_values<std::decay_t<decltype(view)>>) {
          auto const copy = copy_rows_to(memory, context.named("copy"), view);
          gather_by(context, n, indices, copy, view);
        }
      });
    };
    with_indices(context, n, seed, gather);
  }
}

}  // namespace riffle::detail::bucket_shuffle
