#pragma once

// Ranks within groups. A group is a run of equal keys, or the elements between two offsets. Elements are tied if both
// their groups and their values are equal. All elements are ranked together. Then the index at which an element's group
// begins is subtracted from the element's rank:
//
//     group                    a  a  a  b  b  b
//     value                    1  1  2  2  2  3
//     start of the run         0  0  2  3  3  5
//     first of the group       0  0  0  3  3  3
//     competition rank         1  1  3  1  1  3     start - first + 1
//
// The competition ranks of the keys are the indices at which groups begin. So there are two rankings in all, one of the
// keys and one of the values, for any number of groups. If missing values are excluded, the missing values of a group
// count as a separate group.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/checks.hpp>
#include <riffle/rank/detail/gpu/rank_by_warps.hpp>
#include <riffle/rank/detail/gpu/tile_groups.hpp>
#include <riffle/rank/detail/rank_elements.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/detail/sources.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/scan.hpp>

namespace riffle::detail::rank {

// --- rankers: from indices among all elements to ranks within groups ---

/// The boundaries of groups. The group that contains element i begins at index firsts[i] and ends with element
/// lasts[i]. lasts is null if ranks are not relative. size(i) is the number of elements in this group, or 0 if lasts is
/// null.
template <class Index>
struct GroupBoundaries {
  Index const* firsts;
  Index const* lasts;

  KOKKOS_FUNCTION bool has_lasts() const { return lasts != nullptr; }
  KOKKOS_FUNCTION Index first(std::uint64_t i) const { return firsts[i]; }
  KOKKOS_FUNCTION Index last(std::uint64_t i) const { return lasts[i]; }
  KOKKOS_FUNCTION std::uint64_t size(std::uint64_t i) const {
    return has_lasts() ? static_cast<std::uint64_t>(lasts[i] - firsts[i]) + 1 : 0;
  }
};

/// A rule for ties that counts ranks from the first element of the group. Missing values, which are in separate groups,
/// have the rank missing_rank().
template <class Rule, class Rank_, class Boundaries, class Missing>
class RankerInGroups {
 public:
  using Rank = Rank_;

  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  RankerInGroups(Rule const& rule, Scale const& scale, Boundaries const& boundaries,
                 Missing const& missing)
      : rule_(rule), scaling_(scale), boundaries_(boundaries), missing_(missing) {}

  template <class Index>
  KOKKOS_FUNCTION Rank operator()(Index i, Index start, Index end) const {
    auto const place = static_cast<std::uint64_t>(i);
    if (missing_(place)) return missing_rank<Rank>();
    auto const rank = rule_(i, start, end);
    auto const first = static_cast<std::remove_const_t<decltype(rank)>>(boundaries_.first(place));
    return scaling_(rank - first, boundaries_.size(place));
  }

 private:
  Rule rule_;
  Scaling<Rank> scaling_;
  Boundaries boundaries_;
  Missing missing_;
};

/// A rule for ties that counts ranks from `first`, the index of the first element in the group, without relative ranks.
template <class Rule, class Rank_>
struct PlainRankerFromGroupStart {
  using Rank = Rank_;

  Rule rule;
  Rank first_rank;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Rank operator()(Index i, Index start, Index end, Index first) const {
    auto const rank = rule(i, start, end);
    return Scaling<Rank>::shifted(rank - static_cast<std::remove_const_t<decltype(rank)>>(first),
                                  first_rank);
  }
};

/// A rule for ties that counts ranks from `first`, the index of the first element in the group. Used if no values are
/// excluded. If ranks are relative, all groups have `size` elements.
template <class Rule, class Rank_>
class RankerFromGroupStart {
 public:
  using Rank = Rank_;

  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  RankerFromGroupStart(Rule const& rule, Scale const& scale, std::uint64_t size)
      : rule_(rule), scaling_(scale), size_(size) {}

  KOKKOS_FUNCTION bool is_plain() const { return !scaling_.is_relative(); }
  KOKKOS_FUNCTION PlainRankerFromGroupStart<Rule, Rank> plain() const {
    return {rule_, scaling_.first()};
  }

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Rank operator()(Index i, Index start, Index end, Index first) const {
    auto const rank = rule_(i, start, end);
    return scaling_(rank - static_cast<std::remove_const_t<decltype(rank)>>(first), size_);
  }

 private:
  Rule rule_;
  Scaling<Rank> scaling_;
  std::uint64_t size_;
};

/// Writes dense ranks in groups. runs[i] is the number of distinct pairs of group and value that begin at or before
/// element i, not counting the first pair.
template <class Index, class Boundaries, class Missing, class Sink>
struct DenseInGroups {
  using Rank = typename Sink::Element;

  Index const* runs;
  Boundaries boundaries;
  Missing missing;
  Scaling<Rank> scaling;
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    sink(i, missing(i) ? missing_rank<Rank>() : rank_of(i));
  }

 private:
  KOKKOS_FUNCTION Rank rank_of(std::uint64_t i) const {
    Index const first = runs[boundaries.first(i)];
    std::uint64_t const count =
        boundaries.has_lasts() ? static_cast<std::uint64_t>(runs[boundaries.last(i)] - first) + 1
                               : 0;
    return scaling(runs[i] - first, count);
  }
};

// --- groups ---

/// firsts(i) = the start of the run of equal keys that contains element i. If missing values are excluded, the
/// elements of a run also have equal missing(i).
template <class Exec, class Keys, class Missing, class Firsts>
void find_first_of_equal(Context<Exec> const& context, Keys const& keys, Missing const& missing,
                         Firsts const& firsts) {
  auto const find = [&](auto const& source, auto const& order) {
    rank_elements(context, firsts.extent(0), source, order, ViewSink<Firsts>(firsts),
                  ties::Competition{}, {0, false}, nullptr,
                  OnePassRanking<typename Firsts::value_type>{});
  };
  if constexpr (std::is_same_v<Missing, NoneMissing>) {
    find(keys, Unequal{});
  } else {
    find(GroupedSource<Keys, Missing>{keys, missing}, GroupOrValueDiffers<Unequal>{});
  }
}

/// Groups given by a source of keys. Requires: equal keys are consecutive.
template <class Keys>
struct GroupsByKey {
  static constexpr bool are_computed = false;

  Keys keys;

  /// The type that describes these groups to kernels of a GPU (tile_groups.hpp).
  template <class Index>
  using Tiles = TileGroupsByKey<Keys>;

  template <class Index, class Exec>
  Tiles<Index> tiles(Context<Exec> const&, std::uint64_t, std::uint64_t, Scope<Exec>&) const {
    return Tiles<Index>(keys);
  }

  /// Writes, for each element, the index of the first element in its group.
  template <class Exec, class Firsts, class Missing>
  void find_firsts(Context<Exec> const& context, Firsts const& firsts,
                   Missing const& missing) const {
    find_first_of_equal(context, keys, missing, firsts);
  }
};

/// firsts[i] = i if one of elements i - 1 and i is a missing value and the other is not; otherwise 0.
template <class Missing, class Index>
struct MarkMissing {
  Missing missing;
  Index* firsts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    bool const begins = i > 0 && missing(i) != missing(i - 1);
    firsts[i] = begins ? static_cast<Index>(i) : 0;
  }
};

/// firsts[begin] = begin for each segment that is not empty. A running maximum of `firsts` then replaces firsts[i] by
/// the index at which the segment that contains element i begins.
template <class Offsets, class Index>
struct MarkSegments {
  Offsets offsets;
  std::uint64_t n;
  Index* firsts;

  KOKKOS_FUNCTION void operator()(std::uint64_t segment) const {
    auto const begin = static_cast<std::uint64_t>(offsets(segment));
    auto const end = static_cast<std::uint64_t>(offsets(segment + 1));
    // Offsets have not been checked. Invalid offsets must not lead to writes outside of the array.
    if (begin < end && begin < n) firsts[begin] = static_cast<Index>(begin);
  }
};

/// Groups given by offsets.
template <class Offsets>
struct GroupsByOffset {
  static constexpr bool are_computed = false;

  Offsets offsets;

  template <class Index>
  using Tiles = TileGroupsByOffset<Offsets>;

  template <class Index, class Exec>
  Tiles<Index> tiles(Context<Exec> const& context, std::uint64_t n, std::uint64_t tile_size,
                     Scope<Exec>& scope) const {
    SegmentOffsets<Offsets> const segments{offsets};
    std::uint64_t const count = (n + tile_size - 1) / tile_size + 1;
    auto* const of_tiles = scope.template take<std::uint64_t>(count);
    context.named("segments")
        .for_each(count, FindSegmentsOfTiles<Offsets>{segments, n, tile_size, of_tiles});
    return {segments, of_tiles};
  }

  template <class Exec, class Firsts, class Missing>
  void find_firsts(Context<Exec> const& context, Firsts const& firsts,
                   Missing const& missing) const {
    using Index = typename Firsts::value_type;
    std::uint64_t const n = firsts.extent(0);
    context.named("zeros").for_each(n, MarkMissing<Missing, Index>{missing, firsts.data()});
    context.named("marks").for_each(offsets.extent(0) - 1,
                                    MarkSegments<Offsets, Index>{offsets, n, firsts.data()});
    inclusive_scan(context.named("scan"), firsts, firsts, Max<Index>{});
  }
};

// --- the ranking ---

/// Ranks n > 0 elements of type T that are sorted within their groups.
template <class Exec, class T, class Rule, class Order>
class RankInGroups {
 public:
  RankInGroups(Context<Exec> const& context, std::uint64_t n, Rule const& rule,
               RankOptions<Order> const& options)
      : context_(context),
        n_(n),
        rule_(rule),
        order_(options.order),
        scale_{options.first, options.relative},
        excludes_missing_(can_be_missing<T, Order> && options.missing == Missing::excluded) {}

  template <class Groups, class Source, class Sink>
  void run(Groups const& groups, Source const& source, Sink const& sink) const {
    with_index<Exec>(n_, [&]<class Index>(Index) { run_with<Index>(groups, source, sink); });
  }

  /// Does the same as run(), with the index type that with_index has chosen.
  template <class Index, class Groups, class Source, class Sink>
  void run_with(Groups const& groups, Source const& source, Sink const& sink) const {
    // Values are not excluded if ranks are unsigned (check_rank_options).
    if constexpr (can_be_missing<T, Order> && std::is_signed_v<typename Sink::Element>) {
      if (excludes_missing_) {
        find_and_rank<Index>(groups, source, MissingFlags<Source>{source}, sink);
        return;
      }
    }
    rank_all<Index>(groups, source, sink);
  }

 private:
  static constexpr bool is_dense = std::is_same_v<Rule, ties::Dense>;

  /// Whether a GPU ranks in one pass, if no values are excluded.
  template <class Groups>
  static constexpr bool can_rank_tiles = [] {
    if constexpr (is_dense || backend::is_cpu<Exec>) {
      return false;
    } else {
      // If neither runs nor groups are searched for, each element is ranked by itself.
      return Rule::needs_start || Rule::needs_end || !Groups::are_computed;
    }
  }();

  /// Whether ranks of this type can be relative; integers cannot (check_rank_options).
  template <class Rank>
  static constexpr bool can_be_relative = std::is_floating_point_v<Rank>;

  /// Ranks if no values are excluded. A choice that the types determine compiles only the kernels that can be launched.
  template <class Index, class Groups, class Source, class Sink>
  void rank_all(Groups const& groups, Source const& source, Sink const& sink) const {
    if constexpr (!can_rank_tiles<Groups>) {
      rank_in_passes<Index>(groups, source, sink);
    } else if constexpr (Groups::are_computed || !can_be_relative<typename Sink::Element>) {
      rank_in_tiles<Index>(groups, source, sink);
    } else if (scale_.is_relative) {
      rank_in_passes<Index>(groups, source, sink);
    } else {
      rank_in_tiles<Index>(groups, source, sink);
    }
  }

  template <class Index, class Groups, class Source, class Sink>
  void rank_in_tiles(Groups const& groups, Source const& source, Sink const& sink) const {
    RankerFromGroupStart<Rule, typename Sink::Element> const ranker(rule_, scale_, size_of(groups));
    rank_by_warps<Index>(context_, n_, groups, source, order_, ranker, sink);
  }

  template <class Index, class Groups, class Source, class Sink>
  void rank_in_passes(Groups const& groups, Source const& source, Sink const& sink) const {
    if constexpr (Groups::are_computed) {
      rank<Index>(source, groups.template group_of<Index>(),
                  groups.template boundaries<Index>(scale_.is_relative), NoneMissing{}, sink);
    } else {
      find_and_rank<Index>(groups, source, NoneMissing{}, sink);
    }
  }

  /// The size of each group if all groups have the same size, otherwise 0.
  template <class Groups>
  static std::uint64_t size_of(Groups const& groups) {
    if constexpr (Groups::are_computed) {
      return groups.length;
    } else {
      return 0;
    }
  }

  template <class Index>
  using Places = Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;

  template <class Index, class Groups, class Source, class Missing, class Sink>
  void find_and_rank(Groups const& groups, Source const& source, Missing const& missing,
                     Sink const& sink) const {
    Scope scope(context_);
    Places<Index> const firsts(scope.template take<Index>(n_), n_);
    groups.find_firsts(context_.named("groups"), firsts, missing);
    ViewSource<Places<Index>> const group_of(firsts);
    GroupBoundaries<Index> boundaries{firsts.data(), nullptr};
    if constexpr (can_be_relative<typename Sink::Element>) {
      if (scale_.is_relative) {
        Places<Index> const lasts(scope.template take<Index>(n_), n_);
        rank_elements(context_.named("sizes"), n_, group_of, Unequal{},
                      ViewSink<Places<Index>>(lasts), ties::ModifiedCompetition{}, {0, false},
                      nullptr, OnePassRanking<Index>{});
        boundaries.lasts = lasts.data();
      }
    }
    rank<Index>(source, group_of, boundaries, missing, sink);
  }

  template <class Index, class Source, class GroupOf, class Boundaries, class Missing, class Sink>
  void rank(Source const& source, GroupOf const& group_of, Boundaries const& boundaries,
            Missing const& missing, Sink const& sink) const {
    GroupedSource<GroupOf, Source> const grouped{group_of, source};
    if constexpr (is_dense) {
      Scope scope(context_);
      Places<Index> const runs(scope.template take<Index>(n_), n_);
      rank_dense_in_groups(grouped, boundaries, missing, runs, sink);
    } else {
      rank_by_rule<Index>(grouped, boundaries, missing, sink);
    }
  }

  template <class Index, class Grouped, class Boundaries, class Missing, class Sink>
  void rank_by_rule(Grouped const& source, Boundaries const& boundaries, Missing const& missing,
                    Sink const& sink) const {
    using Rank = typename Sink::Element;
    RankerInGroups<Rule, Rank, Boundaries, Missing> const ranker(rule_, scale_, boundaries,
                                                                 missing);
    if constexpr (!Rule::needs_start && !Rule::needs_end) {
      rank_places(context_, n_, ranker, sink);
    } else {
      OnePassRanking<Index>{}.rank(context_, n_, source, GroupOrValueDiffers<Order>{order_}, ranker,
                                   sink);
    }
  }

  template <class Grouped, class Boundaries, class Missing, class Runs, class Sink>
  void rank_dense_in_groups(Grouped const& source, Boundaries const& boundaries,
                            Missing const& missing, Runs const& runs, Sink const& sink) const {
    using Index = typename Runs::value_type;
    using Rank = typename Sink::Element;
    DenseRankSink<Index, ViewSink<Runs>> const number_runs(ViewSink<Runs>(runs),
                                                           DenseRanker<Index>(0, n_, nullptr));
    rank_dense(context_.named("runs"), n_, source, GroupOrValueDiffers<Order>{order_}, number_runs);
    context_.for_each(n_, DenseInGroups<Index, Boundaries, Missing, Sink>{
                              runs.data(), boundaries, missing, Scaling<Rank>(scale_), sink});
  }

  Context<Exec> context_;
  std::uint64_t n_;
  Rule rule_;
  Order order_;
  Scale scale_;
  bool excludes_missing_;
};

}  // namespace riffle::detail::rank
