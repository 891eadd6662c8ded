#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "gnuplot.hpp"
#include "input_error.hpp"
#include "json_text.hpp"
#include "results.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

constexpr std::size_t max_named = 6;
constexpr std::size_t longest_name = 18;  // bytes
// width of a letter of the slanted labels, as a share of the picture's width
constexpr double letter_width = 0.006;

struct Point {
  double x;  // -log10 of the uniform quantile
  double y;  // -log10 p
  bool is_significant;
  std::size_t variable;
};

// Sorted: the most extreme variable first.
std::vector<Point> points_of(Task const& task, Settings const& settings, Outcome const& outcome) {
  auto order = by_extremeness(task, settings, outcome);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return outcome.p[a] < outcome.p[b]; });
  std::vector<Point> points;
  double const count = static_cast<double>(order.size());
  for (auto const g : order) {
    // The median of the i-th of G uniform order statistics is near (i - 1/2) / G.
    double const quantile = (static_cast<double>(points.size()) + 0.5) / count;
    points.push_back({-std::log10(quantile), -std::log10(outcome.p[g]),
                      outcome.p_step_down[g] <= significance_level, g});
  }
  return points;
}

// Points that overlap are drawn once; a million variables would otherwise give a file of 100 MB.
std::string lines_of(std::vector<Point> const& points, bool significant, double cell) {
  std::ostringstream lines;
  double last_x = -1;
  double last_y = -1;
  for (auto const& point : points) {
    if (point.is_significant != significant) continue;
    if (std::abs(point.x - last_x) < cell && std::abs(point.y - last_y) < cell) continue;
    last_x = point.x;
    last_y = point.y;
    lines << rounded(point.x, 7) << ' ' << rounded(point.y, 7) << '\n';
  }
  // gnuplot cannot plot an empty data block, and without one the legend would lack an entry: add a point outside the picture.
  return std::string(significant ? "$significant" : "$rest") + " << END\n" + lines.str() +
         "-9 -9\nEND\n";
}

std::string short_name(std::string const& name) {
  if (name.size() <= longest_name) return valid_utf8(name);
  std::size_t length = longest_name;
  while (length > 0 && (static_cast<unsigned char>(name[length]) & 0xC0U) == 0x80U) --length;
  return valid_utf8(name.substr(0, length)) + "…";
}

// Labels slant down to their points from the upper left, where no points lie.
std::string names_of(std::vector<Point> const& points, Task const& task, double width) {
  std::ostringstream labels;
  double last_x = 1e9;
  std::size_t named = 0;
  for (auto const& point : points) {
    if (named == max_named) break;
    if (last_x - point.x < 0.03 * width) break;  // the remaining points are even closer together
    auto const name = short_name(task.data.variables[point.variable]);
    if (point.x < letter_width * static_cast<double>(name.size()) * width) continue;
    last_x = point.x;
    ++named;
    labels << "set label " << 10 + named << ' ' << gnuplot_string(name) << " at first "
           << shortest(point.x) << "," << shortest(point.y)
           << " right rotate by -45 offset character -0.5, 0.6 font ',12' tc rgb "
           << (point.is_significant ? "'#B23A1B'" : "'#486581'") << " front\n";
  }
  return labels.str();
}

constexpr std::string_view style = R"(
set border 3 lc rgb '#829AB1'
set lmargin at screen 0.075
set rmargin at screen 0.965
set tmargin at screen 0.77
set bmargin at screen 0.145
set tics nomirror out scale 0.6 tc rgb '#486581'
set grid lt 1 lw 1 lc rgb '#E4E9F0'
set grid back
set key at graph 1, screen 0.825 right reverse Left horizontal samplen 1 tc rgb '#486581'
)";

// A line at the smallest p-value that random arrangements can give, 1 / (m + 1).
std::string least_p(Plan const& plan, Outcome const& outcome, double right, double top) {
  double const y = std::log10(static_cast<double>(outcome.replicates) + 1);
  if (plan.is_exact || y > 0.95 * top) return "";
  return "set arrow 2 from 0," + shortest(y) + " to " + shortest(right) + "," + shortest(y) +
         " nohead lw 1 dt 3 lc rgb '#829AB1' back\nset label 4 'the smallest possible p, 1 / " +
         grouped(outcome.replicates + 1) + "' at graph 0.01, first " + shortest(y) +
         " left offset 0, 0.6 font ',12' tc rgb '#627D98'\n";
}

std::string title(Task const& task, Settings const& settings) {
  std::string text = "P-values of " + words(task, settings);
  if (auto const at = text.find("' - '"); at != std::string::npos) text.replace(at, 5, "' − '");
  return text;
}

std::string subtitle(Task const& task, Settings const& settings, Plan const& plan,
                     Outcome const& outcome) {
  std::string const file = std::filesystem::path(task.data.file).filename().string();
  return short_name(file) + ": " + plural(task.data.variables.size(), "variable") + " of " +
         plural(observations_of(task), "observation") + ", " +
         replicates_text(settings, plan, outcome.replicates) + "; " +
         grouped(count_significant(outcome.p_step_down)) + " adjusted p ≤ 0.05 (max-T)";
}

}  // namespace

std::string plot_script(Task const& task, Settings const& settings, Plan const& plan,
                        Outcome const& outcome) {
  auto const points = points_of(task, settings, outcome);
  if (points.empty()) throw InputError("--plot: no variable was tested");
  double const right = std::max(1.0, 1.06 * points.front().x);
  double highest = 0;
  for (auto const& point : points) highest = std::max(highest, point.y);
  // Leave space for labels above the highest points.
  double const top = std::max(1.0, 1.36 * highest);
  double const diagonal = std::min(right, top);
  // Few points are drawn larger.
  double const size = points.size() < 100 ? 1.4 : 0.9;
  std::ostringstream script;
  script << style << lines_of(points, true, 0.001 * right) << lines_of(points, false, 0.001 * right)
         << "set xrange [0:" << shortest(right) << "]\nset yrange [0:" << shortest(top) << "]\n"
         << names_of(points, task, right) << least_p(plan, outcome, right, top)
         << "set arrow 1 from 0,0 to " << shortest(diagonal) << "," << shortest(diagonal)
         << " nohead lw 1.5 dt 2 lc rgb '#829AB1' back\n"
         << "set label 1 " << gnuplot_string(valid_utf8(title(task, settings)))
         << " at screen 0.03, 0.94 left font ',20' tc rgb '#102A43'\n"
         << "set label 2 " << gnuplot_string(valid_utf8(subtitle(task, settings, plan, outcome)))
         << " at screen 0.03, 0.88 left tc rgb '#627D98'\n"
         << "set label 3 '−log₁₀ p' at screen 0.03, 0.81 left tc rgb '#486581'\n"
         << "set xlabel '−log₁₀ of uniform quantiles: where p-values would lie without any effect' "
            "tc rgb '#243B53' offset 0, 0.2\n"
         << "plot $significant using 1:2 with points pt 7 ps " << size
         << " lc rgb '#E4572E' title 'adjusted p "
            "≤ 0.05', $rest using 1:2 with points pt 7 ps "
         << 0.7 * size << " lc rgb '#7B93AD' title 'others'\n";
  return script.str();
}

}  // namespace example::permute
