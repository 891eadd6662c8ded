// Compares gather and scatter for all index types with loops on the host.

#include <Kokkos_Core.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::gather_scatter_test {
namespace {

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> sizes = edge_sizes(9);
  for (std::size_t const n : {97, 511, 1009, 4093, 20'011}) sizes.push_back(n);
  return sizes;
}

std::vector<double> numbers(std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(0.5 + static_cast<double>(3 * i));
  return values;
}

/// Whether out[p[i]] = in[i] for all i.
template <class T, class Index>
bool is_scatter(std::vector<T> const& in, std::vector<T> const& out, std::vector<Index> const& p) {
  if (in.size() != p.size() || out.size() != p.size()) return false;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(out[static_cast<std::size_t>(p[i])] == in[i])) return false;
  }
  return true;
}

/// A struct that does not have the size of a word.
struct Particle {
  double mass;
  std::int32_t charge;
  std::int16_t kind[3];

  friend bool operator==(Particle const&, Particle const&) = default;
};

template <class Exec>
class GatherScatterTest : public ::testing::Test {
 protected:
  template <class T, class Index>
  void expect_both(std::vector<T> const& values, std::vector<Index> const& indices) {
    auto const in = to_view<Exec>(values);
    auto const permutation = to_view<Exec>(indices);
    auto const out = zeros<Exec, T>(values.size());
    auto const checked = zeros<Exec, T>(values.size());
    riffle::gather(exec, in, permutation, out);
    riffle::gather_if_valid(exec, in, permutation, checked);
    exec.fence();
    EXPECT_TRUE(is_gather(values, to_vector(out), indices));
    EXPECT_TRUE(to_vector(checked) == to_vector(out));
    fill(out, std::vector<T>(values.size()));
    fill(checked, std::vector<T>(values.size()));
    riffle::scatter(exec, in, permutation, out);
    riffle::scatter_if_permutation(exec, in, permutation, checked);
    exec.fence();
    EXPECT_TRUE(is_scatter(values, to_vector(out), indices));
    EXPECT_TRUE(to_vector(checked) == to_vector(out));
    EXPECT_TRUE(to_vector(in) == values);
  }

  Exec exec;
};
TYPED_TEST_SUITE(GatherScatterTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(GatherScatterTest, AllSizes) {
  for (std::size_t const n : sizes()) {
    SCOPED_TRACE(n);
    this->expect_both(numbers(n), random_cycle<std::int32_t>(n));
  }
}

TYPED_TEST(GatherScatterTest, AllIndexTypes) {
  for (std::size_t const n : {1, 128, 256, 1000}) {
    for_each_index_type(n, [&](auto index) {
      SCOPED_TRACE(n);
      this->expect_both(numbers(n), random_cycle<decltype(index)>(n));
    });
  }
}

TYPED_TEST(GatherScatterTest, Structs) {
  std::size_t const n = 1009;
  std::vector<Particle> particles;
  for (std::size_t i = 0; i < n; ++i) {
    auto const k = static_cast<std::int16_t>(i);
    particles.push_back({static_cast<double>(i) / 7, -k, {k, 5, static_cast<std::int16_t>(k / 2)}});
  }
  this->expect_both(particles, random_cycle<std::uint16_t>(n));
}

TYPED_TEST(GatherScatterTest, StridedViewsOfTwoTypes) {
  std::size_t const n = 257;
  using Matrix = Kokkos::View<int**, Kokkos::LayoutRight, typename TypeParam::memory_space>;
  Matrix const matrix("matrix", n, 3);
  auto const in = Kokkos::subview(matrix, Kokkos::ALL, 1);
  fill(in, iota<int>(n));
  auto const sigma = random_cycle<std::int16_t>(n);
  auto const indices = Kokkos::subview(
      Kokkos::View<std::int16_t**, Kokkos::LayoutRight, typename TypeParam::memory_space>("p", n,
                                                                                          2),
      Kokkos::ALL, 0);
  fill(indices, sigma);
  auto const out = zeros<TypeParam, double>(n);
  riffle::gather(this->exec, in, indices, out);
  this->exec.fence();
  EXPECT_EQ(to_vector(out), converted<double>(sigma));
  // Scatters the elements back to their column; the other columns keep their values.
  using Doubles = Kokkos::View<double**, Kokkos::LayoutRight, typename TypeParam::memory_space>;
  Doubles const doubles("doubles", n, 3);
  auto const back = Kokkos::subview(doubles, Kokkos::ALL, 2);
  riffle::scatter(this->exec, Kokkos::View<double const*, typename TypeParam::memory_space>(out),
                  indices, back);
  this->exec.fence();
  EXPECT_EQ(to_vector(back), iota<double>(n));
  EXPECT_EQ(to_vector(Kokkos::subview(doubles, Kokkos::ALL, 0)), std::vector<double>(n));
}

// Indices may repeat, and there may be fewer or more of them than rows.
TYPED_TEST(GatherScatterTest, GatherTakesAnyIndicesInRange) {
  auto const in = to_view<TypeParam>(std::vector<int>{10, 11, 12});
  auto const gathered = [&](std::vector<int> const& indices) {
    auto const out = zeros<TypeParam, int>(indices.size());
    riffle::gather_if_valid(this->exec, in, to_view<TypeParam>(indices), out);
    this->exec.fence();
    return to_vector(out);
  };
  EXPECT_EQ(gathered({2, 2, 0, 1, 2}), (std::vector<int>{12, 12, 10, 11, 12}));
  EXPECT_EQ(gathered({1}), std::vector<int>{11});
  EXPECT_EQ(gathered({}), std::vector<int>{});
}

TYPED_TEST(GatherScatterTest, ScatterKeepsOtherElements) {
  auto const out = to_view<TypeParam>(std::vector<int>(6, -1));
  riffle::scatter(this->exec, to_view<TypeParam>(std::vector<int>{7, 8, 9}),
                  to_view<TypeParam>(std::vector<int>{4, 0, 3}), out);
  this->exec.fence();
  EXPECT_EQ(to_vector(out), (std::vector<int>{8, -1, -1, 9, 7, -1}));
}

TYPED_TEST(GatherScatterTest, RowsAndPacks) {
  std::size_t const n = 101;
  using Matrix = Kokkos::View<int**, Kokkos::LayoutLeft, typename TypeParam::memory_space>;
  Matrix const matrix("matrix", n, 5);
  for (std::size_t c = 0; c < 5; ++c) {
    auto values = iota<int>(n);
    for (auto& value : values) value = 10 * value + static_cast<int>(c);
    fill(Kokkos::subview(matrix, Kokkos::ALL, c), values);
  }
  auto const keys = to_view<TypeParam>(numbers(n));
  auto const sigma = random_cycle<std::int64_t>(n);
  auto const indices = to_view<TypeParam>(sigma);
  auto const moved = riffle::pack(Matrix("moved", n, 5), zeros<TypeParam, double>(n));
  auto const back = riffle::pack(Matrix("back", n, 5), zeros<TypeParam, double>(n));
  riffle::gather(this->exec, riffle::pack(matrix, keys), indices, moved);
  riffle::scatter(this->exec, moved, indices, back);
  this->exec.fence();
  EXPECT_TRUE(is_gather(numbers(n), to_vector(moved.rest.first), sigma));
  EXPECT_EQ(to_vector(back.rest.first), numbers(n));
  for (std::size_t c = 0; c < 5; ++c) {
    auto const column = [&](Matrix const& view) {
      return to_vector(Kokkos::subview(view, Kokkos::ALL, c));
    };
    EXPECT_TRUE(is_gather(column(matrix), column(moved.first), sigma));
    EXPECT_EQ(column(back.first), column(matrix));
  }
}

// --- labels, instances and fences ---

TYPED_TEST(GatherScatterTest, KernelsRunOnTheCallersInstance) {
  auto const in = to_view<TypeParam>(numbers(1000));
  auto const p = to_view<TypeParam>(random_cycle<int>(1000));
  auto const out = zeros<TypeParam, double>(1000);
  auto const& exec = this->exec;
  expect_labels_and_instance(exec, [&](auto const& on) { riffle::gather(on, in, p, out); });
  expect_labels_and_instance(exec,
                             [&](auto const& on) { riffle::gather_if_valid(on, in, p, out); });
  expect_labels_and_instance(exec, [&](auto const& on) { riffle::scatter(on, in, p, out); });
  expect_labels_and_instance(
      exec, [&](auto const& on) { riffle::scatter_if_permutation(on, in, p, out); });
}

struct HalfOf {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return 0.5 * static_cast<double>(i); }
};

template <class View>
struct WriteInto {
  View out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, double value) const { out(i) = value; }
};

TYPED_TEST(GatherScatterTest, Functions) {
  for (std::size_t const n : {0, 1, 20'011}) {
    auto const p = random_cycle<int>(n);
    std::vector<double> halves, gathered_halves(n);
    for (std::size_t i = 0; i < n; ++i) halves.push_back(HalfOf{}(i));
    for (std::size_t i = 0; i < n; ++i) gathered_halves[i] = halves[static_cast<std::size_t>(p[i])];
    auto const stored = to_view<TypeParam>(p);
    auto const out = zeros<TypeParam, double>(n);
    WriteInto<std::decay_t<decltype(out)>> const write{out};
    riffle::gather(this->exec, HalfOf{}, stored, write);
    this->exec.fence();
    EXPECT_TRUE(to_vector(out) == gathered_halves) << n;
    riffle::scatter(this->exec, HalfOf{}, stored, write);
    this->exec.fence();
    EXPECT_TRUE(is_scatter(halves, to_vector(out), p)) << n;
  }
}

TYPED_TEST(GatherScatterTest, NoFenceUnlessChecked) {
  auto const in = to_view<TypeParam>(numbers(20'000));
  auto const p = to_view<TypeParam>(random_cycle<int>(20'000));
  auto const out = zeros<TypeParam, double>(20'000);
  auto const& exec = this->exec;
  expect_no_fence(exec, [&] { riffle::gather(exec, in, p, out); });
  expect_no_fence(exec, [&] { riffle::scatter(exec, in, p, out); });
}

TYPED_TEST(GatherScatterTest, UsesTheWorkspaceOfTheContext) {
  UnwatchedArenas const unwatched;
  std::size_t const n = 1000;
  auto const in = to_view<TypeParam>(numbers(n));
  auto const p = to_view<TypeParam>(random_cycle<int>(n));
  auto const out = zeros<TypeParam, double>(n);
  riffle::Workspace<TypeParam> workspace(this->exec);
  riffle::scatter_if_permutation(Context(this->exec, workspace), in, p, out);
  EXPECT_EQ(workspace.bytes(), 256u);  // one bit an element, rounded up to 256 bytes
  {
    KernelLog const log;
    riffle::scatter_if_permutation(Context(this->exec, workspace), in, p, out);
    EXPECT_TRUE(KernelLog::allocations().empty());
  }
}

}  // namespace
}  // namespace riffle::test::gather_scatter_test
