#pragma once

#include <string>
#include <string_view>

namespace example {

/// A text as gnuplot takes it, whatever the text holds.
std::string gnuplot_string(std::string_view text);

/// A number with a true minus sign, as gnuplot sets its tics.
std::string typeset(double number);

/// A format of pictures, by the ending of the file's name.
struct PictureFormat {
  std::string_view ending;
  std::string_view terminal;  // gnuplot's name of it
  std::string_view settings;
  std::string_view end;  // that stands at the end of a whole picture
};

/// Throws InputError that names the endings there are. Here and below, `option` is what asked for the picture.
PictureFormat const& picture_format(std::string const& option, std::string const& file);

/// Throws InputError where the picture could not be drawn: no right to write there, no gnuplot, or one without the format.
/// To be called before the test, so that nobody waits for a result that is then lost.
void check_that_picture_can_be_written(std::string const& option, std::string const& file);

/// Draws a picture of 960 by 540 units from gnuplot commands. Throws InputError as above.
void write_picture(std::string const& option, std::string const& file, std::string const& script);

}  // namespace example
