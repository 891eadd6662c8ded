#pragma once

// The linear congruential bijection of
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287, section 3.1, equation (1), on 2^b
// points. Its two keys yield at most 2^(2b-1) of the (2^b)! permutations, and the values of
// neighbouring points all have the same distance modulo 2^b. It is the paper's cheapest bijection,
// provided for comparison; do not use it if randomness matters.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>

namespace riffle {

/// x -> (a x + c) mod 2^bits, where a is odd. Callable on host and device, trivially copyable.
class LinearCongruential {
 public:
  static constexpr int max_bits = 63;

  /// Constructs a bijection on 2^bits points, 0 <= bits <= 63. Philox draws a and c from (seed,
  /// stream). Throws std::invalid_argument on the host if bits is out of range.
  KOKKOS_FUNCTION LinearCongruential(int bits, std::uint64_t seed, std::uint64_t stream = 0)
      : LinearCongruential("LinearCongruential", bits, 1, 0) {
    auto const key = detail::random_block(seed, stream, detail::Purpose::keys, 0);
    a_ = ((std::uint64_t{key[1]} << 32 | key[0]) | 1) & mask_;
    c_ = (std::uint64_t{key[3]} << 32 | key[2]) & mask_;
    a_inverse_ = detail::inverse_of_odd(a_ | 1);
  }

  template <class... Numbers>
  requires detail::LoseAFraction<Numbers...> LinearCongruential(Numbers const&...)
  = delete;

  /// Returns the bijection with the caller's multiplier a (odd) and increment c, both modulo
  /// 2^bits. Throws std::invalid_argument on the host if bits is out of range or a is even.
  KOKKOS_FUNCTION static LinearCongruential with_parameters(int bits, std::uint64_t a,
                                                            std::uint64_t c) {
    return LinearCongruential("LinearCongruential::with_parameters", bits, a, c);
  }

  KOKKOS_FUNCTION std::uint64_t size() const { return mask_ + 1; }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t x) const { return (a_ * x + c_) & mask_; }

  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t y) const {
    return (a_inverse_ * (y - c_)) & mask_;
  }

 private:
  KOKKOS_FUNCTION LinearCongruential([[maybe_unused]] char const* function, int bits,
                                     std::uint64_t a, std::uint64_t c)
      : mask_((std::uint64_t{1} << (bits & 63)) - 1),
        a_(a & mask_),
        c_(c & mask_),
        a_inverse_(detail::inverse_of_odd(a)) {
    KOKKOS_IF_ON_HOST((detail::check(0 <= bits && bits <= max_bits, function, "bits = ", bits,
                                     ": must be at least 0 and at most ", max_bits);
                       detail::check(a % 2 == 1, function, "a = ", a, ": must be odd");))
  }

  std::uint64_t mask_;
  std::uint64_t a_;
  std::uint64_t c_;
  std::uint64_t a_inverse_;
};

}  // namespace riffle
