#pragma once

// What algorithms ask of the Views they are given.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/byte_runs.hpp>
#include <riffle/primitives/call.hpp>

namespace riffle::detail {

template <class View, int Rank>
inline constexpr bool has_rank = View::rank() == Rank;

/// An option, such as an order. (A View in its place is one too many.)
template <class T>
concept NotAView = !Kokkos::is_view_v<T>;

/// A View that kernels of `Exec`, an execution space or a context of one, can read.
template <class View, class Exec>
concept AccessibleFrom = Kokkos::is_view_v<View> && InstanceOrContext<Exec> && static_cast<bool>(
    Kokkos::SpaceAccessibility<SpaceOf<Exec>, typename View::memory_space>::accessible);

/// A View that they can read and write.
template <class View, class Exec>
concept WritableFrom = AccessibleFrom<View, Exec> && !std::is_const_v<typename View::value_type>;

/// A View of rows: rank 1 (values) or rank 2.
template <class View, class Exec>
concept RowsFrom = AccessibleFrom<View, Exec> &&(has_rank<View, 1> || has_rank<View, 2>);

template <class View, class Exec>
concept WritableRowsFrom = RowsFrom<View, Exec> && WritableFrom<View, Exec>;

/// A View of rank 1.
template <class View, class Exec>
concept ArrayFrom = AccessibleFrom<View, Exec> && has_rank<View, 1>;

template <class View, class Exec>
concept WritableArrayFrom = WritableFrom<View, Exec> && has_rank<View, 1>;

/// A View of rank 1 whose values are moved as bytes.
template <class View, class Exec>
concept MovedArrayFrom = WritableArrayFrom<View, Exec> &&
    std::is_trivially_copyable_v<typename View::non_const_value_type> &&
    !View::traits::memory_traits::is_atomic;

/// A View of rank 2.
template <class View, class Exec>
concept MatrixFrom = AccessibleFrom<View, Exec> && has_rank<View, 2>;

template <class View, class Exec>
concept WritableMatrixFrom = WritableFrom<View, Exec> && has_rank<View, 2>;

/// Whether every number of type From keeps its value as a number of type To.
template <class From, class To>
constexpr bool keeps_every_number() {
  using F = std::numeric_limits<From>;
  using T = std::numeric_limits<To>;
  if constexpr (std::is_same_v<To, bool> || (!F::is_integer && T::is_integer)) {
    return false;
  } else {
    bool const has_sign = T::is_signed || !F::is_signed;
    bool const has_range = F::is_integer || F::max_exponent <= T::max_exponent;
    return has_sign && has_range && F::digits <= T::digits;
  }
}

/// Whether Views of To can take elements of From unchanged: both have one type, or To holds all numbers of From, or the
/// types are the user's and convert.
template <class From, class To>
inline constexpr bool converts_without_loss = std::is_assignable_v<To&, From const&>;
template <class From, class To>
requires(std::is_arithmetic_v<From>&&
             std::is_arithmetic_v<To>) inline constexpr bool converts_without_loss<From, To> =
    std::is_same_v<From, To> || keeps_every_number<From, To>();

template <class In, class Out>
inline constexpr bool takes_values_of =
    converts_without_loss<typename In::non_const_value_type, typename Out::non_const_value_type>;

template <class In, class Out>
inline constexpr bool has_values_of =
    std::is_same_v<typename In::non_const_value_type, typename Out::non_const_value_type>;

/// The bytes of a View of rank 1 or 2 that is not empty.
template <class View>
ByteRuns bytes_of(View const& view) {
  std::uint64_t const size = sizeof(typename View::value_type);
  ByteRuns runs(reinterpret_cast<std::uintptr_t>(view.data()), size);
  if constexpr (View::rank() == 1) {
    runs.repeat({view.extent(0), view.stride(0) * size});
  } else {
    EqualSteps const rows{view.extent(0), view.stride(0) * size};
    EqualSteps const columns{view.extent(1), view.stride(1) * size};
    bool const rows_first = rows.pitch < columns.pitch;
    runs.repeat(rows_first ? rows : columns);
    runs.repeat(rows_first ? columns : rows);
  }
  return runs;
}

/// Whether two Views of rank 1 or 2 share an element, from their addresses and strides. For two Views of rank 1 that is
/// exact; for others as riffle/primitives/byte_runs.hpp says.
template <class A, class B>
bool overlap(A const& a, B const& b) {
  return a.size() > 0 && b.size() > 0 && overlap(bytes_of(a), bytes_of(b));
}

/// A View as an error names it: the caller's word for it, and its label where it has one.
template <class View>
std::string name_of(char const* argument, View const& view) {
  std::string const label = view.label();
  return label.empty() ? argument : concatenate(argument, " (\"", label, "\")");
}

/// Throws where two Views, which the caller calls by these names, share an element.
template <class A, class B>
void check_disjoint(char const* function, char const* name_of_a, A const& a, char const* name_of_b,
                    B const& b) {
  if (!overlap(a, b)) return;
  check(false, function, name_of(name_of_a, a), " and ", name_of(name_of_b, b),
        " overlap: must share no element");
}

/// Throws where `in` and `out` share an element, unless they are the same elements, as the caller says.
template <class In, class Out>
void check_same_or_disjoint(char const* function, bool are_same, In const& in, Out const& out) {
  if (are_same || !overlap(in, out)) return;
  check(false, function, name_of("in", in), " and ", name_of("out", out),
        " overlap: must be the same elements or share none");
}

/// Throws unless the value type of `out`, which the caller calls `name`, can hold 0, ..., n - 1.
template <class Out>
void check_can_index(char const* function, char const* name, Out const&, std::uint64_t n) {
  using Value = typename Out::non_const_value_type;
  static_assert(std::is_integral_v<Value>,
                "riffle: indices are written: their value type is an integer");
  auto const largest = static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
  check(n == 0 || n - 1 <= largest, function, "n = ", n, ": the value type of ", name,
        " holds no index above ", largest);
}

}  // namespace riffle::detail
