#include "gnuplot.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <sstream>
#include <system_error>

#include "input_error.hpp"
#include "output_file.hpp"
#include "subprocess.hpp"
#include "text.hpp"

namespace example {
namespace {

// All formats look the same: 960 x 540 pixels in SVG at 96 pixels per inch; PNG has twice the resolution.
constexpr std::array formats{
    PictureFormat{".svg", "svg", "size 960,540 font 'Helvetica,15'", "</svg>"},
    PictureFormat{".png", "pngcairo",
                  "size 1920,1080 fontscale 2 linewidth 2 font 'Helvetica,11.25'", "IEND"},
    PictureFormat{".pdf", "pdfcairo", "size 10in,5.625in font 'Helvetica,11.25'", "%%EOF"},
};

std::string missing_gnuplot(std::string const& option) {
  return option +
         " needs gnuplot, which is not in PATH: install it (Debian: gnuplot-nox) or "
         "leave the option out";
}

bool has_ending(std::string_view file, std::string_view ending) {
  if (file.size() < ending.size()) return false;
  return std::equal(ending.begin(), ending.end(), file.end() - ending.size(),
                    [](char wanted, unsigned char c) { return wanted == std::tolower(c); });
}

std::string list_of_endings() {
  std::string list;
  for (auto const& format : formats)
    list += (list.empty() ? "" : ", ") + std::string(format.ending);
  return list;
}

// gnuplot may have been built without cairo.
void check_terminal(std::string const& option, PictureFormat const& format,
                    std::string const& known) {
  std::istringstream names(known);
  using Name = std::istream_iterator<std::string>;
  if (std::find(Name(names), Name(), format.terminal) != Name()) return;
  throw InputError(option + ": this gnuplot has no terminal " + std::string(format.terminal) +
                   ", which draws " + std::string(format.ending));
}

// The end marker of a picture must occur within this number of last bytes.
constexpr std::size_t longest_end = 64;

Finished run_gnuplot(std::string const& commands) {
  try {
    return run_program({"gnuplot", "-"}, commands);
  } catch (std::system_error const& error) {  // no temporary file or process could be made
    throw OutputError("gnuplot cannot be run: " + error.code().message());
  }
}

}  // namespace

// A gnuplot string. Only the quote itself is special between single quotes, and a line end would end the command.
std::string gnuplot_string(std::string_view text) {
  std::string out = "'";
  for (char const c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F') {
      out += ' ';
    } else {
      out += c;
      if (c == '\'') out += c;
    }
  }
  return out + "'";
}

// A number with a true minus sign, as in gnuplot's tic labels.
std::string typeset(double number) { return number < 0 ? "−" + rounded(-number) : rounded(number); }

PictureFormat const& picture_format(std::string const& option, std::string const& file) {
  auto const at = std::find_if(formats.begin(), formats.end(),
                               [&](auto const& format) { return has_ending(file, format.ending); });
  if (at != formats.end()) return *at;
  throw InputError(option + " " + in_quotes(file) + ": the file name must end in one of " +
                   list_of_endings());
}

void check_that_picture_can_be_written(std::string const& option, std::string const& file) {
  auto const& format = picture_format(option, file);
  check_output(option, file);
  auto const terminals = run_gnuplot("set print '-'\nprint GPVAL_TERMINALS\n");
  if (!terminals.found) throw InputError(missing_gnuplot(option));
  check_terminal(option, format, terminals.output);
}

void write_picture(std::string const& option, std::string const& file, std::string const& script) {
  auto const& format = picture_format(option, file);
  std::ostringstream commands;
  commands << "set encoding utf8\nset terminal " << format.terminal << ' ' << format.settings
           << " noenhanced background '#ffffff'\n"
           << script;
  auto const drawn = run_gnuplot(commands.str());
  if (!drawn.found) throw InputError(missing_gnuplot(option));
  // gnuplot does not report a full disk.
  bool const is_whole =
      drawn.output.find(format.end, drawn.output.size() -
                                        std::min<std::size_t>(drawn.output.size(), longest_end)) !=
      std::string::npos;
  if (drawn.exit_code != 0 || !is_whole) {
    throw OutputError(
        file + ": gnuplot cannot draw it: " +
        (drawn.errors.empty() ? "the picture is incomplete" : in_quotes(drawn.errors)));
  }
  write_file(file, drawn.output);
}

}  // namespace example
