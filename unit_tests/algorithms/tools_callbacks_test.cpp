// Checks the labels, instances and fences that Kokkos's tools see.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/published/bijective_shuffle/bijective_shuffle.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kernel_log.hpp"
#include "support/matrices.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::tools_callbacks_test {
namespace {

/// A user-defined statistic: the first image.
struct FirstImage {
  KOKKOS_FUNCTION double operator()(riffle::RandomPermutation const& sigma) const {
    return static_cast<double>(sigma(0));
  }
};

/// The same statistic by a team.
struct TeamFirstImage {
  template <class Member>
  KOKKOS_FUNCTION double operator()(Member const&, riffle::RandomPermutation const& sigma) const {
    return static_cast<double>(sigma(0));
  }
};

template <class Exec>
class ToolsCallbacksTest : public ::testing::Test {
 protected:
  using Space = typename Exec::memory_space;
  // Large enough for Kokkos to copy by kernels.
  static constexpr std::size_t n = 20000;

  // Not the default instance, if the space has several.
  ToolsCallbacksTest() : exec(Kokkos::Experimental::partition_space(Exec(), 1, 1)[1]) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(i * i % 97));
    x = to_view<Exec>(values);
    for (double& value : values) value = 100 - value * value;
    y = to_view<Exec>(values);
    std::vector<int> groups;
    for (std::size_t i = 0; i < n; ++i) groups.push_back(static_cast<int>(i) % 3);
    labels = to_view<Exec>(groups);
    options.replicates = 9;  // each with many elements
    Kokkos::fence();
  }

  template <class Call>
  void expect_labels_and_instance(Call const& call) {
    test::expect_labels_and_instance(exec, call);
  }

  template <class Call>
  void expect_no_fence(Call const& call) {
    test::expect_no_fence(exec, call);
  }

  template <class Call>
  void expect_fences_of_the_instance_only(Call const& call) {
    test::expect_fences_of_the_instance_only(exec, call);
  }

  Exec exec;
  Kokkos::View<double*, Space> x;
  Kokkos::View<double*, Space> y;
  Kokkos::View<int*, Space> labels;
  PermutationTestOptions options;
};
TYPED_TEST_SUITE(ToolsCallbacksTest, ExecutionSpaces, SpaceNames);

// The log must report a kernel on another instance, and one without Riffle's label.
TYPED_TEST(ToolsCallbacksTest, LogTellsInstancesApart) {
  auto const instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  auto const id = [](TypeParam const& instance) {
    return Kokkos::Tools::Experimental::device_id(instance);
  };
  KernelLog const log;
  for (auto const& instance : instances) {
    riffle::random_permutation(Context(instance, "elsewhere"), this->labels, 1);
    EXPECT_EQ(KernelLog::kernels().back().name, "elsewhere");
    EXPECT_EQ(KernelLog::kernels().back().device, id(instance));
  }
  EXPECT_EQ(KernelLog::kernels()[0].device == KernelLog::kernels()[1].device,
            id(instances[0]) == id(instances[1]));
}

TYPED_TEST(ToolsCallbacksTest, ShuffleCopy) {
  auto const call = [&](auto const& on) { riffle::shuffle_copy(on, this->x, this->y, 1); };
  this->expect_labels_and_instance(call);
  this->expect_no_fence(call);
  KernelLog const log;
  call(this->exec);
  ASSERT_EQ(KernelLog::kernels().size(), 1u);
  EXPECT_EQ(KernelLog::kernels()[0].name, "riffle::shuffle_copy");
  EXPECT_TRUE(KernelLog::allocations().empty());
}

// bucket_shuffle_test.cpp tests more elements, which BucketShuffle shuffles.
TYPED_TEST(ToolsCallbacksTest, ShuffleCopyOfPacksAndRows) {
  auto const in = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(this->n, 3);
  auto const out = make_matrix<TypeParam, int, Kokkos::LayoutStride>(this->n, 3);
  auto const call = [&](auto const& on) {
    riffle::shuffle_copy(on, riffle::pack(this->x, in), riffle::pack(this->y, out), 1,
                         riffle::PermutationGather{});
  };
  this->expect_labels_and_instance(call);
  this->expect_no_fence(call);
}

TYPED_TEST(ToolsCallbacksTest, ShuffleInPlace) {
  this->expect_labels_and_instance([&](auto const& on) { riffle::shuffle(on, this->x, 1); });
}

TYPED_TEST(ToolsCallbacksTest, ShuffleInPlaceOfPacksAndRows) {
  auto const rows = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(this->n, 3);
  auto const strided = make_strided<TypeParam, int>(this->n);
  this->expect_labels_and_instance([&](auto const& on) {
    riffle::shuffle(on, riffle::pack(rows, strided), 1, riffle::PermutationGather{});
  });
}

TYPED_TEST(ToolsCallbacksTest, BijectiveShuffle) {
  this->expect_labels_and_instance([&](auto const& on) {
    riffle::shuffle_copy(on, this->x, this->y, 1, riffle::Bijective0<>{});
  });
  this->expect_labels_and_instance(
      [&](auto const& on) { riffle::shuffle(on, this->x, 1, riffle::Bijective0<>{}); });
}

TYPED_TEST(ToolsCallbacksTest, RandomPermutation) {
  auto const call = [&](auto const& on) { riffle::random_permutation(on, this->labels, 1); };
  this->expect_labels_and_instance(call);
  this->expect_no_fence(call);
  KernelLog const log;
  call(this->exec);
  EXPECT_EQ(KernelLog::kernels()[0].name, "riffle::random_permutation");
  EXPECT_TRUE(KernelLog::allocations().empty());
}

TYPED_TEST(ToolsCallbacksTest, Sample) {
  auto const call = [&](auto const& on) { riffle::sample(on, 1u << 31, this->labels, 1); };
  this->expect_labels_and_instance(call);
  this->expect_no_fence(call);
  KernelLog const log;
  call(this->exec);
  EXPECT_EQ(KernelLog::kernels()[0].name, "riffle::sample");
  EXPECT_TRUE(KernelLog::allocations().empty());
}

TYPED_TEST(ToolsCallbacksTest, PermutationTest) {
  this->options.batch = 8;
  auto const expect = [&](auto const statistic, auto const& a, auto const& b) {
    auto const call = [&](auto const& on) {
      riffle::permutation_test(on, statistic, a, b, this->options);
    };
    this->expect_labels_and_instance(call);
    this->expect_fences_of_the_instance_only(call);
  };
  expect(riffle::DifferenceOfMeans{}, this->x, this->y);
  expect(riffle::WelchT{}, this->x, this->y);
  expect(riffle::FStatistic{}, this->x, this->labels);
  expect(riffle::PearsonCorrelation{}, this->x, this->y);
  expect(riffle::MannWhitneyU{}, this->x, this->y);
  expect(riffle::KruskalWallisH{}, this->x, this->labels);
  expect(riffle::SpearmanCorrelation{}, this->x, this->y);
  decltype(this->x) const few = Kokkos::subview(this->x, Kokkos::pair<int, int>(0, 5));
  expect(riffle::DifferenceOfMeans{}, few, few);
  expect(riffle::PearsonCorrelation{}, few, few);
  auto const constant = to_view<TypeParam>(std::vector<double>(this->n, 1.5));
  expect(riffle::DifferenceOfMeans{}, constant, constant);
}

TYPED_TEST(ToolsCallbacksTest, PermutationTestOfAUserStatistic) {
  auto const expect = [&](auto const& statistic) {
    auto const call = [&](auto const& on) {
      riffle::permutation_test(on, 100, statistic, this->options);
    };
    this->expect_labels_and_instance(call);
    this->expect_fences_of_the_instance_only(call);
  };
  expect(FirstImage{});
  expect(TeamFirstImage{});
}

TYPED_TEST(ToolsCallbacksTest, PermutationDistribution) {
  this->expect_labels_and_instance([&](auto const& on) {
    riffle::null_distribution(on, riffle::DifferenceOfMeans{}, this->x, this->x, this->y,
                              this->options);
  });
  this->expect_labels_and_instance([&](auto const& on) {
    riffle::null_distribution(on, 100, FirstImage{}, this->y, this->options);
  });
}

}  // namespace
}  // namespace riffle::test::tools_callbacks_test
