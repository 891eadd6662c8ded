#pragma once

// Data in no order, and their order by the standard library.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "support/number_order.hpp"
#include "support/rank_oracle.hpp"

namespace riffle::test {

/// Which element is k-th, NaNs being behind all numbers, or before them.
template <class T, class Before>
std::vector<std::size_t> order_oracle(std::vector<T> const& data, Before const& is_before,
                                      bool has_nans_first = false) {
  std::vector<std::size_t> order(data.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    bool const i_is_nan = is_nan(data[i]);
    if (i_is_nan != is_nan(data[j])) return i_is_nan == has_nans_first;
    return !i_is_nan && is_before(data[i], data[j]);
  });
  return order;
}

/// Which element is k-th once data are sorted by `order`, for which the standard library has is_before.
template <class T, class Order, class Before>
std::vector<std::size_t> sorted_order_oracle(std::vector<T> const& data, Order const&,
                                             Before const& is_before) {
  if constexpr (std::is_floating_point_v<T> && detail::is_numerical_order<Order>) {
    auto order = order_oracle(data, is_before);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return is_sorted_before<Order>(data[i], data[j]);
    });
    return order;
  } else {
    return order_oracle(data, is_before);
  }
}

/// The ranks of data whose order is known.
template <class T, class Rule, class Before>
std::vector<double> ranks_by_order(std::vector<T> const& data,
                                   std::vector<std::size_t> const& order, Rule const& rule,
                                   RankOracleOptions const& options, Before const& is_before) {
  std::vector<T> sorted;
  for (std::size_t const i : order) sorted.push_back(data[i]);
  auto const ranks = rank_oracle(sorted, rule, options, is_before);
  std::vector<double> placed(data.size());
  for (std::size_t k = 0; k < data.size(); ++k) placed[order[k]] = ranks[k];
  return placed;
}

/// The ranks of data in any order.
template <class T, class Rule, class Before>
std::vector<double> unsorted_rank_oracle(std::vector<T> const& data, Rule const& rule,
                                         RankOracleOptions const& options, Before const& is_before,
                                         bool has_nans_first = false) {
  auto const order = order_oracle(data, is_before, has_nans_first);
  return ranks_by_order(data, order, rule, options, is_before);
}

/// Any bits; of floating point any finite number, small ones and large ones.
template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(n);
  for (auto& x : values) {
    if constexpr (std::is_floating_point_v<T>) {
      std::uniform_real_distribution<T> mantissa(-1, 1);
      std::uniform_int_distribution<int> exponent(-100, 100);
      x = std::ldexp(mantissa(generator), exponent(generator));
    } else {
      x = static_cast<T>(generator());
    }
  }
  return values;
}

/// Of `count` different values.
template <class T>
std::vector<T> few_values(std::size_t n, unsigned count, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(generator() % count);
  return values;
}

/// Nine in ten lie close together, far from the others.
template <class T>
std::vector<T> crowded_values(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<T> values(n);
  for (auto& x : values) {
    x = static_cast<T>(generator() % 10 != 0 ? 1000 + unit(generator) : 1e9 * unit(generator));
  }
  return values;
}

/// With zeros of both signs, infinities and NaNs among them.
template <class T>
std::vector<T> special_values(std::size_t n) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> const special{T(0),
                               -T(0),
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::quiet_NaN(),
                               -Limits::quiet_NaN(),
                               Limits::denorm_min(),
                               -Limits::denorm_min(),
                               Limits::max(),
                               Limits::lowest(),
                               T(1)};
  std::vector<T> values(n);
  auto const chosen = few_values<std::size_t>(n, static_cast<unsigned>(special.size()));
  for (std::size_t i = 0; i < n; ++i) values[i] = special[chosen[i]];
  return values;
}

}  // namespace riffle::test
