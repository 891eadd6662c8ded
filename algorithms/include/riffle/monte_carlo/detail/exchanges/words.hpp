#pragma once

// How the draws of a permutation share random words. The swaps of all sets need numbers below known bounds, one after the
// other; a word decides as many of them as the product of their bounds allows (label_walk.hpp says how), so that 24 pairs
// cost one word.

#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/detail/exchanges/layout.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>

namespace riffle::detail {

/// What one random word decides: so many draws, whose bounds have this product.
struct ExchangeWord {
  std::uint32_t draws;
  std::uint32_t product;
};

/// The words of all sets' draws: a set of k units has draws below k, k - 1, ..., 2.
inline std::vector<ExchangeWord> words_of_draws(ExchangeLayout const& layout) {
  std::vector<ExchangeWord> words;
  for (auto const& set : layout.sets) {
    for (std::uint32_t bound = set.count; bound >= 2; --bound) {
      bool const is_full =
          words.empty() || std::uint64_t{words.back().product} * bound > max_product_of_bounds;
      if (is_full) words.push_back({0, 1});
      ++words.back().draws;
      words.back().product *= bound;
    }
  }
  return words;
}

}  // namespace riffle::detail
