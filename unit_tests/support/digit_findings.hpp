#pragma once

// Tests that the random bytes that BucketShuffle draws are independent and uniform: within a node at distances that the
// generation of the bytes suggests, between two nodes, and between two seeds.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/chi_square.hpp"
#include "support/findings.hpp"

namespace riffle::test {

using DigitList = std::vector<std::uint8_t>;

/// source(seed, node, n) returns the digits of n places.
using DigitSource = std::function<DigitList(std::uint64_t, std::uint64_t, std::uint32_t)>;

/// Counts pairs of digits, and pairs of their upper halves.
class JointCounts {
 public:
  void add(std::uint8_t a, std::uint8_t b) {
    ++pairs_[a * std::size_t{256} + b];
    ++upper_halves_[a / 16 * std::size_t{16} + b / 16];
  }

  /// Pearson's tests of independence, for pairs of which no two have a digit in common.
  void add_findings(std::string const& what, std::vector<Finding>& findings) const {
    findings.push_back({what, two_sided_chi_square_p(chi_square(pairs_), 65535)});
    findings.push_back(
        {what + ", upper halves", two_sided_chi_square_p(chi_square(upper_halves_), 255)});
  }

 private:
  std::vector<std::uint64_t> pairs_ = std::vector<std::uint64_t>(65536);
  std::vector<std::uint64_t> upper_halves_ = std::vector<std::uint64_t>(256);
};

/// Whether the counts of the digits of each list follow the multinomial distribution.
inline Finding finding_of_counts(std::vector<DigitList> const& lists) {
  double sum = 0;
  for (auto const& list : lists) {
    std::vector<std::uint64_t> counts(256);
    for (auto const digit : list) ++counts[digit];
    sum += chi_square(counts);
  }
  return {"counts", two_sided_chi_square_p(sum, 255 * static_cast<double>(lists.size()))};
}

inline JointCounts counts_of_lists(DigitList const& a, DigitList const& b) {
  JointCounts counts;
  for (std::size_t i = 0; i < a.size(); ++i) counts.add(a[i], b[i]);
  return counts;
}

inline JointCounts counts_at_distance(std::vector<DigitList> const& lists, std::size_t distance) {
  JointCounts counts;
  for (auto const& list : lists) {
    for (std::size_t i = 0; i + distance < list.size(); ++i) {
      if (i / distance % 2 == 0) counts.add(list[i], list[i + distance]);
    }
  }
  return counts;
}

/// Distances between neighbours, between two lanes, within a Philox block, between consecutive units and between
/// consecutive tiles.
inline std::vector<std::size_t> distances() { return {1, 15, 16, 17, 255, 256, 257, 4096}; }

inline std::vector<Finding> findings_of_digits(DigitSource const& source) {
  std::uint32_t constexpr n = 1u << 20;
  std::vector<DigitList> lists;
  for (std::uint64_t const seed : {1, 2}) {
    for (std::uint64_t const node : {1, 256, 257}) lists.push_back(source(seed, node, n));
  }
  std::vector<Finding> findings{finding_of_counts(lists)};
  for (auto const distance : distances()) {
    counts_at_distance(lists, distance)
        .add_findings("pairs " + std::to_string(distance) + " apart", findings);
  }
  counts_of_lists(lists[0], lists[1]).add_findings("a node and its child", findings);
  counts_of_lists(lists[1], lists[2]).add_findings("neighbouring nodes", findings);
  counts_of_lists(lists[0], lists[3]).add_findings("neighbouring seeds", findings);
  return findings;
}

}  // namespace riffle::test
