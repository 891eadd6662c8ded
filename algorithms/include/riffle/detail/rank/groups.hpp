#pragma once

// Ranks within groups: runs of equal keys, or what lies between offsets. Of each element it is found out where its
// group begins; ties are those of pairs of group and value; and the ranks of all are counted from there. So the
// work is that of ranking twice, however many groups there are.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <riffle/detail/fill_zero.hpp>
#include <riffle/detail/range.hpp>
#include <riffle/detail/rank/header.hpp>
#include <riffle/detail/rank/methods.hpp>
#include <riffle/detail/rank/ranker.hpp>
#include <riffle/detail/rank/run.hpp>
#include <riffle/detail/scan/access.hpp>
#include <riffle/detail/tile_tree.hpp>
#include <riffle/monoid.hpp>
#include <riffle/order.hpp>
#include <riffle/ranking_methods.hpp>
#include <riffle/scan.hpp>
#include <riffle/ties.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::rank {

template <class Group, class T>
struct Grouped {
  Group group;
  T value;
};

/// The elements of a source with their groups.
template <class Groups, class Source>
struct GroupedSource {
  using Group = typename Groups::Item;
  using T = typename Source::Item;
  using Item = Grouped<Group, T>;
  static constexpr bool is_cheap = true;
  static constexpr bool has_addresses = false;

  KOKKOS_FUNCTION bool has_quads() const { return groups.has_quads() && source.has_quads(); }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return {groups(i), source(i)}; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&items)[quad_size]) const {
    Group group[quad_size];
    T x[quad_size];
    groups.read_quad(i, group);
    source.read_quad(i, x);
    for (int e = 0; e < quad_size; ++e) items[e] = {group[e], x[e]};
  }

  Groups groups;
  Source source;
};

/// Neighbours are tied where group and value are.
template <class Order>
struct InGroups {
  Order order;

  template <class Item>
  KOKKOS_FUNCTION bool operator()(Item const& a, Item const& b) const {
    return a.group != b.group || differ(order, a.value, b.value);
  }
};

/// Of groups, whose keys need no order.
struct Unequal {
  template <class Group>
  KOKKOS_FUNCTION bool operator()(Group const& a, Group const& b) const {
    return a != b;
  }
};

/// Of each element, the first of its group, and, where it is wanted, the last.
template <class Index>
struct GroupEnds {
  Index const* firsts;
  Index const* lasts;

  KOKKOS_FUNCTION Index first(std::uint64_t i) const { return firsts[i]; }
  KOKKOS_FUNCTION std::uint64_t size(std::uint64_t i) const {
    return lasts == nullptr ? 0 : static_cast<std::uint64_t>(lasts[i] - firsts[i]) + 1;
  }
};

/// A rule for ties, from the first of the group on.
template <class Rule, class Rank_, class Group>
class RankerInGroups {
 public:
  using Rank = Rank_;

  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  RankerInGroups(Rule const& rule, Scale const& scale, GroupEnds<Group> const& groups)
      : rule_(rule), scaling_(scale), groups_(groups) {}

  bool excludes_missing() const { return false; }
  RankerInGroups const& of_all() const { return *this; }

  template <class Index>
  KOKKOS_FUNCTION Rank operator()(Index i, Index start, Index end) const {
    auto const place = static_cast<std::uint64_t>(i);
    auto const rank = rule_(i, start, end);
    auto const first = static_cast<std::remove_const_t<decltype(rank)>>(groups_.first(place));
    return scaling_(rank - first, groups_.size(place));
  }

 private:
  Rule rule_;
  Scaling<Rank> scaling_;
  GroupEnds<Group> groups_;
};

/// From how many different pairs of group and value have begun before each element's, over all.
template <class Index, class Sink>
struct DenseInGroups {
  using Rank = typename Sink::Element;

  Index const* runs;
  GroupEnds<Index> groups;
  Scaling<Rank> scaling;
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    Index const first = runs[groups.first(i)];
    std::uint64_t const count =
        groups.lasts == nullptr ? 0 : static_cast<std::uint64_t>(runs[groups.lasts[i]] - first) + 1;
    sink(i, scaling(runs[i] - first, count));
  }
};

/// Marks where segments begin that are not empty, among zeros.
template <class Offsets, class Index>
struct MarkSegments {
  Offsets offsets;
  std::uint64_t n;
  Index* firsts;

  KOKKOS_FUNCTION void operator()(std::uint64_t segment) const {
    auto const begin = static_cast<std::uint64_t>(offsets(segment));
    auto const end = static_cast<std::uint64_t>(offsets(segment + 1));
    // Offsets that are none write nothing outside.
    if (begin < end && begin < n) firsts[begin] = static_cast<Index>(begin);
  }
};

/// Groups by keys, which lie together where they are equal.
template <class Keys>
struct GroupsByKey {
  Keys keys;

  /// Writes the first of each element's group.
  template <class Exec, class Firsts>
  void find_firsts(std::string const& label, Exec const& exec, Firsts const& firsts,
                   Workspace<Exec>& workspace) const {
    rank_elements(label, exec, firsts.extent(0), scan::ViewSource<Keys>(keys), Unequal{},
                  scan::ViewSink<Firsts>(firsts), ties::Competition{}, {0, false}, nullptr,
                  DefaultRanking{}, workspace);
  }
};

/// Groups between offsets.
template <class Offsets>
struct GroupsByOffset {
  Offsets offsets;

  template <class Exec, class Firsts>
  void find_firsts(std::string const& label, Exec const& exec, Firsts const& firsts,
                   Workspace<Exec>& workspace) const {
    using Index = typename Firsts::value_type;
    std::uint64_t const n = firsts.extent(0);
    Kokkos::parallel_for(label + "::zeros", range(exec, 0, n), FillZero<Firsts>{firsts});
    Kokkos::parallel_for(label + "::marks", range(exec, 0, offsets.extent(0) - 1),
                         MarkSegments<Offsets, Index>{offsets, n, firsts.data()});
    inclusive_scan(label + "::scan", exec, firsts, firsts, Max<Index>{}, workspace);
  }
};

template <class Exec, class Groups, class Sorted, class Ranks, class Rule, class Order>
class RankInGroups {
 public:
  RankInGroups(std::string const& label, Exec const& exec, Groups const& groups,
               Sorted const& sorted, Ranks const& ranks, Rule const& rule, Order const& order,
               Scale const& scale, Workspace<Exec>& workspace)
      : label_(label),
        exec_(exec),
        groups_(groups),
        sorted_(sorted),
        sink_(ranks),
        rule_(rule),
        order_(order),
        scale_(scale),
        n_(sorted.extent(0)),
        workspace_(workspace) {}

  void run() const {
    with_index<Exec>(n_, [&]<class Index>(Index) { run_with<Index>(); });
  }

 private:
  using Rank = typename Ranks::non_const_value_type;
  static constexpr bool is_dense = std::is_same_v<Rule, ties::Dense>;

  template <class Index>
  void run_with() const {
    using Places = Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
    // Arrays of indices lie behind what each of the rankings takes.
    std::size_t const skipped = (method_bytes<DefaultRanking>(n_) + 63) / 64 * 64;
    std::size_t const arrays = 1 + (scale_.is_relative ? 1 : 0) + (is_dense ? 1 : 0);
    auto* const bytes =
        bytes_in<std::byte>(workspace_, label_, exec_, skipped + arrays * n_ * sizeof(Index));
    auto* next = reinterpret_cast<Index*>(bytes + skipped);
    Places const firsts(next, n_);
    groups_.find_firsts(label_ + "::groups", exec_, firsts, workspace_);
    scan::ViewSource<Places> const group_of(firsts);
    GroupEnds<Index> ends{firsts.data(), nullptr};
    if (scale_.is_relative) {
      next += n_;
      rank_elements(label_ + "::sizes", exec_, n_, group_of, Unequal{},
                    scan::ViewSink<Places>(Places(next, n_)), ties::ModifiedCompetition{},
                    {0, false}, nullptr, DefaultRanking{}, workspace_);
      ends.lasts = next;
    }
    scan::ViewSource<Sorted> const values(sorted_);
    GroupedSource<decltype(group_of), decltype(values)> const source{group_of, values};
    if constexpr (is_dense) {
      next += n_;
      rank_densely_in_groups(source, ends, Places(next, n_));
    } else {
      rank_by_rule(source, ends);
    }
  }

  template <class Source, class Index>
  void rank_by_rule(Source const& source, GroupEnds<Index> const& ends) const {
    RankerInGroups<Rule, Rank, Index> const ranker(rule_, scale_, ends);
    if constexpr (!Rule::needs_start && !Rule::needs_end) {
      rank_places(label_, exec_, n_, ranker, sink_);
    } else {
      DefaultRanking{}.rank(label_, exec_, n_, source, InGroups<Order>{order_}, ranker, sink_,
                            workspace_);
    }
  }

  template <class Source, class Index, class Places>
  void rank_densely_in_groups(Source const& source, GroupEnds<Index> const& ends,
                              Places const& runs) const {
    DenseRankSink<Index, scan::ViewSink<Places>> const counts(scan::ViewSink<Places>(runs), 0, n_,
                                                              nullptr);
    rank_densely(label_ + "::runs", exec_, n_, source, InGroups<Order>{order_}, counts, workspace_);
    Kokkos::parallel_for(label_, range(exec_, 0, n_),
                         DenseInGroups<Index, scan::ViewSink<Ranks>>{runs.data(), ends,
                                                                     Scaling<Rank>(scale_), sink_});
  }

  std::string label_;
  Exec exec_;
  Groups groups_;
  Sorted sorted_;
  scan::ViewSink<Ranks> sink_;
  Rule rule_;
  Order order_;
  Scale scale_;
  std::uint64_t n_;
  Workspace<Exec>& workspace_;
};

}  // namespace riffle::detail::rank
