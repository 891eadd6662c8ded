#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace example {

/// A result could not be written. The message is one line; the program ends with exit code 1.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The file name that stands for standard output.
inline constexpr char const* standard_output = "-";

/// A file name and the option that gave it. The input "-" is standard input.
struct NamedFile {
  std::string option;
  std::string file;
};

/// Throws InputError if a file of this name could not be written: if its folder does not permit a new file, or if it is a
/// folder itself. Does not open or create the file.
void check_output(std::string const& option, std::string const& file);

/// Checks the files of a command before any of them is opened. Throws InputError if an output is also an input, another output
/// or the file of standard output (through any names and links), if two inputs are standard input, or if check_output
/// throws. Empty names are ignored. One file may be both --resume and --state.
void check_files(std::vector<NamedFile> const& inputs, std::vector<NamedFile> const& outputs);

/// Whether `write_file` would replace or create this file. Others, such as pipes, are written directly.
bool is_replaced(std::string const& file);

/// Whether both names lead to the same file, which need not exist.
bool is_same_file(std::string const& a, std::string const& b);

/// Writes a temporary file in the folder of `file` and renames it after flushing it to the disk: `file` has either the old or
/// the new content, even if this function fails. The mode of a replaced file is kept. A symbolic link is followed, also to a
/// file that does not exist yet. Pipes, devices and open files such as /dev/stdout are written directly. Throws OutputError.
void write_file(std::string const& file, std::string const& text);

/// Writes a new file with the first unused name of `stem` + `ending`, `stem`-2 + `ending`, `stem`-3 + `ending`, ... Returns
/// the name. Throws OutputError.
std::string write_new_file(std::string const& stem, std::string const& ending,
                           std::string const& text);

/// Writes a text to standard output. Throws OutputError if it cannot be written completely.
void write_standard_output(std::string const& text);

}  // namespace example
