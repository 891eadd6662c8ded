#pragma once

// Row sets: small values move themselves in both passes, wherever they are in a pack; for all other rows the
// indices are shuffled, and the rows gathered once.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <riffle/detail/bucket_shuffle/run.hpp>
#include <riffle/detail/bucket_shuffle/sources.hpp>
#include <riffle/detail/gather_rows.hpp>
#include <riffle/detail/index_type.hpp>
#include <riffle/detail/read_stored.hpp>
#include <riffle/detail/row_copies.hpp>
#include <riffle/detail/row_sets.hpp>
#include <riffle/detail/views.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::bucket_shuffle {

/// Whether two passes over the values cost less than one over indices and a gather.
template <class View>
inline constexpr bool moves_values = has_rank<View, 1> && sizeof(typename View::value_type) <= 16 &&
                                     std::is_trivially_copyable_v<typename View::value_type>;

template <class Rows>
inline constexpr bool gathers_rows = !moves_values<Rows>;
template <class... Views>
inline constexpr bool gathers_rows<ViewPack<Views...>> = (!moves_values<Views> || ...);

/// Calls visit(in, out) for each View of `out` and that of `in` that it takes its rows from.
template <class In, class Out, class Visit>
void for_each_pair(In const& in, Out const& out, Visit const& visit) {
  if constexpr (is_view_pack<Out>) {
    if constexpr (requires { out.first; }) {
      visit(in.first, out.first);
      for_each_pair(in.rest, out.rest, visit);
    }
  } else {
    visit(in, out);
  }
}

/// What copies of those rows take that are gathered, one View after the other.
template <class Rows>
std::size_t bytes_for_copies(Rows const& rows) {
  std::size_t most = 0;
  for_each_view(rows, [&]<class View>(View const& view) {
    if constexpr (!moves_values<View>) most = std::max(most, copy_bytes_of_view(view));
  });
  return most;
}

/// Where indices lie in the buffer: behind what shuffling them takes, or copies that are made when that is done.
template <class Index, class Exec>
std::size_t indices_at(Exec const& exec, std::uint64_t n, std::size_t bytes_of_copies) {
  return std::max(Workspace<Exec>::aligned(bytes<Index>(exec, n)), bytes_of_copies);
}

/// The bytes of a buffer for n rows like `Rows`, of which gathered ones have copies in it.
template <class Rows, class Exec>
std::size_t bytes_for_rows(Exec const& exec, Rows const& rows, std::uint64_t n,
                           std::size_t bytes_of_copies) {
  std::size_t most = 0;
  for_each_pair(rows, rows, [&](auto const&, auto const& view) {
    using View = std::decay_t<decltype(view)>;
    if constexpr (moves_values<View>) {
      most = std::max(most, bytes<typename View::non_const_value_type>(exec, n));
    }
  });
  if constexpr (gathers_rows<Rows>) {
    with_index_type(n, [&]<class Index>(Index) {
      most = std::max(most, indices_at<Index>(exec, n, bytes_of_copies) + n * sizeof(Index));
    });
  }
  return most;
}

/// Calls use(indices, memory) with sigma in a View, which is valid until the workspace's buffer is used again, and
/// with bytes_of_copies of that which are free.
template <class Exec, class Use>
void with_indices(std::string const& label, Exec const& exec, std::uint64_t n, std::uint64_t seed,
                  std::size_t bytes_of_copies, Workspace<Exec>& workspace, Use const& use) {
  with_index_type(n, [&]<class Index>(Index) {
    using Indices =
        Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    // The shuffle has the first part of the buffer; it asks for less than is there.
    std::size_t const skipped = indices_at<Index>(exec, n, bytes_of_copies);
    void* const buffer = workspace.buffer(label, exec, skipped + n * sizeof(Index));
    Indices const indices(reinterpret_cast<Index*>(static_cast<std::byte*>(buffer) + skipped), n);
    permute(label, exec, n, OwnIndex<Index>{}, indices, seed, false, workspace);
    use(indices, buffer);
  });
}

template <class In, class Out, class Exec>
void permute_values(std::string const& label, Exec const& exec, std::uint64_t n, In const& in,
                    Out const& out, std::uint64_t seed, bool in_place, Workspace<Exec>& workspace) {
  using Value = typename Out::non_const_value_type;
  permute(label, exec, n, ReadView<In, Value>{in}, out, seed, in_place, workspace);
}

template <class Exec, class Indices, class In, class Out>
void gather_by(std::string const& label, Exec const& exec, std::uint64_t n, Indices const& indices,
               In const& in, Out const& out) {
  gather_rows(label + "::gather", exec, n, ReadStored<Indices>{indices}, in, out);
}

/// out(i) = in(sigma(i)) for the rows i < n.
template <class Exec, class In, class Out>
void permute_rows(std::string const& label, Exec const& exec, std::uint64_t n, In const& in,
                  Out const& out, std::uint64_t seed, Workspace<Exec>& workspace) {
  for_each_pair(in, out, [&](auto const& from, auto const& to) {
    if constexpr (moves_values<std::decay_t<decltype(to)>>) {
      permute_values(label, exec, n, from, to, seed, false, workspace);
    }
  });
  if constexpr (gathers_rows<Out>) {
    with_indices(label, exec, n, seed, 0, workspace, [&](auto const& indices, void*) {
      for_each_pair(in, out, [&](auto const& from, auto const& to) {
        if constexpr (!moves_values<std::decay_t<decltype(to)>>) {
          gather_by(label, exec, n, indices, from, to);
        }
      });
    });
  }
}

/// The same in place. Rows that are not small values are copied first.
template <class Exec, class Data>
void permute_rows_in_place(std::string const& label, Exec const& exec, std::uint64_t n,
                           Data const& data, std::uint64_t seed, Workspace<Exec>& workspace) {
  for_each_pair(data, data, [&](auto const&, auto const& view) {
    if constexpr (moves_values<std::decay_t<decltype(view)>>) {
      permute_values(label, exec, n, view, view, seed, true, workspace);
    }
  });
  if constexpr (gathers_rows<Data>) {
    auto const gather = [&](auto const& indices, void* memory) {
      for_each_view(data, [&](auto const& view) {
        if constexpr (!moves_values<std::decay_t<decltype(view)>>) {
          auto const copy = copy_rows_to(memory, label + "::copy", exec, view);
          gather_by(label, exec, n, indices, copy, view);
        }
      });
    };
    with_indices(label, exec, n, seed, bytes_for_copies(data), workspace, gather);
  }
}

}  // namespace riffle::detail::bucket_shuffle
