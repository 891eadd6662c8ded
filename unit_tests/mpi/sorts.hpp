#pragma once

// For tests of sorts over ranks: data of several shapes, sorted by one device, by ranks and by the standard library.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/tagged_order.hpp"
#include "support/number_order.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test {

enum class Data {
  random,
  few_values,
  equal,
  ascending,
  descending,
  in_turn,
  first_is_last,
  special
};

inline constexpr Data all_data[] = {Data::random,        Data::few_values, Data::equal,
                                    Data::ascending,     Data::descending, Data::in_turn,
                                    Data::first_is_last, Data::special};

/// Element i of n numbers of this shape.
inline std::uint64_t number_at(Data data, std::uint64_t i, std::uint64_t n, std::uint64_t random) {
  switch (data) {
    case Data::few_values: return random % 3;
    case Data::equal: return 7;
    case Data::ascending: return i / 2;
    case Data::descending: return (n - i) / 2;
    case Data::in_turn: return i % 8 * (n / 8 + 1) + i / 8;
    case Data::first_is_last: return i < n / 3 ? n + random % 5 : i / 4;
    default: return random;
  }
}

/// NaNs with different bits, zeros of both signs, infinities, and numbers.
template <class T>
T special_at(std::uint64_t random) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Bits const nan = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
  Bits const sign = Bits{1} << (8 * sizeof(T) - 1);
  switch (random % 8) {
    case 0: return std::bit_cast<T>(static_cast<Bits>(nan | (random >> 8 & 0xFF)));
    case 1: return std::bit_cast<T>(static_cast<Bits>(nan | sign | (random >> 8 & 0xFF)));
    case 2: return T{0};
    case 3: return -T{0};
    case 4: return std::numeric_limits<T>::infinity();
    case 5: return -std::numeric_limits<T>::infinity();
    case 6: return std::numeric_limits<T>::denorm_min();
    default: return static_cast<T>(static_cast<double>(random % 1000) - 500);
  }
}

template <class T>
struct MakeValue {
  static T from(Data data, std::uint64_t i, std::uint64_t n, std::uint64_t random) {
    if constexpr (std::is_floating_point_v<T>) {
      if (data == Data::special) return special_at<T>(random);
      double const number = static_cast<double>(number_at(data, i, n, random));
      return static_cast<T>(data == Data::random ? std::sin(number) : number);
    } else {
      return static_cast<T>(number_at(data, i, n, random));
    }
  }
};

template <>
struct MakeValue<Tagged> {
  static Tagged from(Data data, std::uint64_t i, std::uint64_t n, std::uint64_t random) {
    return {static_cast<std::int32_t>(number_at(data, i, n, random) % 1000),
            static_cast<std::uint32_t>(i)};
  }
};

/// Large values, of which a round has few samples.
struct Wide {
  std::uint32_t key;
  std::array<std::uint32_t, 127> rest;
};

struct ByWideKey {
  KOKKOS_FUNCTION bool operator()(Wide const& a, Wide const& b) const { return a.key < b.key; }
};

template <>
struct MakeValue<Wide> {
  static Wide from(Data data, std::uint64_t i, std::uint64_t n, std::uint64_t random) {
    Wide wide{static_cast<std::uint32_t>(number_at(data, i, n, random) % 5000), {}};
    wide.rest.fill(static_cast<std::uint32_t>(i));
    return wide;
  }
};

template <class T>
std::vector<T> make_values(Data data, std::uint64_t n) {
  std::mt19937_64 generator(n + static_cast<std::uint64_t>(data));
  std::vector<T> values;
  for (std::uint64_t i = 0; i < n; ++i) {
    values.push_back(MakeValue<T>::from(data, i, n, generator()));
  }
  return values;
}

// --- oracles ---

/// Whether a is before b: an implementation of this test's own.
template <class Order, class T>
bool comes_before(Order const& order, T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T> && detail::is_numerical_order<Order>) {
    return is_sorted_before<Order>(a, b);
  } else {
    return order(a, b);
  }
}

template <class T, class Order>
std::vector<std::uint64_t> stable_order(std::vector<T> const& values, Order const& order) {
  std::vector<std::uint64_t> indices(values.size());
  for (std::uint64_t i = 0; i < indices.size(); ++i) indices[i] = i;
  std::stable_sort(indices.begin(), indices.end(), [&](std::uint64_t a, std::uint64_t b) {
    return comes_before(order, values[a], values[b]);
  });
  return indices;
}

// std::vector<bool> has no contiguous elements.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
Array<T> array_of(std::vector<Stored<T>> const& values, std::uint64_t begin, std::uint64_t count) {
  Array<T> const array("array", count);
  for (std::uint64_t i = 0; i < count; ++i) array(i) = static_cast<T>(values[begin + i]);
  return array;
}

/// Tests all calls that sort values, for one shape of data and all partitions.
template <class T, class Order = Ascending>
void expect_sorted(mpi::Communicator const& comm, Data data, std::uint64_t n,
                   Order const& order = {}) {
  Exec const exec;
  using S = Stored<T>;
  std::vector<S> values = make_values<S>(data, n);
  if constexpr (std::is_same_v<T, bool>) {
    for (auto& value : values) value %= 2;
  }
  auto const whole = array_of<T>(values, 0, n);
  auto const expected = array_of<T>(gathered(values, stable_order(values, order)), 0, n);
  auto const of_one_device = array_of<T>(values, 0, n);
  riffle::sort(exec, of_one_device, order);
  EXPECT_TRUE(same_bits(of_one_device, expected, 0)) << "on one device";
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", data " + std::to_string(static_cast<int>(data)) +
                 ", partition " + std::to_string(k));
    Counts const& of_in = kinds[k];
    Counts const& of_out = kinds[(k + 1) % kinds.size()];
    auto const rank = static_cast<std::size_t>(comm.rank());
    std::uint64_t const begin = begin_of(of_in, comm.rank());
    auto const in = array_of<T>(values, begin, of_in[rank]);
    Array<T> const out("out", of_out[rank]);
    mpi::sort_copy(exec, comm, in, out, order);
    EXPECT_TRUE(same_bits(out, expected, begin_of(of_out, comm.rank())));
    EXPECT_TRUE(same_bits(in, whole, begin)) << "in has changed";
    mpi::sort(exec, comm, in, order);
    EXPECT_TRUE(same_bits(in, expected, begin)) << "in place";
  }
}

/// Tests sort_by_key; each key's payload is its original place.
template <class T, class Order = Ascending>
void expect_sorted_by_key(mpi::Communicator const& comm, Data data, std::uint64_t n,
                          Order const& order = {}) {
  Exec const exec;
  auto const values = make_values<T>(data, n);
  auto const indices = stable_order(values, order);
  auto const expected = array_of<T>(gathered(values, indices), 0, n);
  auto const keys_of_one = array_of<T>(values, 0, n);
  Array<std::uint64_t> const places_of_one("places", n);
  for (std::uint64_t i = 0; i < n; ++i) places_of_one(i) = i;
  riffle::sort_by_key(exec, keys_of_one, places_of_one, order);
  EXPECT_TRUE(same_bits(keys_of_one, expected, 0)) << "on one device";
  EXPECT_TRUE(to_vector(places_of_one) == indices) << "on one device";
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", data " + std::to_string(static_cast<int>(data)) +
                 ", partition " + std::to_string(k));
    std::uint64_t const begin = begin_of(kinds[k], comm.rank());
    std::uint64_t const count = kinds[k][static_cast<std::size_t>(comm.rank())];
    auto const keys = array_of<T>(values, begin, count);
    Array<std::uint64_t> const places("places", count);
    for (std::uint64_t i = 0; i < count; ++i) places(i) = begin + i;
    mpi::sort_by_key(exec, comm, keys, places, order);
    EXPECT_TRUE(same_bits(keys, expected, begin));
    EXPECT_TRUE(to_vector(places) == expected_part(indices, kinds[k], comm.rank()));
  }
}

inline std::vector<std::uint64_t> sizes() { return {0, 1, 2, 3, 7, 20, 1000, 5003}; }
inline std::vector<std::uint64_t> few_sizes() { return {2, 20, 1000}; }

// Requires several rounds of samples.
inline constexpr std::uint64_t many = 60001;

}  // namespace riffle::test
