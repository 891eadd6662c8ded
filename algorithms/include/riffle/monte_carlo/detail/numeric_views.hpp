#pragma once

// Callers of permutation tests pass Views of many types. This header converts them to Views of the few types for which
// the library is compiled.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include <riffle/context.hpp>

namespace riffle::detail {

template <class View, class Out>
struct CopyValues {
  View view;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    out(i) = static_cast<typename Out::non_const_value_type>(view(i));
  }
};

/// Returns the values of a View, or of another object with the same operator() and extent(). Fences.
template <class Exec, class View>
std::vector<double> host_values(Context<Exec> const& context, View const& view) {
  using Values = Kokkos::View<double*, typename Exec::memory_space>;
  Values const values(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                         context.label() + "::host_values"),
                      view.extent(0));
  context.named("copy").for_each(values.extent(0), CopyValues<View, Values>{view, values});
  std::vector<double> host(values.extent(0));
  Kokkos::deep_copy(
      context.exec(),
      Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()),
      values);
  context.exec().fence(context.label() + "::host_values");
  return host;
}

/// The values of a View as an array of one of three types. Each value is converted exactly, except that long double is
/// rounded to double.
template <class Memory>
struct Numbers {
  template <class T>
  using Array = Kokkos::View<T const*, Memory>;

  std::variant<Array<double>, Array<std::int64_t>, Array<std::uint64_t>> values = {};

  /// Returns function(array) for the array that `values` holds.
  template <class Function>
  auto visit(Function const& function) const {
    return std::visit(function, values);
  }

  std::uint64_t extent(int) const {
    return visit([](auto const& array) -> std::uint64_t { return array.extent(0); });
  }
};

/// The element type of the array in which Numbers stores values of type T.
template <class T>
using NumberOf = std::conditional_t<
    !std::is_integral_v<T>, double,
    std::conditional_t<std::is_signed_v<T> || sizeof(T) < 8, std::int64_t, std::uint64_t>>;

/// Whether the elements of a View are consecutive values of type T in this memory.
template <class View, class T, class Memory>
inline constexpr bool is_array_of =
    std::is_same_v<typename View::non_const_value_type, T>&&
        std::is_same_v<typename View::memory_space, Memory> &&
    (std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft> ||
     std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>);

/// Returns a View of the values, converted to Number. It refers to the memory of `view` if no conversion is needed,
/// otherwise to a copy. Does not fence.
template <class Number, class Exec, class View>
Kokkos::View<Number const*, typename Exec::memory_space> as_numbers(Context<Exec> const& context,
                                                                    View const& view) {
  using Memory = typename Exec::memory_space;
  if constexpr (is_array_of<View, Number, Memory>) {
    return Kokkos::View<Number const*, Memory>(view.data(), view.extent(0));
  } else {
    using Out = Kokkos::View<Number*, Memory>;
    Out const out(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                     context.label() + "::numbers"),
                  view.extent(0));
    context.named("copy").for_each(view.extent(0), CopyValues<View, Out>{view, out});
    return out;
  }
}

template <class Exec, class View>
Numbers<typename Exec::memory_space> numbers_of(Context<Exec> const& context, View const& view) {
  return {as_numbers<NumberOf<typename View::non_const_value_type>>(context, view)};
}

}  // namespace riffle::detail
