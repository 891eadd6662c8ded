// What Kokkos Tools are told about scans: labels, instances, allocations and fences.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kernel_log.hpp"
#include "support/monoids.hpp"
#include "support/scan_oracle.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_tools_test {
namespace {

struct IsEven {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 2 == 0; }
};

template <class View>
struct KeepCount {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t count) const {
    view(i) = static_cast<std::uint32_t>(count);
  }

  View view;
};

template <class Exec>
class ScanToolsTest : public ::testing::Test {
 protected:
  using View = Kokkos::View<std::uint32_t*, typename Exec::memory_space>;
  // Enough elements for several threads.
  static constexpr std::size_t n = 40 * tile_elements + 3;

  // An instance other than the default one, if the space has several.
  ScanToolsTest() : exec(Kokkos::Experimental::partition_space(Exec(), 1, 1)[1]) {
    Kokkos::fence();
  }

  Exec exec;
  View in = to_view<Exec>(std::vector<std::uint32_t>(n, 1));
  View out = to_view<Exec>(std::vector<std::uint32_t>(n, 0));
  riffle::Sum<std::uint32_t> sum;
};
TYPED_TEST_SUITE(ScanToolsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScanToolsTest, LabelsAndInstance) {
  auto const expect = [&](auto const& call) { expect_labels_and_instance(this->exec, call); };
  expect([&](auto const& on) { riffle::inclusive_scan(on, this->in, this->out); });
  expect([&](auto const& on) { riffle::exclusive_scan(on, this->in, this->out); });
  expect([&](auto const& on) { riffle::exclusive_scan(on, this->in, this->out, this->sum, 1); });
  KeepCount<typename TestFixture::View> const sink{this->out};
  expect([&](auto const& on) {
    riffle::inclusive_scan(on, this->n, IsEven{}, sink, riffle::Count<>{});
  });
  expect([&](auto const& on) {
    riffle::exclusive_scan(on, this->n, IsEven{}, sink, riffle::Count<>{}, 5);
  });
}

// Also for an instance with all threads of the space: an instance of a part of it may have only one
// thread, which needs no synchronization.
TYPED_TEST(ScanToolsTest, LabelsOfAWholeSpace) {
  TypeParam const whole;
  expect_labels_and_instance(
      whole, [&](auto const& on) { riffle::inclusive_scan(on, this->in, this->out); });
}

TYPED_TEST(ScanToolsTest, NamesOfKernels) {
  riffle::Workspace<TypeParam> workspace(this->exec);
  riffle::inclusive_scan(Context(this->exec, workspace), this->in, this->out, this->sum);
  KernelLog const log;
  riffle::inclusive_scan(Context(this->exec, workspace), this->in, this->out, this->sum);
  riffle::exclusive_scan(Context(this->exec, workspace), this->in, this->out, this->sum, 0);
  ASSERT_EQ(KernelLog::kernels().size(), 2u);
  EXPECT_EQ(KernelLog::kernels()[0].name, "riffle::inclusive_scan");
  EXPECT_EQ(KernelLog::kernels()[1].name, "riffle::exclusive_scan");
}

// With a workspace of sufficient size: one kernel, no allocation, no fence.
template <class Exec, class Call>
void expect_only_a_kernel(Exec const& exec, Call const& call) {
  call();
  expect_no_fence(exec, call);
  KernelLog const log;
  call();
  EXPECT_EQ(KernelLog::kernels().size(), 1u);
  EXPECT_EQ(KernelLog::allocations(), std::vector<std::string>());
}

TYPED_TEST(ScanToolsTest, SecondCallWithAWorkspaceIsOneKernel) {
  std::vector<TypeParam> const instances = {this->exec, TypeParam()};
  for (TypeParam const& exec : instances) {
    riffle::Workspace<TypeParam> workspace(exec);
    expect_only_a_kernel(exec, [&] {
      riffle::inclusive_scan(Context(exec, workspace), this->in, this->out, this->sum);
    });
    expect_only_a_kernel(exec, [&] {
      riffle::exclusive_scan(Context(exec, workspace), this->in, this->out, this->sum, 3);
    });
    KeepCount<typename TestFixture::View> const sink{this->out};
    expect_only_a_kernel(exec, [&] {
      riffle::inclusive_scan(Context(exec, workspace), this->n, IsEven{}, sink, riffle::Count<>{});
    });
    auto const maps = to_view<TypeParam>(random_values(ComposeAffine{}, this->n, 1));
    expect_only_a_kernel(exec, [&] {
      riffle::inclusive_scan(Context(exec, workspace), maps, maps, ComposeAffine{});
    });
  }
}

// Smaller scans use the workspace that a larger scan has grown.
TYPED_TEST(ScanToolsTest, SmallerCallsDoNotAllocate) {
  riffle::Workspace<TypeParam> workspace(this->exec);
  riffle::inclusive_scan(Context(this->exec, workspace), this->in, this->out, this->sum);
  auto const bytes = workspace.bytes();
  KernelLog const log;
  for (std::size_t const size : {std::size_t{1}, tile_elements + 1, 20 * tile_elements}) {
    auto const part = Kokkos::subview(this->out, Kokkos::pair<std::size_t, std::size_t>(0, size));
    riffle::inclusive_scan(Context(this->exec, workspace), part, part, this->sum);
  }
  EXPECT_EQ(KernelLog::allocations(), std::vector<std::string>());
  EXPECT_EQ(workspace.bytes(), bytes);
}

TYPED_TEST(ScanToolsTest, EmptyScansLaunchNoKernel) {
  auto const nothing = Kokkos::subview(this->out, Kokkos::pair<int, int>(0, 0));
  KernelLog const log;
  riffle::inclusive_scan(this->exec, nothing, nothing);
  riffle::exclusive_scan(this->exec, nothing, nothing);
  EXPECT_TRUE(KernelLog::kernels().empty());
  EXPECT_TRUE(KernelLog::allocations().empty());
}

}  // namespace
}  // namespace riffle::test::scan_tools_test
