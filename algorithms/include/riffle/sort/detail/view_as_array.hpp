#pragma once

// Access to the elements of a View as an array.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::sort {

template <class View>
inline constexpr bool may_have_gaps =
    std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>;

template <class View>
bool is_contiguous(View const& view) {
  return !may_have_gaps<View> || view.stride(0) == 1 || view.extent(0) == 1;
}

template <class View, class T>
struct WriteElements {
  T const* from;
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { view(i) = from[i]; }
};

/// Gives access to a View's elements as an array: the View's own memory if they are contiguous,
/// otherwise an array taken from `memory`. read() copies the elements to the array if needed.
template <class View>
class ViewAsArray {
 public:
  using T = typename View::non_const_value_type;

  ViewAsArray(View const& view, ArrayMemory& memory)
      : view_(view), array_(is_contiguous(view) ? view.data() : memory.take<T>(view.extent(0))) {}

  /// The array. It contains the elements only after read().
  T* array() const { return array_; }

  template <class Exec>
  T* read(Context<Exec> const& context) const {
    if constexpr (may_have_gaps<View>) {
      if (is_contiguous(view_)) return array_;
      context.named("read").for_each(view_.extent(0), StoreElements<View, T>{view_, array_});
    }
    return array_;
  }

  /// Copies n elements from `from`, which is array() or another array, to the View. Does nothing if
  /// `from` is the View's memory.
  template <class Exec>
  void write(Context<Exec> const& context, T const* from) const {
    if (from == view_.data()) return;
    context.named("write").for_each(view_.extent(0), WriteElements<View, T>{from, view_});
  }

 private:
  View view_;
  T* array_;
};

template <class Exec, class In, class Out>
void copy_unless_same(Context<Exec> const& context, In const& in, Out const& out) {
  if (static_cast<void const*>(in.data()) == static_cast<void const*>(out.data())) return;
  context.named("copy").for_each(out.extent(0), CopyRows<In, Out>{in, out});
}

}  // namespace riffle::detail::sort
