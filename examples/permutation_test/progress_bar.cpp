#include "progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "text.hpp"

namespace example {
namespace {

constexpr int width = 30;
constexpr std::chrono::milliseconds min_pause{100};
constexpr char const* const clear_line = "\r\x1B[K";

}  // namespace

std::string progress_line(std::uint64_t done, std::uint64_t total, double seconds) {
  double const share =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  int const filled = static_cast<int>(share * width);
  std::string bar(static_cast<std::size_t>(filled), '=');
  if (filled < width) bar += '>';
  bar.resize(width, ' ');
  std::string percent = std::to_string(static_cast<int>(share * 100));
  percent.insert(0, 3 - std::min<std::size_t>(3, percent.size()), ' ');

  std::string line = "[" + bar + "] " + percent + "%  " + grouped(done) + " of " + grouped(total);
  if (done == 0 || !(seconds > 0)) return line;
  double const rate = static_cast<double>(done) / seconds;
  double const left = static_cast<double>(total - std::min(done, total)) / rate;
  return line + "  " + rounded(rate / 1e6, 3) + " million/s  " + rounded(left, 2) + " s left";
}

ProgressBar::ProgressBar(std::ostream& out) : out_(out) {}

ProgressBar::~ProgressBar() {
  if (visible_) out_ << clear_line << std::flush;
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  auto const now = Clock::now();
  if (visible_ && now - drawn_ < min_pause) return;
  drawn_ = now;
  visible_ = true;
  std::chrono::duration<double> const seconds = now - start_;
  out_ << clear_line << progress_line(done, total, seconds.count()) << std::flush;
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace example
