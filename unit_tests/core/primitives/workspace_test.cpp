#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kernel_log.hpp"
#include "support/thrown_message.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::workspace_test {
namespace {

/// A minimal execution space for a workspace, which represents one of several devices.
struct OnDevice {
  using memory_space = Kokkos::HostSpace;

  int cuda_device() const { return device; }

  int device = 0;
};

}  // namespace
}  // namespace riffle::test::workspace_test

template <>
inline constexpr bool riffle::backend::has_kernels<riffle::test::workspace_test::OnDevice> = true;

namespace riffle::test::workspace_test {
namespace {

template <class Exec>
class WorkspaceTest : public ::testing::Test {
 protected:
  using Words = Kokkos::View<std::uint64_t*, typename Exec::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  std::vector<std::uint64_t> read(std::uint64_t* words, std::size_t count) {
    exec.fence();
    return to_vector(Words(words, count));
  }

  void overwrite(std::uint64_t* words, std::size_t count, std::uint64_t value = 77) {
    fill_with(Words(words, count), value);
    exec.fence();
  }

  /// Takes arrays in a scope of their own.
  void take(std::size_t bytes) {
    Context const context(exec, label, workspace);
    detail::Scope scope(context);
    scope.template take<std::byte>(bytes);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
  std::string const label = "user";
};
TYPED_TEST_SUITE(WorkspaceTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(WorkspaceTest, IsEmptyAtFirst) { EXPECT_EQ(this->workspace.bytes(), 0u); }

TYPED_TEST(WorkspaceTest, MessagesAreZeroAtFirstAndThenKept) {
  auto* const words = this->workspace.messages(this->label, this->exec, 100);
  EXPECT_EQ(this->read(words, 100), std::vector<std::uint64_t>(100, 0));
  EXPECT_EQ(this->workspace.bytes(), 800u);
  this->overwrite(words, 100);
  for (std::size_t const count : {std::size_t{1}, std::size_t{100}}) {
    EXPECT_EQ(this->workspace.messages(this->label, this->exec, count), words);
    EXPECT_EQ(this->read(words, 100), std::vector<std::uint64_t>(100, 77));
  }
}

TYPED_TEST(WorkspaceTest, MessagesAreZeroAfterTheyHaveGrown) {
  this->overwrite(this->workspace.messages(this->label, this->exec, 100), 100);
  auto* const words = this->workspace.messages(this->label, this->exec, 101);
  EXPECT_EQ(this->read(words, 101), std::vector<std::uint64_t>(101, 0));
  EXPECT_EQ(this->workspace.bytes(), 808u);
}

TYPED_TEST(WorkspaceTest, ReservesMessagesToo) {
  UnwatchedArenas const unwatched;
  constexpr std::size_t n = std::size_t{1} << 20;
  this->workspace.reserve(0);
  EXPECT_EQ(this->workspace.bytes(), 0u);
  this->workspace.reserve(n * sizeof(std::uint64_t));
  KernelLog const log;
  this->take(n * sizeof(std::uint64_t));
  using Wide = riffle::detail::LookBack<riffle::Sum<std::uint64_t>>;
  using Narrow = riffle::detail::LookBack<riffle::Sum<std::uint32_t>>;
  constexpr std::uint64_t tile = riffle::detail::tile_size;
  this->workspace.messages(this->label, this->exec, Wide::words(n / tile));
  this->workspace.messages(this->label, this->exec, Narrow::words(2 * n / tile));
  EXPECT_EQ(KernelLog::allocations(), std::vector<std::string>());
}

TYPED_TEST(WorkspaceTest, ArraysAndMessagesDoNotOverlap) {
  UnwatchedArenas const unwatched;
  auto* const words = this->workspace.messages(this->label, this->exec, 100);
  Context const context(this->exec, this->label, this->workspace);
  detail::Scope scope(context);
  this->overwrite(scope.template take<std::uint64_t>(96), 96);
  EXPECT_EQ(this->read(words, 100), std::vector<std::uint64_t>(100, 0));
  EXPECT_EQ(this->workspace.bytes(), 800u + 768u);
}

TYPED_TEST(WorkspaceTest, AllocatesUnderTheLabelAndOnlyToGrow) {
  KernelLog const log;
  this->workspace.messages(this->label, this->exec, 100);
  this->take(1000);
  EXPECT_EQ(KernelLog::allocations(), (std::vector<std::string>{"user::messages", "user::buffer"}));
  this->workspace.messages(this->label, this->exec, 100);
  this->take(1000);
  EXPECT_EQ(KernelLog::allocations().size(), 2u);
  this->workspace.messages(this->label, this->exec, 200);
  EXPECT_EQ(KernelLog::allocations().size(), 3u);
}

TYPED_TEST(WorkspaceTest, MovesAndDoesNotCopy) {
  using Workspace = riffle::Workspace<TypeParam>;
  static_assert(!std::is_copy_constructible_v<Workspace> && !std::is_copy_assignable_v<Workspace>);
  auto* const words = this->workspace.messages(this->label, this->exec, 100);
  Workspace other(std::move(this->workspace));
  EXPECT_EQ(other.bytes(), 800u);
  EXPECT_EQ(this->workspace.bytes(), 0u);
  EXPECT_EQ(other.messages(this->label, this->exec, 100), words);
}

TYPED_TEST(WorkspaceTest, KeepsOneConcurrentInstance) {
  auto const beside = this->workspace.concurrent_instance(this->exec);
  EXPECT_EQ(this->workspace.concurrent_instance(this->exec), beside);
  EXPECT_EQ(beside == this->exec, riffle::backend::is_cpu<TypeParam>);
  this->workspace.check_device("f", beside);
  auto* const words = this->workspace.messages(this->label, this->exec, 100);
  this->exec.fence();
  Kokkos::deep_copy(beside, Kokkos::View<std::uint64_t*, TypeParam>(words, 100), 7);
  beside.fence();
  EXPECT_EQ(this->read(words, 100), std::vector<std::uint64_t>(100, 7));
}

TYPED_TEST(WorkspaceTest, AcceptsInstancesOnItsDevice) {
  EXPECT_EQ(thrown_message([&] { this->workspace.check_device("f", this->exec); }),
            "nothing was thrown");
  for (auto const& instance : Kokkos::Experimental::partition_space(this->exec, 1, 1)) {
    EXPECT_EQ(thrown_message([&] { this->workspace.check_device("f", instance); }),
              "nothing was thrown");
  }
}

// --- several host threads ---

/// Whether host threads other than the first one may call a back end. For Kokkos::Threads they may not.
template <class Exec>
inline constexpr bool takes_host_threads =
#ifdef KOKKOS_ENABLE_THREADS
    !std::is_same_v<Exec, Kokkos::Threads>;
#else
    true;
#endif

/// Calls work(thread) in two threads at once.
template <class Work>
void run_in_two_threads(Work const& work) {
  std::thread other([&] { work(1); });
  work(0);
  other.join();
}

// Scopes of different calls do not interleave: otherwise a scope would not be the innermost one, and would throw.
TYPED_TEST(WorkspaceTest, CallsOfTwoThreadsTakeTurns) {
  if constexpr (takes_host_threads<TypeParam>) {
    std::atomic<int> inside = 0;
    std::atomic<int> meetings = 0;
    run_in_two_threads([&](int thread) {
      for (std::size_t k = 0; k < 300; ++k) {
        detail::Call const call(Context(this->exec, "outer", this->workspace), "call");
        meetings += inside.exchange(1);
        detail::Scope scope(call);
        scope.template take<std::byte>(1000 * (k % 7) + 1);
        Context<TypeParam> const context = call;
        detail::Call const part(context.named("part"), "call");
        detail::Scope inner(part);
        inner.template take<std::byte>(5000 * (k % (3 + static_cast<std::size_t>(thread))) + 1);
        std::this_thread::yield();
        inside = 0;
      }
    });
    EXPECT_EQ(meetings, 0);
  }
}

TYPED_TEST(WorkspaceTest, TwoThreadsScanWithOneWorkspace) {
  if constexpr (takes_host_threads<TypeParam>) {
    std::vector<int> wrong(2);
    run_in_two_threads([&](int thread) {
      std::uint32_t const step = static_cast<std::uint32_t>(thread) + 1;
      Context const context(this->exec, this->workspace);
      for (std::size_t const n : {9000u, 50'000u, 20'000u, 70'000u, 30'000u}) {
        Kokkos::View<std::uint32_t*, typename TypeParam::memory_space> const view("view", n);
        Kokkos::deep_copy(this->exec, view, step);
        riffle::inclusive_scan(context, view, view);
        this->exec.fence();
        auto const sums = to_vector(view);
        for (std::size_t i = 0; i < n; ++i) {
          wrong[static_cast<std::size_t>(thread)] += sums[i] != step * (i + 1) ? 1 : 0;
        }
      }
    });
    EXPECT_EQ(wrong, std::vector<int>(2, 0));
  }
}

TEST(Workspace, RejectsAnotherDevice) {
  riffle::Workspace<OnDevice> const workspace(OnDevice{3});
  EXPECT_EQ(thrown_message([&] { workspace.check_device("f", OnDevice{3}); }),
            "nothing was thrown");
  EXPECT_EQ(thrown_message([&] { workspace.check_device("f", OnDevice{1}); }),
            "riffle::f: workspace is on device 3, exec on device 1: must be the same");
}

TEST(Workspace, IsRejectedByAContextOnAnotherDevice) {
  riffle::Workspace<OnDevice> workspace(OnDevice{3});
  EXPECT_EQ(thrown_message([&] { Context(OnDevice{3}, workspace); }), "nothing was thrown");
  EXPECT_EQ(thrown_message([&] { Context(OnDevice{1}, "label", workspace); }),
            "riffle::Context: workspace is on device 3, exec on device 1: must be the same");
}

}  // namespace
}  // namespace riffle::test::workspace_test
