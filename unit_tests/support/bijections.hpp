#pragma once

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/kernels.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test {

/// At most `count` distinct points below n: all points if n <= count, else the first and the last ones, those next to
/// powers of two, and random ones.
inline std::vector<std::uint64_t> points_below(std::uint64_t n, std::size_t count) {
  if (n <= count) return iota<std::uint64_t>(n);
  std::vector<std::uint64_t> points;
  for (int bit = 0; bit < 63; ++bit) {
    std::uint64_t const power = std::uint64_t{1} << bit;
    for (std::uint64_t point : {power - 1, power, n - power}) {
      if (point < n && points.size() < count) points.push_back(point);
    }
  }
  std::mt19937_64 generator(n);
  while (points.size() < count) points.push_back(generator() % n);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

/// The sizes 2^k - 1, 2^k and 2^k + 1.
inline std::vector<std::uint64_t> sizes_around_powers(int first, int last) {
  std::vector<std::uint64_t> sizes;
  for (int k = first; k <= last; ++k) {
    std::uint64_t const power = std::uint64_t{1} << k;
    sizes.insert(sizes.end(), {power - 1, power, power + 1});
  }
  return sizes;
}

template <class Bijection>
struct InverseOf {
  Bijection f;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t y) const { return f.inverse(y); }
};

template <class Bijection>
InverseOf(Bijection) -> InverseOf<Bijection>;

template <class Exec, class Bijection>
void expect_same_in_kernel(Bijection const& f, std::vector<std::uint64_t> const& points) {
  EXPECT_EQ(map_in_kernel<Exec>(f, points), map_on_host(f, points));
  EXPECT_EQ(map_in_kernel<Exec>(InverseOf{f}, points), map_on_host(InverseOf{f}, points));
}

/// Whether f maps distinct `points` to distinct points of {0, ..., f.size() - 1}, and f.inverse is its inverse there. If
/// `points` has all points, f is a bijection.
template <class Bijection>
::testing::AssertionResult is_bijection_on(std::vector<std::uint64_t> const& points,
                                           Bijection const& f) {
  std::vector<std::uint64_t> images, preimages;
  for (auto const point : points) {
    images.push_back(f(point));
    preimages.push_back(f.inverse(point));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto const wrong = [&](char const* what) {
      return ::testing::AssertionFailure() << what << " with x = " << points[i];
    };
    if (images[i] >= f.size()) return wrong("f(x) is out of range");
    if (preimages[i] >= f.size()) return wrong("inverse(x) is out of range");
    if (f.inverse(images[i]) != points[i]) return wrong("inverse(f(x)) is not x");
    if (f(preimages[i]) != points[i]) return wrong("f(inverse(x)) is not x");
  }
  std::sort(images.begin(), images.end());
  if (std::adjacent_find(images.begin(), images.end()) != images.end())
    return ::testing::AssertionFailure() << "two points have one image";
  return ::testing::AssertionSuccess();
}

/// The checksum of permutations.hpp, computed in kernels.
class Fingerprint {
 public:
  KOKKOS_FUNCTION void add(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001B3u; }
  KOKKOS_FUNCTION std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325u;
};

/// Golden values of a bijection: its first images, and the checksums of its images and pre-images of 0, ..., count - 1.
/// They were computed by a program in another language, with unbounded integers, from the bijection's definition.
struct Golden {
  std::vector<std::uint64_t> first_images;
  std::uint64_t count;
  std::uint64_t images;
  std::uint64_t preimages;
};

template <class Exec, class Bijection>
void expect_golden(Bijection const& f, Golden const& golden) {
  auto const points = iota<std::uint64_t>(golden.count);
  auto const images = map_in_kernel<Exec>(f, points);
  auto const preimages = map_in_kernel<Exec>(InverseOf{f}, points);
  auto first = images;
  first.resize(golden.first_images.size());
  EXPECT_EQ(first, golden.first_images);
  EXPECT_EQ(checksum(images), golden.images);
  EXPECT_EQ(checksum(preimages), golden.preimages);
}

/// The arguments of a constructor that a kernel calls: size (points or bits), seed and stream.
struct Recipe {
  std::uint64_t size;
  std::uint64_t seed;
  std::uint64_t stream;
};

/// Constructs the bijection and evaluates it at both ends of its range.
template <class Bijection, class Size>
struct Construct {
  KOKKOS_FUNCTION std::uint64_t operator()(Recipe const& recipe) const {
    Bijection const f(static_cast<Size>(recipe.size), recipe.seed, recipe.stream);
    Fingerprint result;
    result.add(f.size());
    for (std::uint64_t i = 0; i < 4 && i < f.size(); ++i) {
      result.add(f(i));
      result.add(f.inverse(f.size() - 1 - i));
    }
    return result.value();
  }
};

/// Expects that a bijection constructed inside a kernel equals the one constructed on the host.
template <class Exec, class Bijection, class Size>
void expect_same_constructed_in_kernel(std::vector<std::uint64_t> const& sizes) {
  std::vector<Recipe> recipes;
  for (auto const size : sizes) recipes.push_back({size, 17 * size + 3, size >> 1});
  Construct<Bijection, Size> const construct;
  EXPECT_EQ(map_in_kernel<Exec>(construct, recipes), map_on_host(construct, recipes));
}

}  // namespace riffle::test
