#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/kernel/merge_parts.hpp>
#include <riffle/kernel/range.hpp>
#include <riffle/sort/detail/run_pairs.hpp>

namespace riffle::detail::sort {

/// Merges pairs of runs on a CPU, a part by one thread.
template <class Item, class Before>
struct MergePairs {
  Item const* from;
  Item* to;
  RunPairs pairs;
  Before before;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t number) const {
    KOKKOS_IF_ON_HOST((merge(number);))
  }

 private:
  void merge(std::uint64_t number) const {
    RunPairs::Part const part = pairs.part(from, number, before);
    merge_runs(from, part.runs, to + part.to, before);
  }
};

/// Some parts for each thread, so that none waits long for the others.
inline std::uint64_t merge_part_size(std::uint64_t n, int threads) {
  constexpr std::uint64_t fewest = 4096;
  auto const parts = static_cast<std::uint64_t>(threads == 1 ? 1 : 4 * threads);
  return std::max(fewest, (n + parts - 1) / parts);
}

template <class Exec, class Item, class Before>
void merge_pairs(Context<Exec> const& context, RunPairs const& pairs, std::uint64_t parts,
                 Item const* from, Item* to, Before const& before) {
  for_each_dynamic(context.named("merge"), parts,
                   MergePairs<Item, Before>{from, to, pairs, before});
}

}  // namespace riffle::detail::sort
