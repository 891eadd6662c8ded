#pragma once

// Values in order: numbers by digits, or on a GPU by splitters, others by a comparison.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include <riffle/detail/index_type.hpp>
#include <riffle/detail/range.hpp>
#include <riffle/detail/scope.hpp>
#include <riffle/detail/sort/by_digits.hpp>
#include <riffle/detail/sort/by_merges.hpp>
#include <riffle/detail/sort/by_merges_on_device.hpp>
#include <riffle/detail/sort/numbers.hpp>
#include <riffle/detail/sort/numbers_on_device.hpp>
#include <riffle/detail/sort/radix_key.hpp>
#include <riffle/detail/sort/view_as_array.hpp>
#include <riffle/lanes.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::sort {

/// On a CPU, from `in` to `out`, which may be the same.
template <class Order, class Exec, class In, class Out>
void sort_numbers(std::string const& label, Exec const& exec, In const& in, Out const& out,
                  Workspace<Exec>& workspace) {
  using Source = NumbersOfView<In, Order>;
  using Item = typename Source::Item;
  std::uint64_t const n = out.extent(0);
  if (are_known_as_sorted(label, exec, n, Source{in})) {
    copy_unless_same(label, exec, in, out);
    return;
  }
  // The places are free once all is read.
  Item* const free = is_contiguous(out) ? reinterpret_cast<Item*>(out.data()) : nullptr;
  // Some count is n itself.
  with_index_type(n + 1, [&]<class Count>(Count) {
    using Sort = SortByDigits<Exec, Item, Count>;
    Scope scope(workspace, label, exec);
    void* const memory = scope.template take<std::byte>(Sort::bytes(exec, n, free));
    Sort(label, exec, n, memory, workspace, free).run(Source{in}, StoreNumbers<Out>{out});
  });
}

template <class Exec, class View, class Order>
void sort_by_comparison(std::string const& label, Exec const& exec, View const& view,
                        Order const& order, Workspace<Exec>& workspace) {
  using T = typename View::non_const_value_type;
  struct Arrays {
    ViewAsArray<View> items;
    T* spare;
    TwoRuns* parts;
  };
  constexpr bool is_on_cpu = lanes::has_vector_threads<Exec>;
  std::uint64_t const n = view.extent(0);
  IsValueBefore<T, Order> const before{order};
  Scope scope(workspace, label, exec);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{view, memory},
                  memory.take<T>(n),
                  memory.take<TwoRuns>(is_on_cpu ? 0 : tiles_of_merges<T>(n))};
  });
  T* sorted = arrays.items.read(label, exec);
  if constexpr (is_on_cpu) {
    sorted = sort_by_merges<Content::values>(label, exec, n, sorted, arrays.spare, before);
  } else {
    sorted = sort_by_merges_on_device(label, exec, n, sorted, arrays.spare, arrays.parts, before);
  }
  arrays.items.write(label, exec, sorted);
}

/// Sorts n > 0 elements, all of which has been checked.
template <class Exec, class In, class Out, class Order>
void sort_values(std::string const& label, Exec const& exec, In const& in, Out const& out,
                 Order const& order, Workspace<Exec>& workspace) {
  using T = typename Out::non_const_value_type;
  if constexpr (!has_radix_key<T, Order>) {
    copy_unless_same(label, exec, in, out);
    sort_by_comparison(label, exec, out, order, workspace);
  } else if constexpr (lanes::has_vector_threads<Exec>) {
    sort_numbers<Order>(label, exec, in, out, workspace);
  } else {
    sort_numbers_on_device<Order>(label, exec, in, out, workspace);
  }
}

}  // namespace riffle::detail::sort
