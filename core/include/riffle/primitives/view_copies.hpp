#pragma once

// Copies of Views, for two purposes:
//
// - To process data of kernels on the host. If the host can access the Views, it uses them, otherwise copies. The Views
//   may have any strides. Kokkos alone does not suffice, because it copies between memory spaces only if both Views
//   have no gaps and the same layout.
// - To write the output of an algorithm over its input. The algorithm first copies the row set to temporary memory.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/primitives/arena.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

template <class View>
inline constexpr bool is_host_accessible = static_cast<bool>(
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible);

/// The type of a View with value type T, the extents of `View`, and no gaps between elements.
template <class View, class T, class Memory, class... Traits>
using Dense =
    Kokkos::View<std::conditional_t<View::rank() == 1, T*, T**>,
                 std::conditional_t<std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>,
                                    Kokkos::LayoutLeft, Kokkos::LayoutRight>,
                 Memory, Traits...>;

/// The type of the View with which the host works in place of a rank-1 or rank-2 View.
template <class View>
using HostView =
    std::conditional_t<is_host_accessible<View>, View,
                       Dense<View, typename View::non_const_value_type, Kokkos::HostSpace>>;

/// Copies one element from `from` to `to`. The index i counts the elements of `to` in the order of its layout.
template <class From, class To>
struct CopyElements {
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    if constexpr (To::rank() == 1) {
      to(i) = from(i);
    } else if constexpr (std::is_same_v<typename To::array_layout, Kokkos::LayoutLeft>) {
      copy(i % to.extent(0), i / to.extent(0));
    } else {
      copy(i / to.extent(1), i % to.extent(1));
    }
  }

 private:
  KOKKOS_FUNCTION void copy(std::uint64_t row, std::uint64_t column) const {
    to(row, column) = from(row, column);
  }
};

template <class Exec, class From, class To>
void copy_elements(Context<Exec> const& context, From const& from, To const& to) {
  context.for_each(to.size(), CopyElements<From, To>{from, to});
}

/// Whether the elements of a View have no gaps, in a layout that Kokkos can copy.
template <class View>
bool is_dense(View const& view) {
  return !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride> &&
         view.span_is_contiguous();
}

/// Returns a View of the elements at `data`, without gaps, with the extents of `view`.
template <class T, class View>
auto dense_at(T* data, View const& view) {
  using At = Dense<View, T, typename View::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  if constexpr (View::rank() == 1) {
    return At(data, view.extent(0));
  } else {
    return At(data, view.extent(0), view.extent(1));
  }
}

/// Returns the View on which the host works: `view` itself, or an uninitialized View with the same extents.
template <class Exec, class View>
HostView<View> make_host_view(Context<Exec> const& context, View const& view) {
  if constexpr (is_host_accessible<View>) {
    return view;
  } else {
    auto const uninitialized =
        Kokkos::view_alloc(Kokkos::WithoutInitializing, context.label() + "::host");
    if constexpr (View::rank() == 1) {
      return HostView<View>(uninitialized, view.extent(0));
    } else {
      return HostView<View>(uninitialized, view.extent(0), view.extent(1));
    }
  }
}

/// Returns the elements of a View, on the host. Fences.
template <class Exec, class View>
HostView<View> copy_view_to_host(Context<Exec> const& context, View const& view) {
  using T = typename View::non_const_value_type;
  HostView<View> const host = make_host_view(context, view);
  if constexpr (!is_host_accessible<View>) {
    if (is_dense(view)) {
      Kokkos::deep_copy(context.exec(), host, dense_at<T const>(view.data(), view));
    } else {
      Scope scope(context);
      auto const dense = dense_at(scope.template take<T>(view.size()), view);
      copy_elements(context.named("gather"), view, dense);
      Kokkos::deep_copy(context.exec(), host, dense);
    }
  }
  context.exec().fence(context.label() + "::host");
  return host;
}

/// Copies `host` to `view` unless they are the same View. `host` is the result of make_host_view(context, view). Fences
/// if it copies.
template <class Exec, class View>
void copy_view_from_host(Context<Exec> const& context, HostView<View> const& host,
                         View const& view) {
  if constexpr (!is_host_accessible<View>) {
    using T = typename View::non_const_value_type;
    if (is_dense(view)) {
      Kokkos::deep_copy(context.exec(), dense_at<T>(view.data(), view), host);
    } else {
      Scope scope(context);
      auto const dense = dense_at(scope.template take<T>(view.size()), view);
      Kokkos::deep_copy(context.exec(), dense, host);
      copy_elements(context.named("scatter"), dense, view);
    }
    context.exec().fence(context.label() + "::host");
  }
}

/// Returns the number of bytes that a copy of a View needs, rounded up so that the next array is aligned.
template <class View>
std::size_t copy_bytes_of_view(View const& view) {
  return aligned_bytes(view.size() * sizeof(typename View::value_type));
}

/// Returns the number of bytes that copies of all Views of a row set need.
template <class Rows>
std::size_t copy_bytes(Rows const& rows) {
  std::size_t all = 0;
  for_each_view(rows, [&](auto const& view) { all += copy_bytes_of_view(view); });
  return all;
}

/// Returns a number of bytes that suffices for a copy of any one View of a row set.
template <class Rows>
std::size_t max_copy_bytes(Rows const& rows) {
  std::size_t most = 0;
  for_each_view(rows, [&](auto const& view) { most = std::max(most, copy_bytes_of_view(view)); });
  return most;
}

/// Returns a View in `memory` with the extents of `view`, without gaps.
template <class View>
auto view_in(void* memory, View const& view) {
  return dense_at(static_cast<typename View::non_const_value_type*>(memory), view);
}

/// Copies a View to `memory`, which has copy_bytes_of_view(view) bytes. Returns the copy. Enqueued on the instance of
/// `context`.
template <class Exec, class View>
auto copy_rows_to(void* memory, Context<Exec> const& context, View const& view) {
  static_assert(std::is_trivially_copyable_v<typename View::value_type>, "memory has no objects");
  auto const copy = view_in(memory, view);
  context.for_each(view.extent(0), CopyRows<View, std::decay_t<decltype(copy)>>{view, copy});
  return copy;
}

template <class Exec>
ViewPack<> copy_rows_to(void*, Context<Exec> const&, ViewPack<> const&) {
  return {};
}

/// Overload for a pack: `memory` has copy_bytes(views) bytes.
template <class Exec, class First, class... Rest>
auto copy_rows_to(void* memory, Context<Exec> const& context,
                  ViewPack<First, Rest...> const& views) {
  auto* const rest = static_cast<std::byte*>(memory) + copy_bytes_of_view(views.first);
  return prepend(copy_rows_to(memory, context, views.first),
                 copy_rows_to(rest, context, views.rest));
}

/// Calls use(copy) with a copy of the rows in temporary memory.
template <class Exec, class Rows, class Use>
void with_copy_of_rows(Context<Exec> const& context, Rows const& rows, Use const& use) {
  Scope scope(context);
  void* const memory = scope.template take<std::byte>(copy_bytes(rows));
  use(copy_rows_to(memory, context.named("copy"), rows));
}

}  // namespace riffle::detail
