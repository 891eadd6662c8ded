#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/sort/key_value.hpp>

#include <gtest/gtest.h>

namespace riffle::test::key_value_test {
namespace {

TEST(KeyValue, OrdersByKeyAndThenByValue) {
  KeyValue<int, int> const a{1, 5}, b{1, 7}, c{2, 0};
  EXPECT_TRUE(ByKeyThenValue<>()(a, b));
  EXPECT_FALSE(ByKeyThenValue<>()(b, a));
  EXPECT_FALSE(ByKeyThenValue<>()(a, a));
  EXPECT_TRUE(ByKeyThenValue<>()(b, c));
  EXPECT_TRUE(ByKeyThenValue<Descending>()(c, a));
  EXPECT_TRUE(ByKeyThenValue<Descending>()(a, b));
  EXPECT_FALSE(ByKey<>()(a, b));
  EXPECT_FALSE(ByKey<>()(b, a));
  EXPECT_TRUE(ByKey<>()(a, c));
}

}  // namespace
}  // namespace riffle::test::key_value_test
