#pragma once

// Which units of a set are alike, where observations of one type are: those that inner exchanges can make equal. Two
// units are so if and only if they hold the same types once the units of all their inner sets are in sorted order, from
// the innermost outwards, since sorting picks the same one of all arrangements that inner exchanges reach.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/monte_carlo/detail/exchanges/layout.hpp>

namespace riffle::detail {

/// The types at each position, while sets are sorted from the innermost outwards.
class SortedTypes {
 public:
  explicit SortedTypes(ExchangeLayout const& layout) : layout_(layout), type_(layout.types) {}

  /// Writes the classes of a set's units, numbered as they appear, and sorts the units.
  void sort_set(ExchangeSet const& set, std::uint32_t* classes) {
    std::vector<std::uint32_t> order(set.count);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return compare_units(set, a, b) < 0;
    });
    classify(set, order, classes);
    rearrange(set, order);
  }

 private:
  int compare_units(ExchangeSet const& set, std::uint32_t a, std::uint32_t b) const {
    for (std::uint32_t k = 0; k < set.size; ++k) {
      auto const of_a = type_[layout_.position(set, a, k)];
      auto const of_b = type_[layout_.position(set, b, k)];
      if (of_a != of_b) return of_a < of_b ? -1 : 1;
    }
    return 0;
  }

  void classify(ExchangeSet const& set, std::vector<std::uint32_t> const& order,
                std::uint32_t* classes) const {
    // Each unit is first named after the first unit that is like it: the sort is stable.
    std::uint32_t like = order[0];
    for (auto const unit : order) {
      if (compare_units(set, like, unit) != 0) like = unit;
      classes[unit] = like;
    }
    std::uint32_t count = 0;
    for (std::uint32_t unit = 0; unit < set.count; ++unit) {
      classes[unit] = classes[unit] == unit ? count++ : classes[classes[unit]];
    }
  }

  void rearrange(ExchangeSet const& set, std::vector<std::uint32_t> const& order) {
    std::vector<std::uint32_t> sorted;
    for (auto const unit : order) {
      for (std::uint32_t k = 0; k < set.size; ++k) {
        sorted.push_back(type_[layout_.position(set, unit, k)]);
      }
    }
    for (std::uint32_t k = 0; k < sorted.size(); ++k) {
      type_[layout_.positions[set.first + k]] = sorted[k];
    }
  }

  ExchangeLayout const& layout_;
  std::vector<std::uint32_t> type_;
};

/// The class of each unit of all sets.
inline std::vector<std::uint32_t> classes_of_units(ExchangeLayout const& layout) {
  std::vector<std::uint32_t> classes(layout.units);
  SortedTypes types(layout);
  for (auto set = layout.sets.rbegin(); set != layout.sets.rend(); ++set) {
    types.sort_set(*set, classes.data() + set->first_unit);
  }
  return classes;
}

}  // namespace riffle::detail
