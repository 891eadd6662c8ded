// Selections from more than 2^32 elements. On a CPU this test runs only if RIFFLE_TEST_HUGE is set in the environment; it takes 9 GB.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/select.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "support/execution_spaces.hpp"

namespace riffle::test::select_huge_test {
namespace {

/// The lower bits of a number that differs for neighbouring i, and far from them.
KOKKOS_FUNCTION std::uint8_t byte_of(std::uint64_t i) {
  return static_cast<std::uint8_t>(i ^ i >> 13 ^ i >> 29);
}

struct EveryThousandth {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 1000 == 7; }
};

template <class View>
struct WriteBytes {
  View out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = byte_of(i); }
};

/// Counts the elements that differ from the elements of EveryThousandth.
template <class View>
struct CountWrong {
  View out;

  KOKKOS_FUNCTION void operator()(std::uint64_t k, std::uint64_t& wrong) const {
    if (out(k) != byte_of(1000 * k + 7)) ++wrong;
  }
};

template <class Exec>
class SelectHugeTest : public ::testing::Test {
 protected:
  using Bytes = Kokkos::View<std::uint8_t*, typename Exec::memory_space>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

  void expect_every_thousandth(std::uint64_t n) {
    Bytes const in(Kokkos::view_alloc("in", Kokkos::WithoutInitializing), n);
    Bytes const out("out", n);
    Kokkos::parallel_for("write", Range(exec, 0, n), WriteBytes<Bytes>{in});
    std::uint64_t const expected = (n + 992) / 1000;
    EXPECT_EQ(riffle::copy_flagged(exec, in, out, EveryThousandth{}), expected);
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("compare", Range(exec, 0, expected), CountWrong<Bytes>{out}, wrong);
    EXPECT_EQ(wrong, 0u);
    std::uint8_t after = 1;
    Kokkos::deep_copy(after, Kokkos::subview(out, expected));
    EXPECT_EQ(after, 0);
  }

  Exec exec;
};
TYPED_TEST_SUITE(SelectHugeTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SelectHugeTest, EveryThousandth) {
  this->expect_every_thousandth(1'000'008);
  if (backend::is_cpu<TypeParam> && std::getenv("RIFFLE_TEST_HUGE") == nullptr) return;
  this->expect_every_thousandth((std::uint64_t{1} << 32) + 4101);
}

}  // namespace
}  // namespace riffle::test::select_huge_test
