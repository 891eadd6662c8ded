// Which ways of moving tiles a back end has, and which it takes by default.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/tile_methods.hpp>

#include <gtest/gtest.h>

#include <type_traits>

#include "support/emulated_space.hpp"
#include "support/execution_spaces.hpp"

namespace riffle::test::tile_methods_test {
namespace {

/// A tag of the user's own, which is no way.
struct OtherTiles {};

template <class Exec, class Method>
constexpr bool takes = detail::tiles::MethodFor<Method, Exec>;

template <class Exec, class Method>
constexpr bool is_default = std::is_same_v<detail::tiles::method_for<Exec, DefaultTiles>, Method>;

template <class Exec>
constexpr bool by_name_is_itself =
    std::is_same_v<detail::tiles::method_for<Exec, TeamTiles>, TeamTiles>&&
        std::is_same_v<detail::tiles::method_for<Exec, ElementByElement>, ElementByElement>;

template <class Exec>
class TileMethodsTest : public ::testing::Test {};
TYPED_TEST_SUITE(TileMethodsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(TileMethodsTest, EveryBackEndHasAllButThreadsOfACpu) {
  for (bool const has : {takes<TypeParam, DefaultTiles>, takes<TypeParam, TeamTiles>,
                         takes<TypeParam, ElementByElement>}) {
    EXPECT_TRUE(has);
  }
  EXPECT_EQ((takes<TypeParam, ThreadTiles>), backend::is_cpu<TypeParam>);
  EXPECT_FALSE((takes<TypeParam, OtherTiles>));
  EXPECT_FALSE((takes<TypeParam, int>));
  EXPECT_TRUE(by_name_is_itself<TypeParam>);
}

TYPED_TEST(TileMethodsTest, AContextIsTakenForItsSpace) {
  using On = Context<TypeParam>;
  EXPECT_EQ((takes<On, ThreadTiles>), (takes<TypeParam, ThreadTiles>));
  EXPECT_EQ((is_default<On, ThreadTiles>), (is_default<TypeParam, ThreadTiles>));
}

TEST(TileMethodsOfAGpu, TheDefaultIsOfTeamsAndThreadsHaveNone) {
  EXPECT_TRUE((is_default<EmulatedSpace, TeamTiles>));
  EXPECT_FALSE((takes<EmulatedSpace, ThreadTiles>));
  EXPECT_TRUE((takes<EmulatedSpace, TeamTiles>));
  EXPECT_TRUE((takes<EmulatedSpace, ElementByElement>));
}

TYPED_TEST(TileMethodsTest, TheDefaultIsOfThreadsOnACpu) {
  EXPECT_EQ((is_default<TypeParam, ThreadTiles>), backend::is_cpu<TypeParam>);
  EXPECT_EQ((is_default<TypeParam, TeamTiles>), !backend::is_cpu<TypeParam>);
}

}  // namespace
}  // namespace riffle::test::tile_methods_test
