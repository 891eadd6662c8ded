#pragma once

// Into how many parts elements are divided, and the arrays that this takes.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_splitters/kinds.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/runs.hpp>

namespace riffle::detail::sort::by_parts {

using by_splitters::code_of;
using by_splitters::has_index;
using by_splitters::Index;
using by_splitters::IndexedCode;

/// The elements that a part has on average: a quarter of those for which classes have room. With `sample_per_part`
/// elements of a sample between two splitters, hardly any part has four times as many as the average.
template <class Element>
inline constexpr Index part_size = by_splitters::max_in_scratch<Element> / 4;
inline constexpr Index sample_per_part = 8;

/// Elements are put in the order of parts tile by tile. A thread holds up to so many elements of a tile.
inline constexpr int split_threads = 256;
template <class Element>
inline constexpr int held = has_index<Element> ? 8 : 16;
template <class Element>
inline constexpr Index max_tile_size = split_threads* held<Element>;
inline constexpr Index min_tile_size = 512;
/// The number of tiles that is aimed at: as many as a GPU has processors.
inline constexpr Index wanted_tiles = 128;

inline constexpr int max_depth = 11;

/// The most elements that are sorted by parts.
template <class Element>
inline constexpr std::uint64_t max_elements = std::min(std::uint64_t{by_splitters::max_runs} *
                                                           max_tile_size<Element>,
                                                       std::uint64_t{part_size<Element>}
                                                           << max_depth);

/// How n elements are divided.
template <class Element>
struct Division {
  explicit Division(std::uint64_t n)
      : size(static_cast<Index>(n)),
        parts(std::max<Index>(2, (size + part_size<Element> - 1) / part_size<Element>)),
        depth(std::bit_width(parts - 1)),
        tile_size(std::clamp<Index>(std::bit_ceil(size / wanted_tiles), min_tile_size,
                                    max_tile_size<Element>)),
        tiles((size + tile_size - 1) / tile_size) {}

  Index size;
  Index parts;
  int depth;  // of a search tree of so many parts
  Index tile_size;
  Index tiles;
};

template <class Element>
struct Arrays : Division<Element> {
  using Code = decltype(code_of(Element{}));

  Arrays(ArrayMemory& memory, std::uint64_t n)
      : Division<Element>(n),
        elements(memory.take<Element>(n)),
        sample(memory.take<IndexedCode>(std::uint64_t{this->parts} * sample_per_part)),
        codes(memory.take<Code>(this->parts)),
        indices(memory.take<Index>(this->parts)),
        part_begins(memory.take<std::uint16_t>(std::uint64_t{this->tiles} * this->parts)) {}

  Element* elements;
  IndexedCode* sample;
  /// The splitters: part p has the elements above splitter p - 1, up to splitter p. The last part has none.
  Code* codes;
  Index* indices;
  std::uint16_t* part_begins;  // where in a tile each part begins, tile by tile
};

}  // namespace riffle::detail::sort::by_parts
