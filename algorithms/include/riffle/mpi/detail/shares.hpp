#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace riffle::detail::mpi {

/// The next multiple of `granule`, a count itself where it is one.
inline std::uint64_t round_up(std::uint64_t count, std::uint64_t granule) {
  return (count + granule - 1) / granule * granule;
}

/// Items for, or from, each rank: they lie in the order of the ranks, each rank's at the next multiple of `granule`, or where
/// they are told to.
class Shares {
 public:
  explicit Shares(int ranks, std::uint64_t granule = 1)
      : counts_(static_cast<std::size_t>(ranks)), granule_(granule) {}
  explicit Shares(std::vector<std::uint64_t> counts, std::uint64_t granule = 1)
      : counts_(std::move(counts)), granule_(granule) {}
  Shares(std::vector<std::uint64_t> counts, std::vector<std::uint64_t> starts)
      : counts_(std::move(counts)), starts_(std::move(starts)) {}

  std::uint64_t& operator[](int rank) { return counts_[static_cast<std::size_t>(rank)]; }
  std::uint64_t operator[](int rank) const { return counts_[static_cast<std::size_t>(rank)]; }

  std::uint64_t granule() const { return granule_; }

  /// Where the items of each rank begin.
  std::vector<std::uint64_t> starts() const {
    if (!starts_.empty()) return starts_;
    std::vector<std::uint64_t> result;
    result.reserve(counts_.size());
    std::uint64_t end = 0;
    for (std::uint64_t const count : counts_) {
      result.push_back(round_up(end, granule_));
      end = result.back() + count;
    }
    return result;
  }

  /// Where the items of the last rank end.
  std::uint64_t end() const { return counts_.empty() ? 0 : starts().back() + counts_.back(); }

  int ranks() const { return static_cast<int>(counts_.size()); }

  std::uint64_t total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t granule_ = 1;
  std::vector<std::uint64_t> starts_ = {};
};

/// Of each rank's share, `count` items from the `first` one on.
struct SharesPart {
  Shares first;
  Shares count;
};

}  // namespace riffle::detail::mpi
