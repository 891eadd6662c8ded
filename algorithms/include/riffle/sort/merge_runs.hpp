#pragma once

// Merges of several sorted runs that lie one behind the other, such as a rank has from the others: neighbours in pairs,
// in as many rounds as it takes until one run is left. Stable: of ties, those of earlier runs come first. As in all
// merges here, nothing but the items is read or written, even where the comparison is no order.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/kernel/make_indices.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/sort/detail/cpu/by_merges.hpp>
#include <riffle/sort/detail/cpu/merge_pairs.hpp>
#include <riffle/sort/detail/gpu/merge_pairs.hpp>
#include <riffle/sort/detail/run_pairs.hpp>

namespace riffle::detail::sort {

/// Merges that are prepared: what they need of memory is there. Items are values, or indices of values.
template <class Exec, class Item>
class MergesOfRuns {
  static constexpr bool is_on_cpu = lanes::is_cpu<Exec>;

 public:
  /// Runs begin at all bounds but the last, at which the last one ends; the first is 0. Waits.
  MergesOfRuns(Context<Exec> const& context, Scope<Exec>& scope,
               std::vector<std::uint64_t> const& bounds)
      : n_(bounds.back()), rounds_(bounds, part_size(context, bounds.back())) {
    auto const& lists = rounds_.lists();
    lists_ = scope.template take<std::uint64_t>(lists.size());
    tiles_ = scope.template take<RunPairs::Part>(is_on_cpu ? 0 : rounds_.most_parts());
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    using Lists = Kokkos::View<std::uint64_t*, typename Exec::memory_space, Unmanaged>;
    using HostLists = Kokkos::View<std::uint64_t const*, Kokkos::HostSpace, Unmanaged>;
    Kokkos::deep_copy(context.exec(), Lists(lists_, lists.size()),
                      HostLists(lists.data(), lists.size()));
    context.exec().fence("riffle: kernels have the runs' bounds");
  }

  /// Merges values. Returns where they are: `values`, `spare`, or, where there is anything to merge and it is not null,
  /// `last`; each has room for all.
  template <class Order>
  Item* run(Context<Exec> const& context, Item* values, Item* spare, Order const& order,
            Item* last = nullptr) const {
    return merge(context, values, spare, last, IsValueBefore<Item, Order>{order});
  }

  /// Sets indices so that view(indices[k]) is the k-th, where they are returned: in `indices` or `spare`.
  template <class View, class Order>
  Item* run_by_indices(Context<Exec> const& context, View const& view, Item* indices, Item* spare,
                       Order const& order) const {
    context.named("indices").for_each(n_, MakeIndices<Item>{indices});
    return merge(context, indices, spare, nullptr, IsBefore<View, Order>{view, order, false});
  }

 private:
  static std::uint64_t part_size(Context<Exec> const& context, std::uint64_t n) {
    if constexpr (is_on_cpu) {
      return merge_part_size(n, context.exec().concurrency());
    } else {
      return MergeTileShape<Item>::size;
    }
  }

  template <class Before>
  Item* merge(Context<Exec> const& context, Item* items, Item* spare, Item* last,
              Before const& before) const {
    auto const& rounds = rounds_.rounds();
    for (auto const& round : rounds) {
      bool const is_last = &round == &rounds.back() && last != nullptr;
      Item* const to = is_last ? last : spare;
      RunPairs const pairs = rounds_.pairs(round, lists_);
      if constexpr (is_on_cpu) {
        merge_pairs(context, pairs, round.parts, items, to, before);
      } else {
        merge_pairs_on_device(context, pairs, round.parts, tiles_, items, to, before);
      }
      spare = std::exchange(items, to);
    }
    return items;
  }

  std::uint64_t n_;
  MergeRounds rounds_;
  std::uint64_t* lists_ = nullptr;
  RunPairs::Part* tiles_ = nullptr;
};

}  // namespace riffle::detail::sort
