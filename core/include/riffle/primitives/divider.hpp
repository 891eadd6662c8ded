#pragma once

// Division by a number that is known beforehand: a multiplication and a shift (T. Granlund, P. L. Montgomery,
// "Division by invariant integers using multiplication", PLDI 1994).

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

#include <riffle/random/wide_integer.hpp>

namespace riffle::detail {

/// i / divisor for i and a divisor > 0 that have one bit less than Word, which is std::uint32_t or std::uint64_t.
template <class Word>
class Divider {
 public:
  explicit Divider(Word divisor)
      : divisor_(divisor),
        shift_(divisor == 1 ? 0 : std::bit_width(static_cast<Word>(divisor - 1))),
        factor_(static_cast<Word>((uint128{1} << (bits - 1 + shift_)) / divisor + 1)) {}

  KOKKOS_FUNCTION Word divisor() const { return divisor_; }

  KOKKOS_FUNCTION Word quotient(Word i) const {
    return multiply_high(static_cast<Word>(i << 1), factor_) >> shift_;
  }

  /// The largest multiple of the divisor that is no larger than i.
  KOKKOS_FUNCTION Word multiple(Word i) const { return quotient(i) * divisor_; }

 private:
  static constexpr int bits = 8 * sizeof(Word);

  Word divisor_;
  int shift_;
  Word factor_;
};

}  // namespace riffle::detail
