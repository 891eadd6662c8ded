#pragma once

// Stored indices of every integer type, and permutations of them.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace riffle::test {

/// Calls test(Index{}) for each integer type that holds n - 1.
template <class Test>
void for_each_index_type(std::size_t n, Test const& test) {
  auto const try_type = [&](auto index) {
    auto const largest = static_cast<std::uint64_t>(std::numeric_limits<decltype(index)>::max());
    if (n == 0 || n - 1 <= largest) test(index);
  };
  try_type(std::int8_t{});
  try_type(std::uint8_t{});
  try_type(std::int16_t{});
  try_type(std::uint16_t{});
  try_type(std::int32_t{});
  try_type(std::uint32_t{});
  try_type(std::int64_t{});
  try_type(std::uint64_t{});
}

/// 0, ..., n - 1 in an order that the seed determines. For n >= 3 it is a cycle of length n, so that it differs from its
/// inverse and both differ from the identity.
template <class Index>
std::vector<Index> random_cycle(std::size_t n, unsigned seed = 1) {
  std::vector<Index> sigma(n);
  for (std::size_t i = 0; i < n; ++i) sigma[i] = static_cast<Index>(i);
  std::mt19937_64 random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(sigma[i - 1], sigma[random() % (i - 1)]);
  return sigma;
}

template <class To, class From>
std::vector<To> converted(std::vector<From> const& values) {
  std::vector<To> result;
  for (auto const& value : values) result.push_back(static_cast<To>(value));
  return result;
}

}  // namespace riffle::test
