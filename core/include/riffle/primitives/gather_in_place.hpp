#pragma once

// Permutes rows in place, one View after the other, through a copy of one View.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>

namespace riffle::detail {

/// Permutes rows in place: row i becomes the former row sigma(i). The rows are first gathered to a
/// copy in `memory`, which has at least max_copy_bytes(rows) bytes.
template <class Exec, class Sigma, class Rows>
void gather_in_place(Context<Exec> const& context, Sigma const& sigma, Rows const& rows,
                     void* memory) {
  for_each_view(rows, [&](auto const& view) {
    if (view.size() == 0) return;
    auto const copy = view_in(memory, view);
    gather_rows(context.named("gather"), view.extent(0), sigma, view, copy);
    context.named("write").for_each(
        view.extent(0),
        CopyRows<std::decay_t<decltype(copy)>, std::decay_t<decltype(view)>>{copy, view});
  });
}

/// Permutes n rows in place by indices in temporary memory: calls write_indices(indices), and then
/// row i becomes the former row indices(i).
template <class Exec, class Rows, class WriteIndices>
void gather_in_place_by(Context<Exec> const& context, std::uint64_t n, Rows const& rows,
                        WriteIndices const& write_indices) {
  with_index_type(n, [&]<class Index>(Index) {
    using Indices =
        Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Scope scope(context);
    Indices const indices(scope.template take<Index>(n), n);
    write_indices(indices);
    gather_in_place(context, StoredIndices<Indices>{indices}, rows,
                    scope.template take<std::byte>(max_copy_bytes(rows)));
  });
}

}  // namespace riffle::detail
