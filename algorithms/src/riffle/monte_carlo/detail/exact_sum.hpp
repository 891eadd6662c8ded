#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/integers.hpp>

namespace riffle::detail {

/// Returns x, rounded to a double.
KOKKOS_INLINE_FUNCTION double to_double(int128 x) {
  bool const is_negative =
      x < 0;  // the words of a small negative number are large, and their sum would be inexact
  auto const magnitude = static_cast<uint128>(is_negative ? -x : x);
  // The upper word times 2^64 is exact, so a fused multiply-add gives the same result.
  double const value =
      static_cast<double>(static_cast<std::uint64_t>(magnitude >> 64)) * 18446744073709551616.0 +
      static_cast<double>(static_cast<std::uint64_t>(magnitude));
  return is_negative ? -value : value;
}

/// The exact sum of fewer than 2^31 128-bit integers, if it fits in 128 bits. It is stored in 64-bit limbs, because
/// Kokkos cannot reduce 128-bit integers.
class ExactSum {
 public:
  ExactSum() = default;

  KOKKOS_FUNCTION explicit ExactSum(int128 x)
      : low_(static_cast<std::int64_t>(static_cast<std::uint32_t>(x))),
        middle_(static_cast<std::int64_t>(static_cast<std::uint32_t>(x >> 32))),
        high_(static_cast<std::int64_t>(x >> 64)) {}

  KOKKOS_FUNCTION ExactSum& operator+=(ExactSum const& other) {
    low_ += other.low_;
    middle_ += other.middle_;
    high_ += other.high_;
    return *this;
  }

  KOKKOS_FUNCTION int128 value() const {
    return (static_cast<int128>(high_) << 64) + (static_cast<int128>(middle_) << 32) + low_;
  }

 private:
  std::int64_t low_ = 0;
  std::int64_t middle_ = 0;
  std::int64_t high_ = 0;
};

}  // namespace riffle::detail

template <>
struct Kokkos::reduction_identity<riffle::detail::ExactSum> {
  KOKKOS_FUNCTION static riffle::detail::ExactSum sum() { return {}; }
};
