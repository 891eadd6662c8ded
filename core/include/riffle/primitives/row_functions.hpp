#pragma once

// Functions in place of Views of rows: in(i) returns row i, and out(i, row) writes it.

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <riffle/primitives/views.hpp>

namespace riffle::detail {

template <class F>
concept RowSource = NotAView<F> && std::invocable<F const&, std::uint64_t>;

/// A function that is called with the rows of In.
template <class F, class In>
concept RowSink = NotAView<F> && RowSource<In> &&
    std::invocable<F const&, std::uint64_t, std::invoke_result_t<In const&, std::uint64_t>>;

template <class In, class Out>
struct MoveByFunctions {
  In in;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t to, std::uint64_t from) const { out(to, in(from)); }
};

}  // namespace riffle::detail
