#pragma once

// Sorts numbers with values on a GPU, by splitters and by teams that sort in scratch memory.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>
#include <riffle/sort/detail/gpu/by_splitters/passes.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort::by_splitters {

/// The worst that judge(i, worst) says of any i < count. Fences.
template <class Exec, class Judge>
std::uint32_t worst_of(Context<Exec> const& context, std::uint64_t count, Judge const& judge) {
  std::uint32_t worst = 0;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, count), judge,
                          Kokkos::Max<std::uint32_t>(worst));
  return worst;
}

/// Sorts 1 to max_elements elements from `in` to `out`, which may be the same; where it cannot, nothing is written.
/// Fences.
template <class Word, class Exec, class In, class Out>
Verdict sort_elements(Context<Exec> const& context, In const& in, Out const& out,
                      Arrays<Word> const& arrays) {
  auto const launch = launches_of(context);
  Passes<Word, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  passes.sample();
  passes.count();
  std::uint32_t const worst = worst_of(context.named("judge"), buckets, JudgeBuckets<Word>{arrays});
  auto const verdict = static_cast<Verdict>(worst);
  if (verdict == Verdict::can_sort) passes.sort();
  return verdict;
}

}  // namespace riffle::detail::sort::by_splitters
