#include "progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include "text.hpp"

namespace example {
namespace {

constexpr int max_width = 30;
constexpr int min_width = 5;
constexpr int default_columns = 80;
constexpr std::string_view longest_rate_and_time = "  99.9 million/s  59 min 59 s left";
constexpr std::chrono::milliseconds min_pause{100};
constexpr char const* const clear_line = "\r\x1B[K";

std::string per_second(double rate) {
  return (rate < 1e5 ? grouped(static_cast<std::uint64_t>(rate))
                     : rounded(rate / 1e6, 3) + " million") +
         "/s";
}

// `seconds` is the time since `begun` replicates were done.
std::string numbers(double share, std::uint64_t done, std::uint64_t total, double seconds,
                    std::uint64_t begun) {
  std::string percent = std::to_string(static_cast<int>(share * 100));
  percent.insert(0, 3 - std::min<std::size_t>(3, percent.size()), ' ');

  std::string const text = percent + "%  " + grouped(done) + " of " + grouped(total);
  if (done <= begun || !(seconds > 0)) return text;
  double const rate = static_cast<double>(done - begun) / seconds;
  double const left = static_cast<double>(total - std::min(done, total)) / rate;
  return text + "  " + per_second(rate) + "  " + time_text(left) + " left";
}

std::string bar(double share, int width) {
  int const filled = static_cast<int>(share * width);
  std::string text(static_cast<std::size_t>(filled), '=');
  if (filled < width) text += '>';
  text.resize(static_cast<std::size_t>(width), ' ');
  return "[" + text + "] ";
}

int columns_of_terminal() {
  winsize size{};
  bool const is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : default_columns;
}

}  // namespace

std::string progress_line(std::uint64_t done, std::uint64_t total, double seconds, int columns,
                          std::uint64_t begun) {
  double const share =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  std::string const text = numbers(share, done, total, seconds, begun);
  // The length of the bar leaves space for the longest text, so it is constant. The last column is not used: a terminal may
  // start a new line after it.
  auto const longest = numbers(1, total, total, 0, 0).size() + longest_rate_and_time.size();
  int const room = columns - 1 - static_cast<int>(std::max(text.size(), longest));
  int const width = std::min(max_width, room - static_cast<int>(bar(share, 0).size()));
  if (width >= min_width) return bar(share, width) + text;
  return text.substr(0, static_cast<std::size_t>(std::max(0, columns - 1)));
}

ProgressBar::ProgressBar(std::ostream& out, std::uint64_t begun) : out_(out), begun_(begun) {}

ProgressBar::~ProgressBar() {
  if (visible_) out_ << clear_line << std::flush;
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  auto const now = Clock::now();
  if (visible_ && now - drawn_ < min_pause) return;
  drawn_ = now;
  visible_ = true;
  std::chrono::duration<double> const seconds = now - start_;
  out_ << clear_line << progress_line(done, total, seconds.count(), columns_of_terminal(), begun_)
       << std::flush;
}

}  // namespace example
