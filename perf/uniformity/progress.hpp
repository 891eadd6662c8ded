#pragma once

#include <chrono>
#include <string>

namespace perf::quality {

/// Shows the progress of a long run on one line of standard error, if that is a terminal.
class Progress {
 public:
  /// `work` is the total work, in the caller's units.
  explicit Progress(double work);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  /// Begins the next part, with its work. All parts before it are finished.
  void begin(std::string const& label, double work);

  /// Renames the current part.
  void relabel(std::string const& label);

  /// The share of the current part that is done, from 0 to 1.
  void update(double share);

  /// Erases the line, so that other lines can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  double whole_;
  double before_ = 0;
  double current_ = 0;
  std::string label_;
  bool is_on_terminal_;
  bool is_visible_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

/// 75.2 as "1 min 15 s".
std::string duration_text(double seconds);

}  // namespace perf::quality
