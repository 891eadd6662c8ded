#pragma once

// A line is a row or a column of a matrix, depending on the call. Elements are numbered line by
// line, so that lines are consecutive groups of equal length.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

enum class Along { rows, columns };

/// Throws unless two matrices have the same extents and share no element. The names of the arguments are for the message.
/// Returns the length of a line.
template <Along along, class In, class Out>
std::uint64_t check_lines(char const* function, char const* in_name, In const& in,
                          char const* out_name, Out const& out) {
  // Not a loop, because g++ 13 under nvcc would warn of an access to extent(2).
  auto const check_extent = [&](int d) {
    check(in.extent(d) == out.extent(d), function, in_name, ".extent(", d, ") = ", in.extent(d),
          " and ", out_name, ".extent(", d, ") = ", out.extent(d), ": must be equal");
  };
  check_extent(0);
  check_extent(1);
  check_disjoint(function, in_name, in, out_name, out);
  return out.extent(along == Along::rows ? 1 : 0);
}

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

}  // namespace riffle::detail
