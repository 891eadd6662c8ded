#pragma once

#include <chrono>
#include <string>

namespace perf::quality {

/// A line on standard error that shows how far a long run is; nothing where that is no terminal.
class Progress {
 public:
  /// Of so much work, in units of the caller's.
  explicit Progress(double work);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  /// What is next, and its part of the work. All before it is done.
  void begin(std::string const& label, double work);

  /// Another name for what was begun.
  void relabel(std::string const& label);

  /// How much is done of what was begun, from 0 to 1.
  void update(double share);

  /// Takes the line away, so that others can be printed.
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
