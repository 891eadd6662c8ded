#include "support/unsorted_data.hpp"

#include <riffle/order.hpp>
#include <riffle/primitives/radix_key.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>

#include "support/number_order.hpp"

namespace riffle::test {

std::vector<std::size_t> stable_order_of(std::size_t n, void const* data,
                                         bool (*is_before)(void const* data, std::size_t i,
                                                           std::size_t j)) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return is_before(data, i, j); });
  return order;
}

template <class T, class Order>
std::vector<T> sorted_oracle(std::vector<T> values, Order const&) {
  std::sort(values.begin(), values.end(), [](T a, T b) { return is_sorted_before<Order>(a, b); });
  return values;
}

template <class Order, class T>
std::vector<std::size_t> order_of_numbers(std::vector<T> const& data) {
  return stable_order_of(data.size(), [&](std::size_t i, std::size_t j) {
    return is_sorted_before<Order>(data[i], data[j]);
  });
}

template std::vector<std::size_t> order_of_numbers<Ascending>(std::vector<float> const&);
template std::vector<float> sorted_oracle(std::vector<float>, Ascending const&);
template std::vector<std::size_t> order_of_numbers<Descending>(std::vector<float> const&);
template std::vector<float> sorted_oracle(std::vector<float>, Descending const&);
template std::vector<std::size_t> order_of_numbers<Ascending>(std::vector<double> const&);
template std::vector<double> sorted_oracle(std::vector<double>, Ascending const&);
template std::vector<std::size_t> order_of_numbers<Descending>(std::vector<double> const&);
template std::vector<double> sorted_oracle(std::vector<double>, Descending const&);
template std::vector<std::size_t> order_of_numbers<Ascending>(std::vector<std::int32_t> const&);
template std::vector<std::int32_t> sorted_oracle(std::vector<std::int32_t>, Ascending const&);
template std::vector<std::size_t> order_of_numbers<Descending>(std::vector<std::int32_t> const&);
template std::vector<std::int32_t> sorted_oracle(std::vector<std::int32_t>, Descending const&);
template std::vector<std::size_t> order_of_numbers<Ascending>(std::vector<std::int64_t> const&);
template std::vector<std::size_t> order_of_numbers<Ascending>(std::vector<std::uint64_t> const&);
template std::vector<std::int64_t> sorted_oracle(std::vector<std::int64_t>, Ascending const&);
template std::vector<std::size_t> order_of_numbers<Descending>(std::vector<std::int64_t> const&);
template std::vector<std::int64_t> sorted_oracle(std::vector<std::int64_t>, Descending const&);

template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed) {
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

template <class T>
std::vector<T> few_values(std::size_t n, unsigned count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(generator() % count);
  return values;
}

template <class T>
std::vector<T> concentrated_values(std::size_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<T> values(n);
  for (auto& x : values) {
    x = static_cast<T>(generator() % 10 != 0 ? 1000 + unit(generator) : 1e9 * unit(generator));
  }
  return values;
}

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

template <class T>
std::vector<T> uniform_values(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<T> values(n);
  for (auto& value : values) {
    auto const bits = static_cast<std::int64_t>(random());
    value = static_cast<T>(bits);
    if constexpr (std::is_floating_point_v<T>) value /= T{1e15f};
  }
  return values;
}

template <class T>
std::vector<T> few_signed_values(std::size_t n, std::uint64_t distinct) {
  std::mt19937_64 random(n + distinct);
  std::vector<T> values(n);
  for (auto& value : values) value = static_cast<T>(random() % distinct) - T{5};
  return values;
}

template <class T>
std::vector<T> zipf_values(std::size_t n) {
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> uniform(1e-6, 1);
  std::vector<T> values(n);
  for (auto& value : values) value = static_cast<T>(std::floor(1 / uniform(random)));
  return values;
}

template <class T>
std::vector<T> clustered_values(std::size_t n, std::uint64_t clusters) {
  std::mt19937_64 random(n);
  std::vector<T> values(n);
  for (auto& value : values) {
    auto const center = static_cast<std::int64_t>(random() % clusters * (~0ull / clusters));
    value = static_cast<T>(center / 1024 + static_cast<std::int64_t>(random() % 65536));
  }
  return values;
}

template <class T>
std::vector<std::vector<T>> every_kind_of_data(std::size_t n) {
  auto sorted = uniform_values<T>(n);
  std::sort(sorted.begin(), sorted.end());
  std::vector<T> const reversed(sorted.rbegin(), sorted.rend());
  auto half_zero = uniform_values<T>(n);
  for (std::size_t i = 0; i < n; i += 2) half_zero[i] = 0;
  return {uniform_values<T>(n),
          sorted,
          reversed,
          few_signed_values<T>(n, 1),
          few_signed_values<T>(n, 2),
          few_signed_values<T>(n, 1000),
          zipf_values<T>(n),
          clustered_values<T>(n, 997),
          half_zero};
}

template <class T>
std::vector<T> uniform_and_special_values(std::size_t n) {
  using Limits = std::numeric_limits<T>;
  auto values = uniform_values<T>(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& value = values[i];
    switch (value == 0 ? 0 : static_cast<std::uint64_t>(std::abs(value) * 1000) % 16) {
      case 0: value = T{0}; break;
      case 1: value = -T{0}; break;
      case 2: value = Limits::quiet_NaN(); break;
      case 3: value = -Limits::quiet_NaN(); break;
      case 4: value = Limits::infinity(); break;
      case 5: value = -Limits::infinity(); break;
      case 6: value = Limits::denorm_min(); break;
      case 7: value = -Limits::denorm_min(); break;
      case 8: value = Limits::max(); break;
      case 9: value = Limits::lowest(); break;
      default: break;
    }
    if (value == value) continue;
    // The payload bits make the NaNs differ.
    auto bits = std::bit_cast<detail::RadixWord<T>>(value);
    value = std::bit_cast<T>(static_cast<detail::RadixWord<T>>(bits | i));
  }
  return values;
}

template std::vector<float> random_values(std::size_t, unsigned);
template std::vector<double> random_values(std::size_t, unsigned);
template std::vector<std::int8_t> random_values(std::size_t, unsigned);
template std::vector<std::int32_t> random_values(std::size_t, unsigned);
template std::vector<std::uint32_t> random_values(std::size_t, unsigned);
template std::vector<std::uint64_t> random_values(std::size_t, unsigned);

template std::vector<float> few_values(std::size_t, unsigned, unsigned);
template std::vector<double> few_values(std::size_t, unsigned, unsigned);
template std::vector<std::int8_t> few_values(std::size_t, unsigned, unsigned);
template std::vector<std::int16_t> few_values(std::size_t, unsigned, unsigned);
template std::vector<std::int32_t> few_values(std::size_t, unsigned, unsigned);
template std::vector<std::int64_t> few_values(std::size_t, unsigned, unsigned);
template std::vector<std::uint16_t> few_values(std::size_t, unsigned, unsigned);
template std::vector<std::uint32_t> few_values(std::size_t, unsigned, unsigned);

template std::vector<float> concentrated_values(std::size_t, unsigned);
template std::vector<float> special_values(std::size_t);
template std::vector<double> concentrated_values(std::size_t, unsigned);
template std::vector<double> special_values(std::size_t);

template std::vector<double> uniform_values(std::size_t);
template std::vector<double> few_signed_values(std::size_t, std::uint64_t);
template std::vector<std::int32_t> uniform_values(std::size_t);
template std::vector<std::int32_t> few_signed_values(std::size_t, std::uint64_t);
template std::vector<std::int64_t> uniform_values(std::size_t);
template std::vector<std::int64_t> few_signed_values(std::size_t, std::uint64_t);
template std::vector<float> uniform_values(std::size_t);
template std::vector<float> few_signed_values(std::size_t, std::uint64_t);
template std::vector<double> zipf_values(std::size_t);
template std::vector<double> clustered_values(std::size_t, std::uint64_t);
template std::vector<std::vector<double>> every_kind_of_data(std::size_t);
template std::vector<std::int64_t> zipf_values(std::size_t);
template std::vector<std::int64_t> clustered_values(std::size_t, std::uint64_t);
template std::vector<std::vector<std::int64_t>> every_kind_of_data(std::size_t);
template std::vector<float> uniform_and_special_values(std::size_t);
template std::vector<double> uniform_and_special_values(std::size_t);

}  // namespace riffle::test
