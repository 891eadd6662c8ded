// Floating-point sums: the order of additions depends on n alone, so that every back end, any number of threads and
// every kind of input give the same bits.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/scan_oracle.hpp"
#include "support/sklansky.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_order_test {
namespace {

/// Numbers of mixed signs and sizes, not zero: their sum depends on the order.
template <class T>
std::vector<T> random_reals(std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<T> values(n);
  for (auto& value : values) {
    auto const sign = generator() % 2 == 0 ? 1.0 : -1.0;
    auto const digits = static_cast<double>(generator() % 1'000'003 + 1);
    value = static_cast<T>(sign * digits * (generator() % 8 == 0 ? 1e3 : 1e-3) / 7);
  }
  return values;
}

/// The same elements by a function.
template <class View>
struct ElementOf {
  KOKKOS_FUNCTION auto operator()(std::uint64_t i) const { return view(i); }

  View view;
};

/// A sink that stores prefixes and elements.
template <class View>
struct KeepPrefix {
  using T = typename View::value_type;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, T prefix, T) const { view(i) = prefix; }

  View view;
};

template <class Exec>
class ScanOrderTest : public ::testing::Test {
 protected:
  template <class T>
  using Vector = Kokkos::View<T*, typename Exec::memory_space>;

  /// Compares scans with every kind of source and sink.
  template <class T>
  void expect_order(Exec const& instance, std::size_t n) {
    auto const values = random_reals<T>(n);
    auto const expected = TileTreeOracle<T>(values).inclusive();
    auto const expect = [&](auto const& result, char const* how) {
      instance.fence();
      EXPECT_TRUE(same(to_vector(result), expected)) << how << ", " << sizeof(T) << " bytes";
    };
    auto const in = to_view<Exec>(values);
    auto const strided = make_strided<Exec, T>(n);
    fill(strided, values);
    Vector<T> const out("out", n);
    riffle::Sum<T> const sum;
    riffle::inclusive_scan(instance, in, out);
    expect(out, "contiguous");
    riffle::inclusive_scan(instance, strided, out);
    expect(out, "strided");
    riffle::inclusive_scan(instance, ElementOf<Vector<T>>{in}, out);
    expect(out, "function");
    riffle::inclusive_scan(instance, in, KeepPrefix<Vector<T>>{out});
    expect(out, "to a sink");
    riffle::inclusive_scan(instance, n, ElementOf<Vector<T>>{in}, KeepPrefix<Vector<T>>{out}, sum);
    expect(out, "function, to a sink");
    riffle::inclusive_scan(instance, in, in);
    expect(in, "in place");
  }

  template <class T>
  void expect_order_after(std::size_t n, T init) {
    auto const values = random_reals<T>(n);
    auto const in = to_view<Exec>(values);
    Vector<T> const out("out", n);
    riffle::exclusive_scan(exec, in, out, riffle::Sum<T>{}, init);
    exec.fence();
    EXPECT_TRUE(same(to_vector(out), TileTreeOracle<T>(values, init).exclusive()));
  }

  Exec exec;
};
TYPED_TEST_SUITE(ScanOrderTest, ExecutionSpaces, SpaceNames);

// The oracle computes prefix sums, and another order gives other bits.
TEST(ScanOrder, OracleSumsAndItsOrderShows) {
  std::size_t const n = 2 * bundle_elements + 3 * tile_elements + 77;
  std::vector<double> small(n);
  for (std::size_t i = 0; i < n; ++i) small[i] = static_cast<double>(i * i % 17);
  EXPECT_TRUE(
      same(TileTreeOracle<double>(small).inclusive(), inclusive_oracle(small, std::plus<>{})));
  EXPECT_TRUE(same(TileTreeOracle<double>(small, 5).exclusive(),
                   exclusive_oracle(small, std::plus<>{}, 5.0)));
  auto const values = random_reals<double>(n);
  auto const tree = TileTreeOracle<double>(values).inclusive();
  auto const sequential = inclusive_oracle(values, std::plus<>{});
  std::size_t differences = 0;
  for (std::size_t i = 0; i < n; ++i) differences += tree[i] != sequential[i];
  EXPECT_GT(differences, n / 2);
}

TYPED_TEST(ScanOrderTest, FollowsTheTileTree) {
  for (std::size_t const n : scan_edge_sizes()) {
    this->template expect_order<float>(this->exec, n);
    this->template expect_order<double>(this->exec, n);
  }
}

TYPED_TEST(ScanOrderTest, OfSeveralBundles) {
  for (std::size_t const n :
       {2 * bundle_elements + 3 * tile_elements + 77, 5 * bundle_elements - 1}) {
    this->template expect_order<float>(this->exec, n);
    this->template expect_order<double>(this->exec, n);
  }
}

// A look-back has at most 32 shares (LookBack::combine), so it reaches at most 31 bundles back.
TYPED_TEST(ScanOrderTest, OfMoreBundlesThanALookBackReads) {
  std::size_t const n = 33 * bundle_elements + 5;
  auto const values = random_reals<float>(n);
  auto const data = to_view<TypeParam>(values);
  riffle::inclusive_scan(this->exec, data, data);
  this->exec.fence();
  EXPECT_TRUE(same(to_vector(data), TileTreeOracle<float>(values).inclusive()));
}

TYPED_TEST(ScanOrderTest, WithAnInitialValue) {
  for (std::size_t const n : scan_edge_sizes()) {
    this->template expect_order_after<float>(n, 0.1f);
    this->template expect_order_after<double>(n, -1e7 / 3);
  }
  this->template expect_order_after<double>(3 * bundle_elements + 5, 0.3);
}

// Instances with different numbers of threads: an instance of a part of the space has fewer.
TYPED_TEST(ScanOrderTest, IsTheSameForAnyNumberOfThreads) {
  for (auto const& part : Kokkos::Experimental::partition_space(this->exec, 1, 1)) {
    this->template expect_order<double>(part, 9 * tile_elements + 77);
    this->template expect_order<float>(part, 2 * bundle_elements + 1);
  }
}

TYPED_TEST(ScanOrderTest, IsTheSameInEachRun) {
  std::size_t const n = 3 * bundle_elements + 4321;
  auto const in = to_view<TypeParam>(random_reals<double>(n));
  Kokkos::View<double*, typename TypeParam::memory_space> const out("out", n);
  riffle::Workspace<TypeParam> workspace(this->exec);
  riffle::inclusive_scan(Context(this->exec, workspace), in, out, riffle::Sum<double>{});
  this->exec.fence();
  auto const first = to_vector(out);
  for (int run = 0; run < 20; ++run) {
    riffle::inclusive_scan(Context(this->exec, workspace), in, out, riffle::Sum<double>{});
    this->exec.fence();
    ASSERT_TRUE(same(to_vector(out), first)) << "run " << run;
  }
}

}  // namespace
}  // namespace riffle::test::scan_order_test
