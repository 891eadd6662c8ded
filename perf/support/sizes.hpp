#pragma once

#include <array>
#include <cstdint>

namespace perf {

/// The sizes of the paper are 2^w + 1, where a bijection on a power of two has the most padding.
inline constexpr std::array<int, 8> paper_exponents{8, 11, 14, 17, 20, 23, 26, 29};

constexpr std::int64_t power_of_two(int exponent) { return std::int64_t{1} << exponent; }

}  // namespace perf
