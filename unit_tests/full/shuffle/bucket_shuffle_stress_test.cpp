// BucketShuffle on two instances at once, repeatedly: no race may change the result.

#include <Kokkos_Core.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::bucket_shuffle_stress_test {
namespace {

template <class Exec>
inline constexpr bool is_on_host = Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// Calls on each instance. A host gets a tenth of a device's: it has few threads, and each launch returns after its kernels
/// end, so that fewer interleavings are possible.
template <class Exec>
inline constexpr int repeats = is_on_host<Exec> ? 100 : 1000;

template <class Exec>
using Vector = Kokkos::View<std::uint32_t*, typename Exec::memory_space>;

/// Counts differences, and overwrites the result, so that the next call cannot pass without writing.
template <class Exec>
struct CompareAndErase {
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    if (out(i) != expected(i)) Kokkos::atomic_inc(&faults());
    out(i) = ~std::uint32_t{0};
  }

  Vector<Exec> out;
  Vector<Exec> expected;
  Kokkos::View<std::uint64_t, typename Exec::memory_space> faults;
};

template <class Exec>
struct Number {
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = static_cast<std::uint32_t>(i); }

  Vector<Exec> out;
};

/// An instance with its data, and several permutations that it computes in turn.
template <class Exec>
class Shuffler {
 public:
  Shuffler(Exec const& exec, std::uint32_t n) : exec_(exec), workspace_(exec), out_("out", n) {
    for (std::size_t which = 0; which < expected_.size(); ++which) {
      expected_[which] = to_view<Exec>(bucket_shuffle_images(n, seed(which)));
    }
    Kokkos::fence();
  }

  void launch(int repeat) {
    auto const which = static_cast<std::size_t>(repeat) % expected_.size();
    riffle::random_permutation(Context(exec_, workspace_), out_, seed(which),
                               riffle::BucketShuffle{});
    compare(which);
  }

  /// Shuffles a copy in place.
  void launch_in_place(int repeat) {
    auto const which = static_cast<std::size_t>(repeat) % expected_.size();
    Kokkos::parallel_for("number", range(), Number<Exec>{out_});
    riffle::shuffle(Context(exec_, workspace_), out_, seed(which), riffle::BucketShuffle{});
    compare(which);
  }

  void expect_no_faults() {
    exec_.fence();
    std::uint64_t faults = 0;
    Kokkos::deep_copy(faults, faults_);
    EXPECT_EQ(faults, 0u);
  }

 private:
  static std::uint64_t seed(std::size_t which) { return 100 + which; }

  auto range() const {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec_, 0, out_.extent(0));
  }

  void compare(std::size_t which) {
    Kokkos::parallel_for("compare", range(),
                         CompareAndErase<Exec>{out_, expected_[which], faults_});
  }

  Exec exec_;
  riffle::Workspace<Exec> workspace_;
  Vector<Exec> out_;
  std::array<Vector<Exec>, 3> expected_;
  Kokkos::View<std::uint64_t, typename Exec::memory_space> faults_{"faults"};
};

/// Launches on both instances alternately. If a launch returns after its kernels end, each instance has a thread of its own.
template <class Exec, class Launch>
void run_at_once(Shuffler<Exec>& a, Shuffler<Exec>& b, bool are_apart, Launch const& launch) {
  if (are_apart) {
    std::thread other([&] {
      for (int repeat = 0; repeat < repeats<Exec>; ++repeat) launch(b, repeat);
    });
    for (int repeat = 0; repeat < repeats<Exec>; ++repeat) launch(a, repeat);
    other.join();
  } else {
    for (int repeat = 0; repeat < repeats<Exec>; ++repeat) {
      launch(a, repeat);
      launch(b, repeat);
    }
  }
}

template <class Exec, class Launch>
void expect_same_on_two_instances(Launch const& launch) {
  auto const instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  Shuffler<Exec> a(instances[0], bucket_shuffle_fewest_split + 257);
  Shuffler<Exec> b(instances[1], bucket_shuffle_fewest_split + 4097);
  run_at_once(a, b, is_on_host<Exec> && instances[0] != instances[1], launch);
  a.expect_no_faults();
  b.expect_no_faults();
}

template <class Exec>
class BucketShuffleStressTest : public ::testing::Test {};
TYPED_TEST_SUITE(BucketShuffleStressTest, ExecutionSpaces, SpaceNames);

// The comparison must find a single transposition.
TYPED_TEST(BucketShuffleStressTest, ComparisonSeesATransposition) {
  std::uint32_t constexpr n = bucket_shuffle_fewest_split + 257;
  auto images = bucket_shuffle_images(n, 100);
  std::swap(images[7], images[8]);
  auto const faults = zeros<TypeParam, std::uint64_t>(1);
  CompareAndErase<TypeParam> const compare{to_view<TypeParam>(images),
                                           to_view<TypeParam>(bucket_shuffle_images(n, 100)),
                                           Kokkos::subview(faults, 0)};
  Kokkos::parallel_for("compare", Kokkos::RangePolicy<TypeParam>(0, n), compare);
  EXPECT_EQ(to_vector(faults)[0], 2u);
}

TYPED_TEST(BucketShuffleStressTest, TwoInstancesAtOnce) {
  expect_same_on_two_instances<TypeParam>(
      [](auto& shuffler, int repeat) { shuffler.launch(repeat); });
}

TYPED_TEST(BucketShuffleStressTest, TwoInstancesAtOnceInPlace) {
  expect_same_on_two_instances<TypeParam>(
      [](auto& shuffler, int repeat) { shuffler.launch_in_place(repeat); });
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_stress_test
