#include "uniformity/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "uniformity/table.hpp"

namespace perf::quality {
namespace {

constexpr int bar_width = 30;
constexpr std::chrono::milliseconds min_pause{100};

std::string bar(double share) {
  auto const filled = static_cast<std::size_t>(share * bar_width);
  std::string text(filled, '=');
  if (filled < bar_width) text += '>';
  text.resize(bar_width, ' ');
  return "[" + text + "]";
}

std::string percent(double share) {
  std::string const number = std::to_string(static_cast<int>(share * 100));
  return std::string(3 - number.size(), ' ') + number + "%";
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 60) return rounded(seconds, 2) + " s";
  auto const whole = std::llround(seconds);
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

Progress::Progress(double work)
    : whole_(std::max(work, 1.0)), is_on_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::begin(std::string const& label, double work) {
  before_ += current_;
  current_ = work;
  label_ = label;
  drawn_ = {};
  update(0);
}

void Progress::relabel(std::string const& label) { label_ = label; }

void Progress::update(double share) {
  auto const now = Clock::now();
  if (!is_on_terminal_ || now - drawn_ < min_pause) return;
  drawn_ = now;
  double const done = std::clamp((before_ + share * current_) / whole_, 0.0, 1.0);
  double const seconds = std::chrono::duration<double>(now - start_).count();
  clear();
  is_visible_ = true;
  std::cerr << bar(done) << ' ' << percent(done) << "  " << label_;
  if (done > 0) std::cerr << "  " << duration_text(seconds / done * (1 - done)) << " left";
  std::cerr << std::flush;
}

void Progress::clear() {
  if (is_visible_) std::cerr << "\r\x1B[K" << std::flush;
  is_visible_ = false;
}

}  // namespace perf::quality
