#pragma once

// Merges of several sorted runs of an array, such as a rank has from the others: neighbours in pairs, in as many rounds as
// it takes until one run is left. Stable: of ties, those of earlier runs come first. As in all merges here, nothing but
// the items is read or written, whatever the comparison answers.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/cpu/by_merges_cpu.hpp>
#include <riffle/sort/detail/cpu/merge_pairs_cpu.hpp>
#include <riffle/sort/detail/gpu/merge_pairs_gpu.hpp>
#include <riffle/sort/detail/run_pairs.hpp>

namespace riffle::detail::sort {

/// Merges that are prepared: what they need of memory is there. Items are values, or indices of values.
template <class Exec, class Item>
class MergesOfRuns {
  static constexpr bool is_on_cpu = backend::is_cpu<Exec>;

 public:
  /// The runs follow each other, and there may be gaps between them, and before the first. Waits.
  MergesOfRuns(Context<Exec> const& context, Scope<Exec>& scope, std::vector<Run> const& runs)
      : end_(runs.empty() ? 0 : runs.back().last),
        rounds_(runs, part_size(context, runs)),
        pairs_(to_kernels(context, scope, rounds_.pairs())),
        first_parts_(to_kernels(context, scope, rounds_.first_parts())),
        tiles_(scope.template take<Merged>(is_on_cpu ? 0 : rounds_.most_parts())) {
    context.exec().fence("riffle: kernels have the runs");
  }

  /// Merges values. Returns where they are, without gaps: in `values` or `spare`, or, where there is anything to merge and it
  /// is not null, at `last`. `spare` and `last` have room for the values of all runs.
  template <class Order>
  Item* run(Context<Exec> const& context, Item* values, Item* spare, Order const& order,
            Item* last = nullptr) const {
    return merge(context, values, spare, last, IsValueBefore<Item, Order>{order});
  }

  /// Sets indices so that view(indices[k]) is the k-th, where they are returned: in `indices`, which has room for as many as
  /// `view` has elements where the last run ends, or `spare`.
  template <class View, class Order>
  Item* run_by_indices(Context<Exec> const& context, View const& view, Item* indices, Item* spare,
                       Order const& order) const {
    context.named("indices").for_each(end_, MakeIndices<Item>{indices});
    return merge(context, indices, spare, nullptr, IsBefore<View, Order>{view, order, false});
  }

 private:
  static std::uint64_t part_size(Context<Exec> const& context, std::vector<Run> const& runs) {
    if constexpr (is_on_cpu) {
      return merge_part_size(count_items(runs), context.exec().concurrency());
    } else {
      return MergeTileShape<Item>::size;
    }
  }

  template <class T>
  static T const* to_kernels(Context<Exec> const& context, Scope<Exec>& scope,
                             std::vector<T> const& list) {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    T* const to = scope.template take<T>(list.size());
    Kokkos::deep_copy(
        context.exec(), Kokkos::View<T*, typename Exec::memory_space, Unmanaged>(to, list.size()),
        Kokkos::View<T const*, Kokkos::HostSpace, Unmanaged>(list.data(), list.size()));
    return to;
  }

  template <class Before>
  Item* merge(Context<Exec> const& context, Item* items, Item* spare, Item* last,
              Before const& before) const {
    auto const& rounds = rounds_.rounds();
    if (rounds.empty()) return items + rounds_.first();
    for (auto const& round : rounds) {
      bool const is_last = &round == &rounds.back() && last != nullptr;
      Item* const to = is_last ? last : spare;
      RunPairs const pairs = rounds_.pairs_of(round, pairs_, first_parts_);
      if constexpr (is_on_cpu) {
        merge_pairs(context, pairs, round.parts, items, to, before);
      } else {
        merge_pairs_on_device(context, pairs, round.parts, tiles_, items, to, before);
      }
      spare = std::exchange(items, to);
    }
    return items;
  }

  std::uint64_t end_;
  MergeRounds rounds_;
  Merged const* pairs_;
  std::uint64_t const* first_parts_;
  Merged* tiles_;
};

}  // namespace riffle::detail::sort
