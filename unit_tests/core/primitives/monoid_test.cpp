#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kernels.hpp"
#include "support/monoids.hpp"

namespace riffle::test {

// --- the concept Monoid ---

struct WithoutValueType {
  static int identity() { return 0; }
  int operator()(int left, int right) const { return left + right; }
};
struct WithoutOperation {
  using value_type = int;
  static int identity() { return 0; }
};
struct NotCallableWhereConst {
  using value_type = int;
  static int identity() { return 0; }
  int operator()(int left, int right) { return left + right; }
};
struct Unmade {
  Unmade() = delete;
};
struct OfUnmade {
  using value_type = Unmade;
  static Unmade identity();
  Unmade operator()(Unmade const& left, Unmade const&) const { return left; }
};
struct OfAnotherType {
  using value_type = int;
  static int identity() { return 0; }
  std::string operator()(int, int) const { return {}; }
};
struct Add {
  KOKKOS_FUNCTION int operator()(int left, int right) const { return left + right; }
};

namespace monoid_test {
namespace {

static_assert(riffle::Monoid<riffle::Sum<int>>);
static_assert(riffle::Monoid<riffle::Product<float>>);
static_assert(riffle::Monoid<riffle::Min<std::uint8_t>>);
static_assert(riffle::Monoid<riffle::Max<double>>);
static_assert(riffle::Monoid<riffle::BitAnd<std::uint64_t>>);
static_assert(riffle::Monoid<riffle::BitOr<std::int16_t>>);
static_assert(riffle::Monoid<riffle::BitXor<std::uint32_t>>);
static_assert(riffle::Monoid<riffle::Count<>>);
static_assert(riffle::Monoid<riffle::CustomMonoid<Add, int>>);
static_assert(riffle::Monoid<Compose>);
static_assert(riffle::Monoid<KeepTail>);

static_assert(!riffle::Monoid<WithoutIdentity>);
static_assert(!riffle::Monoid<WithoutValueType>);
static_assert(!riffle::Monoid<WithoutOperation>);
static_assert(!riffle::Monoid<NotCallableWhereConst>);
static_assert(!riffle::Monoid<OfStrings>);
static_assert(!riffle::Monoid<OfUnmade>);
static_assert(!riffle::Monoid<OfAnotherType>);
static_assert(!riffle::Monoid<Add>);
static_assert(!riffle::Monoid<int>);

// --- the laws ---

template <class T>
std::vector<T> extremes() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T(0), T(1), T(2), T(100), Limits::min(), Limits::max(), Limits::lowest()};
  if (Limits::has_infinity) {
    values.push_back(Limits::infinity());
    values.push_back(-Limits::infinity());
  }
  return values;
}

template <class Op>
void expect_identity(Op const& op, std::vector<typename Op::value_type> const& values) {
  for (auto const& value : values) {
    EXPECT_EQ(op(op.identity(), value), value);
    EXPECT_EQ(op(value, op.identity()), value);
  }
}

template <template <class> class Op>
void expect_identities_of_integers() {
  expect_identity(Op<std::int8_t>{}, extremes<std::int8_t>());
  expect_identity(Op<std::uint8_t>{}, extremes<std::uint8_t>());
  expect_identity(Op<std::int16_t>{}, extremes<std::int16_t>());
  expect_identity(Op<std::int32_t>{}, extremes<std::int32_t>());
  expect_identity(Op<std::uint32_t>{}, extremes<std::uint32_t>());
  expect_identity(Op<std::int64_t>{}, extremes<std::int64_t>());
  expect_identity(Op<std::uint64_t>{}, extremes<std::uint64_t>());
}

template <template <class> class Op>
void expect_identities_of_reals() {
  expect_identity(Op<float>{}, extremes<float>());
  expect_identity(Op<double>{}, extremes<double>());
}

TEST(MonoidTest, IdentityIsNeutral) {
  expect_identities_of_integers<riffle::Sum>();
  expect_identities_of_integers<riffle::Product>();
  expect_identities_of_integers<riffle::Min>();
  expect_identities_of_integers<riffle::Max>();
  expect_identities_of_integers<riffle::BitAnd>();
  expect_identities_of_integers<riffle::BitOr>();
  expect_identities_of_integers<riffle::BitXor>();
  expect_identities_of_integers<riffle::Count>();
  expect_identities_of_reals<riffle::Sum>();
  expect_identities_of_reals<riffle::Product>();
  expect_identities_of_reals<riffle::Min>();
  expect_identities_of_reals<riffle::Max>();
}

TEST(MonoidTest, Operations) {
  EXPECT_EQ(riffle::Sum<int>{}(5, -7), -2);
  EXPECT_EQ(riffle::Sum<std::uint8_t>{}(250, 10), 4);
  EXPECT_EQ(riffle::Sum<double>{}(0.5, 0.25), 0.75);
  EXPECT_EQ(riffle::Product<int>{}(5, -7), -35);
  EXPECT_EQ(riffle::Product<std::uint8_t>{}(16, 17), 16);
  EXPECT_EQ(riffle::Product<std::uint16_t>{}(65535, 65535), 1);
  EXPECT_EQ(riffle::Min<int>{}(5, -7), -7);
  EXPECT_EQ(riffle::Min<int>{}(-7, 5), -7);
  EXPECT_EQ(riffle::Min<double>{}(0.5, 0.25), 0.25);
  EXPECT_EQ(riffle::Max<int>{}(5, -7), 5);
  EXPECT_EQ(riffle::Max<int>{}(-7, 5), 5);
  EXPECT_EQ(riffle::Max<float>{}(-1e30f, -2e30f), -1e30f);
  EXPECT_EQ(riffle::BitAnd<std::uint8_t>{}(0b1100, 0b1010), 0b1000);
  EXPECT_EQ(riffle::BitOr<std::uint8_t>{}(0b1100, 0b1010), 0b1110);
  EXPECT_EQ(riffle::BitXor<std::uint8_t>{}(0b1100, 0b1010), 0b0110);
  EXPECT_EQ(riffle::Count<>{}(40, 2), 42u);
}

// For any three values, NaNs, zeros of both signs and infinities included, the operation is associative bit by bit, and
// NaNs propagate.
TEST(MonoidTest, MinimaAndMaximaOfNansAreAssociative) {
  using Limits = std::numeric_limits<double>;
  double const nan = Limits::quiet_NaN();
  std::vector<double> const values{
      nan, -nan, 0.0, -0.0, 1.0, -1.0, Limits::infinity(), -Limits::infinity()};
  auto const bits = [](double x) { return Kokkos::bit_cast<std::uint64_t>(x); };
  auto const expect = [&](auto const& op) {
    for (double const a : values) {
      EXPECT_EQ(bits(op(a, op.identity())), bits(a));
      EXPECT_EQ(bits(op(op.identity(), a)), bits(a));
      for (double const b : values) {
        EXPECT_EQ(std::isnan(op(a, b)), std::isnan(a) || std::isnan(b));
        for (double const c : values) EXPECT_EQ(bits(op(op(a, b), c)), bits(op(a, op(b, c))));
      }
    }
  };
  expect(riffle::Min<double>{});
  expect(riffle::Max<double>{});
  EXPECT_EQ(bits(riffle::Min<double>{}(nan, -nan)), bits(nan));
  EXPECT_EQ(bits(riffle::Max<double>{}(-nan, nan)), bits(-nan));
}

TEST(MonoidTest, CustomMonoidHoldsOperationAndIdentity) {
  riffle::CustomMonoid const op{Add{}, 7};
  EXPECT_EQ(op.identity(), 7);
  EXPECT_EQ(op(3, 4), 7);
  static_assert(std::is_same_v<decltype(op)::value_type, int>);
}

// Floating-point numbers and users' operations have a fixed order of combination; integers may be combined in any
// order.
TEST(MonoidTest, OnlyOwnOperationsOnIntegersAreExact) {
  EXPECT_TRUE(riffle::detail::is_exact<riffle::Sum<int>>);
  EXPECT_TRUE(riffle::detail::is_exact<riffle::BitXor<std::uint64_t>>);
  EXPECT_TRUE(riffle::detail::is_exact<riffle::Count<>>);
  EXPECT_FALSE(riffle::detail::is_exact<riffle::Sum<float>>);
  EXPECT_FALSE(riffle::detail::is_exact<riffle::Product<double>>);
  EXPECT_FALSE(riffle::detail::is_exact<Compose>);
  EXPECT_FALSE((riffle::detail::is_exact<riffle::CustomMonoid<Add, int>>));
  EXPECT_TRUE((riffle::detail::is_instance_of<riffle::Count<int>, riffle::Count>));
  EXPECT_FALSE((riffle::detail::is_instance_of<riffle::Sum<std::uint64_t>, riffle::Count>));
}

/// Applies all operations in a kernel. Each gives one digit of the result.
struct AllOperations {
  KOKKOS_FUNCTION int operator()(int x) const {
    int const y = x + 3;
    riffle::CustomMonoid const custom{Add{}, 0};
    return riffle::Sum<int>{}(x, y) + 10 * riffle::Product<int>{}(x, y) +
           100 * riffle::Min<int>{}(x, y) + 1000 * riffle::Max<int>{}(x, y) +
           10000 * riffle::BitAnd<int>{}(x, y) + 100000 * riffle::BitOr<int>{}(x, y) +
           1000000 * riffle::BitXor<int>{}(x, y) + custom(riffle::Count<int>::identity(), x) +
           (riffle::Min<int>::identity() == riffle::BitAnd<int>::identity() ? 1 : 0) +
           (riffle::Max<float>::identity() < 0 ? 2 : 0);
  }
};

template <class Exec>
class MonoidInKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(MonoidInKernelTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(MonoidInKernelTest, SameAsOnHost) {
  auto const inputs = iota<int>(5);
  EXPECT_EQ(map_in_kernel<TypeParam>(AllOperations{}, inputs),
            map_on_host(AllOperations{}, inputs));
}

}  // namespace
}  // namespace monoid_test
}  // namespace riffle::test
