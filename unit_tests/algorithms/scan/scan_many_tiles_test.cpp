// Scans of enough tiles for a GPU's scan by central prefixes.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/scan.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/monoids.hpp"
#include "support/scan_oracle.hpp"
#include "support/scans.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_many_tiles_test {
namespace {

/// The number of elements of enough tiles; on a CPU, enough elements for all threads.
template <class Exec>
constexpr std::size_t many = (backend::is_cpu<Exec> ? 2 : 80) * bundle_elements;

template <class Exec>
class ScanManyTilesTest : public ::testing::Test {};
TYPED_TEST_SUITE(ScanManyTilesTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScanManyTilesTest, Sums) {
  TypeParam const exec;
  for (std::size_t const n : {many<TypeParam>, many<TypeParam> + 4321}) {
    auto const numbers = random_numbers<std::uint32_t>(n, 1);
    expect_inclusive_scan(exec, Sum<std::uint32_t>{}, std::plus<>{}, numbers);
    expect_exclusive_scan(exec, Sum<std::uint32_t>{}, std::plus<>{}, numbers, 5u);
  }
  expect_exclusive_scan(exec, Sum<std::uint16_t>{}, Sum<std::uint16_t>{},
                        random_numbers<std::uint16_t>(2 * many<TypeParam> + 77, 2),
                        std::uint16_t{9});
}

// Elements whose quads are whole chunks, and values whose quads are not.
TYPED_TEST(ScanManyTilesTest, ValuesSmallerThanTheElements) {
  auto const numbers = random_numbers<std::int32_t>(many<TypeParam> + 77, 6);
  auto const in = to_view<TypeParam>(numbers);
  auto const out = zeros<TypeParam, std::int32_t>(numbers.size());
  riffle::inclusive_scan(TypeParam(), in, out, Sum<std::uint16_t>{});
  riffle::inclusive_scan(TypeParam(), in, in, Max<std::uint8_t>{});
  TypeParam().fence();
  std::uint16_t sum = 0;
  std::uint8_t most = 0;
  std::vector<std::int32_t> sums;
  std::vector<std::int32_t> maxima;
  for (auto const number : numbers) {
    sums.push_back(sum = static_cast<std::uint16_t>(sum + static_cast<std::uint16_t>(number)));
    maxima.push_back(most = std::max(most, static_cast<std::uint8_t>(number)));
  }
  EXPECT_TRUE(same(to_vector(out), sums));
  EXPECT_TRUE(same(to_vector(in), maxima));
}

TYPED_TEST(ScanManyTilesTest, OperationsWhoseOrderMatters) {
  auto const maps = random_values(ComposeAffine{}, many<TypeParam> + 1, 3);
  expect_inclusive_scan(TypeParam(), ComposeAffine{}, ComposeAffine{}, maps);
  expect_exclusive_scan(TypeParam(), ComposeAffine{}, ComposeAffine{}, maps, maps[1]);
}

template <class Exec, class T>
std::vector<T> sums_of(std::vector<T> const& values) {
  Exec const exec;
  auto const out = to_view<Exec>(values);
  riffle::inclusive_scan(exec, out, out, Sum<T>{});
  exec.fence();
  return to_vector(out);
}

TYPED_TEST(ScanManyTilesTest, BitsOfTheHost) {
  std::vector<double> values;
  for (std::uint32_t const number : random_numbers<std::uint32_t>(many<TypeParam> + 4321, 4)) {
    values.push_back(static_cast<double>(number) / 7);
  }
  EXPECT_TRUE(same(sums_of<TypeParam>(values), sums_of<Kokkos::DefaultHostExecutionSpace>(values)));
  std::vector<float> const shorter(values.begin(), values.end());
  EXPECT_TRUE(
      same(sums_of<TypeParam>(shorter), sums_of<Kokkos::DefaultHostExecutionSpace>(shorter)));
}

// Successive launches with the same messages, on several instances at the same time, each of which can fill the GPU.
TYPED_TEST(ScanManyTilesTest, OnSeveralInstancesAtOnce) {
  using View = Kokkos::View<std::uint32_t*, typename TypeParam::memory_space>;
  // Kokkos 4.6 aborts if an instance of OpenMP would have no thread.
  auto const count = static_cast<std::size_t>(std::clamp(TypeParam().concurrency(), 1, 3));
  auto const instances =
      Kokkos::Experimental::partition_space(TypeParam(), std::vector<int>(count, 1));
  auto const values = random_numbers<std::uint32_t>(many<TypeParam> + 77, 5);
  auto const in = to_view<TypeParam>(values);
  std::vector<View> outs;
  std::vector<Workspace<TypeParam>> workspaces;
  for (auto const& instance : instances) {
    outs.push_back(zeros<TypeParam, std::uint32_t>(values.size()));
    workspaces.emplace_back(instance);
  }
  for (int launch = 0; launch < 20; ++launch) {
    for (std::size_t k = 0; k < instances.size(); ++k) {
      riffle::inclusive_scan(Context(instances[k], workspaces[k]), in, outs[k]);
    }
  }
  auto const expected = inclusive_oracle(values, Sum<std::uint32_t>{});
  for (std::size_t k = 0; k < instances.size(); ++k) {
    instances[k].fence();
    EXPECT_TRUE(same(to_vector(outs[k]), expected));
  }
}

}  // namespace
}  // namespace riffle::test::scan_many_tiles_test
