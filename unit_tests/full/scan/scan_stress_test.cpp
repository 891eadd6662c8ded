// Thousands of launches, on one instance and on two at once, with changing sizes and value types; each result is checked on the
// device.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/monoids.hpp"
#include "support/scan_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_stress_test {
namespace {

template <class Exec, class T>
using Vector = Kokkos::View<T*, typename Exec::memory_space>;

constexpr std::uint64_t longest = 12 * tile_elements;

/// The number of launches. A host gets a tenth of a device's: it has few threads, and each launch returns after its kernels
/// end, so that fewer interleavings are possible.
template <class Exec>
constexpr int launches =
    Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible ? 300 : 3000;

/// Keeps one in four.
struct IsFourth {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 4 == 3; }
};

/// Counts the wrong results and all comparisons.
template <class Exec>
struct Faults {
  KOKKOS_FUNCTION void compare(bool right) const {
    Kokkos::atomic_inc(&counts(0));
    if (!right) Kokkos::atomic_inc(&counts(1));
  }

  Vector<Exec, std::uint64_t> counts;
};

/// Compares with the number of fourths before each place.
template <class Exec>
struct ExpectFourths {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t place) const {
    faults.compare(place == i / 4);
  }

  Faults<Exec> faults;
};

/// Compares out(i) with answer(i) for i < n, and the rest of `out` with its previous content.
template <class Exec, class T>
struct ExpectPrefixes {
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    faults.compare(i < n ? out(i) == answer(i) : out(i) == rest);
    out(i) = rest;
  }

  Vector<Exec, T> out;
  Vector<Exec, T> answer;
  std::uint64_t n;
  T rest;
  Faults<Exec> faults;
};

/// An instance with its elements, the standard library's sums of them, and a workspace.
template <class Exec, class Op>
class Elements {
 public:
  using T = typename Op::value_type;

  Elements(Exec const& exec, Op const& op, std::vector<T> const& values)
      : op_(op),
        in_(to_view<Exec>(values)),
        answer_(to_view<Exec>(inclusive_oracle(values, op))),
        out_("out", values.size()) {
    Kokkos::deep_copy(exec, out_, op.identity());
  }

  void scan_and_check(Exec const& exec, std::uint64_t n, riffle::Workspace<Exec>& workspace,
                      Faults<Exec> const& faults) const {
    auto const first = [n](auto const& view) {
      return Kokkos::subview(view, Kokkos::pair<std::uint64_t, std::uint64_t>(0, n));
    };
    riffle::inclusive_scan(Context(exec, workspace), first(in_), first(out_), op_);
    auto const checked = std::min<std::uint64_t>(n + 100, out_.extent(0));
    Kokkos::parallel_for(
        "expect_prefixes",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, 0, checked),
        ExpectPrefixes<Exec, T>{out_, answer_, n, op_.identity(), faults});
  }

 private:
  Op op_;
  Vector<Exec, T> in_;
  Vector<Exec, T> answer_;
  Vector<Exec, T> out_;
};

template <class Exec>
class Worker {
 public:
  Worker(Exec const& exec, std::uint64_t seed)
      : exec_(exec),
        workspace_(exec),
        generator_(seed),
        numbers_(exec, {}, random_numbers<std::uint32_t>(longest, seed)),
        maps_(exec, {}, random_values(ComposeAffine{}, longest, seed)),
        hashes_(exec, {}, random_values(Concatenate{}, longest, seed)),
        faults_{zeros<Exec, std::uint64_t>(2)} {
    Kokkos::fence();
  }

  /// Launches one of four kinds of scans with a random size; all share a workspace.
  void launch() {
    std::uint64_t const n =
        1 + generator_() % (generator_() % 2 == 0 ? longest : 2 * tile_elements);
    switch (generator_() % 4) {
      case 0: return numbers_.scan_and_check(exec_, n, workspace_, faults_);
      case 1: return maps_.scan_and_check(exec_, n, workspace_, faults_);
      case 2: return hashes_.scan_and_check(exec_, n, workspace_, faults_);
      default:
        return riffle::exclusive_scan(Context(exec_, workspace_), n, IsFourth{},
                                      ExpectFourths<Exec>{faults_}, riffle::Count<>{}, 0);
    }
  }

  void expect_no_faults() {
    exec_.fence();
    auto const counts = to_vector(faults_.counts);
    EXPECT_GT(counts[0], 0u);
    EXPECT_EQ(counts[1], 0u) << "of " << counts[0];
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
  std::mt19937_64 generator_;
  Elements<Exec, riffle::Sum<std::uint32_t>> numbers_;
  Elements<Exec, ComposeAffine> maps_;
  Elements<Exec, Concatenate> hashes_;
  Faults<Exec> faults_;
};

template <class Exec>
class ScanStressTest : public ::testing::Test {};
TYPED_TEST_SUITE(ScanStressTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScanStressTest, ThreeThousandLaunches) {
  Worker<TypeParam> worker(TypeParam(), 1);
  for (int launch = 0; launch < launches<TypeParam>; ++launch) worker.launch();
  worker.expect_no_faults();
}

TYPED_TEST(ScanStressTest, ThreeThousandLaunchesOnEachOfTwoInstances) {
  auto const instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  Worker<TypeParam> first(instances[0], 2);
  Worker<TypeParam> second(instances[1], 3);
  for (int launch = 0; launch < launches<TypeParam>; ++launch) {
    first.launch();
    second.launch();
  }
  first.expect_no_faults();
  second.expect_no_faults();
}

// Without workspaces, the two instances' allocations reuse each other's memory.
TYPED_TEST(ScanStressTest, TwoInstancesWithoutWorkspaces) {
  auto const instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  auto const values = random_numbers<std::uint32_t>(longest, 4);
  auto const in = to_view<TypeParam>(values);
  std::vector<Vector<TypeParam, std::uint32_t>> const outs{
      zeros<TypeParam, std::uint32_t>(longest), zeros<TypeParam, std::uint32_t>(longest)};
  for (int launch = 0; launch < 100; ++launch) {
    for (int which = 0; which < 2; ++which)
      riffle::inclusive_scan(instances[which], in, outs[which]);
  }
  auto const expected = inclusive_oracle(values, riffle::Sum<std::uint32_t>{});
  for (int which = 0; which < 2; ++which) {
    instances[which].fence();
    EXPECT_TRUE(same(to_vector(outs[which]), expected));
  }
}

}  // namespace
}  // namespace riffle::test::scan_stress_test
