#pragma once

// The lines of a matrix (riffle/primitives/matrix_lines.hpp) as consecutive groups of equal length. The line that contains element
// k, and the index of the line's first element, are computed from k, without reads of memory.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/matrix_lines.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/gpu/tile_groups.hpp>
#include <riffle/rank/detail/rank_in_groups.hpp>
#include <riffle/rank/rank_options.hpp>

namespace riffle::detail::rank {

/// Throws unless each line of the matrix `data` can be ranked into the same line of `ranks`; `name`
/// is the name of `data` in messages. Returns the length of a line.
template <Along along, class Data, class Ranks, class Order>
std::uint64_t check_rank_lines(char const* function, char const* name, Data const& data,
                               Ranks const& ranks, RankOptions<Order> const& options) {
  std::uint64_t const length = check_lines<along>(function, name, data, "ranks", ranks);
  check_can_rank<Data>(function, ranks, length, options);
  return length;
}

// --- groups ---

/// A source whose item k is the index of the line that contains element k.
template <class Index>
class LineOf {
 public:
  using Item = std::make_unsigned_t<Index>;

  explicit LineOf(std::uint64_t length) : length_(static_cast<Item>(length)) {}

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  KOKKOS_FUNCTION Item operator()(std::uint64_t k) const {
    return length_.quotient(static_cast<Item>(k));
  }

  KOKKOS_FUNCTION void read_quad(std::uint64_t k, Item (&lines)[quad_size]) const {
    read_quad_by_elements(*this, k, lines);
  }

 private:
  Divider<Item> length_;
};

/// Takes the place of GroupBoundaries for groups of one length. The boundaries are computed, not
/// stored.
template <class Index>
class LineBoundaries {
 public:
  LineBoundaries(std::uint64_t length, bool has_lasts)
      : length_(static_cast<Word>(length)), has_lasts_(has_lasts) {}

  KOKKOS_FUNCTION bool has_lasts() const { return has_lasts_; }
  KOKKOS_FUNCTION Index first(std::uint64_t k) const {
    return static_cast<Index>(length_.multiple(static_cast<Word>(k)));
  }
  KOKKOS_FUNCTION Index last(std::uint64_t k) const {
    return static_cast<Index>(length_.multiple(static_cast<Word>(k)) + length_.divisor() - 1);
  }
  KOKKOS_FUNCTION std::uint64_t size(std::uint64_t) const { return length_.divisor(); }

 private:
  using Word = std::make_unsigned_t<Index>;

  Divider<Word> length_;
  bool has_lasts_;
};

/// Groups of `length` consecutive elements each.
struct GroupsOfLength {
  static constexpr bool are_computed = true;

  std::uint64_t length;

  template <class Index>
  using Tiles = TileGroupsOfLength<Index>;

  template <class Index, class Exec>
  Tiles<Index> tiles(Context<Exec> const&, std::uint64_t, std::uint64_t, Scope<Exec>&) const {
    return Tiles<Index>(length);
  }

  template <class Index>
  LineOf<Index> group_of() const {
    return LineOf<Index>(length);
  }

  template <class Index>
  LineBoundaries<Index> boundaries(bool has_lasts) const {
    return {length, has_lasts};
  }

  template <class Exec, class Firsts, class Missing>
  void find_firsts(Context<Exec> const& context, Firsts const& firsts,
                   Missing const& missing) const {
    find_first_of_equal(context, group_of<typename Firsts::value_type>(), missing, firsts);
  }
};

}  // namespace riffle::detail::rank
