// Shuffles of segments and of rows, compared with a sort by the same random keys; the orders of short segments are uniform.

#include <Kokkos_Core.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/segmented_shuffle.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/segment_lengths.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::segmented_shuffle_test {
namespace {

/// The order of shuffled segments, computed from Philox's words.
std::vector<std::size_t> shuffled_order(std::vector<std::int32_t> const& offsets,
                                        std::uint64_t seed, std::uint64_t stream) {
  constexpr std::uint32_t purpose = 15;
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(offsets.back()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto const block = Philox4x32(seed)({static_cast<std::uint32_t>(i), purpose << 24,
                                         static_cast<std::uint32_t>(stream),
                                         static_cast<std::uint32_t>(stream >> 32)});
    keys[i] = std::uint64_t{block[1]} << 32 | block[0];
  }
  return order_of_segments(offsets,
                           [&](std::size_t i, std::size_t j) { return keys[i] < keys[j]; });
}

template <class Exec>
class SegmentedShuffleTest : public ::testing::Test {
 protected:
  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(SegmentedShuffleTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SegmentedShuffleTest, Segments) {
  for (std::size_t const n : {0, 1, 5000, 100'000}) {
    for (std::size_t const mean : {0, 1, 7, 400}) {
      auto const offsets = offsets_of_segments(n, mean);
      auto const values = random_values<double>(n);
      auto const view = to_view<TypeParam>(values);
      riffle::shuffle_segments(Context(this->exec, this->workspace), view,
                               to_view<TypeParam>(offsets), 11, 1ull << 40 | 3);
      this->exec.fence();
      EXPECT_TRUE(to_vector(view) == gathered(values, shuffled_order(offsets, 11, 1ull << 40 | 3)))
          << n << ", " << mean;
    }
  }
}

// The result does not depend on the layout.
TYPED_TEST(SegmentedShuffleTest, RowsOfAnyLayout) {
  std::size_t const rows = 70;
  std::size_t const columns = 300;
  std::vector<std::int32_t> offsets;
  for (std::size_t r = 0; r <= rows; ++r) offsets.push_back(static_cast<std::int32_t>(r * columns));
  auto const order = shuffled_order(offsets, 5, 0);
  auto const check = [&](auto const& matrix) {
    auto const host = Kokkos::create_mirror_view(matrix);
    for (std::size_t i = 0; i < rows * columns; ++i)
      host(i / columns, i % columns) = static_cast<std::int32_t>(i);
    Kokkos::deep_copy(matrix, host);
    riffle::shuffle_rows_apart(this->exec, matrix, 5);
    this->exec.fence();
    Kokkos::deep_copy(host, matrix);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      ASSERT_EQ(host(i / columns, i % columns), static_cast<std::int32_t>(order[i])) << i;
    }
  };
  using Space = typename TypeParam::memory_space;
  check(Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Space>("right", rows, columns));
  check(Kokkos::View<std::int32_t**, Kokkos::LayoutLeft, Space>("left", rows, columns));
}

// All 24 orders of four elements: chi-square with 23 degrees of freedom.
TYPED_TEST(SegmentedShuffleTest, OrdersAreUniform) {
  std::size_t const rows = 24'000;
  Kokkos::View<std::int8_t**, Kokkos::LayoutRight, typename TypeParam::memory_space> const matrix(
      "matrix", rows, 4);
  auto const host = Kokkos::create_mirror_view(matrix);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < 4; ++c) host(r, c) = static_cast<std::int8_t>(c);
  }
  Kokkos::deep_copy(matrix, host);
  riffle::shuffle_rows_apart(this->exec, matrix, 2026);
  this->exec.fence();
  Kokkos::deep_copy(host, matrix);
  std::map<int, int> counts;
  for (std::size_t r = 0; r < rows; ++r)
    ++counts[host(r, 0) * 64 + host(r, 1) * 16 + host(r, 2) * 4 + host(r, 3)];
  ASSERT_EQ(counts.size(), 24u);
  double chi_square = 0;
  for (auto const& [order, count] : counts)
    chi_square += (count - 1000.0) * (count - 1000.0) / 1000;
  EXPECT_LT(chi_square, 65.0);  // exceeded with a probability of 10^-5
  EXPECT_GT(chi_square, 4.0);
}

TYPED_TEST(SegmentedShuffleTest, LabelsAndInstance) {
  auto const values = to_view<TypeParam>(random_values<std::int32_t>(20'000));
  auto const offsets = to_view<TypeParam>(offsets_of_segments(20'000, 600));
  auto const call = [&](auto const& where) { riffle::shuffle_segments(where, values, offsets, 1); };
  expect_labels_and_instance(this->exec, call, this->workspace);
}

TYPED_TEST(SegmentedShuffleTest, RejectsInvalidArguments) {
  auto const values = zeros<TypeParam, std::int32_t>(400);
  auto const none = zeros<TypeParam, std::int32_t>(0);
  EXPECT_EQ(thrown_message([&] { riffle::shuffle_segments(this->exec, values, none, 1); }),
            "riffle::shuffle_segments: offsets.extent(0) = 0 and values.extent(0) = 400: there "
            "must be one offset more than there are segments");
  EXPECT_NE(thrown_message([&] {
              riffle::shuffle_segments(this->exec, values, values, 1);
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::segmented_shuffle_test
