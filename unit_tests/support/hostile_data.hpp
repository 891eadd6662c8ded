#pragma once

// Small data sets in which rounding errors could change comparisons: integer multiples of a decimal unit, and the nearest
// doubles.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/rational_order.hpp"

namespace riffle::test {

struct HostileData {
  std::string kind;
  std::vector<double> values;
  Wholes wholes;
  int bits;  // that the range of the integers takes
};

/// The seed chooses the kind and the values; they are not constant.
inline HostileData hostile_data(std::uint64_t seed, std::size_t n) {
  std::mt19937_64 random(seed);
  auto const below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  std::vector<std::int64_t> wholes(n);
  int places = 0;
  char const* kind = "";
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t& x = wholes[i];
    switch (seed % 8) {
      case 0: kind = "few values", x = below(4); break;
      case 1: kind = "1e15 and little", x = 1'000'000'000'000'000 + below(6); break;
      case 2: kind = "microseconds", x = 1'700'000'000'000'000 + below(1'000'000); break;
      case 3: kind = "tenths at 1e9", places = 1, x = 10'000'000'000 + below(8); break;
      case 4: kind = "hundredths at -1e12", places = 2, x = -100'000'000'000'000 + below(50); break;
      case 5:
        kind = "an outlier", places = 1, x = below(1000);
        if (i == seed / 8 % n) x = static_cast<std::int64_t>(std::pow(10, 7 + seed / 8 % 9));
        break;
      case 6:
        kind = "mixed magnitudes", places = 8, x = (1 + below(9)) * (below(2) == 0 ? 1 : -1);
        for (auto zeros = below(17); zeros > 0; --zeros) x *= 10;
        break;
      default: kind = "decimals", places = 3, x = below(20) * 125;
    }
  }
  if (wholes[0] == wholes[1]) ++wholes[1];
  HostileData data{kind, {}, {}, 0};
  std::int64_t largest = 0;
  for (std::int64_t const x : wholes) {
    data.values.push_back(std::stod(std::to_string(x) + "e-" + std::to_string(places)));
    data.wholes.push_back(x);
    largest = std::max(largest, std::abs(x - wholes[0]));
  }
  data.bits = std::ilogb(static_cast<double>(largest)) + 2;
  return data;
}

}  // namespace riffle::test
