#include "file.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "input_error.hpp"
#include "text.hpp"

namespace example {
namespace {

[[noreturn]] void refuse(std::string const& file, int code) {
  throw InputError(
      file + ": cannot be written: " + std::generic_category().message(code != 0 ? code : EIO));
}

// Devices and pipes, such as /dev/null, are written to as they are.
bool is_replaceable(std::string const& file) {
  std::error_code ignored;
  auto const status = std::filesystem::status(file, ignored);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

// Written to and to the disk, or the number of the error.
int error_of_writing(std::string const& file, std::string const& text) {
  errno = 0;
  File out(std::fopen(file.c_str(), "wb"));
  if (!out) return errno;
  bool const ok = std::fwrite(text.data(), 1, text.size(), out.get()) == text.size() &&
                  std::fflush(out.get()) == 0;
  return ok ? 0 : errno != 0 ? errno : EIO;
}

}  // namespace

bool is_terminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

std::string read_to_end(std::FILE* file) {
  std::string text;
  std::array<char, 65536> buffer{};
  errno = 0;
  std::size_t n = 0;
  do {  // not once more behind the end: a terminal would have to be told of its end again
    n = std::fread(buffer.data(), 1, buffer.size(), file);
    text.append(buffer.data(), n);
  } while (n == buffer.size());
  if (std::ferror(file) != 0) {
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
  }
  return text;
}

void check_that_file_can_be_written(std::string const& option, std::string const& file) {
  std::error_code ignored;
  bool const is_new = !std::filesystem::exists(file, ignored);
  errno = 0;
  if (!std::ofstream(file, std::ios::app)) {
    throw InputError(option + " " + in_quotes(file) + ": " +
                     std::generic_category().message(errno != 0 ? errno : EIO));
  }
  if (is_new) std::filesystem::remove(file, ignored);
}

void write_file(std::string const& file, std::string const& text) {
  if (!is_replaceable(file)) {
    if (int const code = error_of_writing(file, text)) refuse(file, code);
    return;
  }
  std::error_code failure;
  // Through a symbolic link, the file that it names is replaced, and not the link.
  auto const target = std::filesystem::weakly_canonical(file, failure);
  std::string const final_name = failure ? file : target.string();
  std::string const temporary = final_name + ".new-" + std::to_string(getpid());
  int code = error_of_writing(temporary, text);
  if (code == 0 && std::rename(temporary.c_str(), final_name.c_str()) != 0) code = errno;
  if (code == 0) return;
  std::filesystem::remove(temporary, failure);
  refuse(file, code);
}

}  // namespace example
