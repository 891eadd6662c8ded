#pragma once

// Permutations of index bits and of matrices as lists of images, computed bit by bit, and data to permute.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

namespace riffle::test {

using Images = std::vector<std::uint64_t>;

/// image[u] for u < 2^m: bit destinations[k] of image[u] is bit k of u.
inline Images images_of_bits(std::vector<int> const& destinations) {
  Images images(std::size_t{1} << destinations.size());
  for (std::uint64_t u = 0; u < images.size(); ++u) {
    for (std::size_t k = 0; k < destinations.size(); ++k) {
      if (u & std::uint64_t{1} << k) images[u] += std::uint64_t{1} << destinations[k];
    }
  }
  return images;
}

/// Bit i of image[u] is the parity of (row i of the matrix AND u), plus bit i of the constant. The matrix is given by columns.
inline Images images_of_affine(std::vector<std::uint64_t> const& columns, std::uint64_t constant) {
  std::size_t const m = columns.size();
  Images images(std::size_t{1} << m);
  for (std::size_t i = 0; i < m; ++i) {
    std::uint64_t row = 0;
    for (std::size_t k = 0; k < m; ++k) row |= (columns[k] >> i & 1) << k;
    for (std::uint64_t u = 0; u < images.size(); ++u) {
      auto const ones = static_cast<std::uint64_t>(std::popcount(row & u)) + (constant >> i);
      images[u] |= (ones & 1) << i;
    }
  }
  return images;
}

/// The images of the transposition of a row-major matrix.
inline Images images_of_transpose(std::size_t rows, std::size_t columns) {
  Images images;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) images.push_back(j * rows + i);
  }
  return images;
}

// --- destinations of bits ---

inline std::vector<int> reversed_bits(int m) {
  std::vector<int> destinations;
  for (int k = 0; k < m; ++k) destinations.push_back(m - 1 - k);
  return destinations;
}

/// Bit k moves to place k + 1, the highest bit to place 0.
inline std::vector<int> shuffled_bits(int m) {
  std::vector<int> destinations;
  for (int k = 0; k + 1 < m; ++k) destinations.push_back(k + 1);
  if (m > 0) destinations.push_back(0);
  return destinations;
}

inline std::vector<int> random_bits(int m, std::uint64_t seed) {
  std::vector<int> destinations(static_cast<std::size_t>(m));
  std::iota(destinations.begin(), destinations.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(destinations.begin(), destinations.end(), random);
  return destinations;
}

/// Swaps random disjoint pairs of bits; the permutation is an involution.
inline std::vector<int> random_swaps(int m, std::uint64_t seed) {
  auto const order = random_bits(m, seed);
  std::vector<int> destinations(order.size());
  std::size_t const pairs = order.size() / 3;
  for (std::size_t k = 0; k < order.size(); ++k)
    destinations[static_cast<std::size_t>(order[k])] = order[k];
  for (std::size_t k = 0; k < pairs; ++k) {
    std::swap(destinations[static_cast<std::size_t>(order[2 * k])],
              destinations[static_cast<std::size_t>(order[2 * k + 1])]);
  }
  return destinations;
}

// --- matrices over GF(2), by columns ---

using BitColumns = std::vector<std::uint64_t>;

/// An invertible matrix: the unit matrix after 8 m additions of a random column to another.
inline BitColumns random_invertible(int m, std::uint64_t seed) {
  BitColumns columns;
  for (int k = 0; k < m; ++k) columns.push_back(std::uint64_t{1} << k);
  std::mt19937_64 random(seed);
  for (int step = 0; m > 1 && step < 8 * m; ++step) {
    std::size_t const a = random() % columns.size();
    std::size_t const b = random() % columns.size();
    if (a != b) columns[a] ^= columns[b];
  }
  return columns;
}

/// A matrix A with A A = 1: unit columns, half of which have sums of the others' units added.
inline BitColumns random_involution(int m, std::uint64_t seed) {
  auto const order = random_bits(m, seed);
  std::mt19937_64 random(seed);
  BitColumns columns(order.size());
  std::size_t const half = order.size() / 2;
  for (std::size_t k = 0; k < order.size(); ++k) {
    auto const bit = static_cast<std::size_t>(order[k]);
    columns[bit] = std::uint64_t{1} << bit;
    for (std::size_t j = 0; k >= half && j < half; ++j) {
      columns[bit] |= (random() & 1) << order[j];
    }
  }
  return columns;
}

// --- elements ---

/// An element whose alignment is less than its size.
template <int count>
struct NumberStruct {
  std::uint32_t number[count];

  friend bool operator==(NumberStruct const& a, NumberStruct const& b) {
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  }
};

/// Values that rarely repeat next to each other or at distances that are powers of two.
template <class T>
std::vector<T> scrambled(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const x = (i + 1) * 0x9E3779B97F4A7C15u >> 13;
    if constexpr (std::is_arithmetic_v<T>) {
      values[i] = static_cast<T>(sizeof(T) < 4 ? x : x % (1u << 24));
    } else {
      for (auto& number : values[i].number) number = static_cast<std::uint32_t>(x + i);
    }
  }
  return values;
}

/// out[images[u]] = in[u].
template <class T>
std::vector<T> moved(std::vector<T> const& in, Images const& images) {
  std::vector<T> out(in.size());
  for (std::size_t u = 0; u < in.size(); ++u) out[images[u]] = in[u];
  return out;
}

}  // namespace riffle::test
