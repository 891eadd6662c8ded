#pragma once

// Decomposes a permutation of a matrix into three: a permutation within each row, one within each
// column, and again one within each row (sec. 7 of [1], coloured_permutation.hpp). Each element is
// an edge from its source row to its destination row, and the colour of the edge is the column in
// which the element moves from the one row to the other.

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/edge_colouring.hpp>
#include <riffle/published/offline_permutation/detail/colour_by_jumps.hpp>

namespace riffle::detail::coloured_permutation {

/// The permutation p as a function of the index of an element in a matrix that is stored row by
/// row. Elements i >= n are padding, and do not move.
template <class Permutation>
struct PaddedPermutation {
  Permutation p;
  std::uint64_t n;
  int column_bits;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return i < n ? static_cast<std::uint64_t>(p(i)) : i;
  }
  // Elements are edges, in the order of their source rows.
  KOKKOS_FUNCTION std::uint64_t number(std::uint64_t i) const { return i; }
  KOKKOS_FUNCTION std::uint64_t right(std::uint64_t i) const { return (*this)(i) >> column_bits; }
};

/// Element (i, j) moves in three steps. Within row i, it moves from column j to column k = first(i,
/// j). Within column k, it moves from row i to row r = across(k, i). Within row r, it moves from
/// column k to its destination column last(r, k). first and last are stored by rows, across by
/// columns.
template <class MemorySpace>
struct RowImages {
  using Images = Kokkos::View<std::uint16_t*, MemorySpace>;

  std::uint64_t rows;
  int column_bits;  // columns = 2^column_bits, so that shifts replace divisions
  Images first;
  Images across;
  Images last;

  RowImages(std::string const& label, std::uint64_t row_count, int bits)
      : rows(row_count),
        column_bits(bits),
        first(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), row_count << bits),
        across(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), row_count << bits),
        last(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), row_count << bits) {}

  /// Records that element i moves to index `to` through column `colour`.
  KOKKOS_FUNCTION void put(std::uint64_t i, std::uint64_t to, std::uint64_t colour) const {
    std::uint64_t const to_row = to >> column_bits;
    std::uint64_t const to_row_begin = to_row << column_bits;
    first(i) = static_cast<std::uint16_t>(colour);
    across(colour * rows + (i >> column_bits)) = static_cast<std::uint16_t>(to_row);
    last(to_row_begin + colour) = static_cast<std::uint16_t>(to - to_row_begin);
  }
};

/// Stores only the first permutation, that is, the column through which each element moves. The
/// elements of one colour are in different rows, so reading their destinations here would be a
/// random access each. The other two permutations are computed later, when destinations and columns
/// are read in the order of the elements.
struct PaintColumns {
  std::uint16_t* first;
  std::uint64_t rows;

  void operator()(std::uint32_t colour, std::uint32_t const* numbers) const {
    for (std::uint64_t row = 0; row < rows; ++row) {
      first[numbers[row]] = static_cast<std::uint16_t>(colour);
    }
  }
};

template <class Destination, class Colours, class Images>
struct PutImages {
  Destination to;
  Colours colours;
  Images images;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { images.put(i, to(i), colours(i)); }
};

/// Computes the three permutations for p on the host, with the colouring that is fastest on Exec.
/// Requires that p is a permutation of n > 0 elements, and that columns is a power of two.
template <class Exec, class Permutation>
RowImages<Kokkos::HostSpace> find_row_images(Context<Exec> const& context, Permutation const& p,
                                             std::uint64_t rows, std::uint64_t columns) {
  using Destinations = PaddedPermutation<Permutation>;
  int const column_bits = std::countr_zero(columns);
  RowImages<Kokkos::HostSpace> const images(context.label() + "::images", rows, column_bits);
  Destinations const to{p, p.extent(0), column_bits};
  auto const nodes = static_cast<std::uint32_t>(rows);
  auto const degree = static_cast<std::uint32_t>(columns);
  if constexpr (backend::is_cpu<Exec>) {
    context.exec().fence(context.label() + "::images");
    edge_colouring::colour_on_host(context, nodes, degree, to,
                                   PaintColumns{images.first.data(), rows});
    using Images = RowImages<Kokkos::HostSpace>;
    context.named("images").for_each(
        rows * columns, PutImages<Destinations, Images::Images, Images>{to, images.first, images});
    context.exec().fence(context.label() + "::images");
  } else {
    using Space = typename Exec::memory_space;
    RowImages<Space> const found(context.label() + "::images", rows, column_bits);
    Kokkos::View<std::uint32_t*, Space> const colours(
        Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                           context.label() + "::colours"),
        rows * columns);
    edge_colouring::colour_by_jumps(context, nodes, degree, to, colours);
    using Colours = std::remove_const_t<decltype(colours)>;
    context.named("images").for_each(
        rows * columns, PutImages<Destinations, Colours, RowImages<Space>>{to, colours, found});
    Kokkos::deep_copy(context.exec(), images.first, found.first);
    Kokkos::deep_copy(context.exec(), images.across, found.across);
    Kokkos::deep_copy(context.exec(), images.last, found.last);
    context.exec().fence(context.label() + "::images");
  }
  return images;
}

}  // namespace riffle::detail::coloured_permutation
