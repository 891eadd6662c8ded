#pragma once

#include <string>

namespace example {

/// The text of a file that is UTF-8, or another superset of ASCII: as it is, or what gzip's format holds. Throws InputError
/// that names any other compression (zip, bzip2, xz, zstd) or encoding (UTF-16, UTF-32). `file` stands in messages.
std::string decoded(std::string const& file, std::string bytes);

}  // namespace example
