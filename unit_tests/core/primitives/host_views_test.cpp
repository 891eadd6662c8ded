// Copies of Views of any layout to the host and back.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/view_copies.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/views.hpp"

namespace riffle::test::host_views_test {
namespace {

template <class View>
auto values_of(View const& view) {
  if constexpr (View::rank() == 1) {
    return to_vector(view);
  } else {
    return row_major(view);
  }
}

template <class Exec>
class HostViewsTest : public ::testing::Test {
 protected:
  /// Expects that the host reads the values of `view`, that values which the host writes arrive in it, and that kernels
  /// copy in both directions.
  template <class View>
  void expect_both_ways(View const& view) {
    auto const numbers = iota<int>(view.size());
    fill(view, numbers);
    auto const read = detail::copy_view_to_host(context, view);
    EXPECT_EQ(by_rows(read), numbers);
    auto const written = detail::make_host_view(context, view);
    auto const doubled = [](int number) { return 2 * number + 1; };
    write(written, numbers, doubled);
    detail::copy_view_from_host(context, written, view);
    std::vector<int> expected;
    for (int const number : numbers) expected.push_back(doubled(number));
    EXPECT_EQ(values_of(view), expected);
    expect_copied_without_gaps(view, expected);
  }

  /// The copies that are made for a View that the host cannot access, by kernels.
  template <class View>
  void expect_copied_without_gaps(View const& view, std::vector<int> const& values) {
    Kokkos::View<int*, typename Exec::memory_space> const memory("memory", view.size());
    auto const dense = detail::dense_at(memory.data(), view);
    ASSERT_TRUE(dense.span_is_contiguous());
    detail::copy_elements(context, view, dense);
    EXPECT_EQ(values_of(dense), values);
    fill(view, std::vector<int>(view.size()));
    detail::copy_elements(context, dense, view);
    exec.fence();
    EXPECT_EQ(values_of(view), values);
  }

  template <class View>
  static std::vector<int> by_rows(View const& host) {
    std::vector<int> values;
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      if constexpr (View::rank() == 1) {
        values.push_back(host(i));
      } else {
        for (std::size_t j = 0; j < host.extent(1); ++j) values.push_back(host(i, j));
      }
    }
    return values;
  }

  template <class View, class Change>
  static void write(View const& host, std::vector<int> const& values, Change const& change) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if constexpr (View::rank() == 1) {
        host(k) = change(values[k]);
      } else {
        host(k / host.extent(1), k % host.extent(1)) = change(values[k]);
      }
    }
  }

  Exec exec;
  detail::Call<Exec> const context{exec, "riffle::host_views"};
};
TYPED_TEST_SUITE(HostViewsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(HostViewsTest, Arrays) {
  for (std::size_t const n : {0, 1, 1000}) {
    this->expect_both_ways(zeros<TypeParam, int>(n));
    this->expect_both_ways(make_strided<TypeParam, int>(n));
  }
}

TYPED_TEST(HostViewsTest, Matrices) {
  this->expect_both_ways(make_matrix<TypeParam, int, Kokkos::LayoutRight>(30, 17));
  this->expect_both_ways(make_matrix<TypeParam, int, Kokkos::LayoutLeft>(30, 17));
  this->expect_both_ways(make_matrix<TypeParam, int, Kokkos::LayoutStride>(30, 17));
  this->expect_both_ways(make_matrix<TypeParam, int, Kokkos::LayoutLeft>(0, 17));
}

TYPED_TEST(HostViewsTest, PartsOfMatrices) {
  auto const right = make_matrix<TypeParam, int, Kokkos::LayoutRight>(30, 17);
  this->expect_both_ways(Kokkos::subview(right, Kokkos::ALL, std::make_pair(2, 11)));
  auto const left = make_matrix<TypeParam, int, Kokkos::LayoutLeft>(30, 17);
  this->expect_both_ways(Kokkos::subview(left, std::make_pair(3, 20), Kokkos::ALL));
}

// A View that the host can access is not copied.
TYPED_TEST(HostViewsTest, NoCopiesIfTheHostHasAccess) {
  auto const view = zeros<TypeParam, int>(10);
  auto const host = detail::copy_view_to_host(this->context, view);
  EXPECT_EQ(static_cast<void const*>(host.data()) == view.data(),
            (detail::is_host_accessible<std::remove_const_t<decltype(view)>>));
}

}  // namespace
}  // namespace riffle::test::host_views_test
