#include <Kokkos_Core.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::scheduled_permutation_test {
namespace {

using Indices = std::vector<std::uint32_t>;

Indices identity(std::size_t n) {
  Indices p(n);
  std::iota(p.begin(), p.end(), 0u);
  return p;
}

Indices random_permutation(std::size_t n, unsigned seed) {
  auto p = identity(n);
  std::shuffle(p.begin(), p.end(), std::mt19937(seed));
  return p;
}

/// The identity, the reversed order, a rotation, and strides at which elements go to the same banks and buckets.
std::vector<Indices> structured_permutations(std::size_t n) {
  auto reversed = identity(n);
  std::reverse(reversed.begin(), reversed.end());
  auto rotated = identity(n);
  if (n > 0) std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
  std::vector<Indices> all{identity(n), reversed, rotated};
  for (std::size_t const stride : {32, 8192}) {
    Indices p;
    for (std::size_t first = 0; first < stride; ++first) {
      for (std::size_t i = first; i < n; i += stride) p.push_back(static_cast<std::uint32_t>(i));
    }
    all.push_back(p);
  }
  return all;
}

/// 12 bytes without padding.
struct Triple {
  std::uint32_t x[3];
  friend bool operator==(Triple const& a, Triple const& b) { return std::equal(a.x, a.x + 3, b.x); }
};

/// 40 bytes: a GPU moves such elements directly to their final places.
struct Large {
  std::uint64_t x[5];
  friend bool operator==(Large const& a, Large const& b) { return std::equal(a.x, a.x + 5, b.x); }
};

struct alignas(16) Wide {
  double x[2];
  friend bool operator==(Wide const& a, Wide const& b) { return std::equal(a.x, a.x + 2, b.x); }
};

template <class T>
T value_of(std::size_t i) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(i * 7 + 3);
  } else {
    T value{};
    std::size_t k = 0;
    for (auto& x : value.x) x = static_cast<std::decay_t<decltype(x)>>(i * 5 + k++);
    return value;
  }
}

template <class T>
std::vector<T> values_of(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value_of<T>(i);
  return values;
}

template <class T>
std::vector<T> scattered(std::vector<T> const& in, Indices const& p) {
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < p.size(); ++i) out[p[i]] = in[i];
  return out;
}

template <class T>
std::vector<T> gathered(std::vector<T> const& in, Indices const& p) {
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < p.size(); ++i) out[i] = in[p[i]];
  return out;
}

template <class Exec, class T>
using ViewOf = Kokkos::View<T*, typename Exec::memory_space>;

template <class Exec>
class ScheduledPermutationTest : public ::testing::Test {
 protected:
  template <class T>
  void expect_moves(ScheduledPermutation<Exec> const& plan, Indices const& p) {
    auto const values = values_of<T>(p.size());
    auto const in = to_view<Exec>(values);
    ViewOf<Exec, T> const out("out", p.size());
    plan(Context(exec, workspace), in, out);
    EXPECT_TRUE(to_vector(out) == scattered(values, p));
    plan.inverse()(Context(exec, workspace), in, out);
    EXPECT_TRUE(to_vector(out) == gathered(values, p));
    EXPECT_TRUE(to_vector(in) == values);
  }

  Exec exec;
  Workspace<Exec> workspace;
};
TYPED_TEST_SUITE(ScheduledPermutationTest, ExecutionSpaces, SpaceNames);

// The code depends on the size of elements: all tests have floats for 4 bytes, and two tests also 2 and 8 bytes. A tile
// has 2^13 elements on a GPU and 2^16 on a CPU; above 2^22 elements a plan of a GPU has two levels.
std::vector<std::size_t> sizes() {
  return {0, 1, 2, 31, 33, 8191, 8192, 8193, 65535, 65537, 100003, 300007};
}

TYPED_TEST(ScheduledPermutationTest, RandomPermutations) {
  for (std::size_t const n : sizes()) {
    SCOPED_TRACE(n);
    auto const p = random_permutation(n, 1);
    ScheduledPermutation<TypeParam> const plan(Context(this->exec, this->workspace),
                                               to_view<TypeParam>(p));
    EXPECT_EQ(plan.size(), n);
    this->template expect_moves<float>(plan, p);
  }
}

TYPED_TEST(ScheduledPermutationTest, StructuredPermutations) {
  for (std::size_t const n : {1, 8193, 262144}) {
    SCOPED_TRACE(n);
    for (auto const& p : structured_permutations(n)) {
      ScheduledPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(p));
      this->template expect_moves<float>(plan, p);
    }
  }
}

TYPED_TEST(ScheduledPermutationTest, ElementsOfAnySize) {
  auto const p = random_permutation(150001, 2);
  ScheduledPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(p));
  this->template expect_moves<std::int8_t>(plan, p);
  this->template expect_moves<std::uint16_t>(plan, p);
  this->template expect_moves<double>(plan, p);
  this->template expect_moves<Triple>(plan, p);
  this->template expect_moves<Wide>(plan, p);
  this->template expect_moves<Large>(plan, p);
}

TYPED_TEST(ScheduledPermutationTest, IndicesOfAnyType) {
  auto const p = random_permutation(30011, 3);
  auto const expect = [&]<class Index>(Index) {
    std::vector<Index> const indices(p.begin(), p.end());
    ScheduledPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(indices));
    ViewOf<TypeParam, Index> const destinations("destinations", p.size());
    plan.destinations(this->exec, destinations);
    EXPECT_EQ(to_vector(destinations), indices);
    plan.inverse().destinations(this->exec, destinations);
    auto const inverse = to_vector(destinations);
    for (std::size_t i = 0; i < p.size(); ++i) ASSERT_EQ(inverse[p[i]], static_cast<Index>(i));
  };
  expect(std::int16_t{});
  expect(std::uint64_t{});
}

TYPED_TEST(ScheduledPermutationTest, StridedAndUnalignedViews) {
  std::size_t const n = 70001;
  auto const p = random_permutation(n, 4);
  ScheduledPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(p));
  auto const values = values_of<float>(n);
  auto const strided = make_strided<TypeParam, float>(n);
  fill(strided, values);
  ViewOf<TypeParam, float> const longer("longer", n + 1);
  auto const unaligned = Kokkos::subview(longer, Kokkos::pair<std::size_t, std::size_t>(1, n + 1));
  plan(this->exec, strided, unaligned);
  EXPECT_TRUE(to_vector(unaligned) == scattered(values, p));
  plan.inverse()(this->exec, unaligned, strided);
  EXPECT_TRUE(to_vector(strided) == values);
}

TYPED_TEST(ScheduledPermutationTest, SeveralArraysAtOnce) {
  std::size_t const n = 90001;
  auto const p = random_permutation(n, 5);
  ScheduledPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(p));
  auto const keys = values_of<std::uint16_t>(n);
  auto const values = values_of<double>(n);
  ViewOf<TypeParam, std::uint16_t> const out_keys("keys", n);
  ViewOf<TypeParam, double> const out_values("values", n);
  plan(Context(this->exec, this->workspace),
       pack(to_view<TypeParam>(keys), to_view<TypeParam>(values)), pack(out_keys, out_values));
  EXPECT_TRUE(to_vector(out_keys) == scattered(keys, p));
  EXPECT_TRUE(to_vector(out_values) == scattered(values, p));
}

// A pack of rows of three numbers (LayoutLeft), of rows of five numbers (LayoutRight), and of values.
TYPED_TEST(ScheduledPermutationTest, RowsMoveAsOne) {
  using Space = typename TypeParam::memory_space;
  std::size_t const n = 70001;
  auto const p = random_permutation(n, 7);
  ScheduledPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(p));
  auto const values = values_of<double>(n);
  Kokkos::View<int**, Kokkos::LayoutLeft, Space> const in("in", n, 3);
  Kokkos::View<int**, Kokkos::LayoutLeft, Space> const out("out", n, 3);
  Kokkos::View<short**, Kokkos::LayoutRight, Space> const wide_in("wide_in", n, 5);
  Kokkos::View<short**, Kokkos::LayoutRight, Space> const wide_out("wide_out", n, 5);
  auto const host = HostElements(in);
  auto const wide_host = HostElements(wide_in);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) host(i, k) = static_cast<int>(10 * i + k);
    for (std::size_t k = 0; k < 5; ++k) wide_host(i, k) = static_cast<short>((5 * i + k) % 30011);
  }
  host.store();
  wide_host.store();
  ViewOf<TypeParam, double> const out_values("values", n);
  Context const context(this->exec, this->workspace);
  plan(context, pack(in, to_view<TypeParam>(values), wide_in), pack(out, out_values, wide_out));
  auto const moved = HostElements(out);
  auto const wide_moved = HostElements(wide_out);
  EXPECT_TRUE(to_vector(out_values) == scattered(values, p));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) wrong += moved(p[i], k) != static_cast<int>(10 * i + k);
    for (std::size_t k = 0; k < 5; ++k) {
      wrong += wide_moved(p[i], k) != static_cast<short>((5 * i + k) % 30011);
    }
  }
  EXPECT_EQ(wrong, 0u);
  // The inverse moves the rows back.
  plan.inverse()(context, out, in);
  auto const back = HostElements(in);
  for (std::size_t i = 0; i < n; ++i) wrong += back(i, 2) != static_cast<int>(10 * i + 2);
  EXPECT_EQ(wrong, 0u);
  Kokkos::View<int**, Kokkos::LayoutLeft, Space> const narrow("narrow", n, 2);
  EXPECT_EQ(thrown_message([&] { plan(context, in, narrow); }),
            "riffle::ScheduledPermutation: in.extent(1) = 3 and out.extent(1) = 2: must be equal");
}

TYPED_TEST(ScheduledPermutationTest, RepeatedCallsDoNotAllocate) {
  auto const p = random_permutation(200003, 6);
  ScheduledPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(p));
  ViewOf<TypeParam, float> const in("in", p.size());
  ViewOf<TypeParam, float> const out("out", p.size());
  plan(Context(this->exec, this->workspace), in, out);
  std::size_t const bytes = this->workspace.bytes();
  plan.inverse()(Context(this->exec, this->workspace), in, out);
  EXPECT_EQ(this->workspace.bytes(), bytes);
}

TYPED_TEST(ScheduledPermutationTest, RejectsIndicesThatAreNotAPermutation) {
  auto p = random_permutation(10000, 7);
  auto const message_of = [&](std::size_t i, std::uint32_t value) {
    auto bad = p;
    bad[i] = value;
    return thrown_message(
        [&] { ScheduledPermutation<TypeParam>(this->exec, to_view<TypeParam>(bad)); });
  };
  EXPECT_EQ(message_of(4321, 10000),
            "riffle::ScheduledPermutation: p(4321) = 10000: must be at least 0 and less than n = "
            "10000");
  EXPECT_EQ(message_of(4321, p[17]),
            "riffle::ScheduledPermutation: p(4321) = " + std::to_string(p[17]) +
                " is there before: must be a permutation, each value once");
}

TYPED_TEST(ScheduledPermutationTest, RejectsArraysThatDoNotFit) {
  auto const p = random_permutation(100, 8);
  ScheduledPermutation<TypeParam> const plan(this->exec, to_view<TypeParam>(p));
  ViewOf<TypeParam, float> const some("some", 99);
  ViewOf<TypeParam, float> const others("others", 99);
  EXPECT_EQ(thrown_message([&] { plan(this->exec, some, others); }),
            "riffle::ScheduledPermutation: in.extent(0) = 99 and the plan is of 100 elements: must "
            "be equal");
  ViewOf<TypeParam, float> const all("all", 100);
  EXPECT_NE(thrown_message([&] { plan(this->exec, all, all); }).find("share"), std::string::npos);
  ViewOf<TypeParam, std::int16_t> const few("few", 99);
  EXPECT_NE(thrown_message([&] { plan.destinations(this->exec, few); }).find("99"),
            std::string::npos);
}

TYPED_TEST(ScheduledPermutationTest, DestinationsWritesNothingIfItThrows) {
  auto const expect_refused = [&]<class Index>(Index seven, std::size_t n, std::size_t extent,
                                               std::string const& text) {
    ScheduledPermutation<TypeParam> const plan(this->exec,
                                               to_view<TypeParam>(random_permutation(n, 8)));
    auto const out = to_view<TypeParam>(std::vector<Index>(extent, seven));
    auto const message = "riffle::ScheduledPermutation::destinations: " + text;
    for (auto const& each : {plan, plan.inverse()}) {
      EXPECT_EQ(thrown_message([&] { each.destinations(this->exec, out); }), message);
      EXPECT_EQ(
          thrown_message([&] { each.destinations(Context(this->exec, this->workspace), out); }),
          message);
    }
    this->exec.fence();
    EXPECT_EQ(to_vector(out), std::vector<Index>(extent, seven));
  };
  expect_refused(std::int16_t{7}, 100, 99,
                 "out.extent(0) = 99 and the plan is of 100 elements: must be equal");
  expect_refused(std::int16_t{7}, 32769, 32769,
                 "n = 32769: the value type of out holds no index above 32767");
  expect_refused(std::uint16_t{7}, 65537, 65537,
                 "n = 65537: the value type of out holds no index above 65535");
}

TYPED_TEST(ScheduledPermutationTest, ToolsSeeLabelsAndTheInstance) {
  auto const p = random_permutation(70000, 9);
  auto const exec = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  ScheduledPermutation<TypeParam> const plan(exec, to_view<TypeParam>(p));
  ViewOf<TypeParam, float> const in("in", p.size());
  ViewOf<TypeParam, float> const out("out", p.size());
  auto const call = [&](auto const& on) { plan(on, in, out); };
  call(exec);
  expect_labels_and_instance(exec, call, this->workspace);
}

}  // namespace
}  // namespace riffle::test::scheduled_permutation_test
