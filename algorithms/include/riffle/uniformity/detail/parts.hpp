#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace riffle::detail::uniformity {

/// A division of 0, ..., size - 1 into `count` <= size ranges whose lengths differ by at most one.
/// Requires size < 2^32.
struct Parts {
  std::uint64_t size;
  std::uint64_t count;

  KOKKOS_FUNCTION std::uint64_t of(std::uint64_t i) const { return i * count / size; }

  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t part) const {
    return (part * size + count - 1) / count;
  }

  std::uint64_t shortest() const { return size / count; }

  std::vector<std::uint64_t> lengths() const {
    std::vector<std::uint64_t> result;
    for (std::uint64_t part = 0; part < count; ++part)
      result.push_back(begin(part + 1) - begin(part));
    return result;
  }

  /// Returns the probability that a uniform number is in each part.
  std::vector<double> probabilities() const {
    std::vector<double> result;
    for (auto const length : lengths())
      result.push_back(static_cast<double>(length) / static_cast<double>(size));
    return result;
  }
};

}  // namespace riffle::detail::uniformity
