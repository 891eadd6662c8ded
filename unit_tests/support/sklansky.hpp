#pragma once

// The order in which riffle/primitives/tile_tree.hpp says that sums are formed, written down a second
// time, by recursion.

#include <array>
#include <cstddef>
#include <vector>

namespace riffle::test {

/// All prefix sums of 2^k values in place: those of the lower half, and those of the upper half after
/// the lower one's total.
template <class T>
void sklansky_scan(T* x, std::size_t size) {
  if (size == 1) return;
  std::size_t const half = size / 2;
  sklansky_scan(x, half);
  sklansky_scan(x + half, half);
  for (std::size_t i = half; i < size; ++i) x[i] = x[half - 1] + x[i];
}

/// The scans of all runs of `size` members, the last run filled up with zeros.
template <class T>
std::vector<T> scan_runs(std::vector<T> members, std::size_t size) {
  members.resize((members.size() + size - 1) / size * size, T(0));
  for (std::size_t begin = 0; begin < members.size(); begin += size) {
    sklansky_scan(members.data() + begin, size);
  }
  return members;
}

/// The totals of such runs.
template <class T>
std::vector<T> last_of_runs(std::vector<T> const& scanned, std::size_t size) {
  std::vector<T> result;
  for (std::size_t end = size; end <= scanned.size(); end += size) {
    result.push_back(scanned[end - 1]);
  }
  return result;
}

/// Members of each kind of run, from elements up to groups: quads of 4 elements, rows of 32 quads,
/// tiles of 32 rows, groups of 32 tiles.
inline constexpr std::array<std::size_t, 4> members_of_runs{4, 32, 32, 32};

/// The prefix sums of numbers in the order that n fixes.
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
  /// What is before the group of element i, then before its tile in the group, and so on down.
  T before_quad(std::size_t i) const {
    std::array<std::size_t, members_of_runs.size()> member;  // which one of each kind i lies in
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
  std::vector<std::vector<T>> scanned_;  // by kinds of runs
  std::vector<T> before_group_;
};

extern template class TileTreeOracle<float>;
extern template class TileTreeOracle<double>;

}  // namespace riffle::test
