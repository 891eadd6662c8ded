#pragma once

// A line is a row or a column of a matrix, depending on the call. Elements are numbered line by
// line, so that lines are consecutive groups of equal length. The line that contains element k, and
// the index of the line's first element, are computed from k, without reads of memory.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
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

enum class Along { rows, columns };

/// Throws unless each line of the matrix `data` can be ranked into the same line of `ranks`; `name`
/// is the name of `data` in messages. Returns the length of a line.
template <Along along, class Data, class Ranks, class Order>
std::uint64_t check_rank_lines(char const* function, char const* name, Data const& data,
                               Ranks const& ranks, RankOptions<Order> const& options) {
  // Not a loop, because g++ 13 under nvcc would warn of an access to extent(2).
  auto const check_extent = [&](int d) {
    check(data.extent(d) == ranks.extent(d), function, name, ".extent(", d, ") = ", data.extent(d),
          " and ranks.extent(", d, ") = ", ranks.extent(d), ": must be equal");
  };
  check_extent(0);
  check_extent(1);
  check_disjoint(function, name, data, "ranks", ranks);
  std::uint64_t const length = ranks.extent(along == Along::rows ? 1 : 0);
  check_can_rank<Data>(function, ranks, length, options);
  return length;
}

// --- elements ---

/// Accesses the elements of a matrix by an index that counts them line by line.
template <class View, Along along>
class Lines {
 public:
  /// The elements as a View of rank 1; empty unless the elements are contiguous in the order of
  /// lines.
  using Flat = Kokkos::View<typename View::value_type*, Kokkos::LayoutRight,
                            typename View::device_type, Kokkos::MemoryUnmanaged>;

  explicit Lines(View const& view)
      : view_(view), length_(std::max<std::uint64_t>(1, view.extent(inner))) {}

  bool are_contiguous() const {
    bool const is_dense = view_.extent(inner) <= 1 || view_.stride(inner) == 1;
    return is_dense && (view_.extent(outer) <= 1 || view_.stride(outer) == view_.extent(inner));
  }

  Flat flat() const { return Flat(view_.data(), are_contiguous() ? view_.size() : 0); }

  KOKKOS_FUNCTION decltype(auto) operator()(std::uint64_t k) const {
    std::uint64_t const line = length_.quotient(k);
    std::uint64_t const place = k - line * length_.divisor();
    if constexpr (along == Along::rows) {
      return view_(line, place);
    } else {
      return view_(place, line);
    }
  }

 private:
  static constexpr int inner = along == Along::rows ? 1 : 0;
  static constexpr int outer = 1 - inner;

  View view_;
  Divider<std::uint64_t> length_;
};

template <class View, Along along>
class LinesSource {
  using Flat = typename Lines<View, along>::Flat;

 public:
  using Item = typename View::non_const_value_type;

  explicit LinesSource(View const& view)
      : lines_(view), flat_(lines_.flat()), is_contiguous_(lines_.are_contiguous()) {}

  KOKKOS_FUNCTION bool has_quads() const { return is_contiguous_ && flat_.has_quads(); }
  KOKKOS_FUNCTION bool is_contiguous() const { return is_contiguous_; }

  KOKKOS_FUNCTION Item operator()(std::uint64_t k) const {
    return is_contiguous_ ? *flat_.address(k) : lines_(k);
  }

  KOKKOS_FUNCTION Item const* address(std::uint64_t k) const { return flat_.address(k); }

  KOKKOS_FUNCTION void read_quad(std::uint64_t k, Item (&x)[quad_size]) const {
    flat_.read_quad(k, x);
  }

 private:
  Lines<View, along> lines_;
  ViewSource<Flat> flat_;
  bool is_contiguous_;
};

template <class View, Along along>
class LinesSink {
  using Flat = typename Lines<View, along>::Flat;

 public:
  using Element = typename View::value_type;

  explicit LinesSink(View const& view)
      : lines_(view), flat_(lines_.flat()), is_contiguous_(lines_.are_contiguous()) {}

  KOKKOS_FUNCTION bool has_quads() const { return is_contiguous_ && flat_.has_quads(); }
  KOKKOS_FUNCTION bool is_contiguous() const { return is_contiguous_; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t k, Value const& value) const {
    (is_contiguous_ ? *flat_.address(k) : lines_(k)) = static_cast<Element>(value);
  }

  KOKKOS_FUNCTION Element read(std::uint64_t k) const {
    return is_contiguous_ ? *flat_.address(k) : lines_(k);
  }

  KOKKOS_FUNCTION Element* address(std::uint64_t k) const { return flat_.address(k); }

  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t k, Value const (&values)[quad_size]) const {
    flat_.write_quad(k, values);
  }

 private:
  Lines<View, along> lines_;
  ViewSink<Flat> flat_;
  bool is_contiguous_;
};

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
