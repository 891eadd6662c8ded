// Histogram in, picture out: the half of histogram.hpp that knows gnuplot.

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include "histogram.hpp"
#include "input_error.hpp"
#include "subprocess.hpp"
#include "text.hpp"

namespace example {
namespace {

// A gnuplot string: between single quotes nothing is special but the quote itself, and a line end
// would end the command.
std::string literal(std::string_view text) {
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

double percent(Histogram const& histogram, Bar const& bar) { return 100 * histogram.share(bar); }

// A number with a true minus sign, as gnuplot sets its tics.
std::string typeset(double number) { return number < 0 ? "−" + rounded(-number) : rounded(number); }

// Lines "middle height width", with a little white between bars.
std::string bars(Histogram const& histogram, bool extreme) {
  std::ostringstream lines;
  for (auto const& bar : histogram.bars) {
    if (bar.extreme != extreme || bar.count == 0) continue;
    double const width = bar.right - bar.left;
    lines << shortest(bar.left + width / 2) << ' ' << shortest(percent(histogram, bar)) << ' '
          << shortest(std::max(width - 0.1 * histogram.width, 0.5 * width)) << '\n';
  }
  // gnuplot refuses to plot nothing; a bar below the picture keeps the legend whole.
  std::string const name = extreme ? "$extreme" : "$rest";
  return name + " << END\n" + lines.str() + "0 -1 1\nEND\n";
}

struct Range {
  double left;
  double right;
};

Range horizontal_range(Histogram const& histogram) {
  return {std::min(histogram.bars.front().left, histogram.observed),
          std::max(histogram.bars.back().right, histogram.observed)};
}

std::string ranges(Histogram const& histogram) {
  auto const [left, right] = horizontal_range(histogram);
  double const margin = 0.03 * (right - left);
  double highest = 0;
  for (auto const& bar : histogram.bars) highest = std::max(highest, percent(histogram, bar));
  return "set xrange [" + shortest(left - margin) + ":" + shortest(right + margin) +
         "]\nset yrange [0:" + shortest(1.15 * highest) + "]\n";
}

std::string observed_mark(Histogram const& histogram) {
  auto const [left, right] = horizontal_range(histogram);
  // The words stand on the side where there is more room.
  bool const to_the_left = histogram.observed > (left + right) / 2;
  std::string const x = shortest(histogram.observed);
  return "set arrow 1 from first " + x + ", graph 0 to first " + x +
         ", graph 0.97 nohead lw 2 lc rgb '#102A43' front\n"
         "set label 3 " +
         literal("observed " + typeset(histogram.observed)) + " at first " + x + ", graph 0.945 " +
         (to_the_left ? "right" : "left") + " offset character " + (to_the_left ? "-0.8" : "0.8") +
         ", 0 tc rgb '#102A43' front\n";
}

// All look the same: 960 by 540 of SVG's pixels, of which an inch has 96 and a PNG twice as many.
constexpr std::array formats{
    PictureFormat{".svg", "svg", "size 960,540 font 'Helvetica,15'"},
    PictureFormat{".png", "pngcairo",
                  "size 1920,1080 fontscale 2 linewidth 2 font 'Helvetica,11.25'"},
    PictureFormat{".pdf", "pdfcairo", "size 10in,5.625in font 'Helvetica,11.25'"},
};

constexpr std::string_view style = R"(
set minussign
set border 1 lc rgb '#829AB1'
set lmargin at screen 0.085
set rmargin at screen 0.965
set tmargin at screen 0.76
set bmargin at screen 0.145
set tics nomirror out scale 0.6 tc rgb '#486581'
set ytics scale 0 format '%g%%'
set grid ytics lt 1 lw 1 lc rgb '#E4E9F0'
set grid back
set boxwidth -2
set style fill solid 1.0 noborder
set key at graph 1, screen 0.814 right reverse Left horizontal samplen 1 tc rgb '#486581'
)";

std::string missing_gnuplot() {
  return "--histogram needs gnuplot, which is not in PATH: install it (Debian: gnuplot-nox) or "
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

// Not every gnuplot was built with cairo.
void check_terminal(PictureFormat const& format, std::string const& known) {
  std::istringstream names(known);
  using Name = std::istream_iterator<std::string>;
  if (std::find(Name(names), Name(), format.terminal) != Name()) return;
  throw InputError("--histogram: this gnuplot has no terminal " + std::string(format.terminal) +
                   ", which draws " + std::string(format.ending));
}

[[noreturn]] void refuse(std::string const& file, int code) {
  throw InputError("--histogram " + in_quotes(file) + ": " +
                   std::generic_category().message(code != 0 ? code : EIO));
}

}  // namespace

std::string gnuplot_script(Histogram const& histogram, Captions const& captions) {
  std::ostringstream script;
  script << style << bars(histogram, true) << bars(histogram, false) << ranges(histogram)
         << observed_mark(histogram) << "set label 1 " << literal(captions.title)
         << " at screen 0.03, 0.94 left font ',20' tc rgb '#102A43'\n"
         << "set label 2 " << literal(captions.subtitle)
         << " at screen 0.03, 0.88 left tc rgb '#627D98'\n"
         << "set label 4 "
         << literal("share of " + grouped(histogram.size) + " " + captions.replicates + ", per " +
                    rounded(histogram.width, 3))
         << " at screen 0.03, 0.797 left tc rgb '#486581'\n"
         << "set xlabel " << literal(captions.axis) << " tc rgb '#243B53' offset 0, 0.2\n"
         << "plot $extreme using 1:2:3 with boxes lc rgb '#E4572E' title 'counts for p', "
         << "$rest using 1:2:3 with boxes lc rgb '#9FB3C8' title 'less extreme'\n";
  return script.str();
}

PictureFormat const& picture_format(std::string const& file) {
  auto const at = std::find_if(formats.begin(), formats.end(),
                               [&](auto const& format) { return has_ending(file, format.ending); });
  if (at != formats.end()) return *at;
  throw InputError("--histogram " + in_quotes(file) + ": one of the endings " + list_of_endings() +
                   " is required");
}

void check_that_picture_can_be_written(std::string const& file) {
  auto const& format = picture_format(file);
  std::error_code ignored;
  bool const is_new = !std::filesystem::exists(file, ignored);
  errno = 0;
  if (!std::ofstream(file, std::ios::app)) refuse(file, errno);
  if (is_new) std::filesystem::remove(file, ignored);
  auto const terminals = run_program({"gnuplot", "-"}, "set print '-'\nprint GPVAL_TERMINALS\n");
  if (!terminals.found) throw InputError(missing_gnuplot());
  check_terminal(format, terminals.output);
}

void write_picture(std::string const& file, std::string const& script) {
  auto const& format = picture_format(file);
  std::ostringstream commands;
  commands << "set encoding utf8\nset terminal " << format.terminal << ' ' << format.settings
           << " noenhanced background '#ffffff'\n"
           << script;
  auto const drawn = run_program({"gnuplot", "-"}, commands.str());
  if (!drawn.found) throw InputError(missing_gnuplot());
  if (drawn.exit_code != 0 || drawn.output.empty()) {
    throw InputError("gnuplot could not draw the histogram: " + in_quotes(drawn.errors));
  }
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << drawn.output << std::flush;
  if (!out) refuse(file, errno);
}

}  // namespace example
