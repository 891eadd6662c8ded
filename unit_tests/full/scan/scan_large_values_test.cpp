// Scans of the largest values for which a GPU's teams combine messages.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/scans.hpp"

namespace riffle::test::scan_large_values_test {
namespace {

struct Wide {
  std::int32_t numbers[235];

  friend bool operator==(Wide const&, Wide const&) = default;
};
static_assert(sizeof(Wide) == 940);

/// Combines each component to the right one, unless that is zero.
struct RightsUnlessZero {
  using value_type = Wide;

  KOKKOS_FUNCTION static Wide identity() { return {}; }
  KOKKOS_FUNCTION Wide operator()(Wide const& left, Wide const& right) const {
    Wide result;
    for (int k = 0; k < 235; ++k) {
      result.numbers[k] = right.numbers[k] == 0 ? left.numbers[k] : right.numbers[k];
    }
    return result;
  }
};

std::vector<Wide> wide_values(std::size_t n) {
  std::mt19937 generator(3);
  std::vector<Wide> values(n);
  for (Wide& value : values) {
    for (std::int32_t& number : value.numbers) {
      auto const word = static_cast<std::int32_t>(generator() >> 1);
      number = word % 16 == 0 ? word : 0;
    }
  }
  return values;
}

template <class Exec>
class ScanLargeValuesTest : public ::testing::Test {};
TYPED_TEST_SUITE(ScanLargeValuesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScanLargeValuesTest, ValuesOf940Bytes) {
  TypeParam const exec;
  for (std::size_t const n : {1, 5, 4096, 4097, 3 * 4096 + 2}) {
    std::vector<Wide> const values = wide_values(n);
    expect_inclusive_scan(exec, RightsUnlessZero{}, RightsUnlessZero{}, values);
  }
}

}  // namespace
}  // namespace riffle::test::scan_large_values_test
