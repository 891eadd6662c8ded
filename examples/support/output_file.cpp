#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>

#include "csv_rows.hpp"
#include "input_error.hpp"
#include "text.hpp"

namespace example {
namespace {

namespace fs = std::filesystem;

constexpr int max_links = 40;       // Linux's limit
constexpr int max_attempts = 1000;  // to find an unused name

std::string reason(int code) { return std::generic_category().message(code != 0 ? code : EIO); }

[[noreturn]] void fail(std::string const& file, int code) {
  throw OutputError(file + ": cannot be written: " + reason(code));
}

// Whether this is the folder of links to the open files of a process.
bool holds_open_files(fs::path const& folder) {
  return folder.filename() == "fd" && folder.string().rfind("/proc/", 0) == 0;
}

// The target of all symbolic links; it need not exist.
fs::path followed(fs::path file) {
  std::error_code failure;
  for (int links = 0; links < max_links; ++links) {
    auto const folder =
        fs::weakly_canonical(file.has_parent_path() ? file.parent_path() : fs::path("."), failure);
    if (failure) return file;
    file = folder / file.filename();
    if (holds_open_files(folder) || !fs::is_symlink(fs::symlink_status(file, failure))) return file;
    auto const target = fs::read_symlink(file, failure);
    if (failure) return file;
    file = folder / target;
  }
  return file;
}

// The kinds of files that a name may lead to.
struct Place {
  explicit Place(std::string const& file) : path(followed(file)) {
    error = ::stat(file.c_str(), &status) == 0 ? 0 : errno;
  }
  // a file descriptor of this process
  explicit Place(int descriptor) { error = fstat(descriptor, &status) == 0 ? 0 : errno; }

  bool exists() const { return error == 0; }
  bool is_regular() const { return exists() && S_ISREG(status.st_mode); }

  // number of the open file, for names such as /dev/stdout
  std::optional<int> descriptor() const {
    std::error_code ignored;
    if (path.parent_path() != fs::weakly_canonical("/proc/self/fd", ignored)) return {};
    auto const number = to_unsigned(path.filename().string());
    if (!number || *number > 1'000'000) return {};
    return static_cast<int>(*number);
  }
  // Other files, such as /dev/null, are written directly.
  bool is_replaced() const {
    return !holds_open_files(path.parent_path()) && (is_regular() || error == ENOENT);
  }

  fs::path path;
  struct stat status {};
  int error = 0;
};

// Two outputs may name the same device or pipe: nothing is replaced there.
bool is_same(Place const& a, Place const& b) {
  if (a.exists() && b.exists()) {
    return a.is_regular() && a.status.st_dev == b.status.st_dev &&
           a.status.st_ino == b.status.st_ino;
  }
  return !a.exists() && !b.exists() && !a.path.empty() && a.path == b.path;
}

int error_of_access(char const* path, int mode) {
  return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? 0 : errno;
}

// In a sticky folder, such as /tmp, only the owner may replace a file.
bool only_owner_may_replace(struct stat const& folder, struct stat const& file) {
  auto const user = geteuid();
  return (folder.st_mode & S_ISVTX) != 0 && user != 0 && user != file.st_uid &&
         user != folder.st_uid;
}

int write_all(int descriptor, std::string const& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    auto const n = ::write(descriptor, text.data() + done, text.size() - done);
    // EINTR is reported: Ctrl-C ends the wait for the reader of a pipe.
    if (n <= 0) return n < 0 ? errno : EIO;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

int close_checked(int descriptor) { return ::close(descriptor) == 0 || errno == EINTR ? 0 : errno; }

// Some file systems do not support fsync.
int sync_to_disk(int descriptor) {
  if (fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) return 0;
  return errno;
}

// Writes a new file, flushes it to the disk, and closes it.
int fill(int descriptor, std::string const& text) {
  int code = write_all(descriptor, text);
  if (code == 0) code = sync_to_disk(descriptor);
  int const code_of_closing = close_checked(descriptor);
  return code != 0 ? code : code_of_closing;
}

// O_EXCL fails if the file or a link of this name exists.
int open_new(std::string const& file, mode_t mode) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

// Returns the descriptor and sets `name`; returns -1 with errno on failure.
int open_temporary(fs::path const& folder, mode_t mode, std::string& name) {
  std::random_device random;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    name = (folder / (".riffle-" + std::to_string(random()))).string();
    int const descriptor = open_new(name, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

int replace(Place const& place, std::string const& text) {
  std::string temporary;
  int const descriptor =
      open_temporary(place.path.parent_path(), place.exists() ? 0600 : 0666, temporary);
  if (descriptor < 0) return errno;
  int code = 0;
  if (place.exists()) {
    // Only root may keep another owner. The set-user-ID bit is not kept for a different owner.
    bool const is_same_owner = fchown(descriptor, place.status.st_uid, place.status.st_gid) == 0 ||
                               place.status.st_uid == geteuid();
    if (fchmod(descriptor, place.status.st_mode & (is_same_owner ? 07777U : 0777U)) != 0) {
      code = errno;
    }
  }
  int const code_of_filling = fill(descriptor, text);
  if (code == 0) code = code_of_filling;
  if (code == 0 && std::rename(temporary.c_str(), place.path.c_str()) != 0) code = errno;
  if (code != 0) ::unlink(temporary.c_str());
  return code;
}

int write_in_place(std::string const& file, Place const& place, std::string const& text) {
  if (auto const open_file = place.descriptor()) return write_all(*open_file, text);
  int const descriptor = ::open(file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int const code = write_all(descriptor, text);
  int const code_of_closing = close_checked(descriptor);
  return code != 0 ? code : code_of_closing;
}

Place place_of_input(std::string const& file) {
  return file == standard_input ? Place(STDIN_FILENO) : Place(file);
}

}  // namespace

void check_output(std::string const& option, std::string const& file) {
  auto const refuse = [&](std::string const& what, int code) {
    throw InputError(option + " " + in_quotes(file) + ": " + what + reason(code));
  };
  if (file.empty()) throw InputError(option + " '': a file name is required");
  Place const place(file);
  if (place.exists() && S_ISDIR(place.status.st_mode)) refuse("", EISDIR);
  if (!place.exists() && place.error != ENOENT) refuse("", place.error);
  if (place.exists()) {
    if (int const code = error_of_access(file.c_str(), W_OK)) refuse("", code);
  }
  if (!place.is_replaced()) return;
  if (place.path.filename().empty()) refuse("", EISDIR);
  auto const folder = place.path.parent_path();
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) refuse("", errno);
  if (!S_ISDIR(status.st_mode)) refuse("", ENOTDIR);
  if (int const code = error_of_access(folder.c_str(), W_OK | X_OK)) {
    refuse("its folder " + in_quotes(folder.string()) + " does not permit a new file: ", code);
  }
  if (place.exists() && only_owner_may_replace(status, place.status)) refuse("", EPERM);
}

void check_files(std::vector<NamedFile> const& inputs, std::vector<NamedFile> const& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto const& [option, file] = outputs[i];
    if (file.empty()) continue;
    if (file == standard_output) {
      for (std::size_t j = 0; j < i; ++j) {
        if (outputs[j].file == standard_output) {
          throw InputError(option + " '-' is standard output, which is also " + outputs[j].option);
        }
      }
      continue;
    }
    Place const place(file);
    for (auto const& input : inputs) {
      bool const is_continued = option == "--state" && input.option == "--resume";
      if (!input.file.empty() && !is_continued && is_same(place, place_of_input(input.file))) {
        throw InputError(option + " " + in_quotes(file) + " would overwrite an input, " +
                         in_quotes(input.file));
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      bool const is_file = !outputs[j].file.empty() && outputs[j].file != standard_output;
      if (is_file && is_same(place, Place(outputs[j].file))) {
        throw InputError(option + " " + in_quotes(file) + " is the same file as " +
                         outputs[j].option + " " + in_quotes(outputs[j].file));
      }
    }
    if (is_same(place, Place(STDOUT_FILENO)) && place.is_replaced()) {
      throw InputError(option + " " + in_quotes(file) + " is also the file of standard output");
    }
    check_output(option, file);
  }
  NamedFile const* user_of_standard_input = nullptr;
  for (auto const& input : inputs) {
    if (input.file == standard_input) {
      if (user_of_standard_input != nullptr) {
        throw InputError(input.option + " '-' is standard input, which is also " +
                         user_of_standard_input->option);
      }
      user_of_standard_input = &input;
    }
    if (!input.file.empty() && is_same(Place(STDOUT_FILENO), place_of_input(input.file))) {
      throw InputError("standard output would overwrite an input, " + in_quotes(input.file));
    }
  }
}

bool is_replaced(std::string const& file) {
  return file != standard_output && Place(file).is_replaced();
}

bool is_same_file(std::string const& a, std::string const& b) {
  return is_same(Place(a), Place(b));
}

void write_file(std::string const& file, std::string const& text) {
  if (file == standard_output) return write_standard_output(text);
  Place const place(file);
  int const code = place.is_replaced() ? replace(place, text) : write_in_place(file, place, text);
  if (code != 0) fail(file, code);
}

std::string write_new_file(std::string const& stem, std::string const& ending,
                           std::string const& text) {
  std::string name = stem + ending;
  for (int number = 2; number < max_attempts; ++number) {
    int const descriptor = open_new(name, 0666);
    if (descriptor >= 0) {
      int const code = fill(descriptor, text);
      if (code == 0) return name;
      ::unlink(name.c_str());
      fail(name, code);
    }
    if (errno != EEXIST) fail(name, errno);
    name = stem + "-" + std::to_string(number) + ending;
  }
  fail(name, EEXIST);
}

void write_standard_output(std::string const& text) {
  if (int const code = write_all(STDOUT_FILENO, text)) fail("standard output", code);
}

}  // namespace example
