#pragma once

// Sorts numbers on a GPU, by splitters and by teams that sort in scratch memory.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/kernel/launch.hpp>
#include <riffle/kernel/range.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/passes.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort::by_splitters {

/// The fewest numbers that are sorted by splitters: fewer are sorted as fast by CUB, without a fence. Only numbers of 8
/// bytes are sorted so: CUB's sort of others has half as many digits.
inline constexpr std::uint64_t min_elements = std::uint64_t{1} << 21;

template <class T>
bool is_preferred(std::uint64_t n) {
  return sizeof(T) == 8 && n >= min_elements && n <= max_elements<std::uint64_t>;
}

/// Ties are told apart by comparing all that have one code: where those are many, other sorts are faster. If each of n
/// keys occurs some 16 times, or 30 times at the largest n, about so many neighbours tie in a sample.
inline Index max_ties_in_sample(std::uint64_t n) {
  return 2 + static_cast<Index>((std::uint64_t{1} << 27) / n);
}

template <class Kind>
struct ReadTies {
  Arrays<Kind> arrays;

  KOKKOS_FUNCTION void operator()(std::uint64_t, std::uint32_t& ties) const {
    ties = *arrays.ties_in_sample;
  }
};

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
template <class Kind, class Exec, class In, class Out>
Verdict sort_elements(Context<Exec> const& context, In const& in, Out const& out,
                      Arrays<Kind> const& arrays) {
  auto const launch = [&](char const* pass, int teams, auto const& kernel) {
    launch_teams(context.named(pass), static_cast<std::uint64_t>(teams), kernel);
  };
  Passes<Kind, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  passes.sample();
  if constexpr (has_index<typename Kind::Word>) {
    if (worst_of(context.named("ties"), 1, ReadTies<Kind>{arrays}) >
        max_ties_in_sample(in.extent(0))) {
      return Verdict::cannot_sort;
    }
  }
  passes.count();
  std::uint32_t const worst = worst_of(context.named("judge"), buckets, JudgeBuckets<Kind>{arrays});
  auto const verdict = static_cast<Verdict>(worst);
  if (verdict == Verdict::can_sort) passes.sort();
  return verdict;
}

/// The same for numbers.
template <class Order, class Exec, class In, class Out>
Verdict sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Kind = Numbers<typename Out::non_const_value_type, Order>;
  std::uint64_t const n = out.extent(0);
  int const depth = part_depth<typename Kind::Word>(n);
  Scope scope(context);
  auto const arrays =
      scope.arrays([&](ArrayMemory& memory) { return Arrays<Kind>(memory, n, depth); });
  return sort_elements(context, in, out, arrays);
}

}  // namespace riffle::detail::sort::by_splitters
