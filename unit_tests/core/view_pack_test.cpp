#include <Kokkos_Core.hpp>
#include <riffle/view_pack.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/views.hpp"

namespace riffle::test::view_pack_test {
namespace {

template <class Exec>
class ViewPackTest : public ::testing::Test {};
TYPED_TEST_SUITE(ViewPackTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ViewPackTest, HoldsItsViewsInOrder) {
  using Space = typename TypeParam::memory_space;
  using Keys = Kokkos::View<int*, Space>;
  using Rows = Kokkos::View<double**, Space>;
  Keys const keys("keys", 3);
  Rows const rows("rows", 3, 2);
  auto const pack = riffle::pack(keys, rows);
  static_assert(std::is_same_v<decltype(pack), riffle::ViewPack<Keys, Rows> const>);
  EXPECT_EQ(pack.first.data(), keys.data());
  EXPECT_EQ(pack.rest.first.data(), rows.data());
  // A pack owns its Views as a View owns its memory: by reference count.
  EXPECT_EQ(keys.use_count(), 2);
}

TEST(ViewPackTraitTest, TellsPacksFromViews) {
  using View = Kokkos::View<int*, Kokkos::HostSpace>;
  static_assert(detail::is_view_pack<ViewPack<>>);
  static_assert(detail::is_view_pack<ViewPack<View>>);
  static_assert(detail::is_view_pack<ViewPack<View, View>>);
  static_assert(!detail::is_view_pack<View>);
  static_assert(!detail::is_view_pack<int>);
  static_assert(std::is_same_v<decltype(riffle::pack()), ViewPack<>>);
}

/// Row i of `out` from row n - 1 - i of `in`.
template <class In, class Out>
struct ReverseRows {
  In in;
  Out out;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    detail::copy_row(in, n - 1 - i, out, i);
  }
};

template <class Exec, class In, class Out>
void reverse_rows(In const& in, Out const& out, std::uint64_t n) {
  Kokkos::parallel_for("reverse_rows", Kokkos::RangePolicy<Exec>(0, n),
                       ReverseRows<In, Out>{in, out, n});
  Kokkos::fence();
}

TYPED_TEST(ViewPackTest, CopiesRowsOfEveryViewInKernels) {
  using Space = typename TypeParam::memory_space;
  auto const keys = to_view<TypeParam>(std::vector<int>{1, 2, 3});
  auto const rows = make_matrix<TypeParam, double, Kokkos::LayoutLeft>(3, 2);
  auto const flags = to_view<TypeParam>(std::vector<char>{'a', 'b', 'c'});
  fill(rows, std::vector<double>{0, 1, 10, 11, 20, 21});
  Kokkos::View<long*, Space> const keys_out("keys_out", 3);
  auto const rows_out = make_matrix<TypeParam, double, Kokkos::LayoutStride>(3, 2);
  Kokkos::View<char*, Space> const flags_out("flags_out", 3);
  reverse_rows<TypeParam>(riffle::pack(keys, rows, flags),
                          riffle::pack(keys_out, rows_out, flags_out), 3);
  EXPECT_EQ(to_vector(keys_out), (std::vector<long>{3, 2, 1}));
  EXPECT_EQ(to_rows(rows_out), (std::vector<std::vector<double>>{{20, 21}, {10, 11}, {0, 1}}));
  EXPECT_EQ(to_vector(flags_out), (std::vector<char>{'c', 'b', 'a'}));
}

}  // namespace
}  // namespace riffle::test::view_pack_test
