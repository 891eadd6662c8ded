#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace example {

/// A result could not be written. The message is one line; the program ends with exit code 1.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The name of standard output, as an output.
inline constexpr char const* standard_output = "-";

/// A file as the user names it, and the option that names it. The input "-" is standard input.
struct NamedFile {
  std::string option;
  std::string file;
};

/// Throws InputError where a file of this name could not be written: where its folder takes no new file, or where it is
/// a folder itself. Neither opens nor makes a file.
void check_output(std::string const& option, std::string const& file);

/// The files of a call, before any of them is opened. Throws InputError where an output is an input, another output or
/// the file that standard output goes to, by whatever names and links, where two inputs are standard input, and what
/// `check_output` throws. Files without a name are none. One file may be both --resume and --state.
void check_files(std::vector<NamedFile> const& inputs, std::vector<NamedFile> const& outputs);

/// Whether `write_file` would replace, or make, a file of this name. Others, such as pipes, are written as they are.
bool is_replaced(std::string const& file);

/// Whether both names lead to the same file, which need not exist.
bool is_same_file(std::string const& a, std::string const& b);

/// Writes a temporary file in the folder of `file`, and renames it once it is on the disk: a file of that name has the
/// old content or the new one, also where this fails. The mode of a file that is replaced stays; through symbolic links
/// the file that they name is written, also where there is none yet. Pipes, devices and open files such as /dev/stdout
/// are written as they are. Throws OutputError.
void write_file(std::string const& file, std::string const& text);

/// Writes a file that did not exist: `stem` + `ending`, or the first of `stem`-2, `stem`-3, ... with that ending that is
/// free. Returns its name. Throws OutputError.
std::string write_new_file(std::string const& stem, std::string const& ending,
                           std::string const& text);

/// Throws OutputError where standard output does not take all of a text.
void write_standard_output(std::string const& text);

}  // namespace example
