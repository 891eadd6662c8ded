#pragma once

// Sorts many numbers by splitters [1] whose buckets are not counted beforehand: a sorted sample, which splits them into
// buckets and these into parts, also tells how many elements each bucket is likely to have, and so how much room it
// needs. Elements are moved three times: to their buckets, within tiles of a bucket, and to where they belong. The
// sample is sorted by splitters, too. Only the last passes write to the result: before them, the sort may be given up.
//
// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree sorting", J. ACM 17
//     (1970).

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_estimates/arrays_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_estimates/leaves_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_estimates/sample_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_estimates/scatter_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_estimates/split_by_estimates.hpp>
#include <riffle/sort/detail/gpu/by_parts/sort_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_splitters/crowded.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort::by_estimates {

using by_splitters::NumbersIn;
using by_splitters::NumbersOut;
using by_splitters::Verdict;

/// The fewest numbers that are sorted so: fewer are sorted by parts.
inline constexpr std::uint64_t min_elements = max_by_parts<std::uint64_t> + 1;
static_assert(max_by_splitters<std::uint64_t> <= max_elements<std::uint64_t>);

/// The passes, launched in order by launch(name, teams, kernel): once the sample is sorted and the ranges of buckets in
/// it are found, distribute(); then, where no bucket is overfull, sort().
template <class Word, class In, class Out, class Launch>
class Passes {
 public:
  Passes(In const& in, Out const& out, Arrays<Word> const& arrays, Launch const& launch)
      : in_(in), out_(out), arrays_(arrays), launch_(launch) {}

  void distribute() const {
    ScatterToBuckets<Word, In> const scatter{in_, arrays_};
    StoreSplitters<Word> const splitters{arrays_};
    launch_("splitters", splitters.teams(), splitters);
    launch_("scatter", scatter.teams(), scatter);
  }

  void sort() const {
    SplitTiles<Word> const split{arrays_};
    SortParts<Word, Out> const leaves{out_, arrays_};
    by_splitters::SortCrowdedParts<Word, Out, Arrays<Word>> const crowded{out_, arrays_};
    launch_("begin", 1, BeginBuckets<Word>{arrays_});
    launch_("split", split.teams(), split);
    launch_("leaves", leaves.teams(), leaves);
    launch_("crowded", crowded.teams(), crowded);
  }

 private:
  In in_;
  Out out_;
  Arrays<Word> arrays_;
  Launch launch_;
};

template <class Word, class Exec, class In, class Out>
Verdict sort_elements(Context<Exec> const& context, In const& in, Out const& out,
                      Arrays<Word> const& arrays);

/// Draws the sample and sorts it. Fences where it is large.
template <class Word, class Exec, class In>
Verdict sort_sample(Context<Exec> const& context, In const& in, Arrays<Word> const& arrays) {
  std::uint64_t const n = arrays.sample_size();
  context.named("draw").for_each(n, DrawSample<Word, In>(in, arrays));
  by_splitters::NumberWords<Word> const sample{arrays.sample, n, 1, {}};
  NumbersIn<Word> const drawn{sample};
  NumbersOut<Word> const sorted{sample};
  if (n < min_elements) {
    by_parts::sort_elements(context, n, drawn, sorted);
    return Verdict::can_sort;
  }
  // A sample has a 64th of the elements at most, so that its own sample is sorted by parts.
  Scope scope(context);
  return sort_elements(context, drawn, sorted, scope.arrays([&](ArrayMemory& memory) {
    return Arrays<Word>(memory, Division<Word>(n));
  }));
}

/// Sorts n elements from `in` to `out`, which may be the same; where it cannot, nothing is written. Fences.
template <class Word, class Exec, class In, class Out>
Verdict sort_elements(Context<Exec> const& context, In const& in, Out const& out,
                      Arrays<Word> const& arrays) {
  auto const launch = launches_of(context);
  Passes<Word, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  if (sort_sample(context, in, arrays) == Verdict::cannot_sort) return Verdict::cannot_sort;
  context.named("ranges").for_each(arrays.buckets(), FindRanges<Word>{arrays});
  passes.distribute();
  std::uint32_t overfull = 0;
  Kokkos::parallel_reduce(context.named("judge").label(),
                          range(context.exec(), 0, arrays.buckets()), CountOverfull<Word>{arrays},
                          overfull);
  if (overfull > 0) return Verdict::cannot_sort;
  passes.sort();
  return Verdict::can_sort;
}

/// The same for numbers.
template <class Order, class Exec, class In, class Out>
Verdict sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Word = RadixWord<typename Out::non_const_value_type>;
  using by_splitters::words_of;
  Division<Word> const division(out.extent(0));
  Scope scope(context);
  return sort_elements(
      context, NumbersIn<Word>{words_of<Order>(in)}, NumbersOut<Word>{words_of<Order>(out)},
      scope.arrays([&](ArrayMemory& memory) { return Arrays<Word>(memory, division); }));
}

}  // namespace riffle::detail::sort::by_estimates
