#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace example {

/// One line that shows how far a long computation is, drawn over itself and taken away at the end.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  /// Draws on `out`, which should be a terminal. `begun` were done before, and do not count for the speed.
  explicit ProgressBar(std::ostream& out, std::uint64_t begun = 0);
  ~ProgressBar();
  ProgressBar(ProgressBar const&) = delete;
  ProgressBar& operator=(ProgressBar const&) = delete;

  void update(std::uint64_t done, std::uint64_t total);

 private:
  std::ostream& out_;
  std::uint64_t begun_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
  bool visible_ = false;
};

/// "[=====>    ]  52%  519,999 of 999,999  4.1 million/s  0.1 s left", in less than so many columns: the bar becomes
/// shorter, and is left out, before the text is cut off. Of what is done, `begun` took no part of the seconds.
std::string progress_line(std::uint64_t done, std::uint64_t total, double seconds, int columns,
                          std::uint64_t begun = 0);

}  // namespace example
