#pragma once

// Copies of row sets in a workspace's memory, for algorithms that write where the rows were.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/primitives/arena.hpp>
#include <riffle/primitives/host_views.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

/// The bytes that a copy of a View takes, so that whatever lies behind it is aligned.
template <class View>
std::size_t copy_bytes_of_view(View const& view) {
  return aligned(view.size() * sizeof(typename View::value_type));
}

/// The bytes that a copy of all rows takes.
template <class Rows>
std::size_t copy_bytes(Rows const& rows) {
  std::size_t all = 0;
  for_each_view(rows, [&](auto const& view) { all += copy_bytes_of_view(view); });
  return all;
}

/// The bytes that a copy of any one of their Views takes at most.
template <class Rows>
std::size_t max_copy_bytes(Rows const& rows) {
  std::size_t most = 0;
  for_each_view(rows, [&](auto const& view) { most = std::max(most, copy_bytes_of_view(view)); });
  return most;
}

/// A View like `view`, without gaps, in memory.
template <class View>
auto view_in(void* memory, View const& view) {
  return dense_at(static_cast<typename View::non_const_value_type*>(memory), view);
}

/// A copy of a View in copy_bytes_of_view of memory, enqueued on `exec`.
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

/// The same for a pack, in copy_bytes of memory.
template <class Exec, class First, class... Rest>
auto copy_rows_to(void* memory, Context<Exec> const& context,
                  ViewPack<First, Rest...> const& views) {
  auto* const behind = static_cast<std::byte*>(memory) + copy_bytes_of_view(views.first);
  return prepend(copy_rows_to(memory, context, views.first),
                 copy_rows_to(behind, context, views.rest));
}

/// Calls use(copy) with a copy of the rows that lies in temporary memory.
template <class Exec, class Rows, class Use>
void with_copy_of_rows(Context<Exec> const& context, Rows const& rows, Use const& use) {
  Scope scope(context);
  void* const memory = scope.template take<std::byte>(copy_bytes(rows));
  use(copy_rows_to(memory, context.named("copy"), rows));
}

}  // namespace riffle::detail
