// The scheduled permutation of the paper.

#include <Kokkos_Core.hpp>
#include <riffle/published/offline_permutation/coloured_permutation.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::coloured_permutation_test {
namespace {

using Images = std::vector<std::uint32_t>;

Images random_images(std::size_t n, std::uint64_t seed) {
  Images p = iota<std::uint32_t>(n);
  std::mt19937_64 random(seed);
  std::shuffle(p.begin(), p.end(), random);
  return p;
}

Images bit_reversed(std::size_t n) {
  Images p(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t bit = 1; bit < n; bit *= 2) p[i] = 2 * p[i] + ((i & bit) != 0 ? 1 : 0);
  return p;
}

Images transposed(std::size_t rows, std::size_t columns) {
  Images p;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) p.push_back(static_cast<std::uint32_t>(j * rows + i));
  return p;
}

Images shifted(std::size_t n, std::size_t by) {
  Images p = iota<std::uint32_t>(n);
  std::rotate(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(by), p.end());
  return p;
}

Images reversed(std::size_t n) {
  Images p = iota<std::uint32_t>(n);
  std::reverse(p.begin(), p.end());
  return p;
}

struct Sixteen {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  Sixteen() = default;
  explicit Sixteen(std::size_t i) : a(i), b(~i) {}
  friend bool operator==(Sixteen const&, Sixteen const&) = default;
};

template <class T>
std::vector<T> numbered(std::size_t n) {
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(T(i));
  return values;
}

template <class T>
std::vector<T> scattered(std::vector<T> const& in, Images const& p) {
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[p[i]] = in[i];
  return out;
}

template <class Exec>
class ColouredPermutationTest : public ::testing::Test {
 protected:
  template <class T = float>
  void expect_permuted(Images const& p) {
    auto const in = numbered<T>(p.size());
    ColouredPermutation<Exec> const plan(exec, to_view<Exec>(p));
    EXPECT_EQ(plan.size(), p.size());
    auto const out = zeros<Exec, T>(p.size());
    auto const again = zeros<Exec, T>(p.size());
    plan(Context(exec, workspace), to_view<Exec>(in), out);
    plan.inverse()(exec, out, again);
    exec.fence();
    EXPECT_TRUE(to_vector(out) == scattered(in, p)) << "n = " << p.size();
    EXPECT_TRUE(to_vector(again) == in) << "n = " << p.size();
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(ColouredPermutationTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ColouredPermutationTest, RandomOfManySizes) {
  for (std::size_t const n : {0, 1, 2, 31, 32, 33, 97, 1023, 1024, 1025, 1031, 4095, 4097, 20011}) {
    this->expect_permuted(random_images(n, n));
  }
}

TYPED_TEST(ColouredPermutationTest, EveryOrderOfFour) {
  Images p = iota<std::uint32_t>(4);
  do {
    this->expect_permuted(p);
  } while (std::next_permutation(p.begin(), p.end()));
}

TYPED_TEST(ColouredPermutationTest, NamedPermutations) {
  for (std::size_t const n : {1024, 4096, 1 << 15}) {
    this->expect_permuted(iota<std::uint32_t>(n));
    this->expect_permuted(reversed(n));
    this->expect_permuted(bit_reversed(n));
    this->expect_permuted(transposed(32, n / 32));
    this->expect_permuted(transposed(n / 64, 64));
  }
}

TYPED_TEST(ColouredPermutationTest, CyclicShifts) {
  for (std::size_t const n : {1000, 1031, 4096}) {
    for (std::size_t const by : {1, 32, 64, 500}) this->expect_permuted(shifted(n, by));
  }
}

TYPED_TEST(ColouredPermutationTest, ElementsOfManySizes) {
  Images const p = random_images(5000, 1);
  this->template expect_permuted<double>(p);
  this->template expect_permuted<Sixteen>(p);
}

// 1024 rows and columns, so that the colouring has several subgraphs for each thread.
TYPED_TEST(ColouredPermutationTest, ManyElements) {
  this->expect_permuted(random_images((1 << 20) - 7, 2));
}

TYPED_TEST(ColouredPermutationTest, Shape) {
  struct Expected {
    std::size_t n;
    std::uint64_t rows;
    std::uint64_t columns;
  };
  for (auto const expected :
       {Expected{0, 0, 32}, Expected{1, 1, 32}, Expected{33, 2, 32}, Expected{1024, 32, 32},
        Expected{1025, 17, 64}, Expected{4096, 64, 64}}) {
    ColouredPermutation<TypeParam> const plan(this->exec,
                                              to_view<TypeParam>(random_images(expected.n, 3)));
    EXPECT_EQ(plan.rows(), expected.rows) << expected.n;
    EXPECT_EQ(plan.columns(), expected.columns) << expected.n;
  }
}

TYPED_TEST(ColouredPermutationTest, InPlace) {
  Images const p = random_images(3000, 4);
  auto const in = numbered<int>(p.size());
  auto const data = to_view<TypeParam>(in);
  ColouredPermutation<TypeParam>(this->exec, to_view<TypeParam>(p))(this->exec, data, data);
  this->exec.fence();
  EXPECT_TRUE(to_vector(data) == scattered(in, p));
}

TYPED_TEST(ColouredPermutationTest, StridedViews) {
  Images const p = random_images(700, 5);
  auto const in = numbered<int>(p.size());
  Kokkos::View<int**, Kokkos::LayoutRight, typename TypeParam::memory_space> const table(
      "table", p.size(), 2);
  auto const from = Kokkos::subview(table, Kokkos::ALL(), 0);
  auto const to = Kokkos::subview(table, Kokkos::ALL(), 1);
  fill(from, in);
  ColouredPermutation<TypeParam>(this->exec, to_view<TypeParam>(p))(this->exec, from, to);
  this->exec.fence();
  EXPECT_TRUE(to_vector(to) == scattered(in, p));
  EXPECT_TRUE(to_vector(from) == in);
}

TYPED_TEST(ColouredPermutationTest, RejectsIndicesThatAreNotAPermutation) {
  auto const message = [&](std::vector<int> const& p) {
    return thrown_message(
        [&] { ColouredPermutation<TypeParam>(this->exec, to_view<TypeParam>(p)); });
  };
  EXPECT_EQ(message({0, 3, 1}),
            "riffle::ColouredPermutation: p(1) = 3: must be at least 0 and less than n = 3");
  EXPECT_EQ(message({0, 2, -1}),
            "riffle::ColouredPermutation: p(2) = -1: must be at least 0 and less than n = 3");
  EXPECT_EQ(message({2, 1, 2}),
            "riffle::ColouredPermutation: p(2) = 2 is there before: must be a permutation, each "
            "value once");
}

TYPED_TEST(ColouredPermutationTest, RejectsOtherExtents) {
  ColouredPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(random_images(40, 6)));
  auto const right = zeros<TypeParam, int>(40);
  auto const wrong = zeros<TypeParam, int>(41);
  EXPECT_EQ(
      thrown_message([&] { plan(this->exec, wrong, right); }),
      "riffle::ColouredPermutation: in.extent(0) = 41 and out.extent(0) = 40: must be n = 40 as "
      "the plan's");
  EXPECT_EQ(
      thrown_message([&] { plan(this->exec, right, wrong); }),
      "riffle::ColouredPermutation: in.extent(0) = 40 and out.extent(0) = 41: must be n = 40 as "
      "the plan's");
}

struct Large {
  char bytes[1 << 17];
};

// The scratch memory of a CPU cannot hold a tile of these elements, nor a GPU's a row.
TYPED_TEST(ColouredPermutationTest, RejectsTooLargeElements) {
  ColouredPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(random_images(3, 7)));
  auto const data = zeros<TypeParam, Large>(3);
  std::string const message = thrown_message([&] { plan(this->exec, data, data); });
  EXPECT_EQ(message.find("riffle::ColouredPermutation: a "), 0u) << message;
  EXPECT_NE(message.find(" elements of 131072 bytes take"), std::string::npos) << message;
  EXPECT_GE(ColouredPermutation<TypeParam>::template max_elements<float>(this->exec), 1u << 24);
}

TYPED_TEST(ColouredPermutationTest, KernelsHaveLabelsAndDoNotFence) {
  auto const p = to_view<TypeParam>(random_images(2000, 8));
  auto const data = zeros<TypeParam, float>(2000);
  // The banks of a plan are coloured on the host, by kernels that do not run on the GPU's instance.
  ColouredPermutation<TypeParam> const plan(this->exec, p);
  expect_labels_and_instance(
      this->exec, [&](auto const& on) { plan(on, data, data); }, this->workspace);
  plan(Context(this->exec, this->workspace), data, data);
  auto const apply = [&] { plan.inverse()(Context(this->exec, this->workspace), data, data); };
  // Kernels of the Threads back end fence, team kernels twice.
  if (fences_of([&] {
        Kokkos::parallel_for("plain", Kokkos::RangePolicy<TypeParam>(this->exec, 0, 9),
                             DoNothing());
      }).empty()) {
    expect_no_fence(this->exec, apply);
  }
}

}  // namespace
}  // namespace riffle::test::coloured_permutation_test
