#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace perf {

/// The times in seconds of rows that ran; later rows use them as limits.
class Measured {
 public:
  void set(std::string const& row, std::uint64_t n, double seconds) {
    seconds_[{row, n}] = seconds;
  }

  /// The sum of the times of these rows; empty if one of them has not run.
  std::optional<double> seconds(std::initializer_list<char const*> rows, std::uint64_t n) const {
    double sum = 0;
    for (char const* const row : rows) {
      auto const entry = seconds_.find({row, n});
      if (entry == seconds_.end()) return std::nullopt;
      sum += entry->second;
    }
    return sum;
  }

 private:
  std::map<std::pair<std::string, std::uint64_t>, double> seconds_;
};

}  // namespace perf
