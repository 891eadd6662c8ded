#include "file.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace example {

bool is_terminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

std::string read_to_end(std::FILE* file) {
  std::string text;
  std::array<char, 65536> buffer{};
  errno = 0;
  std::size_t n = 0;
  do {  // stop at the first end of file: on a terminal, a further read would need a second Ctrl-D
    n = std::fread(buffer.data(), 1, buffer.size(), file);
    text.append(buffer.data(), n);
  } while (n == buffer.size());
  if (std::ferror(file) != 0) {
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
  }
  return text;
}

}  // namespace example
