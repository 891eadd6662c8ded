#pragma once

#include <array>
#include <cstdint>

namespace perf {

/// The paper's sizes are 2^w + 1, where a bijection on a power of two is padded the most.
inline constexpr std::array<int, 8> paper_exponents{8, 11, 14, 17, 20, 23, 26, 29};

constexpr std::int64_t power_of_two(int exponent) { return std::int64_t{1} << exponent; }

}  // namespace perf
