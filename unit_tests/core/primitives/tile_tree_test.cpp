#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/primitives/tile_tree.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/monoids.hpp"
#include "support/scan_oracle.hpp"
#include "support/sklansky.hpp"
#include "support/views.hpp"

namespace riffle::test::tile_tree_test {
namespace {

struct Plus {
  KOKKOS_FUNCTION float operator()(float left, float right) const { return left + right; }
};

/// Numbers whose sum depends on the order of its terms.
std::vector<float> random_reals(std::size_t n, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(n);
  for (auto& value : values) value = distribution(generator);
  return values;
}

template <class Op, class T>
std::vector<T> scanned_quad(Op const& op, std::vector<T> const& values) {
  T x[detail::quad_size];
  std::copy(values.begin(), values.end(), x);
  detail::scan_quad(op, x);
  return {x, x + detail::quad_size};
}

template <class Op, class T>
std::vector<T> scanned_lanes(Op const& op, std::vector<T> const& values) {
  T x[backend::width];
  std::copy(values.begin(), values.end(), x);
  detail::scan_all_lanes(op, x);
  return {x, x + backend::width};
}

// Other tests rely on these sizes of tiles, and on the order of combination inside them.
TEST(TileTree, Sizes) {
  std::size_t elements = 1;
  for (std::size_t const members : members_of_runs) elements *= members;
  EXPECT_EQ(bundle_elements, elements);
  EXPECT_EQ(tile_elements, elements / members_of_runs.back());
  EXPECT_EQ(row_elements, members_of_runs[0] * members_of_runs[1]);
}

TEST(TileTree, ScansKeepTheOrderOfOperands) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto const quad = random_values(KeepTail{}, 4, seed);
    EXPECT_EQ(scanned_quad(KeepTail{}, quad), inclusive_oracle(quad, KeepTail{}));
    auto const values = random_values(ComposeAffine{}, 32, seed);
    EXPECT_EQ(scanned_lanes(ComposeAffine{}, values), inclusive_oracle(values, ComposeAffine{}));
  }
}

// Equal bit by bit, so sums have the brackets that the header documents.
TEST(TileTree, ScansAreConditionalSums) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    auto const quad = random_reals(4, seed);
    EXPECT_EQ(scanned_quad(Plus{}, quad), scan_runs(quad, 4));
    auto const values = random_reals(32, seed);
    EXPECT_EQ(scanned_lanes(Plus{}, values), scan_runs(values, 32));
  }
}

// The tests above show the order only if another order gives other bits.
TEST(TileTree, OrderShowsInTheBits) {
  int differences = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    auto const values = random_reals(32, seed);
    differences += scan_runs(values, 32) != inclusive_oracle(values, Plus{});
  }
  EXPECT_GT(differences, 15);
}

/// A warp scans its values.
template <class Exec>
struct ScanWarp {
  KOKKOS_FUNCTION void operator()(
      typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    int const lane = team.team_rank();
    values(lane) = detail::scan_lanes(Plus{}, lane, values(lane));
  }

  Kokkos::View<float*, typename Exec::memory_space> values;
};

template <class Exec>
class TileTreeTest : public ::testing::Test {
 protected:
  static void expect_warps_scan_in_order() {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      auto const values = random_reals(32, seed);
      EXPECT_EQ(scanned_by_warp(values), scan_runs(values, 32));
    }
  }

 private:
  static std::vector<float> scanned_by_warp(std::vector<float> const& values) {
    ScanWarp<Exec> const kernel{to_view<Exec>(values)};
    Exec const exec;
    Kokkos::parallel_for("scan_warp", Kokkos::TeamPolicy<Exec>(exec, 1, backend::width), kernel);
    exec.fence();
    return to_vector(kernel.values);
  }
};
TYPED_TEST_SUITE(TileTreeTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(TileTreeTest, WarpsScanInTheSameOrder) {
  if (backend::is_cpu<TypeParam>) GTEST_SKIP() << "a CPU has no warps";
  this->expect_warps_scan_in_order();
}

}  // namespace
}  // namespace riffle::test::tile_tree_test
