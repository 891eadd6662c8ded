// Scans of more than 2^31 and 2^32 elements, from a function to a function, so that no memory is needed: each prefix is checked
// where it is written. On a CPU the tests run only if RIFFLE_TEST_HUGE is set in the environment.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <exception>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::scan_huge_test {
namespace {

constexpr std::uint64_t two_to_31 = std::uint64_t{1} << 31;
constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

/// 0, 1, ..., 7, 0, 1, ...
struct Octal {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i % 8; }

  /// The sum of the first `count` elements.
  KOKKOS_FUNCTION static std::uint64_t sum(std::uint64_t count) {
    std::uint64_t const rest = count % 8;
    return count / 8 * 28 + rest * (rest - 1) / 2;
  }
};

struct IsThird {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 3 == 0; }

  KOKKOS_FUNCTION static std::uint64_t sum(std::uint64_t count) { return (count + 2) / 3; }
};

/// i + 1 for every fifth i, else 0. By Rightmost, the last value that is not 0.
struct EveryFifth {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i % 5 == 0 ? i + 1 : 0; }

  KOKKOS_FUNCTION static std::uint64_t sum(std::uint64_t count) {
    return count == 0 ? 0 : (count - 1) / 5 * 5 + 1;
  }
};

struct Rightmost {
  using value_type = std::uint64_t;
  KOKKOS_FUNCTION static std::uint64_t identity() { return 0; }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const {
    return right == 0 ? left : right;
  }
};

/// Compares prefix i with the sum of the first i + more elements. Counts differences, and adds up the indices to find a
/// missing one.
template <class Exec, class In>
struct CheckPrefixes {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t prefix) const {
    if (prefix != In::sum(i + more)) Kokkos::atomic_inc(&counts(0));
    if (i % 4096 == 17) Kokkos::atomic_add(&counts(1), i);
    if (i == last) Kokkos::atomic_inc(&counts(2));
  }

  std::uint64_t more;
  std::uint64_t last;
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> counts;
};

/// Whether tests that take long on a CPU may run.
template <class Exec>
bool has_time() {
  return !backend::is_cpu<Exec> || std::getenv("RIFFLE_TEST_HUGE") != nullptr;
}

constexpr auto no_time = "takes long on a CPU: set RIFFLE_TEST_HUGE to run it";

template <class Exec>
class ScanHugeTest : public ::testing::Test {
 protected:
  template <class Op, class In>
  void expect_scans(Op const& op, In const& in, std::uint64_t n) {
    expect_scan<true>(op, in, n);
    expect_scan<false>(op, in, n);
  }

  Exec exec;

 private:
  template <bool Inclusive, class Op, class In>
  void expect_scan(Op const& op, In const& in, std::uint64_t n) {
    CheckPrefixes<Exec, In> const sink{Inclusive ? 1u : 0u, n - 1, zeros<Exec, std::uint64_t>(3)};
    if constexpr (Inclusive) {
      riffle::inclusive_scan(exec, n, in, sink, op);
    } else {
      riffle::exclusive_scan(exec, n, in, sink, op, op.identity());
    }
    exec.fence();
    auto const counts = to_vector(sink.counts);
    std::uint64_t const seen = (n + 4095 - 17) / 4096;  // 17, 17 + 4096, ...
    EXPECT_EQ(counts[0], 0u) << "wrong prefixes, n = " << n;
    EXPECT_EQ(counts[1], 17 * seen + 4096 * (seen * (seen - 1) / 2)) << "n = " << n;
    EXPECT_EQ(counts[2], 1u) << "the last of n = " << n;
  }
};
TYPED_TEST_SUITE(ScanHugeTest, ExecutionSpaces, SpaceNames);

// Tests the checks themselves with a size for every machine.
TYPED_TEST(ScanHugeTest, ChecksWork) {
  this->expect_scans(riffle::Sum<std::uint64_t>{}, Octal{}, 100'003);
  this->expect_scans(riffle::Count<>{}, IsThird{}, 100'003);
  this->expect_scans(Rightmost{}, EveryFifth{}, 100'003);
  CheckPrefixes<TypeParam, Octal> const wrong{0, 100'002, zeros<TypeParam, std::uint64_t>(3)};
  riffle::inclusive_scan(this->exec, 100'003, Octal{}, wrong, riffle::Sum<std::uint64_t>{});
  this->exec.fence();
  EXPECT_GT(to_vector(wrong.counts)[0], 80'000u);
}

TYPED_TEST(ScanHugeTest, MoreThan31BitsCount) {
  if (!has_time<TypeParam>()) GTEST_SKIP() << no_time;
  this->expect_scans(riffle::Sum<std::uint64_t>{}, Octal{}, two_to_31 - 1);
  this->expect_scans(riffle::Sum<std::uint64_t>{}, Octal{}, two_to_31 + 5);
  this->expect_scans(riffle::Count<>{}, IsThird{}, two_to_31 + 5);
  this->expect_scans(Rightmost{}, EveryFifth{}, two_to_31 + 5);
}

TYPED_TEST(ScanHugeTest, MoreThan32BitsCount) {
  if (!has_time<TypeParam>()) GTEST_SKIP() << no_time;
  this->expect_scans(riffle::Sum<std::uint64_t>{}, Octal{}, two_to_32 - 1);
  this->expect_scans(riffle::Sum<std::uint64_t>{}, Octal{}, two_to_32 + 4101);
  this->expect_scans(riffle::Count<>{}, IsThird{}, two_to_32 + 4101);
  this->expect_scans(Rightmost{}, EveryFifth{}, two_to_32 + 4101);
}

/// Fills with ones, and checks their prefix sums modulo 256.
template <class View>
struct FillWithOnes {
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { view(i) = 1; }

  View view;
};
template <class View>
struct CountWrongSums {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    if (view(i) != static_cast<std::int8_t>(static_cast<std::uint8_t>(i + 1))) ++wrong;
  }

  View view;
};

/// A View of n elements; an empty one if there is not enough memory.
template <class View>
View allocate_if_possible(std::uint64_t n) {
  try {
    return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "huge"), n);
  } catch (std::exception const&) {
    return View();
  }
}

TYPED_TEST(ScanHugeTest, ViewsOfMoreThan32BitsCount) {
  if (!has_time<TypeParam>()) GTEST_SKIP() << no_time;
  std::uint64_t const n = two_to_32 + 5;
  using View = Kokkos::View<std::int8_t*, typename TypeParam::memory_space>;
  using Policy = Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::uint64_t>>;
  auto const in = allocate_if_possible<View>(n);
  auto const out = allocate_if_possible<View>(n);
  if (in.extent(0) == 0 || out.extent(0) == 0) GTEST_SKIP() << "no memory for twice 4 GiB";
  Kokkos::parallel_for("fill", Policy(this->exec, 0, n), FillWithOnes<View>{in});
  for (auto const& target : {out, in}) {  // to another View and in place
    riffle::inclusive_scan(this->exec, in, target);
    std::uint64_t wrong = 1;
    Kokkos::parallel_reduce("count", Policy(this->exec, 0, n), CountWrongSums<View>{target}, wrong);
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace riffle::test::scan_huge_test
