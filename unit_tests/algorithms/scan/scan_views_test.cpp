// The Views that scans take: layouts, strides, alignment, value types, memory traits.

#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/monoids.hpp"
#include "support/scan_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_views_test {
namespace {

constexpr std::size_t sizes[] = {1, 127, tile_elements + 1, 9 * tile_elements + 77};

template <class T>
std::vector<T> digits(std::size_t n) {
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<T>(i * i % 7));
  return values;
}

template <class To, class From>
std::vector<To> converted(std::vector<From> const& values) {
  std::vector<To> result;
  for (auto const& value : values) result.push_back(static_cast<To>(value));
  return result;
}

template <class Exec>
class ScanViewsTest : public ::testing::Test {
 protected:
  using Space = typename Exec::memory_space;

  /// Fills `in`, scans it to `out` and checks the sums.
  template <class In, class Out>
  void expect_scans(In const& in, Out const& out) {
    using T = typename Out::non_const_value_type;
    auto const values = digits<typename In::non_const_value_type>(in.extent(0));
    fill(in, values);
    riffle::inclusive_scan(exec, in, out);
    exec.fence();
    EXPECT_TRUE(same(to_vector(out), inclusive_oracle(converted<T>(values), std::plus<T>{})));
    fill(in, values);
    riffle::exclusive_scan(exec, in, out, riffle::Sum<T>{}, T(5));
    exec.fence();
    EXPECT_TRUE(same(to_vector(out), exclusive_oracle(converted<T>(values), std::plus<T>{}, T(5))));
  }

  template <class In, class Out>
  void expect_scans_between_types() {
    for (std::size_t const n : sizes) {
      expect_scans(Kokkos::View<In*, Space>("in", n), Kokkos::View<Out*, Space>("out", n));
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(ScanViewsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScanViewsTest, Layouts) {
  using Space = typename TypeParam::memory_space;
  for (std::size_t const n : sizes) {
    Kokkos::View<int*, Kokkos::LayoutLeft, Space> const left("left", n);
    Kokkos::View<int*, Kokkos::LayoutRight, Space> const right("right", n);
    this->expect_scans(left, right);
    // Contiguity depends on the strides, not on the type.
    auto const strided = make_strided<TypeParam, int>(n);
    decltype(strided) other_strided = make_strided<TypeParam, int>(n);
    decltype(strided) dense = left;
    this->expect_scans(dense, strided);
    this->expect_scans(strided, dense);
    this->expect_scans(strided, other_strided);
  }
}

TYPED_TEST(ScanViewsTest, InPlace) {
  using Space = typename TypeParam::memory_space;
  for (std::size_t const n : sizes) {
    Kokkos::View<std::uint8_t*, Space> const bytes("bytes", n);
    auto const strided = make_strided<TypeParam, int>(n);
    this->expect_scans(bytes, bytes);
    this->expect_scans(strided, strided);
  }
}

TYPED_TEST(ScanViewsTest, SmallElementsMayBeginAnywhere) {
  using Space = typename TypeParam::memory_space;
  for (std::size_t const n : {std::size_t{1}, 4 * tile_elements, 70 * tile_elements + 77}) {
    Kokkos::View<std::uint8_t*, Space> const in("in", n + 16);
    Kokkos::View<std::uint8_t*, Space> const out("out", n + 16);
    for (std::size_t const of_in : {0, 1, 4, 16}) {
      for (std::size_t const of_out : {0, 16, 2}) {
        this->expect_scans(Kokkos::subview(in, std::pair(of_in, of_in + n)),
                           Kokkos::subview(out, std::pair(of_out, of_out + n)));
      }
    }
  }
}

TYPED_TEST(ScanViewsTest, ValueTypesMayDiffer) {
  this->template expect_scans_between_types<std::int8_t, std::int64_t>();
  this->template expect_scans_between_types<float, double>();
  this->template expect_scans_between_types<bool, std::uint32_t>();
}

// The operation has a third type: each element is converted to it, and each prefix from it.
TYPED_TEST(ScanViewsTest, OperationOfAThirdType) {
  std::vector<double> const values{1.5, 2.5, 300.25, -1};
  auto const in = to_view<TypeParam>(values);
  Kokkos::View<std::uint8_t*, typename TypeParam::memory_space> const out("out", 4);
  riffle::inclusive_scan(this->exec, in, out, riffle::Sum<int>{});
  this->exec.fence();
  EXPECT_EQ(to_vector(out), (std::vector<std::uint8_t>{1, 3, 303 - 256, 302 - 256}));
}

TYPED_TEST(ScanViewsTest, ConstInputAndTraits) {
  using Space = typename TypeParam::memory_space;
  for (std::size_t const n : sizes) {
    auto const values = digits<int>(n);
    auto const owner = to_view<TypeParam>(values);
    Kokkos::View<int const*, Space> const constant = owner;
    Kokkos::View<int const*, Space, Kokkos::MemoryTraits<Kokkos::RandomAccess>> const
        random_access = owner;
    Kokkos::View<int*, Space> const storage("storage", n);
    Kokkos::View<int*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const out(storage.data(), n);
    riffle::inclusive_scan(this->exec, constant, storage);
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(storage), inclusive_oracle(values, std::plus<>{})));
    riffle::exclusive_scan(this->exec, random_access, out);
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(storage), exclusive_oracle(values, std::plus<>{}, 0)));
    // The same elements, const and not const: in place.
    riffle::inclusive_scan(this->exec, constant, owner);
    this->exec.fence();
    EXPECT_TRUE(same(to_vector(owner), inclusive_oracle(values, std::plus<>{})));
  }
}

// Subviews that are not aligned for vectors: scans must not write outside of them.
template <class T, class Exec>
void expect_scans_from(Exec const& exec, std::size_t n, std::size_t begin_in,
                       std::size_t begin_out) {
  auto const values = digits<T>(n + 16);
  auto const marks = std::vector<T>(n + 16, T(99));
  auto const in = to_view<Exec>(values);
  auto const out = to_view<Exec>(marks);
  auto const part = [n](auto view, std::size_t begin) {
    view = Kokkos::subview(view, Kokkos::pair<std::size_t, std::size_t>(begin, begin + n));
    return view;
  };
  riffle::inclusive_scan(exec, part(in, begin_in), part(out, begin_out));
  exec.fence();
  auto const offset = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
  std::vector<T> const elements(values.begin() + offset(begin_in),
                                values.begin() + offset(begin_in + n));
  auto const sums = inclusive_oracle(elements, std::plus<T>{});
  auto expected = marks;
  std::copy(sums.begin(), sums.end(), expected.begin() + offset(begin_out));
  EXPECT_TRUE(same(to_vector(out), expected)) << "from " << begin_in << " to " << begin_out;
  riffle::inclusive_scan(exec, part(in, begin_in), part(in, begin_in));
  exec.fence();
  expected = values;
  std::copy(sums.begin(), sums.end(), expected.begin() + offset(begin_in));
  EXPECT_TRUE(same(to_vector(in), expected)) << "in place from " << begin_in;
}

TYPED_TEST(ScanViewsTest, UnalignedSubviews) {
  for (std::size_t const n : {std::size_t{3}, tile_elements, 9 * tile_elements + 77}) {
    for (std::size_t const begin : {0u, 1u, 2u, 3u, 4u, 7u}) {
      expect_scans_from<std::uint8_t>(this->exec, n, 1, begin);
      expect_scans_from<std::uint32_t>(this->exec, n, begin, 1);
      expect_scans_from<double>(this->exec, n, begin, begin);
    }
  }
}

// A scan of a column does not change the neighbouring columns.
TYPED_TEST(ScanViewsTest, InterleavedColumnsDoNotOverlap) {
  std::size_t constexpr n = tile_elements + 5;
  auto const matrix = make_matrix<TypeParam, int, Kokkos::LayoutRight>(n, 3);
  fill(matrix, digits<int>(3 * n));
  using Column = decltype(make_strided<TypeParam, int>(n));
  auto const column = [&](int j) { return Column(Kokkos::subview(matrix, Kokkos::ALL, j)); };
  auto const first = to_vector(column(0));
  auto const middle = to_vector(column(1));
  riffle::inclusive_scan(this->exec, column(0), column(2));
  this->exec.fence();
  EXPECT_EQ(to_vector(column(0)), first);
  EXPECT_EQ(to_vector(column(1)), middle);
  EXPECT_TRUE(same(to_vector(column(2)), inclusive_oracle(first, std::plus<>{})));
}

template <class Exec, class In, class Out>
concept Scans = requires(Exec exec, In in, Out out) {
  { riffle::inclusive_scan(exec, in, out) } -> std::same_as<void>;
  { riffle::exclusive_scan(exec, in, out) } -> std::same_as<void>;
};

// Wrong calls are diagnosed by an overload with another result type, not by an error inside the
// call.
TYPED_TEST(ScanViewsTest, OtherArgumentsDoNotCompile) {
  using Space = typename TypeParam::memory_space;
  using Out = Kokkos::View<int*, Space>;
  using Const = Kokkos::View<int const*, Space>;
  using Matrix = Kokkos::View<int**, Space>;
  static_assert(Scans<TypeParam, Out, Out>);
  static_assert(Scans<TypeParam, Const, Out>);
  static_assert(!Scans<TypeParam, Out, Const>);
  static_assert(!Scans<TypeParam, Matrix, Out>);
  static_assert(!Scans<TypeParam, Out, Matrix>);
  static_assert(!Scans<TypeParam, int*, Out>);
  static_assert(!Scans<int, Out, Out>);
}

}  // namespace
}  // namespace riffle::test::scan_views_test
