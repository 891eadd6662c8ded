#pragma once

// Values in consecutive groups.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace riffle::test {

template <class T>
struct Segments {
  std::vector<int> offsets{0};
  std::vector<T> values;

  void add(std::vector<T> const& segment) {
    values.insert(values.end(), segment.begin(), segment.end());
    offsets.push_back(static_cast<int>(values.size()));
  }

  std::size_t count() const { return offsets.size() - 1; }

  std::vector<T> segment(std::size_t s) const {
    return {values.begin() + offsets[s], values.begin() + offsets[s + 1]};
  }

  /// The segment of element i.
  std::size_t group_of(std::size_t i) const {
    auto const next = std::upper_bound(offsets.begin(), offsets.end(), static_cast<int>(i));
    return static_cast<std::size_t>(next - offsets.begin()) - 1;
  }

  /// Keys in no order that differ between neighbouring segments that are not empty; for up to 2^16 segments.
  std::vector<short> keys() const {
    std::vector<short> keys(values.size());
    for (std::size_t s = 0; s < count(); ++s) {
      std::fill(keys.begin() + offsets[s], keys.begin() + offsets[s + 1],
                static_cast<short>(s * 12'345));
    }
    return keys;
  }

  /// The results of `f` for each segment's values, concatenated.
  template <class F>
  std::vector<double> values_by(F const& f) const {
    std::vector<double> all;
    for (std::size_t s = 0; s < count(); ++s) {
      auto const own = f(segment(s));
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
};

}  // namespace riffle::test
