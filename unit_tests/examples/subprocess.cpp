#include "subprocess.hpp"

#include <gtest/gtest.h>

namespace example::subprocess_test {

TEST(Subprocess, input_output_errors_and_exit_code) {
  auto const finished = run_program({"sh", "-c", "cat; echo oops >&2; exit 3"}, "a\nb");
  EXPECT_TRUE(finished.found);
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(finished.output, "a\nb");
  EXPECT_EQ(finished.errors, "oops\n");
}

TEST(Subprocess, more_text_than_a_pipe_holds) {
  std::string const text(1 << 20, 'x');
  EXPECT_EQ(run_program({"cat"}, text).output, text);
}

TEST(Subprocess, arguments_reach_the_program_as_they_are) {
  std::string const odd = "a 'b' \"c\" $HOME `d` \\ \n;";
  EXPECT_EQ(run_program({"printf", "%s", odd}).output, odd);
}

TEST(Subprocess, no_such_program) {
  EXPECT_FALSE(run_program({"riffle-has-no-such-program"}).found);
}

TEST(Subprocess, a_signal_is_not_an_exit_code) {
  EXPECT_EQ(run_program({"sh", "-c", "kill -TERM $$"}).exit_code, -1);
}

}  // namespace example::subprocess_test
