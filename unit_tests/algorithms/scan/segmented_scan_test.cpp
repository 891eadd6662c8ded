// Scans of runs of equal keys, of segments, and of rows and columns, and sums of runs, compared with loops.

#include <Kokkos_Core.hpp>
#include <riffle/segmented_scan.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::segmented_scan_test {
namespace {

/// x -> scale x + shift. The composition does not commute.
struct Affine {
  std::uint32_t scale;
  std::uint32_t shift;

  friend bool operator==(Affine const&, Affine const&) = default;
};

struct Compose {
  using value_type = Affine;
  KOKKOS_FUNCTION static constexpr Affine identity() { return {1, 0}; }
  KOKKOS_FUNCTION constexpr Affine operator()(Affine const& left, Affine const& right) const {
    return {left.scale * right.scale, left.shift * right.scale + right.shift};
  }
};

/// Has no identity.
struct Leftmost {
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t left, std::int32_t) const { return left; }
};

/// The first elements of segments: whether each of n elements is one.
using Heads = std::vector<bool>;

/// The scan of `in`, which begins anew at each head.
template <class T, class Op>
std::vector<T> scanned(std::vector<T> const& in, Heads const& heads, Op const& op) {
  std::vector<T> result(in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!heads[i]) result[i] = op(result[i - 1], in[i]);
  }
  return result;
}

template <class T, class Op>
std::vector<T> scanned(std::vector<T> const& in, Heads const& heads, Op const& op, T init) {
  std::vector<T> result(in.size(), init);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!heads[i]) result[i] = op(result[i - 1], in[i - 1]);
  }
  return result;
}

/// Keys in runs with the given mean length.
std::vector<std::int32_t> keys_in_runs(std::size_t n, std::uint32_t mean_length) {
  auto const numbers = random_values<std::uint32_t>(n, 5);
  std::vector<std::int32_t> keys(n);
  std::int32_t key = 7;
  for (std::size_t i = 0; i < n; ++i) {
    if (numbers[i] % mean_length == 0) key = key == 7 ? 8 : 7;
    keys[i] = key;
  }
  return keys;
}

Heads heads_of(std::vector<std::int32_t> const& keys) {
  Heads heads(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) heads[i] = i == 0 || keys[i] != keys[i - 1];
  return heads;
}

/// Sizes around the tiles of a scan.
std::vector<std::size_t> sizes() { return {0, 1, 2, 31, 4095, 4096, 4097, 100'003}; }

template <class Exec>
class SegmentedScanTest : public ::testing::Test {
 protected:
  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(SegmentedScanTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SegmentedScanTest, SumsByKey) {
  for (std::size_t const n : sizes()) {
    for (std::uint32_t const mean_length : {1u, 3u, 1000u, 0xFFFFFFFFu}) {
      auto const keys = keys_in_runs(n, mean_length);
      auto const in = random_values<std::int32_t>(n);
      std::vector<std::uint32_t> values(in.begin(), in.end());
      auto const heads = heads_of(keys);
      auto const out = to_view<TypeParam>(std::vector<std::uint32_t>(n, 77));
      Context const context(this->exec, this->workspace);
      riffle::inclusive_scan_by_key(context, to_view<TypeParam>(keys), to_view<TypeParam>(values),
                                    out);
      EXPECT_TRUE(to_vector(out) == scanned(values, heads, std::plus<>{})) << n;
      riffle::exclusive_scan_by_key(context, to_view<TypeParam>(keys), to_view<TypeParam>(values),
                                    out);
      EXPECT_TRUE(to_vector(out) == scanned(values, heads, std::plus<>{}, 0u)) << n;
      riffle::exclusive_scan_by_key(context, to_view<TypeParam>(keys), to_view<TypeParam>(values),
                                    out, std::plus<>{}, 5u);
      EXPECT_TRUE(to_vector(out) == scanned(values, heads, std::plus<>{}, 5u)) << n;
    }
  }
}

TYPED_TEST(SegmentedScanTest, OperationsByKey) {
  for (std::size_t const n : {std::size_t{1}, std::size_t{50'000}}) {
    auto const keys = keys_in_runs(n, 70);
    auto const heads = heads_of(keys);
    auto const numbers = random_values<std::uint32_t>(2 * n, 3);
    std::vector<Affine> maps(n);
    for (std::size_t i = 0; i < n; ++i) maps[i] = {numbers[2 * i] | 1, numbers[2 * i + 1]};
    auto const out = to_view<TypeParam>(std::vector<Affine>(n, Affine{0, 0}));
    riffle::inclusive_scan_by_key(this->exec, to_view<TypeParam>(keys), to_view<TypeParam>(maps),
                                  out, Compose{});
    EXPECT_TRUE(to_vector(out) == scanned(maps, heads, Compose{}));
    riffle::exclusive_scan_by_key(this->exec, to_view<TypeParam>(keys), to_view<TypeParam>(maps),
                                  out, Compose{}, Affine{3, 9});
    EXPECT_TRUE(to_vector(out) == scanned(maps, heads, Compose{}, Affine{3, 9}));
    auto const plain = random_values<std::int32_t>(n, 4);
    auto const firsts = to_view<TypeParam>(std::vector<std::int32_t>(n));
    riffle::inclusive_scan_by_key(this->exec, to_view<TypeParam>(keys), to_view<TypeParam>(plain),
                                  firsts, Leftmost{});
    EXPECT_TRUE(to_vector(firsts) == scanned(plain, heads, Leftmost{}));
  }
}

/// i mod 5.
struct ModuloFive {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return static_cast<double>(i % 5); }
};

TYPED_TEST(SegmentedScanTest, ReducesRuns) {
  for (std::size_t const n : sizes()) {
    for (std::uint32_t const mean_length : {1u, 3u, 1000u, 0xFFFFFFFFu}) {
      auto const keys = keys_in_runs(n, mean_length);
      auto const heads = heads_of(keys);
      std::vector<std::int32_t> runs;
      std::vector<double> sums;
      for (std::size_t i = 0; i < n; ++i) {
        if (heads[i]) runs.push_back(keys[i]), sums.push_back(0);
        sums.back() += ModuloFive{}(i);
      }
      auto const count = runs.size();
      runs.resize(n + 2, -1);
      sums.resize(n + 2, -1);
      auto const keys_out = to_view<TypeParam>(std::vector<std::int32_t>(n + 2, -1));
      auto const out = to_view<TypeParam>(std::vector<double>(n + 2, -1));
      EXPECT_EQ(
          riffle::reduce_by_key(this->exec, to_view<TypeParam>(keys), ModuloFive{}, keys_out, out),
          count);
      EXPECT_TRUE(to_vector(keys_out) == runs) << n << " " << mean_length;
      EXPECT_TRUE(to_vector(out) == sums) << n << " " << mean_length;
    }
  }
}

TYPED_TEST(SegmentedScanTest, CountOnTheDevice) {
  auto const keys = to_view<TypeParam>(std::vector<std::int32_t>{3, 3, 1, 1, 1, 3});
  auto const values = to_view<TypeParam>(std::vector<float>{1, 2, 3, 9, 5, 6});
  Kokkos::View<std::uint16_t, typename TypeParam::memory_space> const count("count");
  auto const keys_out = zeros<TypeParam, std::int64_t>(6);
  auto const out = zeros<TypeParam, float>(6);
  Context const context(this->exec, this->workspace);
  auto const call = [&] {
    riffle::reduce_by_key(context, keys, values, keys_out, out, count, riffle::Max<float>{});
  };
  call();  // the workspace grows
  expect_no_fence(this->exec, call);
  this->exec.fence();
  std::uint16_t found = 0;
  Kokkos::deep_copy(found, count);
  EXPECT_EQ(found, 3);
  EXPECT_EQ(to_vector(keys_out), (std::vector<std::int64_t>{3, 1, 3, 0, 0, 0}));
  EXPECT_EQ(to_vector(out), (std::vector<float>{2, 9, 6, 0, 0, 0}));
}

/// Offsets of segments of lengths 0 to 9, of length 1, and of one that is most of n.
std::vector<std::vector<std::uint32_t>> offsets_of(std::size_t n) {
  std::vector<std::vector<std::uint32_t>> all(3, {0});
  auto const numbers = random_values<std::uint32_t>(n + 1, 8);
  auto const end = static_cast<std::uint32_t>(n);
  for (std::size_t k = 0; all[0].back() < end; ++k)
    all[0].push_back(std::min(end, all[0].back() + numbers[k] % 10));
  for (std::uint32_t i = 1; i <= end; ++i) all[1].push_back(i);
  for (std::uint32_t const offset : {end / 100, end / 100, end - end / 50, end, end})
    all[2].push_back(offset);
  return all;
}

TYPED_TEST(SegmentedScanTest, Segments) {
  for (std::size_t const n : sizes()) {
    auto const values = random_values<std::uint64_t>(n);
    for (auto const& offsets : offsets_of(n)) {
      Heads heads(n);
      for (std::uint32_t const offset : offsets) {
        if (offset < n) heads[offset] = true;
      }
      auto const out = zeros<TypeParam, std::uint64_t>(n);
      riffle::inclusive_scan_segments(this->exec, to_view<TypeParam>(values),
                                      to_view<TypeParam>(offsets), out);
      EXPECT_TRUE(to_vector(out) == scanned(values, heads, std::plus<>{})) << n;
      riffle::exclusive_scan_segments(this->exec, to_view<TypeParam>(values),
                                      to_view<TypeParam>(offsets), out,
                                      riffle::BitXor<std::uint64_t>{}, std::uint64_t{99});
      EXPECT_TRUE(to_vector(out) == scanned(values, heads, std::bit_xor<>{}, std::uint64_t{99}))
          << n;
    }
  }
}

template <class Exec, class Layout>
void expect_lines(std::size_t rows, std::size_t columns) {
  using Matrix = Kokkos::View<std::int32_t**, Layout, typename Exec::memory_space>;
  Matrix const in("in", rows, columns);
  Matrix const out("out", rows, columns);
  Kokkos::View<std::int64_t**, Kokkos::LayoutLeft, typename Exec::memory_space> const wide(
      "wide", rows, columns);
  auto const numbers = random_values<std::uint32_t>(rows * columns);
  std::vector<std::int32_t> by_rows(rows * columns), by_columns(rows * columns);
  auto const on_host = Kokkos::create_mirror_view(in);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      on_host(i, j) = by_rows[i * columns + j] = by_columns[j * rows + i] =
          static_cast<std::int32_t>(numbers[i * columns + j] % 1000) - 500;
    }
  }
  Kokkos::deep_copy(in, on_host);
  Heads row_heads(rows * columns), column_heads(rows * columns);
  for (std::size_t k = 0; k < rows * columns; ++k) {
    row_heads[k] = k % columns == 0;
    column_heads[k] = k % rows == 0;
  }
  auto const expect = [&](auto const& found, std::vector<std::int32_t> const& expected,
                          bool is_by_rows, char const* what) {
    auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        ASSERT_EQ(copy(i, j), expected[is_by_rows ? i * columns + j : j * rows + i])
            << what << " " << rows << " x " << columns << " at " << i << ", " << j;
      }
    }
  };
  Exec const exec;
  riffle::inclusive_scan_rows(exec, in, out);
  expect(out, scanned(by_rows, row_heads, std::plus<>{}), true, "inclusive rows");
  riffle::exclusive_scan_rows(exec, in, wide, std::plus<>{}, 4);
  expect(wide, scanned(by_rows, row_heads, std::plus<>{}, 4), true, "exclusive rows");
  riffle::inclusive_scan_columns(exec, in, wide);
  expect(wide, scanned(by_columns, column_heads, std::plus<>{}), false, "inclusive columns");
  riffle::exclusive_scan_columns(exec, in, out);
  expect(out, scanned(by_columns, column_heads, std::plus<>{}, 0), false, "exclusive columns");
}

TYPED_TEST(SegmentedScanTest, RowsAndColumns) {
  std::vector<std::pair<std::size_t, std::size_t>> const shapes{
      {0, 5}, {5, 0}, {1, 9000}, {9000, 1}, {3, 4096}, {130, 65}, {16, 1000}};
  for (auto const& [rows, columns] : shapes) {
    expect_lines<TypeParam, Kokkos::LayoutRight>(rows, columns);
    expect_lines<TypeParam, Kokkos::LayoutLeft>(rows, columns);
  }
}

// The sums of floating-point numbers do not depend on the layouts.
TYPED_TEST(SegmentedScanTest, RoundsAlikeInAllLayouts) {
  constexpr std::size_t rows = 37;
  constexpr std::size_t columns = 301;
  using Memory = typename TypeParam::memory_space;
  Kokkos::View<float**, Kokkos::LayoutRight, Memory> const right("right", rows, columns);
  Kokkos::View<float**, Kokkos::LayoutLeft, Memory> const left("left", rows, columns);
  auto const on_host = Kokkos::create_mirror_view(right);
  auto const numbers = random_values<std::uint32_t>(rows * columns);
  for (std::size_t k = 0; k < rows * columns; ++k)
    on_host(k / columns, k % columns) = 1.0f / static_cast<float>(numbers[k] + 1);
  Kokkos::deep_copy(right, on_host);
  Kokkos::deep_copy(this->exec, left, right);
  riffle::inclusive_scan_rows(this->exec, right, left);
  Kokkos::View<float**, Kokkos::LayoutLeft, Memory> const again("again", rows, columns);
  Kokkos::View<float**, Kokkos::LayoutLeft, Memory> const copy("copy", rows, columns);
  Kokkos::deep_copy(this->exec, copy, right);
  riffle::inclusive_scan_rows(this->exec, copy, again);
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), left);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), again);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.span() * sizeof(float)), 0);
}

TYPED_TEST(SegmentedScanTest, RejectsInvalidArguments) {
  auto const keys = zeros<TypeParam, std::int32_t>(400);
  auto const in = zeros<TypeParam, std::int32_t>(399);
  auto const out = zeros<TypeParam, std::int32_t>(400);
  Kokkos::View<std::int8_t, typename TypeParam::memory_space> const narrow("narrow");
  EXPECT_EQ(thrown_message([&] { riffle::inclusive_scan_by_key(this->exec, keys, in, out); }),
            "riffle::inclusive_scan_by_key: in.extent(0) = 399: must be the number of keys or "
            "elements, 400");
  EXPECT_EQ(thrown_message([&] { riffle::exclusive_scan_by_key(this->exec, in, in, out); }),
            "riffle::exclusive_scan_by_key: keys.extent(0) = 399 and out.extent(0) = 400: must be "
            "equal");
  EXPECT_NE(thrown_message([&] {
              riffle::inclusive_scan_by_key(this->exec, keys, out, out);
            }).find("overlap"),
            std::string::npos);
  auto const other = zeros<TypeParam, std::int32_t>(400);
  EXPECT_EQ(
      thrown_message([&] { riffle::reduce_by_key(this->exec, keys, other, in, out); }),
      "riffle::reduce_by_key: keys_out.extent(0) = 399: must be at least keys.extent(0) = 400");
  auto const keys_out = zeros<TypeParam, std::int32_t>(400);
  EXPECT_EQ(
      thrown_message(
          [&] { riffle::reduce_by_key(this->exec, keys, other, keys_out, out, narrow); }),
      "riffle::reduce_by_key: keys.extent(0) = 400: the value type of count holds no number above "
      "127");
  EXPECT_EQ(thrown_message([&] {
              riffle::inclusive_scan_segments(this->exec, other, zeros<TypeParam, std::int32_t>(0),
                                              out);
            }),
            "riffle::inclusive_scan_segments: offsets.extent(0) = 0 and out.extent(0) = 400: there "
            "must be one offset more than there are segments");
  Kokkos::View<float**, typename TypeParam::memory_space> const a("a", 3, 4), b("b", 3, 5);
  EXPECT_EQ(thrown_message([&] { riffle::inclusive_scan_rows(this->exec, a, b); }),
            "riffle::inclusive_scan_rows: in.extent(1) = 4 and out.extent(1) = 5: must be equal");
}

}  // namespace
}  // namespace riffle::test::segmented_scan_test
