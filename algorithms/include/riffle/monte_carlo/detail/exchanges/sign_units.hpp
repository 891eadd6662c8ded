#pragma once

// Whether exchanges keep the observations together whose signs change together.
//
// Where they do, the sign of each unit can be chosen whatever the permutation is, and observations of one type may be
// alike: (permutations that are not alike) x (signs) counts each arrangement once. Where they do not, two pairs of
// permutation and signs may give the same data to the observations of each type, and the product would count them twice.

#include <cstdint>
#include <limits>
#include <vector>

#include <riffle/monte_carlo/detail/exchanges/layout.hpp>

namespace riffle::detail {

/// The changes of places of neighbouring units generate all permutations, so that these alone are looked at.
class KeptSignUnits {
 public:
  explicit KeptSignUnits(ExchangeLayout const& layout)
      : layout_(layout), size_(layout.sign_units), met_(size_.size()), image_(size_.size(), none) {
    for (auto const unit : layout.sign_unit) ++size_[unit];
  }

  bool are_kept() {
    for (auto const& set : layout_.sets) {
      for (std::uint32_t u = 0; u + 1 < set.count; ++u) {
        if (!are_kept_by_change(set, u, u + 1)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  bool are_kept_by_change(ExchangeSet const& set, std::uint32_t a, std::uint32_t b) {
    bool kept = true;
    for_each_move(set, a, b, [&](std::uint32_t from, std::uint32_t to) {
      ++met_[from];
      if (image_[from] == none) image_[from] = to;
      kept = kept && image_[from] == to;
    });
    // What is moved in part must stay in its unit, where its other part is.
    for_each_move(set, a, b, [&](std::uint32_t from, std::uint32_t to) {
      kept = kept && (met_[from] == size_[from] || from == to);
    });
    for_each_move(set, a, b, [&](std::uint32_t from, std::uint32_t) {
      met_[from] = 0;
      image_[from] = none;
    });
    return kept;
  }

  /// Calls visit(unit of signs, that of the new place) for all that move.
  template <class Visit>
  void for_each_move(ExchangeSet const& set, std::uint32_t a, std::uint32_t b,
                     Visit const& visit) const {
    for (std::uint32_t k = 0; k < set.size; ++k) {
      auto const of_a = layout_.sign_unit[layout_.position(set, a, k)];
      auto const of_b = layout_.sign_unit[layout_.position(set, b, k)];
      visit(of_a, of_b);
      visit(of_b, of_a);
    }
  }

  ExchangeLayout const& layout_;
  std::vector<std::uint32_t> size_;
  std::vector<std::uint32_t> met_;    // how many observations of a unit move
  std::vector<std::uint32_t> image_;  // the unit to which they move
};

inline bool keeps_sign_units(ExchangeLayout const& layout) {
  return layout.sign_units == 0 || KeptSignUnits(layout).are_kept();
}

}  // namespace riffle::detail
