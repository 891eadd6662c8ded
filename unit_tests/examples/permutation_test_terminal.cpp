// Output on a terminal, which must not appear elsewhere.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>

#include "program.hpp"

extern char** environ;  // NOLINT: declared by POSIX

namespace example::permutation_test_terminal_test {

using namespace example_test;

std::vector<std::string> const arguments{
    data_file("darwin.csv"), "--x", "crossed", "--y", "selfed", "--batch", "50000"};

// A pseudo terminal whose other end is the test.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    if (char const* const name = ptsname(master_)) slave_ = name;
  }
  ~Terminal() {
    if (master_ >= 0) close(master_);
  }
  Terminal(Terminal const&) = delete;
  Terminal& operator=(Terminal const&) = delete;

  bool works() const { return !slave_.empty(); }

  // Runs the program with this terminal as standard error, and returns what it wrote there. If text is typed, the terminal is
  // also standard input, and echoes it.
  std::string errors_of(std::vector<std::string> command, std::string const& typed = {}) const {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, slave_.c_str(), O_RDWR | O_NOCTTY, 0);
    if (!typed.empty()) {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, slave_.c_str(), O_RDWR | O_NOCTTY,
                                       0);
    }
    std::vector<char*> argv;
    for (auto& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    EXPECT_EQ(posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(write(master_, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
    auto text = read_until_closed();
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return text;
  }

 private:
  std::string read_until_closed() const {
    std::string text;
    std::array<char, 4096> buffer{};
    while (true) {
      auto const n = read(master_, buffer.data(), buffer.size());
      if (n <= 0) return text;  // an error means that no process has the other end open
      text.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }

  int master_;
  std::string slave_;
};

TEST(PermutationTestTerminal, shows_and_clears_progress) {
  Terminal const terminal;
  if (!terminal.works()) GTEST_SKIP() << "no pseudo-terminals here";
  auto command = arguments;
  command.insert(command.begin(), RIFFLE_PERMUTATION_TEST_PROGRAM);
  auto const drawn = terminal.errors_of(command);
  EXPECT_NE(drawn.find("of 999,999"), std::string::npos) << drawn;
  std::string const clear = "\r\x1B[K";
  ASSERT_GE(drawn.size(), clear.size());
  EXPECT_EQ(drawn.substr(drawn.size() - clear.size()), clear);
}

TEST(PermutationTestTerminal, announces_that_it_reads_standard_input) {
  Terminal const terminal;
  if (!terminal.works()) GTEST_SKIP() << "no pseudo-terminals here";
  constexpr char end_of_input = 'D' - '@';
  auto const shown =
      terminal.errors_of({RIFFLE_PERMUTATION_TEST_PROGRAM, "-", "--x", "a", "--y", "b"},
                         std::string("a,b\n1,2\n3,5\n4,4\n") + end_of_input);
  EXPECT_NE(shown.find("permutation_test: reading CSV from this terminal until Ctrl-D"),
            std::string::npos)
      << shown;
}

TEST(PermutationTestTerminal, shows_no_progress_in_a_pipe) {
  auto const finished = run_permutation_test(arguments);
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.errors.find("999,999"), std::string::npos) << finished.errors;
  EXPECT_EQ(finished.errors.find('\x1B'), std::string::npos);
}

}  // namespace example::permutation_test_terminal_test
