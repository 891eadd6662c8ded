#pragma once

#include <string>
#include <string_view>

namespace example {

/// Any text as a gnuplot string.
std::string gnuplot_string(std::string_view text);

/// A number with a true minus sign, as in gnuplot's tic labels.
std::string typeset(double number);

/// A picture format, selected by the ending of the file name.
struct PictureFormat {
  std::string_view ending;
  std::string_view terminal;  // gnuplot's name of the format
  std::string_view settings;
  std::string_view end;  // marker at the end of a complete picture
};

/// The format of a file name. Throws InputError, which lists the known endings. Here and below, `option` is used in messages.
PictureFormat const& picture_format(std::string const& option, std::string const& file);

/// Throws InputError if the picture cannot be drawn: the file cannot be written, or gnuplot or its terminal is missing. Call
/// this before the test, so that no result is lost after a long computation.
void check_that_picture_can_be_written(std::string const& option, std::string const& file);

/// Draws a picture of 960 x 540 units from gnuplot commands. Throws InputError as above.
void write_picture(std::string const& option, std::string const& file, std::string const& script);

}  // namespace example
