// A library for LD_PRELOAD: one of the system calls by which a program writes files fails, or the program is killed in it.
//
//   RIFFLE_FAIL_AT=n     the n-th such call, from 1 on
//   RIFFLE_FAIL_HOW      once: only this call fails; on: all later calls, too; short: a write writes half; kill: SIGKILL
//   RIFFLE_FAIL_WITH     the number of the error
//
// Counted calls: open with O_CREAT; write, fsync, fchmod and close of such files, and write to standard output; rename.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int most_files = 1024;
bool is_watched[most_files] = {};
int calls = 0;

bool is_output(int descriptor) {
  return descriptor == STDOUT_FILENO ||
         (descriptor >= 0 && descriptor < most_files && is_watched[descriptor]);
}

int number_in(char const* variable) {
  char const* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

char const* how() {
  char const* const text = std::getenv("RIFFLE_FAIL_HOW");
  return text == nullptr ? "once" : text;
}

enum class Fate { works, fails, is_short };

Fate fate_of_next_call() {
  int const at = number_in("RIFFLE_FAIL_AT");
  ++calls;
  if (at == 0 || calls < at) return Fate::works;
  if (std::strcmp(how(), "on") != 0 && calls > at) return Fate::works;
  if (std::strcmp(how(), "kill") == 0) kill(getpid(), SIGKILL);
  if (std::strcmp(how(), "short") == 0) return Fate::is_short;
  errno = number_in("RIFFLE_FAIL_WITH");
  return Fate::fails;
}

template <class Function>
Function* real(char const* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(char const* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  bool const is_new = (flags & O_CREAT) != 0;
  if (is_new && fate_of_next_call() == Fate::fails) return -1;
  int const descriptor = real<int(char const*, int, ...)>("open")(path, flags, mode);
  if (is_new && descriptor >= 0 && descriptor < most_files) is_watched[descriptor] = true;
  return descriptor;
}

ssize_t write(int descriptor, void const* bytes, size_t count) {
  auto* const call = real<ssize_t(int, void const*, size_t)>("write");
  if (!is_output(descriptor)) return call(descriptor, bytes, count);
  switch (fate_of_next_call()) {
    case Fate::fails: return -1;
    case Fate::is_short: return call(descriptor, bytes, count / 2 + 1);
    default: return call(descriptor, bytes, count);
  }
}

int fsync(int descriptor) {
  if (is_output(descriptor) && fate_of_next_call() == Fate::fails) return -1;
  return real<int(int)>("fsync")(descriptor);
}

int fchmod(int descriptor, mode_t mode) {
  if (is_output(descriptor) && fate_of_next_call() == Fate::fails) return -1;
  return real<int(int, mode_t)>("fchmod")(descriptor, mode);
}

int close(int descriptor) {
  bool const fails =
      descriptor != STDOUT_FILENO && is_output(descriptor) && fate_of_next_call() == Fate::fails;
  int const code = errno;
  if (descriptor >= 0 && descriptor < most_files) is_watched[descriptor] = false;
  int const result =
      real<int(int)>("close")(descriptor);  // the descriptor is closed although the call fails
  if (!fails) return result;
  errno = code;
  return -1;
}

int rename(char const* from, char const* to) {
  if (fate_of_next_call() == Fate::fails) return -1;
  return real<int(char const*, char const*)>("rename")(from, to);
}

}  // extern "C"
