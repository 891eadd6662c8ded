// Temporary memory: scopes, the layout of arrays, and allocations.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kernel_log.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::arena_test {
namespace {

template <class Exec>
class ArenaTest : public ::testing::Test {
 protected:
  using Scope = detail::Scope<Exec>;
  using Words = Kokkos::View<std::uint64_t*, typename Exec::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  void fill_words(std::uint64_t* words, std::size_t count, std::uint64_t value) {
    fill_with(Words(words, count), value);
    exec.fence();
  }

  void expect_words(std::uint64_t* words, std::size_t count, std::uint64_t value) {
    exec.fence();
    EXPECT_EQ(to_vector(Words(words, count)), std::vector<std::uint64_t>(count, value));
  }

  /// Takes arrays of these numbers of words in a scope, and in a scope inside of it. Each array must keep its own
  /// words.
  void take_all(std::vector<std::size_t> const& outer, std::vector<std::size_t> const& inner) {
    Scope scope(context);
    auto const kept = taken(scope, outer, 100);
    {
      Scope scope_inside(context);
      auto const given_back = taken(scope_inside, inner, 200);
      expect_kept(given_back, 200);
    }
    expect_kept(kept, 100);
  }

  using Takes = std::vector<std::pair<std::uint64_t*, std::size_t>>;

  Takes taken(Scope& scope, std::vector<std::size_t> const& sizes, std::uint64_t value) {
    Takes takes;
    for (std::size_t const size : sizes) {
      takes.emplace_back(scope.template take<std::uint64_t>(size), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(takes.back().first) % 64, 0u);
      fill_words(takes.back().first, size, value + takes.size());
    }
    return takes;
  }

  void expect_kept(Takes const& takes, std::uint64_t value) {
    for (std::size_t k = 0; k < takes.size(); ++k) {
      expect_words(takes[k].first, takes[k].second, value + k + 1);
    }
  }

  /// The number of blocks that arenas have allocated since a KernelLog was made. (Reading device memory allocates,
  /// too.)
  static std::ptrdiff_t blocks_allocated() {
    auto const& names = KernelLog::allocations();
    return std::count(names.begin(), names.end(), "user::buffer");
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
  Context<Exec> context{exec, "user", workspace};
};
TYPED_TEST_SUITE(ArenaTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ArenaTest, ArraysOfAScopeAreConsecutive) {
  UnwatchedArenas const unwatched;
  this->take_all({100, 1, 33, 0, 1000}, {});
  EXPECT_EQ(this->workspace.bytes(), 1024u + 256 + 512 + 8192);
}

TYPED_TEST(ArenaTest, NestedScopesDoNotOverlap) { this->take_all({100, 50}, {7, 1000, 3}); }

TYPED_TEST(ArenaTest, TheSecondOfTwoEqualCallsDoesNotAllocate) {
  for (auto const& [outer, inner] :
       {std::pair<std::vector<std::size_t>, std::vector<std::size_t>>{{10}, {}},
        {{100, 200}, {300}},
        {{}, {5000, 1}},
        {{1}, {1, 10'000, 1}}}) {
    this->take_all(outer, inner);
    auto const bytes = this->workspace.bytes();
    KernelLog const log;
    this->take_all(outer, inner);
    EXPECT_EQ(this->blocks_allocated(), 0);
    EXPECT_EQ(this->workspace.bytes(), bytes);
  }
}

TYPED_TEST(ArenaTest, SuccessiveScopesReuseABlock) {
  typename TestFixture::Scope outer(this->context);
  outer.template take<std::byte>(1000);
  KernelLog const log;
  for (int k = 0; k < 5; ++k) {
    typename TestFixture::Scope inner(this->context);
    inner.template take<std::byte>(5000);
  }
  EXPECT_EQ(KernelLog::allocations(), std::vector<std::string>{"user::buffer"});
}

TYPED_TEST(ArenaTest, ReservedMemoryIsNotAllocatedAgain) {
  UnwatchedArenas const unwatched;
  for (std::size_t const bytes : {std::size_t{1}, std::size_t{255}, std::size_t{256 * 7 + 8}}) {
    riffle::Workspace<TypeParam> reserved(this->exec);
    reserved.reserve(bytes);
    KernelLog const log;
    Context<TypeParam> const with_reserved(this->exec, "user", reserved);
    typename TestFixture::Scope scope(with_reserved);
    scope.template take<std::byte>(bytes);
    EXPECT_EQ(KernelLog::allocations(), std::vector<std::string>()) << bytes;
  }
  this->workspace.reserve(256 * 6);
  KernelLog const log;
  this->take_all({32, 32, 1}, {32, 1, 32});
  EXPECT_EQ(this->blocks_allocated(), 0);
}

TYPED_TEST(ArenaTest, SeveralArraysAreOnePiece) {
  KernelLog const log;
  typename TestFixture::Scope scope(this->context);
  auto const [a, b] = scope.arrays([](detail::ArrayMemory& memory) {
    auto* const first = memory.take<std::uint64_t>(100);
    return std::pair(first, memory.take<std::uint64_t>(200));
  });
  this->fill_words(a, 100, 1);
  this->fill_words(b, 200, 2);
  this->expect_words(a, 100, 1);
  EXPECT_EQ((b - a) * 8 % 256, 0);
  EXPECT_EQ(this->blocks_allocated(), 1);
}

TYPED_TEST(ArenaTest, ZeroBytesAreNotAllocated) {
  UnwatchedArenas const unwatched;
  KernelLog const log;
  typename TestFixture::Scope scope(this->context);
  scope.template take<double>(0);
  EXPECT_EQ(KernelLog::allocations(), std::vector<std::string>());
  EXPECT_EQ(this->workspace.bytes(), 0u);
}

TYPED_TEST(ArenaTest, OnlyTheInnermostScopeTakesMemory) {
  typename TestFixture::Scope outer(this->context);
  {
    typename TestFixture::Scope const inner(this->context);
    EXPECT_THROW(outer.template take<int>(1), std::logic_error);
  }
  EXPECT_NO_THROW(outer.template take<int>(1));
}

TYPED_TEST(ArenaTest, GivesBackAllMemoryAfterAnException) {
  try {
    typename TestFixture::Scope outer(this->context);
    outer.template take<int>(1000);
    typename TestFixture::Scope inner(this->context);
    inner.template take<int>(1000);
    throw std::runtime_error("a call fails");
  } catch (std::runtime_error const&) {
  }
  auto const bytes = this->workspace.bytes();
  this->take_all({500}, {500});
  EXPECT_EQ(this->workspace.bytes(), bytes);
}

// --- ArenaWatch ---

// All tests of algorithms are watched in this way.
TEST(ArenaWatchTest, IsSetInTestPrograms) {
  ASSERT_NE(detail::arena_watch, nullptr);
  EXPECT_NE(dynamic_cast<ArenaThatFailsTests*>(detail::arena_watch), nullptr);
}

TYPED_TEST(ArenaTest, FailedAllocationsLeaveNoTrace) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer ends the program where memory is refused";
#endif
  auto const& memory = this->context.workspace();
  auto const take_twice = [&] { this->take_all({1000}, {2000}); };
  take_twice();
  take_twice();
  std::size_t const held = memory.bytes();
  EXPECT_GE(held, 24'000u);
  EXPECT_ANY_THROW(this->take_all({1000}, {std::size_t{1} << 49}));
  take_twice();
  take_twice();
  EXPECT_EQ(memory.bytes(), held);
}

TEST(ArenaWatchTest, IsRestoredWhenAnotherWatchEnds) {
  detail::ArenaWatch* const before = detail::arena_watch;
  {
    WatchedArena watch;
    EXPECT_EQ(detail::arena_watch, &watch);
    UnwatchedArenas const unwatched;
    EXPECT_EQ(detail::arena_watch, nullptr);
  }
  EXPECT_EQ(detail::arena_watch, before);
}

TYPED_TEST(ArenaTest, WatchFindsWritesOutsideOfArrays) {
  WatchedArena watch;
  {
    typename TestFixture::Scope scope(this->context);
    auto* const words = scope.template take<std::uint64_t>(10);
    this->fill_words(words, 10, 1);
  }
  EXPECT_EQ(watch.faults(), 0u);
  for (std::ptrdiff_t const beside : {-1, 10}) {
    typename TestFixture::Scope scope(this->context);
    auto* const words = scope.template take<std::uint64_t>(10);
    this->fill_words(words + beside, 1, 1);
  }
  EXPECT_EQ(watch.faults(), 2u);
  std::uint64_t* late = nullptr;
  {
    typename TestFixture::Scope scope(this->context);
    late = scope.template take<std::uint64_t>(10);
    this->fill_words(late, 10, 1);
  }
  this->expect_words(late, 10, WatchedArena::pattern);
}

}  // namespace
}  // namespace riffle::test::arena_test
