// The words of messages after 2^29 launches of scans, when the tags repeat.

#include <Kokkos_Core.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace riffle::test::workspace_messages_test {
namespace {

// A tag is the number of a launch, so the words must be cleared before a tag repeats.
TEST(WorkspaceMessages, AreClearedBeforeTagsRepeat) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  riffle::Workspace<Exec> workspace(exec);
  std::string const label = "user";
  auto* words = workspace.messages(label, exec, 1);
  words[0] = 77;
  std::uint64_t launches = 1;
  while (words[0] == 77 && launches <= std::uint64_t{1} << 30) {
    words = workspace.messages(label, exec, 1);
    ++launches;
  }
  EXPECT_EQ(words[0], 0u);
  EXPECT_LE(launches, std::uint64_t{1} << 30);
  EXPECT_EQ(words, workspace.messages(label, exec, 1));
}

}  // namespace
}  // namespace riffle::test::workspace_messages_test
