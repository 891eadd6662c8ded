// Which calls that sort fence, as docs/promises.md says.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/sort/sort_by_key.hpp>

#include <gtest/gtest.h>

#include <cstddef>

#include "support/execution_spaces.hpp"
#include "support/fences.hpp"

namespace riffle::test::fences_of_sorts_test {
namespace {

template <class Exec>
class FencesOfSortsTest : public FencesBase<Exec> {};
TYPED_TEST_SUITE(FencesOfSortsTest, ExecutionSpaces, SpaceNames);

// On a GPU only: on a CPU a kernel has ended when its launch returns.
TYPED_TEST(FencesOfSortsTest, SortsOfFewNumbersDoNotFence) {
  if constexpr (backend::is_cpu<TypeParam>) {
    GTEST_SKIP() << "sorts by digits read their counts";
  } else {
    auto const& exec = this->exec;
    auto& memory = this->workspace;
    auto const& x = this->x;
    auto const& y = this->y;
    auto const& q = this->q;
    this->expect_none("sort", [&] { riffle::sort(Context(exec, memory), x); });
    this->expect_none("sort_by_key", [&] { riffle::sort_by_key(Context(exec, memory), x, y); });
    this->expect_none("argsort", [&] { riffle::argsort(Context(exec, memory), x, q); });
    this->expect_none("rank_unsorted", [&] { riffle::rank_unsorted(Context(exec, memory), x, q); });
    this->expect_none("rank_unsorted_groups", [&] {
      riffle::rank_unsorted_groups(Context(exec, memory), this->zeros, x, q);
    });
    this->expect_none("rank_unsorted_rows",
                      [&] { riffle::rank_unsorted_rows(Context(exec, memory), this->a, this->b); });
  }
}

// On a GPU only: the host reads which bits matter, or whether the splitters divide the numbers.
TYPED_TEST(FencesOfSortsTest, SortsOfManyNumbersFence) {
  if constexpr (backend::is_cpu<TypeParam>) {
    GTEST_SKIP() << "a kernel ends with its launch";
  } else {
    auto const& exec = this->exec;
    auto& memory = this->workspace;
    std::size_t const many = std::size_t{1} << 21;
    auto const values = this->template array<double>(many);
    auto const indices = this->template array<int>(many);
    this->expect_some("sort", [&] { riffle::sort(Context(exec, memory), values); });
    this->expect_some("argsort", [&] { riffle::argsort(Context(exec, memory), values, indices); });
  }
}

/// a < b, as a type that Riffle does not know.
struct IsLess {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a < b; }
};

// On a GPU only: kernels handle NaNs, and the number of merge rounds depends on n only.
TYPED_TEST(FencesOfSortsTest, CopiesOfManyFloatsAndMergesDoNotFence) {
  if constexpr (backend::is_cpu<TypeParam>) {
    GTEST_SKIP() << "a kernel ends with its launch";
  } else {
    auto const& exec = this->exec;
    auto& memory = this->workspace;
    std::size_t const many = (std::size_t{1} << 21) + 1;
    auto const floats = this->template array<float>(many);
    auto const sorted = this->template array<float>(many);
    auto const doubles = this->template array<double>(many);
    this->expect_none("sort_copy of floats",
                      [&] { riffle::sort_copy(Context(exec, memory), floats, sorted); });
    this->expect_none("sort by a comparison",
                      [&] { riffle::sort(Context(exec, memory), doubles, IsLess()); });
  }
}

}  // namespace
}  // namespace riffle::test::fences_of_sorts_test
