// With a workspace, scans and calls that move elements do not allocate.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/published/bijective_shuffle/bijective_shuffle.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"
#include "support/workspace_calls.hpp"

namespace riffle::test::workspace_calls_moves_test {
namespace {

struct Flags {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 3 == 0; }
};

struct Ignore {
  template <class Prefix>
  KOKKOS_FUNCTION void operator()(std::uint64_t, Prefix const&) const {}
};

/// A user-defined shuffle.
struct Reversal {
  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    std::uint64_t) const {
    context.for_each(n, Reverse<In, Out>{in, out, n});
  }

  template <class In, class Out>
  struct Reverse {
    In in;
    Out out;
    std::uint64_t n;
    KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = in(n - 1 - i); }
  };
};

template <class Exec>
class WorkspaceCallsOfMoves : public ::testing::Test {
 protected:
  using Calls = WorkspaceCalls<Exec>;
  using Memory = riffle::Workspace<Exec>;

  /// n elements each.
  struct Data {
    explicit Data(std::size_t n)
        : numbers(zeros<Exec, double>(n)),
          others(zeros<Exec, double>(n)),
          indices(zeros<Exec, std::uint32_t>(n)),
          strided(make_strided<Exec, int>(n)),
          rows(make_matrix<Exec, int, Kokkos::LayoutLeft>(n, 2)),
          other_rows(make_matrix<Exec, int, Kokkos::LayoutRight>(n, 2)) {}

    Kokkos::View<double*, typename Exec::memory_space> numbers, others;
    Kokkos::View<std::uint32_t*, typename Exec::memory_space> indices;
    Kokkos::View<int*, Kokkos::LayoutStride, typename Exec::memory_space> strided;
    Kokkos::View<int**, Kokkos::LayoutLeft, typename Exec::memory_space> rows;
    Kokkos::View<int**, Kokkos::LayoutRight, typename Exec::memory_space> other_rows;
  };

  Calls scans(Data const& d) const {
    std::uint64_t const n = d.numbers.extent(0);
    return {
        {"inclusive_scan",
         [=, this](Memory& memory) {
           inclusive_scan(Context(exec, memory), d.numbers, d.others, Sum<double>{});
         }},
        {"inclusive_scan in place",
         [=, this](Memory& memory) {
           inclusive_scan(Context(exec, memory), d.indices, d.indices, Max<std::uint32_t>{});
         }},
        {"inclusive_scan with gaps",
         [=, this](Memory& memory) {
           inclusive_scan(Context(exec, memory), d.strided, d.strided, Sum<int>{});
         }},
        {"exclusive_scan",
         [=, this](Memory& memory) {
           exclusive_scan(Context(exec, memory), d.numbers, d.others, Sum<double>{}, 1.0);
         }},
        {"scan of a function",
         [=, this](Memory& memory) {
           exclusive_scan(Context(exec, memory), n, Flags{}, Ignore{}, Count<std::uint64_t>{},
                          std::uint64_t{0});
         }},
    };
  }

  /// Adds calls on values, on strided values, on rows, and on a pack of these.
  template <class Algorithm>
  void add_shuffles(Calls& calls, std::string const& name, Algorithm algorithm,
                    Data const& d) const {
    auto const add = [&](std::string const& of, auto const& in, auto const& out) {
      calls.push_back({"shuffle_copy" + of + name, [=, this](Memory& memory) {
                         shuffle_copy(Context(exec, memory), in, out, 1, algorithm);
                       }});
      calls.push_back({"shuffle" + of + name, [=, this](Memory& memory) {
                         shuffle(Context(exec, memory), out, 1, algorithm);
                       }});
    };
    add(" of values, ", d.numbers, d.others);
    add(" of a pack, ", riffle::pack(d.numbers, d.rows), riffle::pack(d.others, d.other_rows));
    calls.push_back({"shuffle of values with gaps, " + name, [=, this](Memory& memory) {
                       shuffle(Context(exec, memory), d.strided, 1, algorithm);
                     }});
    calls.push_back({"shuffle of rows, " + name, [=, this](Memory& memory) {
                       shuffle(Context(exec, memory), d.rows, 1, algorithm);
                     }});
  }

  template <class Algorithm>
  void add_permutation(Calls& calls, std::string const& name, Algorithm algorithm,
                       Data const& d) const {
    calls.push_back({"random_permutation, " + name, [=, this](Memory& memory) {
                       random_permutation(Context(exec, memory), d.indices, 1, algorithm);
                     }});
  }

  Calls shuffles(Data const& d) const {
    Calls calls;
    add_shuffles(calls, "DefaultShuffle", riffle::DefaultShuffle{}, d);
    add_permutation(calls, "DefaultShuffle", riffle::DefaultShuffle{}, d);
    add_permutation(calls, "BucketShuffle", riffle::BucketShuffle{}, d);
    return calls;
  }

  Calls other_shuffles(Data const& d) const {
    Calls calls;
    add_shuffles(calls, "FisherYates", riffle::FisherYates{}, d);
    add_permutation(calls, "FisherYates", riffle::FisherYates{}, d);
    add_shuffles(calls, "Bijective0", riffle::Bijective0<>{}, d);
    calls.push_back({"shuffle, Bijective1", [=, this](Memory& memory) {
                       shuffle(Context(exec, memory), d.numbers, 1, riffle::Bijective1<>{});
                     }});
    calls.push_back({"shuffle, Bijective2", [=, this](Memory& memory) {
                       shuffle(Context(exec, memory), d.numbers, 1, riffle::Bijective2<>{});
                     }});
    calls.push_back({"shuffle, a user's algorithm", [=, this](Memory& memory) {
                       shuffle(Context(exec, memory), d.numbers, 1, Reversal{});
                     }});
    return calls;
  }

  Exec exec;
};
TYPED_TEST_SUITE(WorkspaceCallsOfMoves, ExecutionSpaces, SpaceNames);

// The check must find the allocations of a call without a workspace, or with a new one.
TYPED_TEST(WorkspaceCallsOfMoves, TheCheckSeesAllocations) {
  typename TestFixture::Data const data(1000);
  auto const& instance = this->exec;
  EXPECT_FALSE(allocations_of(instance, [&] { riffle::shuffle(instance, data.rows, 1); }).empty());
  riffle::Workspace<TypeParam> workspace(instance);
  auto const call = [&] { riffle::shuffle(Context(instance, workspace), data.rows, 1); };
  EXPECT_FALSE(allocations_of(instance, call).empty());
  EXPECT_TRUE(allocations_of(instance, call).empty());
}

TYPED_TEST(WorkspaceCallsOfMoves, ScansDoNotAllocate) {
  for (std::size_t const n : sizes_for_workspaces<TypeParam>()) {
    SCOPED_TRACE(n);
    expect_no_allocations(this->exec, this->scans(typename TestFixture::Data(n)), [] {});
  }
}

TYPED_TEST(WorkspaceCallsOfMoves, ShufflesDoNotAllocate) {
  auto sizes = sizes_for_workspaces<TypeParam>();
  std::size_t const min_in_buckets = riffle::DefaultShuffle::min_in_buckets;
  if (!backend::is_cpu<TypeParam>) {
    for (std::size_t const n : {min_in_buckets - 1, min_in_buckets, min_in_buckets + 1}) {
      sizes.push_back(n);
    }
  }
  for (std::size_t const n : sizes) {
    SCOPED_TRACE(n);
    expect_no_allocations(this->exec, this->shuffles(typename TestFixture::Data(n)), [] {});
  }
}

// The smallest size at which DefaultShuffle is BucketShuffle. The next test calls BucketShuffle at sizes that take a host less
// time; shuffle_copy and shuffle have this size in the last test.
TYPED_TEST(WorkspaceCallsOfMoves, ShufflesOfTheFewestInBucketsDoNotAllocate) {
  typename TestFixture::Calls calls;
  typename TestFixture::Data const data(riffle::DefaultShuffle::min_in_buckets);
  this->add_permutation(calls, "DefaultShuffle", riffle::DefaultShuffle{}, data);
  expect_no_allocations(this->exec, calls, [] {});
}

TYPED_TEST(WorkspaceCallsOfMoves, BucketShuffleDoesNotAllocate) {
  std::size_t const min_split = std::size_t{1} << 20;
  for (std::size_t const n : {std::size_t{1000}, min_split - 1, min_split}) {
    SCOPED_TRACE(n);
    typename TestFixture::Calls calls;
    typename TestFixture::Data const data(n);
    this->add_shuffles(calls, "BucketShuffle", riffle::BucketShuffle{}, data);
    this->add_permutation(calls, "BucketShuffle", riffle::BucketShuffle{}, data);
    expect_no_allocations(this->exec, calls, [] {});
  }
}

TYPED_TEST(WorkspaceCallsOfMoves, OtherShufflesDoNotAllocate) {
  for (std::size_t const n : {0, 1, 2, 1000, 4097, 70000}) {
    SCOPED_TRACE(n);
    expect_no_allocations(this->exec, this->other_shuffles(typename TestFixture::Data(n)), [] {});
  }
}

/// Expects that `call` does not allocate with a new workspace in which `bytes` are reserved.
template <class Exec, class Call>
void expect_enough(Exec const& exec, std::size_t bytes, Call const& call) {
  riffle::Workspace<Exec> other(exec);
  call(other);  // Kokkos now allocates its own scratch memory
  riffle::Workspace<Exec> workspace(exec);
  workspace.reserve(bytes);
  EXPECT_EQ(allocations_of(exec, [&] { call(workspace); }), std::vector<std::string>());
}

template <class Exec, class Algorithm, class In, class Out>
void expect_enough_of(Exec const& exec, Algorithm algorithm, In const& in, Out const& out) {
  expect_enough(exec, Algorithm::workspace_bytes(exec, out), [&](auto& workspace) {
    riffle::shuffle_copy(Context(exec, workspace), in, out, 1, algorithm);
  });
  expect_enough(exec, Algorithm::in_place_workspace_bytes(exec, out), [&](auto& workspace) {
    riffle::shuffle(Context(exec, workspace), out, 1, algorithm);
  });
}

// Sizes around those at which the algorithms change.
TYPED_TEST(WorkspaceCallsOfMoves, ReservedBytesOfShufflesSuffice) {
  UnwatchedArenas const unwatched;
  auto const expect_of = [&](auto algorithm, std::size_t n) {
    SCOPED_TRACE(n);
    typename TestFixture::Data const d(n);
    expect_enough_of(this->exec, algorithm, d.numbers, d.others);
    expect_enough_of(this->exec, algorithm, d.rows, d.other_rows);
    expect_enough_of(this->exec, algorithm, riffle::pack(d.numbers, d.rows),
                     riffle::pack(d.others, d.other_rows));
  };
  for (std::size_t const n : {0, 1, 5000}) {
    expect_of(riffle::DefaultShuffle{}, n);
    expect_of(riffle::BucketShuffle{}, n);
  }
  expect_of(riffle::BucketShuffle{}, std::size_t{1} << 20);
  typename TestFixture::Data const many(riffle::DefaultShuffle::min_in_buckets + 1);
  expect_enough_of(this->exec, riffle::DefaultShuffle{}, many.numbers, many.others);
  if (!backend::is_cpu<TypeParam>) {
    expect_enough_of(this->exec, riffle::DefaultShuffle{}, riffle::pack(many.numbers, many.rows),
                     riffle::pack(many.others, many.other_rows));
  }
}

}  // namespace
}  // namespace riffle::test::workspace_calls_moves_test
