// Scans by operations of the standard library and of Kokkos, compared with the standard library's scans.

#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_operations_test {
namespace {

/// The composition of maps x -> a x + b: associative, not commutative, and without an identity.
struct Affine {
  std::uint32_t a;
  std::uint32_t b;
  friend bool operator==(Affine const&, Affine const&) = default;
};
struct Compose {
  KOKKOS_FUNCTION Affine operator()(Affine const& first, Affine const& then) const {
    return {then.a * first.a, then.a * first.b + then.b};
  }
};

/// Not commutative, and has no identity.
struct TakeRight {
  KOKKOS_FUNCTION int operator()(int, int right) const { return right; }
};

struct Larger {
  template <class T>
  KOKKOS_FUNCTION T operator()(T const& left, T const& right) const {
    return left < right ? right : left;
  }
};

/// A functor with the init and join of a Kokkos reducer, without a result.
struct BitsInAny {
  using value_type = std::uint32_t;
  KOKKOS_FUNCTION void init(value_type& x) const { x = 0; }
  KOKKOS_FUNCTION void join(value_type& x, value_type const& y) const { x |= y; }
};

// Sizes around a tile, and many tiles.
std::vector<std::size_t> sizes() { return {0, 1, 2, 31, 4095, 4096, 4097, 100'003}; }

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>((i * 2654435761u >> 7) % 97);
  return values;
}

std::vector<Affine> affine_maps(std::size_t n) {
  std::vector<Affine> maps(n);
  for (std::uint32_t i = 0; i < n; ++i) maps[i] = {2 * i + 1, i * i};
  return maps;
}

template <class Exec>
class ScanOperationsTest : public ::testing::Test {
 protected:
  template <class T>
  using View = Kokkos::View<T*, typename Exec::memory_space>;

  /// Compares with a scan by the operation on the host.
  template <class T, class Op, class OnHost>
  void expect_inclusive(std::vector<T> const& values, Op const& op, OnHost const& on_host) {
    std::vector<T> expected(values.size());
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), on_host);
    View<T> const out("out", values.size());
    inclusive_scan(exec, to_view<Exec>(values), out, op);
    exec.fence();
    EXPECT_TRUE(to_vector(out) == expected) << values.size();
  }

  template <class T, class Op, class OnHost>
  void expect_from(T const& init, std::vector<T> const& values, Op const& op,
                   OnHost const& on_host) {
    std::vector<T> expected(values.size());
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), init, on_host);
    auto const in = to_view<Exec>(values);
    View<T> const out("out", values.size());
    exclusive_scan(exec, in, out, op, init);
    exec.fence();
    EXPECT_TRUE(to_vector(out) == expected) << values.size();
    // With the arguments of the standard library, and in place.
    exclusive_scan(exec, in, in, init, op);
    exec.fence();
    EXPECT_TRUE(to_vector(in) == expected) << values.size() << ", in place";
    if (values.empty()) return;
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), on_host, init);
    auto const again = to_view<Exec>(values);
    inclusive_scan(exec, again, out, op, init);
    exec.fence();
    EXPECT_TRUE(to_vector(out) == expected) << values.size() << ", inclusive";
  }

  template <class T, class Op, class OnHost>
  void expect_all(T const& init, std::vector<T> const& values, Op const& op,
                  OnHost const& on_host) {
    expect_inclusive(values, op, on_host);
    expect_from(init, values, op, on_host);
  }

  Exec exec;
};
TYPED_TEST_SUITE(ScanOperationsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScanOperationsTest, FunctionObjectsOfTheStandardLibrary) {
  for (std::size_t const n : sizes()) {
    auto const values = numbers<std::uint32_t>(n);
    this->expect_all(7u, values, std::plus<>{}, std::plus<>{});
    this->expect_all(7u, values, std::plus<std::uint32_t>{}, std::plus<>{});
    this->expect_all(7u, values, std::multiplies<>{}, std::multiplies<>{});
    this->expect_all(~0u, values, std::bit_and<>{}, std::bit_and<>{});
    this->expect_all(1u, values, std::bit_or<>{}, std::bit_or<>{});
    this->expect_all(1u, values, std::bit_xor<>{}, std::bit_xor<>{});
  }
}

TYPED_TEST(ScanOperationsTest, FunctionsWithoutAnIdentity) {
  for (std::size_t const n : sizes()) {
    this->expect_all(Affine{3, 5}, affine_maps(n), Compose{}, Compose{});
    this->expect_all(-1, numbers<int>(n), TakeRight{}, TakeRight{});
    this->expect_all(-1.5, numbers<double>(n), Larger{}, Larger{});
    this->expect_all(std::int8_t{-1}, numbers<std::int8_t>(n), Larger{}, Larger{});
  }
}

TYPED_TEST(ScanOperationsTest, ReducersOfKokkos) {
  std::int64_t result = 0;
  for (std::size_t const n : sizes()) {
    this->expect_all(std::int64_t{50}, numbers<std::int64_t>(n), Kokkos::Max<std::int64_t>(result),
                     Larger{});
    this->expect_all(1u, numbers<std::uint32_t>(n), BitsInAny{}, std::bit_or<>{});
  }
}

// --- minima and maxima of data with NaNs ---

/// The smaller or larger of two values: the first of equal ones, and the first NaN, as in a loop over the elements.
template <class T, class Better>
struct KeepNans {
  T operator()(T const& kept, T const& x) const {
    if (kept != kept) return kept;
    return x != x || Better{}(x, kept) ? x : kept;
  }
};

/// Numbers that fall and rise, zeros of both signs, infinities; and from one place on NaNs with different bits.
template <class T>
std::vector<T> with_nans(std::size_t n, std::size_t first) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = i % 3 == 0 ? static_cast<T>(n - i) : static_cast<T>(-static_cast<double>(i / 2));
    if (i < 100) values[i] = i % 2 == 0 ? T(0) : -T(0);
    if (i > 5000 && i % 5000 == 0) values[i] = std::numeric_limits<T>::infinity();
  }
  for (std::size_t i = first; i < n; i += 4099) {
    values[i] = std::copysign(std::numeric_limits<T>::quiet_NaN(), i % 2 == 0 ? T(1) : T(-1));
  }
  return values;
}

/// The places of the values that KeepNans keeps.
template <class T, class Better>
std::vector<std::size_t> inclusive_places(std::vector<T> const& values, Better const& better) {
  std::vector<std::size_t> places(values.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool const is_nan = values[i] != values[i];
    if (values[kept] == values[kept] && (is_nan || better(values[i], values[kept]))) kept = i;
    places[i] = kept;
  }
  return places;
}

/// Compares scans by each operation with a loop; in place, so that parts of a tile are read and written in all ways.
template <class Exec, class T, class Better, class... Ops>
void expect_nans_propagate(Ops const&... ops) {
  for (std::size_t const n : {7u, 20'011u}) {
    for (std::size_t const first : {0u, 5u, 2000u, 4097u, 20'011u}) {
      if (first > n) continue;
      auto const values = with_nans<T>(n, first);
      std::vector<T> expected(n);
      std::inclusive_scan(values.begin(), values.end(), expected.begin(), KeepNans<T, Better>{});
      auto const expect = [&](auto const& op) {
        auto const view = to_view<Exec>(values);
        inclusive_scan(Exec(), view, view, op);
        Exec().fence();
        EXPECT_TRUE(are_same_bits(to_vector(view), expected)) << n << ", from " << first;
      };
      (expect(ops), ...);
    }
  }
}

TYPED_TEST(ScanOperationsTest, NansPropagateInMinimaAndMaxima) {
  double result = 0;
  expect_nans_propagate<TypeParam, double, std::less<>>(Min<double>{}, Kokkos::Min<double>(result));
  expect_nans_propagate<TypeParam, double, std::greater<>>(Max<double>{},
                                                           Kokkos::Max<double>(result));
  expect_nans_propagate<TypeParam, float, std::less<>>(Min<float>{});
}

TYPED_TEST(ScanOperationsTest, NansKeepTheirPlacesInReducersOfKokkos) {
  using Scalar = Kokkos::MinMaxLocScalar<float, int>;
  using First = Kokkos::ValLocScalar<float, int>;
  constexpr std::size_t n = 10'000;
  for (std::size_t const first : {0u, 1u, 4097u, 10'000u}) {
    auto const values = with_nans<float>(n, first);
    std::vector<Scalar> both(n);
    std::vector<First> pairs(n);
    for (std::size_t i = 0; i < n; ++i) {
      int const place = static_cast<int>(i);
      pairs[i] = {values[i], place};
      both[i] = {values[i], values[i], place, place};
    }
    Scalar both_result;
    First pair_result;
    auto const both_view = to_view<TypeParam>(both);
    auto const pair_view = to_view<TypeParam>(pairs);
    inclusive_scan(this->exec, both_view, both_view, Kokkos::MinMaxLoc<float, int>(both_result));
    inclusive_scan(this->exec, pair_view, pair_view, Kokkos::MaxLoc<float, int>(pair_result));
    this->exec.fence();
    auto const low = inclusive_places(values, std::less<>{});
    auto const high = inclusive_places(values, std::greater<>{});
    auto const found = to_vector(both_view);
    auto const largest = to_vector(pair_view);
    for (std::size_t i = 0; i < n; ++i) {
      auto const is = [&](float x, int place, std::size_t expected) {
        return place == static_cast<int>(expected) &&
               (x == values[expected] || (x != x && values[expected] != values[expected]));
      };
      ASSERT_TRUE(is(found[i].min_val, found[i].min_loc, low[i])) << i;
      ASSERT_TRUE(is(found[i].max_val, found[i].max_loc, high[i])) << i;
      ASSERT_TRUE(is(largest[i].val, largest[i].loc, high[i])) << i;
    }
  }
}

TYPED_TEST(ScanOperationsTest, ValueArgumentIsTheInitialSum) {
  auto const values = numbers<int>(5000);
  std::vector<double> expected(values.size());
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 2.5);
  auto const in = to_view<TypeParam>(values);
  Kokkos::View<double*, typename TypeParam::memory_space> const out("out", values.size());
  exclusive_scan(this->exec, in, out, 2.5);
  this->exec.fence();
  EXPECT_EQ(to_vector(out), expected);
  exclusive_scan(Context(this->exec, "user"), in, out, 0);
  this->exec.fence();
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0.0);
  EXPECT_EQ(to_vector(out), expected);
}

// --- from and to functions ---

struct Remainders {
  KOKKOS_FUNCTION int operator()(std::uint64_t i) const { return static_cast<int>(i % 1009); }
};
template <class View>
struct Write {
  View out;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, int prefix) const { out(i) = prefix; }
};

TYPED_TEST(ScanOperationsTest, FromAndToFunctions) {
  constexpr std::size_t n = 10'000;
  std::vector<int> expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<int>(i % 1009);
  std::inclusive_scan(expected.begin(), expected.end(), expected.begin(), Larger{});
  Kokkos::View<int*, typename TypeParam::memory_space> const out("out", n);
  inclusive_scan(this->exec, n, Remainders{}, Write<decltype(out)>{out}, Larger{});
  this->exec.fence();
  EXPECT_EQ(to_vector(out), expected);
  fill_with(out, 0);
  inclusive_scan(this->exec, Remainders{}, out, Larger{});
  this->exec.fence();
  EXPECT_EQ(to_vector(out), expected);
}

}  // namespace
}  // namespace riffle::test::scan_operations_test
