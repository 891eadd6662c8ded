#pragma once

// Rankers of a part of sorted data, by its place among all elements.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/rank/detail/ranker.hpp>

namespace riffle::detail::rank {

/// Where a part lies among all elements that are ranked together.
struct PlaceOfPart {
  /// How many there are, and how many of them lie before the part.
  std::uint64_t n;
  std::uint64_t first;
  /// Where the run of the part's first element begins, and where that of its last element ends.
  std::uint64_t start_of_first;
  std::uint64_t end_of_last;
  /// How many runs there are, and how many before that of the part's first element. Dense ranks alone need them.
  std::uint64_t runs;
  std::uint64_t runs_before;
};

/// A rule for ties that is asked by places in a part of `count` elements. Only the first run and the last one of the part
/// may go beyond it. Number is a type that counts all elements.
template <class Rule, class Number>
class RuleOfPart {
 public:
  static constexpr bool needs_start = Rule::needs_start;
  static constexpr bool needs_end = Rule::needs_end;

  RuleOfPart(Rule const& rule, PlaceOfPart const& place, std::uint64_t count)
      : rule_(rule),
        first_(static_cast<Number>(place.first)),
        count_(static_cast<Number>(count)),
        start_of_first_(static_cast<Number>(place.start_of_first)),
        end_of_last_(static_cast<Number>(place.end_of_last)) {}

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Index i, Index start, Index end) const {
    auto const own_start = static_cast<Number>(start);
    auto const own_end = static_cast<Number>(end);
    Number const whole_start = own_start == 0 ? start_of_first_ : own_start + first_;
    Number const whole_end = own_end == count_ ? end_of_last_ : own_end + first_;
    return rule_(static_cast<Number>(static_cast<Number>(i) + first_), whole_start, whole_end);
  }

 private:
  Rule rule_;
  Number first_;
  Number count_;
  Number start_of_first_;
  Number end_of_last_;
};

/// Dense ranks of a part, from the number of runs that begin in it at or before an element, the first run not counted.
template <class Rank_>
class DenseRankerOfPart {
 public:
  using Rank = Rank_;

  DenseRankerOfPart(Scale const& scale, PlaceOfPart const& place)
      : scaling_({scale.first, false}), runs_before_(place.runs_before) {
    if (!scale.is_relative) return;
    // The rank of the last element is rounded to its type before it counts, as divide_by_last.hpp has it.
    auto const last = static_cast<double>(scaling_(place.runs - 1, 1));
    runs_ = last - static_cast<double>(scale.first) + 1.0;
  }

  KOKKOS_FUNCTION static constexpr bool excludes_missing() { return false; }

  KOKKOS_FORCEINLINE_FUNCTION Rank of_all(auto runs) const {
    Rank const rank = scaling_(static_cast<std::uint64_t>(runs) + runs_before_, 1);
    if constexpr (std::is_floating_point_v<Rank>) {
      if (runs_ > 0) return static_cast<Rank>(static_cast<double>(rank) / runs_);
    }
    return rank;
  }

  KOKKOS_FUNCTION Rank operator()(std::uint64_t, std::uint64_t runs) const { return of_all(runs); }

 private:
  Scaling<Rank> scaling_;
  std::uint64_t runs_before_;
  double runs_ = 0;  // by which relative ranks are divided
};

}  // namespace riffle::detail::rank
