// Contexts, and the label and workspace that a call adds to the caller's context.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kernel_log.hpp"
#include "support/views.hpp"

namespace riffle::test::context_test {
namespace {

template <class Exec>
struct WriteIndex {
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = i; }
};

template <class Exec>
class ContextTest : public ::testing::Test {
 protected:
  Exec exec;
  Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(ContextTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ContextTest, DeducesItsExecutionSpace) {
  using Expected = Context<TypeParam>;
  static_assert(std::is_same_v<decltype(Context(this->exec)), Expected>);
  static_assert(std::is_same_v<decltype(Context(this->exec, "label")), Expected>);
  static_assert(std::is_same_v<decltype(Context(this->exec, this->workspace)), Expected>);
  static_assert(std::is_same_v<decltype(Context(this->exec, "label", this->workspace)), Expected>);
  static_assert(std::is_convertible_v<TypeParam, Expected>);
}

TYPED_TEST(ContextTest, PartsHaveLabelsOfTheirOwn) {
  Context const context(this->exec, "user", this->workspace);
  EXPECT_EQ(context.named("part").label(), "user::part");
  EXPECT_EQ(context.named("part").named("of it").label(), "user::part::of it");
  EXPECT_EQ(&context.named("part").workspace(), &this->workspace);
  EXPECT_EQ(context.label(), "user");
}

TYPED_TEST(ContextTest, ForEachRunsOnTheInstanceWithTheLabel) {
  auto const instance = Kokkos::Experimental::partition_space(this->exec, 1, 1)[1];
  Kokkos::View<std::uint64_t*, typename TypeParam::memory_space> const out("out", 1000);
  Kokkos::fence();
  {
    KernelLog const log;
    Context(instance, "user").for_each(out.extent(0), WriteIndex<TypeParam>{out});
    ASSERT_EQ(KernelLog::kernels().size(), 1u);
    EXPECT_EQ(KernelLog::kernels()[0].name, "user");
    EXPECT_EQ(KernelLog::kernels()[0].device, Kokkos::Tools::Experimental::device_id(instance));
  }
  instance.fence();
  EXPECT_EQ(to_vector(out), iota<std::uint64_t>(1000));
}

// --- calls ---

TYPED_TEST(ContextTest, ACallAddsALabelAndAWorkspace) {
  detail::Call const call(this->exec, "riffle::call");
  static_assert(std::is_same_v<decltype(call), detail::Call<TypeParam> const>);
  EXPECT_EQ(call.label(), "riffle::call");
  KernelLog const log;
  {
    detail::Scope scope(call);
    scope.template take<std::byte>(100);
  }
  EXPECT_EQ(KernelLog::allocations(), std::vector<std::string>{"riffle::call::buffer"});
  EXPECT_EQ(this->workspace.bytes(), 0u);
}

TYPED_TEST(ContextTest, CallUsesLabelAndWorkspaceOfTheCaller) {
  detail::Call const named(Context(this->exec, "user"), "riffle::call");
  EXPECT_EQ(named.label(), "user");
  detail::Call const unnamed(Context(this->exec, this->workspace), "riffle::call");
  EXPECT_EQ(unnamed.label(), "riffle::call");
  EXPECT_EQ(&unnamed.workspace(), &this->workspace);
  detail::Call const both(Context(this->exec, "user", this->workspace), "riffle::call");
  EXPECT_EQ(both.label(), "user");
  EXPECT_EQ(&both.workspace(), &this->workspace);
}

// A call inside of a call uses its label and workspace.
TYPED_TEST(ContextTest, ACallWithinACallSharesItsMemory) {
  detail::Call const outer(this->exec, "riffle::outer");
  detail::Call const inner(outer, "riffle::inner");
  EXPECT_EQ(inner.label(), "riffle::outer");
  EXPECT_EQ(&inner.workspace(), &outer.workspace());
  detail::Call const part(outer.named("part"), "riffle::inner");
  EXPECT_EQ(part.label(), "riffle::outer::part");
  EXPECT_EQ(&part.workspace(), &outer.workspace());
}

TYPED_TEST(ContextTest, ConceptsOfTheFirstArgument) {
  static_assert(detail::InstanceOrContext<TypeParam>);
  static_assert(detail::InstanceOrContext<Context<TypeParam>>);
  static_assert(!detail::InstanceOrContext<Workspace<TypeParam>>);
  static_assert(!detail::InstanceOrContext<std::string>);
  static_assert(!detail::InstanceOrContext<Kokkos::View<int*, typename TypeParam::memory_space>>);
}

}  // namespace
}  // namespace riffle::test::context_test
