#pragma once

// Permutations of at most 20 elements, each given by a rank less than n!. The digits of the rank in
// the factorial number system are the Lehmer code of the permutation (D. H. Lehmer, "Teaching
// combinatorial tricks to a computer", Proc. Symp. Appl. Math. 10 (1960); D. E. Knuth, The Art of
// Computer Programming 2, section 3.3.2, algorithm P). A rank fits in 64 bits, because 20! is less
// than 2^64. uniform_below() draws a rank that is exactly uniform, so the permutation with this
// rank is exactly uniform, too.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>

namespace riffle {

/// The largest n for which n! fits in 64 bits.
inline constexpr int max_ranked_size = 20;

/// Returns n! for 0 <= n <= 20.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t factorial(int n) {
  std::uint64_t product = 1;
  for (int i = 2; i <= n; ++i) product *= static_cast<std::uint64_t>(i);
  return product;
}

namespace detail {

/// Returns an exactly uniform number less than `bound` > 0, from a stream for the given purpose.
KOKKOS_INLINE_FUNCTION std::uint64_t uniform_below(std::uint64_t bound, std::uint64_t seed,
                                                   std::uint64_t stream, Purpose purpose) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    auto const block = random_block(seed, stream, purpose, attempt);
    for (int half = 0; half < 4; half += 2) {
      auto const product =
          static_cast<uint128>(std::uint64_t{block[half + 1]} << 32 | block[half]) * bound;
      auto const low = static_cast<std::uint64_t>(product);
      // The second condition compares with 2^64 modulo bound, which is less than bound.
      if (low >= bound || low >= (0 - bound) % bound)
        return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

}  // namespace detail

/// Returns an exactly uniform number less than `bound`. Requires bound >= 1; throws
/// std::invalid_argument on the host if bound is 0.
///
/// Source: multiply-high with rejection, D. Lemire, "Fast random integer generation in an
/// interval", ACM Trans. Model. Comput. Simul. 29 (2019), algorithm 5.
KOKKOS_INLINE_FUNCTION std::uint64_t uniform_below(std::uint64_t bound, std::uint64_t seed,
                                                   std::uint64_t stream) {
  KOKKOS_IF_ON_HOST(
      (detail::check(bound > 0, "uniform_below", "bound = ", bound, ": must be at least 1");))
  return detail::uniform_below(bound, seed, stream, detail::Purpose::rank);
}

/// The permutation of {0, ..., n-1} whose rank in lexicographic order is given; n <= 20. Stored in
/// 48 bytes, trivially copyable, callable on host and device.
class LehmerPermutation {
 public:
  /// The permutation of no elements.
  LehmerPermutation() = default;

  /// Throws std::invalid_argument on the host unless 0 <= n <= 20 and rank < n!.
  KOKKOS_FUNCTION LehmerPermutation(int n, std::uint64_t rank) : size_(n) {
    KOKKOS_IF_ON_HOST((detail::check(0 <= n && n <= max_ranked_size, "LehmerPermutation", "n = ", n,
                                     ": must be at least 0 and at most ", max_ranked_size);
                       detail::check(rank < factorial(n), "LehmerPermutation", "rank = ", rank,
                                     ": must be less than n! with n = ", n);))
    decode(rank);
  }

  KOKKOS_FUNCTION std::uint64_t size() const { return static_cast<std::uint64_t>(size_); }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return forward_.get(static_cast<int>(i));
  }

  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t j) const {
    return inverse_.get(static_cast<int>(j));
  }

 private:
  // An array of twenty numbers of five bits each.
  class Digits {
   public:
    KOKKOS_FUNCTION std::uint64_t get(int i) const {
      return static_cast<std::uint64_t>(bits_ >> (5 * i)) & 31u;
    }
    KOKKOS_FUNCTION void set_zero_digit(int i, std::uint64_t value) {
      bits_ |= static_cast<detail::uint128>(value) << (5 * i);
    }
    // Removes digit i and returns it; the digits after it move down by one position.
    KOKKOS_FUNCTION std::uint64_t remove(int i) {
      std::uint64_t const digit = get(i);
      detail::uint128 const below = (static_cast<detail::uint128>(1) << (5 * i)) - 1;
      bits_ = (bits_ & below) | (bits_ >> 5 & ~below);
      return digit;
    }

   private:
    detail::uint128 bits_ = 0;
  };

  KOKKOS_FUNCTION void decode(std::uint64_t rank) {
    Digits remaining;
    std::uint64_t weight = 1;
    for (int i = 0; i < size_; ++i) {
      remaining.set_zero_digit(i, static_cast<std::uint64_t>(i));
      if (i > 0) weight *= static_cast<std::uint64_t>(i);  // (n - 1)! after the loop
    }
    for (int i = 0; i < size_; ++i) {
      auto const digit = static_cast<int>(rank / weight);
      rank %= weight;
      if (i + 1 < size_) weight /= static_cast<std::uint64_t>(size_ - 1 - i);
      std::uint64_t const image = remaining.remove(digit);
      forward_.set_zero_digit(i, image);
      inverse_.set_zero_digit(static_cast<int>(image), static_cast<std::uint64_t>(i));
    }
  }

  Digits forward_;
  Digits inverse_;
  int size_ = 0;
};

}  // namespace riffle
