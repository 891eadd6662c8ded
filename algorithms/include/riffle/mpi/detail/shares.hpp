#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace riffle::detail::mpi {

/// Items for, or from, each rank: they lie in the order of the ranks, without gaps.
class Shares {
 public:
  explicit Shares(int ranks) : counts_(static_cast<std::size_t>(ranks)) {}
  explicit Shares(std::vector<std::uint64_t> counts) : counts_(std::move(counts)) {}

  std::uint64_t& operator[](int rank) { return counts_[static_cast<std::size_t>(rank)]; }
  std::uint64_t operator[](int rank) const { return counts_[static_cast<std::size_t>(rank)]; }

  /// Where the items of each rank begin.
  std::vector<std::uint64_t> starts() const {
    std::vector<std::uint64_t> result(counts_.size());
    std::exclusive_scan(counts_.begin(), counts_.end(), result.begin(), std::uint64_t{0});
    return result;
  }

  int ranks() const { return static_cast<int>(counts_.size()); }

  std::uint64_t total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

 private:
  std::vector<std::uint64_t> counts_;
};

/// Of each rank's share, `count` items from the `first` one on.
struct SharesPart {
  Shares first;
  Shares count;
};

}  // namespace riffle::detail::mpi
