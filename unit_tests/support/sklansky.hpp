#pragma once

// A second, recursive implementation of the order of additions that riffle/primitives/tile_tree.hpp defines.

#include <array>
#include <cstddef>
#include <vector>

namespace riffle::test {

/// The prefix sums of 2^k values in place: scans each half, and combines the total of the lower half with each prefix of
/// the upper half.
template <class T>
void sklansky_scan(T* x, std::size_t size) {
  if (size == 1) return;
  std::size_t const half = size / 2;
  sklansky_scan(x, half);
  sklansky_scan(x + half, half);
  for (std::size_t i = half; i < size; ++i) x[i] = x[half - 1] + x[i];
}

/// The scans of all runs of `size` members; the last run is filled up with zeros.
template <class T>
std::vector<T> scan_runs(std::vector<T> members, std::size_t size) {
  members.resize((members.size() + size - 1) / size * size, T(0));
  for (std::size_t begin = 0; begin < members.size(); begin += size) {
    sklansky_scan(members.data() + begin, size);
  }
  return members;
}

/// The totals of these runs.
template <class T>
std::vector<T> last_of_runs(std::vector<T> const& scanned, std::size_t size) {
  std::vector<T> result;
  for (std::size_t end = size; end <= scanned.size(); end += size) {
    result.push_back(scanned[end - 1]);
  }
  return result;
}

/// The number of members of each kind of run: 4 elements in a quad, 32 quads in a row, 32 rows in a tile, 32 tiles in a
/// bundle.
inline constexpr std::array<std::size_t, 4> members_of_runs{4, 32, 32, 32};

/// The prefix sums of numbers, in the order that n determines.
template <class T>
class TileTreeOracle {
 public:
  explicit TileTreeOracle(std::vector<T> const& values, T init = T(0)) : n_(values.size()) {
    auto members = values;
    for (std::size_t const size : members_of_runs) {
      scanned_.push_back(scan_runs(members, size));
      members = last_of_runs(scanned_.back(), size);
    }
    before_group_.push_back(init);
    for (T const& total : members) before_group_.push_back(before_group_.back() + total);
  }

  std::vector<T> inclusive() const {
    std::vector<T> result;
    for (std::size_t i = 0; i < n_; ++i) result.push_back(before_quad(i) + scanned_[0][i]);
    return result;
  }

  std::vector<T> exclusive() const {
    std::vector<T> result;
    for (std::size_t i = 0; i < n_; ++i) {
      T const before = before_quad(i);
      result.push_back(i % members_of_runs[0] == 0 ? before : before + scanned_[0][i - 1]);
    }
    return result;
  }

 private:
  /// The combination of all elements before the quad of element i: before its bundle, then before its tile in the bundle, and
  /// so on.
  T before_quad(std::size_t i) const {
    std::array<std::size_t, members_of_runs.size()>
        member;  // index of i's run of each kind among its siblings
    for (std::size_t kind = 0; kind < member.size(); ++kind) {
      member[kind] = i;
      i /= members_of_runs[kind];
    }
    T before = before_group_[i];
    for (std::size_t kind = member.size() - 1; kind > 0; --kind) {
      if (member[kind] % members_of_runs[kind] != 0) {
        before = before + scanned_[kind][member[kind] - 1];
      }
    }
    return before;
  }

  std::size_t n_;
  std::vector<std::vector<T>> scanned_;  // by kind of run
  std::vector<T> before_group_;
};

extern template class TileTreeOracle<float>;
extern template class TileTreeOracle<double>;

}  // namespace riffle::test
