// Draws a histogram as gnuplot commands.

#include <algorithm>
#include <sstream>
#include <string_view>

#include "gnuplot.hpp"
#include "histogram.hpp"
#include "text.hpp"

namespace example {
namespace {

// Extreme values are drawn with at least this share of the picture's height, so that a small p is visible.
constexpr double least_visible = 0.012;

double percent(Histogram const& histogram, std::uint64_t count) {
  return 100 * histogram.share(count);
}

double highest_bar(Histogram const& histogram) {
  double highest = 0;
  for (auto const& bar : histogram.bars) highest = std::max(highest, percent(histogram, bar.count));
  return highest;
}

// Lines "middle height width", with a small gap between bars. Extreme values are drawn over the bars of all values.
std::string bars(Histogram const& histogram, std::string const& name, std::uint64_t Bar::*counted,
                 double least) {
  std::ostringstream lines;
  for (auto const& bar : histogram.bars) {
    if (bar.*counted == 0) continue;
    lines << shortest(bar.left + histogram.width / 2) << ' '
          << shortest(std::max(percent(histogram, bar.*counted), least)) << ' '
          << shortest(0.9 * histogram.width) << '\n';
  }
  // gnuplot cannot plot an empty data block, and without one the legend would lack an entry: add a bar below the picture.
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
  return "set xrange [" + shortest(left - margin) + ":" + shortest(right + margin) +
         "]\nset yrange [0:" + shortest(1.15 * highest_bar(histogram)) + "]\n";
}

std::string observed_mark(Histogram const& histogram) {
  auto const [left, right] = horizontal_range(histogram);
  // Place the label on the side with more space.
  bool const to_the_left = histogram.observed > (left + right) / 2;
  std::string const x = shortest(histogram.observed);
  return "set arrow 1 from first " + x + ", graph 0 to first " + x +
         ", graph 0.97 nohead lw 2 lc rgb '#102A43' front\n"
         "set label 3 " +
         gnuplot_string("observed " + typeset(histogram.observed)) + " at first " + x +
         ", graph 0.945 " + (to_the_left ? "right" : "left") + " offset character " +
         (to_the_left ? "-0.8" : "0.8") + ", 0 tc rgb '#102A43' front\n";
}

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

}  // namespace

std::string gnuplot_script(Histogram const& histogram, Captions const& captions) {
  std::ostringstream script;
  script << style << bars(histogram, "$all", &Bar::count, 0)
         << bars(histogram, "$extreme", &Bar::extreme, least_visible * highest_bar(histogram))
         << ranges(histogram) << observed_mark(histogram) << "set label 1 "
         << gnuplot_string(captions.title)
         << " at screen 0.03, 0.94 left font ',20' tc rgb '#102A43'\n"
         << "set label 2 " << gnuplot_string(captions.subtitle)
         << " at screen 0.03, 0.88 left tc rgb '#627D98'\n"
         << "set label 4 "
         << gnuplot_string("share of " + grouped(histogram.size) + " " + captions.replicates +
                           ", per " + rounded(histogram.width, 3))
         << " at screen 0.03, 0.797 left tc rgb '#486581'\n"
         << "set xlabel " << gnuplot_string(captions.axis) << " tc rgb '#243B53' offset 0, 0.2\n"
         << "plot $all using 1:2:3 with boxes lc rgb '#9FB3C8' title 'less extreme', "
         << "$extreme using 1:2:3 with boxes lc rgb '#E4572E' title 'counts for p'\n";
  return script.str();
}

}  // namespace example
