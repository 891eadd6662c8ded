#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace example {

/// Shows the progress of a long computation on one line, which is redrawn, and erased at the end.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  /// Draws on `out`, which should be a terminal. `begun` replicates were done before and are excluded from the rate.
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

/// The text "[=====>    ]  52%  519,999 of 999,999  4.1 million/s  0.1 s left", in fewer than `columns` columns. If space is
/// short, the bar shrinks and disappears before the text is truncated. The rate is (done - begun) / seconds.
std::string progress_line(std::uint64_t done, std::uint64_t total, double seconds, int columns,
                          std::uint64_t begun = 0);

}  // namespace example
