#pragma once

#include <string>

namespace example {

/// The text of a file in UTF-8 or another superset of ASCII, decompressed if it is compressed by gzip. Throws InputError that
/// names any other compression (zip, bzip2, xz, zstd) or encoding (UTF-16, UTF-32). `file` is used in messages.
std::string decoded(std::string const& file, std::string bytes);

}  // namespace example
