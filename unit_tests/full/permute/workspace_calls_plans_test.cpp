// With a workspace, calls with stored indices or a plan do not allocate, and calls that make a plan allocate only the plan.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/permute.hpp>
#include <riffle/permute/address_groups.hpp>
#include <riffle/permute/edge_colouring.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/row_permutation.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/permute/schedule_file.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/permute/transpose_in_place.hpp>
#include <riffle/published/offline_permutation/coloured_permutation.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"
#include "support/workspace_calls.hpp"

namespace riffle::test::workspace_calls_plans_test {
namespace {

template <class Exec>
class WorkspaceCallsOfPlans : public ::testing::Test {
 protected:
  using Calls = WorkspaceCalls<Exec>;
  using Memory = riffle::Workspace<Exec>;
  using Space = typename Exec::memory_space;

  /// Work that a host does for a GPU allocates host memory outside of the workspace.
  static constexpr bool is_on_host = riffle::backend::is_cpu<Exec>;

  /// n elements each; the permutation moves neighbours far apart.
  struct Data {
    explicit Data(std::size_t n) : in("in", n), out("out", n), indices("indices", n) {
      std::vector<std::uint32_t> images(n), wrong(n);
      std::size_t const step = 40503 % (n + 1);
      std::size_t place = 0;
      std::vector<bool> taken(n);
      for (std::size_t i = 0; i < n; ++i) {
        place = (place + step) % n;
        while (taken[place]) place = (place + 1) % n;
        taken[place] = true;
        images[i] = static_cast<std::uint32_t>(place);
      }
      p = to_view<Exec>(images);
      repeated = to_view<Exec>(wrong);
    }

    Kokkos::View<std::uint32_t*, Space> in, out, indices, p, repeated;
  };

  Calls of_indices(Data const& d) const {
    Calls calls = {
        {"is_permutation",
         [=, this](Memory& memory) { is_permutation(Context(exec, memory), d.p); }},
        {"first_violation",
         [=, this](Memory& memory) { first_violation(Context(exec, memory), d.repeated); }},
        {"inverse_if_permutation",
         [=, this](Memory& memory) {
           inverse_if_permutation(Context(exec, memory), d.p, d.indices);
         }},
        {"scatter_if_permutation",
         [=, this](Memory& memory) {
           scatter_if_permutation(Context(exec, memory), d.in, d.p, d.out);
         }},
        {"permute",
         [=, this](Memory& memory) { permute(Context(exec, memory), d.in, d.p, d.out); }},
    };
    for (std::uint64_t const w : {4, 32, 1000, 100000}) {
      calls.push_back({"count_address_groups, w = " + std::to_string(w), [=, this](Memory& memory) {
                         count_address_groups(Context(exec, memory), d.p, w);
                       }});
    }
    return calls;
  }

  Calls of_plans(Data const& d) const {
    auto const scheduled = std::make_shared<riffle::ScheduledPermutation<Exec>>(exec, d.p);
    auto const planned = std::make_shared<riffle::PlannedPermutation<Exec>>(exec, d.p);
    auto const coloured = std::make_shared<riffle::ColouredPermutation<Exec>>(exec, d.p);
    Calls calls = {
        {"ScheduledPermutation",
         [=, this](Memory& memory) { (*scheduled)(Context(exec, memory), d.in, d.out); }},
        {"ScheduledPermutation of a pack",
         [=, this](Memory& memory) {
           (*scheduled)(Context(exec, memory), riffle::pack(d.in, d.p),
                        riffle::pack(d.out, d.indices));
         }},
        {"ScheduledPermutation::destinations",
         [=, this](Memory& memory) { scheduled->destinations(Context(exec, memory), d.indices); }},
        {"PlannedPermutation",
         [=, this](Memory& memory) { permute(Context(exec, memory), d.in, *planned, d.out); }},
        {"ColouredPermutation",
         [=, this](Memory& memory) { (*coloured)(Context(exec, memory), d.in, d.out); }},
    };
    if constexpr (is_on_host) {
      calls.push_back({"save_schedule", [=, this](Memory& memory) {
                         std::ostringstream file;
                         save_schedule(Context(exec, memory), *scheduled, file);
                       }});
    }
    return calls;
  }

  /// Calls on matrices of about n elements.
  Calls of_matrices(std::size_t n) const {
    Calls calls;
    auto const add = [&](std::size_t rows, std::size_t columns) {
      Kokkos::View<int*, Space> const data("data", rows * columns);
      calls.push_back(
          {"transpose_in_place of " + std::to_string(rows) + " rows", [=, this](Memory& memory) {
             transpose_in_place(Context(exec, memory), data, rows, columns);
           }});
    };
    add(3, n / 3);
    add(n / 3, 3);
    add(100, n / 100);
    return calls;
  }

  Calls of_columns() const {
    std::size_t const rows = 300;
    Kokkos::View<int**, Space> const p("p", rows, 40);
    auto const host = Kokkos::create_mirror_view(p);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < 40; ++j) host(i, j) = static_cast<int>((i + 7 * j) % rows);
    }
    Kokkos::deep_copy(p, host);
    Kokkos::View<int**, Space> const out("out", rows, 40);
    auto const plan = std::make_shared<riffle::ColumnPermutation<Exec>>(exec, p);
    return {{"ColumnPermutation",
             [=, this](Memory& memory) { (*plan)(Context(exec, memory), p, out); }}};
  }

  /// Colours a graph in which each node has `degree` edges.
  WorkspaceCall<Exec> of_edges(std::string const& name, std::uint64_t nodes,
                               std::uint64_t degree) const {
    std::vector<std::uint32_t> left, right;
    for (std::uint64_t i = 0; i < nodes * degree; ++i) {
      left.push_back(static_cast<std::uint32_t>(i % nodes));
      right.push_back(static_cast<std::uint32_t>((i % nodes * 3 + i / nodes * 5) % nodes));
    }
    auto const from = to_view<Exec>(left);
    auto const to = to_view<Exec>(right);
    Kokkos::View<std::uint16_t*, Space> const colours("colours", left.size());
    return {"colour_edges, " + name, [=, this](Memory& memory) {
              colour_edges(Context(exec, memory), nodes, from, to, colours);
            }};
  }

  Exec exec;
};
TYPED_TEST_SUITE(WorkspaceCallsOfPlans, ExecutionSpaces, SpaceNames);

/// The bound of the heap memory for building and saving a plan of n elements.
std::uint64_t heap_of_plans(std::size_t n) { return (std::uint64_t{1} << 21) + 64 * n; }

TYPED_TEST(WorkspaceCallsOfPlans, StoredIndicesDoNotAllocate) {
  for (std::size_t const n : sizes_for_workspaces<TypeParam>()) {
    SCOPED_TRACE(n);
    expect_no_allocations(this->exec, this->of_indices(typename TestFixture::Data(n)), [] {});
  }
}

TYPED_TEST(WorkspaceCallsOfPlans, PlansDoNotAllocate) {
  for (std::size_t const n : sizes_for_workspaces<TypeParam>()) {
    SCOPED_TRACE(n);
    expect_no_allocations(
        this->exec, this->of_plans(typename TestFixture::Data(n)), [] {}, heap_of_plans(n));
  }
}

// One call scatters several arrays.
TYPED_TEST(WorkspaceCallsOfPlans, PermutingManyArraysDoesNotAllocate) {
  for (std::size_t const n : {std::size_t{1000}, std::size_t{1} << 22}) {
    SCOPED_TRACE(n);
    typename TestFixture::Data const d(n);
    auto const b = zeros<TypeParam, std::uint32_t>(n);
    auto const c = zeros<TypeParam, std::uint32_t>(n);
    auto const e = zeros<TypeParam, std::uint32_t>(n);
    auto const f = zeros<TypeParam, std::uint32_t>(n);
    WorkspaceCalls<TypeParam> const calls = {
        {"permute of a pack", [&](auto& memory) {
           riffle::permute(Context(this->exec, memory),
                           riffle::pack(d.in, d.in, d.in, d.in, d.in, d.in), d.p,
                           riffle::pack(d.out, d.indices, b, c, e, f));
         }}};
    expect_no_allocations(
        this->exec, calls, [] {}, heap_of_plans(n));
  }
}

TYPED_TEST(WorkspaceCallsOfPlans, MatricesDoNotAllocate) {
  for (std::size_t const n : {1000, 100'000, 1'000'000}) {
    SCOPED_TRACE(n);
    expect_no_allocations(this->exec, this->of_matrices(n), [] {});
  }
  expect_no_allocations(this->exec, this->of_columns(), [] {});
}

// On a GPU, the host colours in memory of its own.
TYPED_TEST(WorkspaceCallsOfPlans, ColouringsDoNotAllocate) {
  if (!TestFixture::is_on_host) GTEST_SKIP();
  for (std::uint64_t const nodes : {1, 40, 1000, 70'000}) {
    SCOPED_TRACE(nodes);
    expect_no_allocations(this->exec,
                          WorkspaceCalls<TypeParam>{this->of_edges("degree 8", nodes, 8),
                                                    this->of_edges("degree 6", nodes, 6)},
                          [] {});
  }
}

/// Expects that all of `names` are arrays of a plan.
void expect_plans_only(std::vector<std::string> const& names) {
  EXPECT_FALSE(names.empty());
  for (auto const& name : names) {
    bool is_of_plan = false;
    for (char const* part : {"::order", "::heads", "::offsets", "::indices"}) {
      is_of_plan |= name.ends_with(part);
    }
    EXPECT_TRUE(is_of_plan) << name;
  }
}

TYPED_TEST(WorkspaceCallsOfPlans, BuildingAPlanAllocatesOnlyThePlan) {
  // Assumed times make both plans choose the same method; measured times could differ.
  riffle::detail::planning::MethodTimes const schedule_is_best{2, 3, 1};
  riffle::detail::planning::assumed_times = &schedule_is_best;
  riffle::Workspace<TypeParam> memory(this->exec);
  for (std::size_t const n : {1000, 300'000}) {
    SCOPED_TRACE(n);
    typename TestFixture::Data const d(n);
    auto const schedule = [&] {
      riffle::ScheduledPermutation<TypeParam>(Context(this->exec, memory), d.p);
    };
    auto const plan = [&] {
      riffle::PlannedPermutation<TypeParam>(Context(this->exec, memory), d.p);
    };
    schedule();
    plan();
    expect_plans_only(allocations_of(this->exec, schedule));
    expect_plans_only(allocations_of(this->exec, plan));
    if constexpr (TestFixture::is_on_host) {
      std::stringstream file;
      save_schedule(this->exec, riffle::ScheduledPermutation<TypeParam>(this->exec, d.p), file);
      auto const load = [&] {
        file.seekg(0);
        riffle::load_schedule(Context(this->exec, memory), file);
      };
      load();
      expect_plans_only(allocations_of(this->exec, load));
    }
  }
  riffle::detail::planning::assumed_times = nullptr;
}

}  // namespace
}  // namespace riffle::test::workspace_calls_plans_test
