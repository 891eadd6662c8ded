#pragma once

// Sorts numbers on a GPU, by splitters and by teams that sort in scratch memory.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/kernel/launch.hpp>
#include <riffle/kernel/range.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>
#include <riffle/sort/detail/gpu/by_splitters/passes.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort::by_splitters {

/// The fewest numbers that are sorted by splitters of two levels: fewer are sorted by parts, without a fence. Only
/// numbers of 8 bytes are sorted so: CUB's sort of others has half as many digits.
inline constexpr std::uint64_t min_elements = (std::uint64_t{1} << 20) + 1;

template <class T>
bool is_preferred(std::uint64_t n) {
  return sizeof(T) == 8 && n >= min_elements && n <= max_elements<std::uint64_t>;
}

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
  auto const launch = [&](char const* pass, int teams, auto const& kernel) {
    launch_teams(context.named(pass), static_cast<std::uint64_t>(teams), kernel);
  };
  Passes<Word, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  passes.sample();
  passes.count();
  std::uint32_t const worst = worst_of(context.named("judge"), buckets, JudgeBuckets<Word>{arrays});
  auto const verdict = static_cast<Verdict>(worst);
  if (verdict == Verdict::can_sort) passes.sort();
  return verdict;
}

/// The same for numbers.
template <class Order, class Exec, class In, class Out>
Verdict sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using T = typename Out::non_const_value_type;
  using Word = typename NumbersOut<Out, Order>::Element;
  struct Temporaries {
    T* nans;
    Arrays<Word> arrays;
  };
  std::uint64_t const n = out.extent(0);
  Scope scope(context);
  auto const all = scope.arrays([&](ArrayMemory& memory) {
    auto* const nans = memory.take<T>(saved_nans<T>(n));
    return Temporaries{nans, {memory, n, part_depth<Word>(n)}};
  });
  SavedNaNs<T, Order> const saved{all.nans};
  return sort_elements(context, NumbersIn<In, Order>{in, saved}, NumbersOut<Out, Order>{out, saved},
                       all.arrays);
}

}  // namespace riffle::detail::sort::by_splitters
