#pragma once

// Unsorted data, and their order by the standard library. unsorted_data.cpp instantiates the templates for the tests' types.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/number_order.hpp"
#include "support/rank_oracle.hpp"

namespace riffle::test {

/// The indices 0, ..., n - 1, stably sorted by is_before(data, i, j).
std::vector<std::size_t> stable_order_of(std::size_t n, void const* data,
                                         bool (*is_before)(void const* data, std::size_t i,
                                                           std::size_t j));

template <class Before>
std::vector<std::size_t> stable_order_of(std::size_t n, Before const& is_before) {
  return stable_order_of(n, &is_before, [](void const* data, std::size_t i, std::size_t j) {
    return static_cast<bool>((*static_cast<Before const*>(data))(i, j));
  });
}

/// The index of the k-th element, with NaNs after or before all numbers.
template <class T, class Before>
std::vector<std::size_t> order_oracle(std::vector<T> const& data, Before const& is_before,
                                      bool has_nans_first = false) {
  T const* const x = data.data();
  return stable_order_of(data.size(), [&](std::size_t i, std::size_t j) {
    bool const i_is_nan = is_nan(x[i]);
    if (i_is_nan != is_nan(x[j])) return i_is_nan == has_nans_first;
    return !i_is_nan && is_before(x[i], x[j]);
  });
}

/// The index of the k-th element in the total order of number_order.hpp.
template <class Order, class T>
std::vector<std::size_t> order_of_numbers(std::vector<T> const& data);

/// The numbers in the total order of number_order.hpp.
template <class T, class Order>
std::vector<T> sorted_oracle(std::vector<T> values, Order const&);

/// The index of the k-th element after a sort by `order`, whose standard equivalent is is_before.
template <class T, class Order, class Before>
std::vector<std::size_t> sorted_order_oracle(std::vector<T> const& data, Order const&,
                                             Before const& is_before) {
  if constexpr (std::is_floating_point_v<T> && detail::is_numerical_order<Order>) {
    return order_of_numbers<Order>(data);
  } else {
    return order_oracle(data, is_before);
  }
}

/// The permutation of a stable sort of numbers.
template <class Order, class T>
std::vector<std::uint32_t> stable_order(std::vector<T> const& values) {
  auto const order = order_of_numbers<Order>(values);
  return std::vector<std::uint32_t>(order.begin(), order.end());
}

template <class T, class Index>
std::vector<T> gathered(std::vector<T> const& values, std::vector<Index> const& order) {
  std::vector<T> result;
  result.reserve(order.size());
  for (auto const i : order) result.push_back(values[static_cast<std::size_t>(i)]);
  return result;
}

/// The ranks of data whose order is given.
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

/// The ranks of unsorted data.
template <class T, class Rule, class Before>
std::vector<double> unsorted_rank_oracle(std::vector<T> const& data, Rule const& rule,
                                         RankOracleOptions const& options, Before const& is_before,
                                         bool has_nans_first = false) {
  auto const order = order_oracle(data, is_before, has_nans_first);
  return ranks_by_order(data, order, rule, options, is_before);
}

/// Integers with random bits; floating-point numbers that are finite, both small and large.
template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1);

/// At most `count` different values.
template <class T>
std::vector<T> few_values(std::size_t n, unsigned count, unsigned seed = 1);

/// Nine in ten values are close together and far from the others.
template <class T>
std::vector<T> concentrated_values(std::size_t n, unsigned seed = 1);

/// Values with zeros of both signs, infinities and NaNs.
template <class T>
std::vector<T> special_values(std::size_t n);

/// 64-bit integers, uniform, truncated to T or divided by 10^15.
template <class T>
std::vector<T> uniform_values(std::size_t n);

/// `distinct` different integers from -5 on.
template <class T>
std::vector<T> few_signed_values(std::size_t n, std::uint64_t distinct);

/// Value k occurs about n / k^2 times.
template <class T>
std::vector<T> zipf_values(std::size_t n);

/// Clusters of close values that are far from each other; estimates of parts are overfull there.
template <class T>
std::vector<T> clustered_values(std::size_t n, std::uint64_t clusters);

/// Data that are uniform, sorted, reversed, tied in several ways, and clustered.
template <class T>
std::vector<std::vector<T>> every_kind_of_data(std::size_t n);

/// Numbers of all magnitudes, different NaNs, zeros of both signs, and infinities.
template <class T>
std::vector<T> uniform_and_special_values(std::size_t n);

}  // namespace riffle::test
