#include "subprocess.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "file.hpp"

extern char** environ;  // NOLINT: POSIX has it so

namespace example {
namespace {

[[noreturn]] void fail(int code) { throw std::system_error(code, std::generic_category()); }

// Unnamed files are used for all three streams: a full pipe could block both processes.
File temporary() {
  File file(std::tmpfile());
  if (!file) fail(errno);
  return file;
}

void write_all(std::FILE* file, std::string const& text) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0) {
    fail(errno);
  }
  std::rewind(file);
}

std::string read_all(std::FILE* file) {
  std::rewind(file);
  return read_to_end(file);
}

class FileActions {
 public:
  FileActions() { check(posix_spawn_file_actions_init(&actions_)); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(FileActions const&) = delete;
  FileActions& operator=(FileActions const&) = delete;

  void redirect(File const& file, int to) {
    check(posix_spawn_file_actions_adddup2(&actions_, fileno(file.get()), to));
  }
  posix_spawn_file_actions_t const* get() const { return &actions_; }

 private:
  static void check(int code) {
    if (code != 0) fail(code);
  }
  posix_spawn_file_actions_t actions_{};
};

// The child must end when nobody reads its output, so the default of SIGPIPE, which this program ignores, is restored.
class Attributes {
 public:
  Attributes() {
    if (int const code = posix_spawnattr_init(&attributes_)) fail(code);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(Attributes const&) = delete;
  Attributes& operator=(Attributes const&) = delete;

  posix_spawnattr_t const* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) == -1) {
    if (errno != EINTR) fail(errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Finished run_program(std::vector<std::string> const& command, std::string const& input) {
  File const in = temporary();
  File const out = temporary();
  File const err = temporary();
  write_all(in.get(), input);

  FileActions actions;
  actions.redirect(in, STDIN_FILENO);
  actions.redirect(out, STDOUT_FILENO);
  actions.redirect(err, STDERR_FILENO);

  Attributes const attributes;
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  Finished finished;
  pid_t child = 0;
  int const code =
      posix_spawnp(&child, argv[0], actions.get(), attributes.get(), argv.data(), environ);
  if (code == ENOENT || code == EACCES || code == ENOTDIR) return finished;
  if (code != 0) fail(code);
  finished.found = true;
  finished.exit_code = wait_for(child);
  finished.output = read_all(out.get());
  finished.errors = read_all(err.get());
  return finished;
}

}  // namespace example
