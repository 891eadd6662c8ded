#pragma once

// Copies of rows from one View to another: the choices that the host makes once for all rows of a View.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

/// Whether elements of In can be copied to elements of Out as bytes.
template <class In, class Out>
inline constexpr bool may_copy_bytes =
    std::is_same_v<typename In::non_const_value_type, typename Out::value_type>&&
        std::is_trivially_copyable_v<typename Out::value_type> &&
    !In::traits::memory_traits::is_atomic && !Out::traits::memory_traits::is_atomic;

/// Whether the rows of all Views of these types are contiguous bytes.
template <class In, class Out>
inline constexpr bool always_has_words = may_copy_bytes<In, Out>&& Out::rank() == 1;

/// Returns the size of the largest word, of 1, 2, 4, 8 or 16 bytes, that divides all of `bytes`.
template <class... Bytes>
int widest_word(Bytes... bytes) {
  std::uint64_t const bits = (std::uint64_t{16} | ... | static_cast<std::uint64_t>(bytes));
  return static_cast<int>(bits & (~bits + 1));
}

/// Returns the number of columns. A row of a View of rank 1 is one value.
template <class View>
std::uint64_t column_count(View const& view) {
  if constexpr (View::rank() == 1) {
    return 1;
  } else {
    return view.extent(1);
  }
}

template <class View>
bool has_contiguous_rows(View const& view) {
  if constexpr (View::rank() == 1) {
    return true;
  } else {
    return view.extent(1) <= 1 || view.stride(1) == 1;
  }
}

/// Returns the distance between consecutive rows, in bytes.
template <class View>
std::uint64_t row_pitch(View const& view) {
  return static_cast<std::uint64_t>(view.stride(0)) * sizeof(typename View::value_type);
}

/// Whether neighbouring elements of a row are closer together in memory than neighbouring elements of a column.
template <class View>
bool is_stored_by_rows(View const& view) {
  if constexpr (View::rank() == 1) {
    return false;
  } else {
    return view.stride(1) < view.stride(0);
  }
}

/// Rows that are contiguous bytes. Pitches are in bytes. `word` is a word size that divides all addresses, pitches and
/// row sizes; it is 0 if rows are not contiguous.
struct RowBytes {
  std::byte const* from = nullptr;
  std::byte* to = nullptr;
  std::uint64_t from_pitch = 0;
  std::uint64_t to_pitch = 0;
  int word = 0;
};

template <class In, class Out>
RowBytes row_bytes([[maybe_unused]] In const& in, [[maybe_unused]] Out const& out) {
  RowBytes rows;
  if constexpr (may_copy_bytes<In, Out>) {
    if (!has_contiguous_rows(in) || !has_contiguous_rows(out)) return rows;
    rows.from = reinterpret_cast<std::byte const*>(in.data());
    rows.to = reinterpret_cast<std::byte*>(out.data());
    rows.from_pitch = row_pitch(in);
    rows.to_pitch = row_pitch(out);
    rows.word = widest_word(reinterpret_cast<std::uintptr_t>(rows.from),
                            reinterpret_cast<std::uintptr_t>(rows.to), rows.from_pitch,
                            rows.to_pitch, column_count(in) * sizeof(typename In::value_type));
  }
  return rows;
}

/// A range of columns of every row.
struct Columns {
  std::uint64_t begin;
  std::uint64_t end;

  KOKKOS_FUNCTION std::uint64_t count() const { return end - begin; }
};

/// An input View and the output View to which its rows are copied. Columns are counted in words if rows are contiguous
/// bytes, otherwise in elements. Rows are copied in parts of `chunk` columns.
template <class In, class Out>
struct RowCopy {
  using Value = typename Out::value_type;

  In in;
  Out out;
  RowBytes bytes;
  bool by_rows;  // whether writes are contiguous along rows; otherwise along columns
  std::uint64_t columns;
  std::uint64_t chunk;

  RowCopy(In const& from, Out const& to)
      : in(from),
        out(to),
        bytes(row_bytes(from, to)),
        by_rows(has_words() || is_stored_by_rows(to)),
        columns(has_words() ? bytes_per_row() / word_size() : column_count(to)),
        chunk(columns) {}

  KOKKOS_FUNCTION bool has_words() const { return bytes.word != 0; }

  std::uint64_t bytes_per_row() const { return column_count(out) * sizeof(Value); }

  /// Returns the number of columns per part, such that all parts have about the same size. The number is at most
  /// `most`, rounded up to a multiple of `step`.
  std::uint64_t equal_chunks(std::uint64_t most) const {
    constexpr std::uint64_t step = 4;  // so that most parts begin at a sector of memory
    if (columns <= most) return columns;
    std::uint64_t const parts = (columns + most - 1) / most;
    return ((columns + parts - 1) / parts + step - 1) / step * step;
  }

  std::uint64_t part_count() const { return chunk == 0 ? 0 : (columns + chunk - 1) / chunk; }

  KOKKOS_FUNCTION Columns columns_of(std::uint64_t part) const {
    return {Kokkos::min(part * chunk, columns), Kokkos::min((part + 1) * chunk, columns)};
  }

 private:
  std::uint64_t word_size() const { return static_cast<std::uint64_t>(bytes.word); }
};

// --- copies of the Views of packs ---

template <class In, class Out>
ViewPack<RowCopy<In, Out>> row_copies(In const& in, Out const& out) {
  return {RowCopy<In, Out>(in, out), {}};
}

inline ViewPack<> row_copies(ViewPack<> const&, ViewPack<> const&) { return {}; }

template <class In, class... Ins, class Out, class... Outs>
auto row_copies(ViewPack<In, Ins...> const& in, ViewPack<Out, Outs...> const& out) {
  return prepend(RowCopy<In, Out>(in.first, out.first), row_copies(in.rest, out.rest));
}

/// Returns the maximum, over all Views, of the number of parts into which a View is divided.
template <class Copies>
std::uint64_t part_count(Copies const& copies) {
  std::uint64_t parts = 0;
  for_each_view(copies, [&](auto const& copy) { parts = Kokkos::max(parts, copy.part_count()); });
  return parts;
}

/// Sets the chunk of each copy to chunk_of(copy).
template <class ChunkOf>
void set_chunks(ViewPack<>&, ChunkOf const&) {}

template <class First, class... Rest, class ChunkOf>
void set_chunks(ViewPack<First, Rest...>& copies, ChunkOf const& chunk_of) {
  copies.first.chunk = chunk_of(copies.first);
  set_chunks(copies.rest, chunk_of);
}

/// Returns the number of columns of a View that fit in a cache together, but at most `columns`; returns `columns` if
/// not even one column fits. The cache has `cache` bytes, and a column has n elements of `element` bytes each. While a
/// column stays in the cache, a line that is loaded for one row also serves neighbouring rows.
inline std::uint64_t columns_in_cache(std::uint64_t cache, std::uint64_t n, std::size_t element,
                                      std::uint64_t columns) {
  std::uint64_t const column = n * element;
  if (column == 0 || column > cache) return columns;
  return Kokkos::min(cache / column, columns);
}

}  // namespace riffle::detail
