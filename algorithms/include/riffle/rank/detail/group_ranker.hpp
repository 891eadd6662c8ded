#pragma once

// Turns places among all elements into ranks within groups.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/rank/detail/ranker.hpp>

namespace riffle::detail::rank {

/// For each element, the first element of its group and, where it is needed, the last.
template <class Index>
struct GroupEnds {
  Index const* firsts;
  Index const* lasts;

  KOKKOS_FUNCTION bool has_lasts() const { return lasts != nullptr; }
  KOKKOS_FUNCTION Index first(std::uint64_t i) const { return firsts[i]; }
  KOKKOS_FUNCTION Index last(std::uint64_t i) const { return lasts[i]; }
  KOKKOS_FUNCTION std::uint64_t size(std::uint64_t i) const {
    return has_lasts() ? static_cast<std::uint64_t>(lasts[i] - firsts[i]) + 1 : 0;
  }
};

/// A rule for ties that counts from the first element of the group. Missing values have no rank, and are groups of
/// their own.
template <class Rule, class Rank_, class Ends, class Missing>
class RankerInGroups {
 public:
  using Rank = Rank_;

  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  RankerInGroups(Rule const& rule, Scale const& scale, Ends const& ends, Missing const& missing)
      : rule_(rule), scaling_(scale), ends_(ends), missing_(missing) {}

  KOKKOS_FUNCTION bool excludes_missing() const { return false; }
  KOKKOS_FUNCTION RankerInGroups const& of_all() const { return *this; }

  template <class Index>
  KOKKOS_FUNCTION Rank operator()(Index i, Index start, Index end) const {
    auto const place = static_cast<std::uint64_t>(i);
    if (missing_(place)) return missing_rank<Rank>();
    auto const rank = rule_(i, start, end);
    auto const first = static_cast<std::remove_const_t<decltype(rank)>>(ends_.first(place));
    return scaling_(rank - first, ends_.size(place));
  }

 private:
  Rule rule_;
  Scaling<Rank> scaling_;
  Ends ends_;
  Missing missing_;
};

/// A rule for ties that counts from the first element of the group, where ranks are not relative.
template <class Rule, class Rank_>
struct PlainRankerFromFirst {
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

/// A rule for ties that counts from the first element of the group, where no values are missing. Relative ranks are
/// those of groups of one size.
template <class Rule, class Rank_>
class RankerFromFirst {
 public:
  using Rank = Rank_;

  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  RankerFromFirst(Rule const& rule, Scale const& scale, std::uint64_t size)
      : rule_(rule), scaling_(scale), size_(size) {}

  KOKKOS_FUNCTION bool is_plain() const { return !scaling_.is_relative(); }
  KOKKOS_FUNCTION PlainRankerFromFirst<Rule, Rank> plain() const {
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

/// Dense ranks in groups, from the number of different pairs of group and value that begin before each element's pair.
template <class Index, class Ends, class Missing, class Sink>
struct DenseInGroups {
  using Rank = typename Sink::Element;

  Index const* runs;
  Ends ends;
  Missing missing;
  Scaling<Rank> scaling;
  Sink sink;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    sink(i, missing(i) ? missing_rank<Rank>() : rank_of(i));
  }

 private:
  KOKKOS_FUNCTION Rank rank_of(std::uint64_t i) const {
    Index const first = runs[ends.first(i)];
    std::uint64_t const count =
        ends.has_lasts() ? static_cast<std::uint64_t>(runs[ends.last(i)] - first) + 1 : 0;
    return scaling(runs[i] - first, count);
  }
};

}  // namespace riffle::detail::rank
