#pragma once

// Relative dense ranks, which are divided by the rank of the last element.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/rank/detail/ranker.hpp>

namespace riffle::detail::rank {

/// Keeps the rank of the last element that has one.
template <class Sink>
struct KeepLastRank {
  Sink sink;
  std::uint64_t n;
  MissingCounts const* missing;
  double* last_rank;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    std::uint64_t const after = missing == nullptr ? 0 : missing->after;
    *last_rank = after < n ? static_cast<double>(sink.read(n - 1 - after)) : 1.0;
  }
};

/// Divides dense ranks, the first of which is `first`, by their number.
template <class Sink>
struct DivideByLast {
  Sink sink;
  double first;
  double const* last_rank;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    double const count = *last_rank - first + 1.0;
    sink(i, static_cast<double>(sink.read(i)) / count);
  }
};

template <class Exec, class Sink>
void divide_by_last(Context<Exec> const& context, std::uint64_t n, Sink const& sink,
                    std::int64_t first, MissingCounts const* missing) {
  Scope scope(context);
  auto* const last_rank = scope.template take<double>(1);
  context.named("count").for_each(1, KeepLastRank<Sink>{sink, n, missing, last_rank});
  context.named("divide").for_each(n,
                                   DivideByLast<Sink>{sink, static_cast<double>(first), last_rank});
}

}  // namespace riffle::detail::rank
