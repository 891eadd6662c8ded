// permute() and PlannedPermutation: which method is chosen, and that all methods give the same result.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/permute.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/kernel_log.hpp"
#include "support/matrices.hpp"
#include "support/permutation_method.hpp"
#include "support/permutations.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::permute_test {
namespace {

using Indices = std::vector<std::uint32_t>;

Indices perfect_shuffle(std::size_t n) {
  Indices p(n);
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = static_cast<std::uint32_t>(i < n / 2 ? 2 * i : 2 * i - n + 1);
  }
  return p;
}

template <class T>
std::vector<T> scattered(std::vector<T> const& in, Indices const& p) {
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < p.size(); ++i) out[p[i]] = in[i];
  return out;
}

/// During its lifetime, plans use these times instead of measuring.
class AssumedTimes {
 public:
  explicit AssumedTimes(detail::planning::MethodTimes const& times) : times_(times) {
    detail::planning::assumed_times = &times_;
  }
  ~AssumedTimes() { detail::planning::assumed_times = nullptr; }
  AssumedTimes(AssumedTimes const&) = delete;
  AssumedTimes& operator=(AssumedTimes const&) = delete;

 private:
  detail::planning::MethodTimes times_;
};

constexpr detail::planning::MethodTimes scatter_is_best{1, 2, 3};
constexpr detail::planning::MethodTimes gather_is_best{2, 1, 3};
constexpr detail::planning::MethodTimes schedule_is_best{2, 3, 1};

template <class Exec>
class PermuteTest : public ::testing::Test {
 protected:
  using Plan = PlannedPermutation<Exec>;

  /// More elements than are always gathered.
  static constexpr std::size_t large = backend::is_cpu<Exec> ? 100'003 : 16'000'001;

  Plan plan_of(Indices const& p, PermutationUse const& use = {.bytes = 4, .calls = 1e6}) {
    return Plan(Context(exec, workspace), to_view<Exec>(p), use);
  }

  void expect_moves(Plan const& plan, Indices const& p) {
    ASSERT_EQ(plan.size(), p.size());
    auto const values = iota<std::uint32_t>(p.size());
    auto const in = to_view<Exec>(values);
    auto const out = zeros<Exec, std::uint32_t>(p.size());
    permute(Context(exec, workspace), in, plan, out);
    EXPECT_TRUE(to_vector(out) == inverse_of(p));
    permute(Context(exec, workspace), in, plan.inverse(), out);
    EXPECT_TRUE(to_vector(out) == p);
    plan.inverse().inverse()(Context(exec, workspace), in, out);
    EXPECT_TRUE(to_vector(out) == inverse_of(p));
  }

  Exec exec;
  Workspace<Exec> workspace;
};
TYPED_TEST_SUITE(PermuteTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermuteTest, ChoosesScatterWhereItIsFastest) {
  AssumedTimes const times(scatter_is_best);
  for (std::size_t const n : {65'537, 400'000}) {
    auto const plan = this->plan_of(iota<std::uint32_t>(n));
    EXPECT_EQ(plan.method(), PermutationMethod::scatter);
    EXPECT_EQ(plan.bytes(), 4 * n);
    this->expect_moves(plan, iota<std::uint32_t>(n));
  }
}

TYPED_TEST(PermuteTest, FewElementsAreGathered) {
  for (std::size_t const n : {1, 33, 1000, 65'536}) {
    auto const p = random_cycle<std::uint32_t>(n);
    auto const plan = this->plan_of(p);
    EXPECT_EQ(plan.method(), PermutationMethod::gather);
    EXPECT_EQ(plan.bytes(), 4 * n);
    this->expect_moves(plan, p);
  }
}

TYPED_TEST(PermuteTest, PerfectShufflesAreNotScheduled) {
  AssumedTimes const times(gather_is_best);
  auto const p = perfect_shuffle(this->large - 1);
  auto const plan = this->plan_of(p);
  EXPECT_NE(plan.method(), PermutationMethod::schedule);
  this->expect_moves(plan, p);
}

TYPED_TEST(PermuteTest, ManyRandomElementsAreScheduled) {
  AssumedTimes const times({3e-2, 2e-2, 1e-2});
  auto const p = random_cycle<std::uint32_t>(this->large);
  auto const plan = this->plan_of(p);
  EXPECT_EQ(plan.method(), PermutationMethod::schedule);
  EXPECT_EQ(plan.bytes(),
            ScheduledPermutation<TypeParam>(this->exec, to_view<TypeParam>(p)).bytes());
  this->expect_moves(plan, p);
  EXPECT_EQ(this->plan_of(p, {.bytes = 4, .calls = 0.005}).method(), PermutationMethod::gather);
}

TYPED_TEST(PermuteTest, EmptyViews) {
  auto const plan = this->plan_of({});
  EXPECT_EQ(plan.bytes(), 0u);
  this->expect_moves(plan, {});
  auto const none = zeros<TypeParam, std::uint32_t>(0);
  permute(this->exec, none, none, none);
}

// The result does not depend on the measured times. A schedule is not chosen for few calls.
TYPED_TEST(PermuteTest, EachChosenMethodPermutes) {
  auto const p = random_cycle<std::uint32_t>(70'001);
  for (PermutationUse const& use : {PermutationUse{.bytes = 1, .calls = 0},
                                    {.bytes = 8, .calls = 1e9},
                                    {.bytes = 40, .calls = 1e9}}) {
    auto const plan = this->plan_of(p, use);
    if (use.calls == 0) {
      EXPECT_NE(plan.method(), PermutationMethod::schedule);
    }
    this->expect_moves(plan, p);
  }
  AssumedTimes const times(scatter_is_best);
  EXPECT_EQ(this->plan_of(p).method(), PermutationMethod::scatter);
  AssumedTimes const others(gather_is_best);
  EXPECT_EQ(this->plan_of(p).method(), PermutationMethod::gather);
  AssumedTimes const scheduled(schedule_is_best);
  EXPECT_EQ(this->plan_of(p).method(), PermutationMethod::schedule);
  EXPECT_EQ(this->plan_of(p, {.calls = 0}).method(), PermutationMethod::scatter);
}

// The indices are checked once, and no address groups are counted.
TYPED_TEST(PermuteTest, PlansAreBuiltOnce) {
  AssumedTimes const times(schedule_is_best);
  auto const p = to_view<TypeParam>(random_cycle<std::uint32_t>(this->large));
  KernelLog const log;
  PlannedPermutation<TypeParam> const plan(this->exec, p, {.bytes = 4, .calls = 1e6});
  EXPECT_EQ(plan.method(), PermutationMethod::schedule);
  auto const count = [](char const* part) {
    auto const& kernels = KernelLog::kernels();
    return std::count_if(kernels.begin(), kernels.end(), [&](LoggedEvent const& kernel) {
      return kernel.name.find(part) != std::string::npos;
    });
  };
  EXPECT_EQ(count("::check::clear"), 1);
  EXPECT_EQ(count("address_groups"), 0);
}

TYPED_TEST(PermuteTest, SeveralArraysByOnePlan) {
  AssumedTimes const times(schedule_is_best);
  for (std::size_t const n : {std::size_t{5000}, this->large}) {
    auto const p = random_cycle<std::uint32_t>(n);
    auto const plan = this->plan_of(p);
    auto const keys = iota<std::uint16_t>(n);
    auto const values = iota<std::uint64_t>(n);
    auto const out_keys = zeros<TypeParam, std::uint16_t>(n);
    auto const out_values = zeros<TypeParam, std::uint64_t>(n);
    permute(Context(this->exec, this->workspace),
            pack(to_view<TypeParam>(keys), to_view<TypeParam>(values)), plan,
            pack(out_keys, out_values));
    EXPECT_TRUE(to_vector(out_keys) == scattered(keys, p));
    EXPECT_TRUE(to_vector(out_values) == scattered(values, p));
  }
}

/// Whether a schedule was built during the lifetime of this object.
class ScheduleWatch {
 public:
  static bool saw_one() {
    auto const& kernels = KernelLog::kernels();
    return std::any_of(kernels.begin(), kernels.end(),
                       [](LoggedEvent const& kernel) { return kernel.name.ends_with("::last"); });
  }

 private:
  KernelLog log_;
};

TYPED_TEST(PermuteTest, OneCallForOneArrayScatters) {
  auto const p = random_cycle<std::uint32_t>(this->large);
  auto const in = to_view<TypeParam>(iota<std::uint32_t>(p.size()));
  auto const out = zeros<TypeParam, std::uint32_t>(p.size());
  auto const stored = to_view<TypeParam>(p);
  ScheduleWatch const watch;
  permute(this->exec, in, stored, out);
  this->exec.fence();
  EXPECT_FALSE(watch.saw_one());
  EXPECT_TRUE(to_vector(out) == inverse_of(p));
  expect_no_fence(this->exec, [&] { permute(this->exec, in, stored, out); });
}

TYPED_TEST(PermuteTest, OneCallForAPackScatters) {
  std::size_t const n = 1001;
  auto const p = random_cycle<std::uint32_t>(n);
  auto const stored = to_view<TypeParam>(p);
  auto const a = to_view<TypeParam>(iota<std::uint32_t>(n));
  auto const b = to_view<TypeParam>(iota<double>(n));
  auto const out_a = zeros<TypeParam, std::uint32_t>(n);
  auto const out_b = zeros<TypeParam, double>(n);
  expect_no_fence(this->exec, [&] { permute(this->exec, pack(a, b), stored, pack(out_a, out_b)); });
  this->exec.fence();
  EXPECT_TRUE(to_vector(out_a) == inverse_of(p));
  EXPECT_TRUE(to_vector(out_b) == scattered(iota<double>(n), p));
}

TYPED_TEST(PermuteTest, RowsOfAMatrix) {
  Kokkos::View<int**, TypeParam> const in("in", 3, 2);
  Kokkos::View<int**, TypeParam> const out("out", 3, 2);
  fill(in, iota<int>(6));
  permute(this->exec, in, to_view<TypeParam>(std::vector<int>{1, 2, 0}), out);
  this->exec.fence();
  EXPECT_EQ(to_rows(out), (std::vector<std::vector<int>>{{4, 5}, {0, 1}, {2, 3}}));
}

TYPED_TEST(PermuteTest, RejectsInvalidArguments) {
  auto const message_of = [&](Indices const& p) {
    return thrown_message([&] { this->plan_of(p); });
  };
  EXPECT_EQ(message_of({0, 3, 1}),
            "riffle::PlannedPermutation: p(1) = 3: must be at least 0 and less than n = 3");
  EXPECT_EQ(message_of({2, 0, 2}),
            "riffle::PlannedPermutation: p(2) = 2 is there before: must be a permutation, each "
            "value once");
  auto const three = to_view<TypeParam>(iota<std::uint32_t>(3));
  auto const four = to_view<TypeParam>(Indices(4, 77));
  EXPECT_EQ(thrown_message([&] { permute(this->exec, three, three, four); }),
            "riffle::permute: p.extent(0) = 3 and out.extent(0) = 4: must be equal");
  EXPECT_NE(
      thrown_message([&] { permute(this->exec, four, three, three); }).find("riffle::permute"),
      std::string::npos);
  auto const plan = this->plan_of({1, 2, 3, 0, 4});
  auto const other = to_view<TypeParam>(iota<std::uint32_t>(4));
  EXPECT_EQ(thrown_message([&] { plan(this->exec, other, four); }),
            "riffle::PlannedPermutation: in.extent(0) = 4 and the plan is of 5 elements: must be "
            "equal");
  EXPECT_NE(thrown_message([&] {
              this->plan_of({1, 2, 3, 0})(this->exec, four, four);
            }).find("share"),
            std::string::npos);
  EXPECT_EQ(to_vector(four), Indices(4, 77));
}

TYPED_TEST(PermuteTest, RejectsInvalidNumbersOfUses) {
  auto const p = to_view<TypeParam>(iota<std::uint32_t>(5));
  auto const message_of = [&](PermutationUse const& use) {
    return thrown_message([&] { PlannedPermutation<TypeParam>(this->exec, p, use); });
  };
  EXPECT_EQ(message_of({.bytes = 0}),
            "riffle::PlannedPermutation: use.bytes = 0: must be at least 1");
  std::string const must = ": must be a finite number, at least 0";
  EXPECT_EQ(message_of({.calls = -1}), "riffle::PlannedPermutation: use.calls = -1" + must);
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(message_of({.calls = Limits::quiet_NaN()}),
            "riffle::PlannedPermutation: use.calls = nan" + must);
  EXPECT_EQ(message_of({.calls = Limits::infinity()}),
            "riffle::PlannedPermutation: use.calls = inf" + must);
  EXPECT_EQ(message_of({.calls = 0}), "nothing was thrown");
}

// A scatter converts to a wider type; a plan moves elements of one type.
TYPED_TEST(PermuteTest, ValueTypeOfOutMayBeWider) {
  auto const in = to_view<TypeParam>(std::vector<int>{7, 8, 9});
  auto const out = zeros<TypeParam, double>(3);
  permute(this->exec, in, to_view<TypeParam>(std::vector<int>{1, 2, 0}), out);
  this->exec.fence();
  EXPECT_EQ(to_vector(out), (std::vector<double>{9, 7, 8}));
}

// Class template argument deduction, as in the examples of the documentation.
TYPED_TEST(PermuteTest, PlansDeduceTheirExecutionSpace) {
  auto const p = to_view<TypeParam>(random_cycle<std::uint32_t>(50));
  PlannedPermutation const planned(this->exec, p, {.bytes = 8, .calls = 100});
  static_assert(std::is_same_v<decltype(planned), PlannedPermutation<TypeParam> const> &&
                std::is_same_v<decltype(PlannedPermutation(Context(this->exec), p)),
                               PlannedPermutation<TypeParam>> &&
                std::is_same_v<decltype(ScheduledPermutation(this->exec, p)),
                               ScheduledPermutation<TypeParam>> &&
                std::is_same_v<decltype(ScheduledPermutation(Context(this->exec, "plan"), p)),
                               ScheduledPermutation<TypeParam>>);
  EXPECT_EQ(planned.size(), 50u);
}

/// A type that is not trivially copyable: scatter() can move it, plans cannot.
struct HasCopyConstructor {
  KOKKOS_DEFAULTED_FUNCTION HasCopyConstructor() = default;
  KOKKOS_FUNCTION HasCopyConstructor(HasCopyConstructor const& other) : number(other.number) {}
  KOKKOS_FUNCTION HasCopyConstructor& operator=(HasCopyConstructor const& other) {
    number = other.number;
    return *this;
  }
  double number = 0;
};

TEST(Permute, ElementsWithCopyConstructors) {
  Kokkos::DefaultHostExecutionSpace const exec;
  using View = Kokkos::View<HasCopyConstructor*, Kokkos::HostSpace>;
  View const in("in", 5000);
  View const out("out", 5000);
  auto const p = random_cycle<std::uint32_t>(5000);
  for (std::size_t i = 0; i < 5000; ++i) in(i).number = static_cast<double>(i);
  permute(exec, in, to_view<Kokkos::DefaultHostExecutionSpace>(p), out);
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(out(p[i]).number, static_cast<double>(i));
}

TYPED_TEST(PermuteTest, KernelsAndMemoryUseTheCallersInstance) {
  auto const p = to_view<TypeParam>(random_cycle<std::uint32_t>(5000));
  auto const in = zeros<TypeParam, std::uint32_t>(5000);
  auto const out = zeros<TypeParam, std::uint32_t>(5000);
  PlannedPermutation<TypeParam> const plan(this->exec, p);
  expect_labels_and_instance(this->exec,
                             [&](auto const& on) { PlannedPermutation<TypeParam>(on, p); });
  expect_labels_and_instance(this->exec, [&](auto const& on) { permute(on, in, plan, out); });
  expect_labels_and_instance(this->exec, [&](auto const& on) { permute(on, in, p, out); });
  expect_no_fence(this->exec, [&] { plan(this->exec, in, out); });
}

}  // namespace
}  // namespace riffle::test::permute_test
