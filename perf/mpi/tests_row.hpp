#pragma once

// Common parts of rows in which ranks divide the m replicates of permutation tests. In rows "Alone", rank 0 runs m replicates
// while the others wait. A row of all ranks runs m, and P m replicates.

#include <cstdint>
#include <optional>
#include <vector>

#include "mpi/time_row.hpp"

namespace perf {

/// Options of a test with m random replicates.
template <class Options>
Options options_of(std::uint64_t m) {
  Options options;
  options.replicates = m;
  options.seed = 1;
  options.enumerate = false;
  return options;
}

/// A row of a Problem, which has `items_per_replicate` items in each replicate.
template <class Problem, Scope scope>
class TestsRow {
 public:
  static constexpr bool is_local = scope == Scope::one_rank;
  static constexpr char const* name = is_local ? Problem::name_alone : Problem::name;
  /// The rate divided by P times the rate of one rank.
  static constexpr char const* fraction = "efficiency";

  static std::uint64_t memory_of(std::uint64_t m) { return Problem::memory_of(m); }
  static double bytes_sent_by(std::uint64_t, std::uint64_t) { return 0; }
  static double items_of(std::uint64_t m, std::uint64_t) {
    return static_cast<double>(m) * Problem::items_per_replicate;
  }
  static std::optional<double> limit(Ranks& ranks, std::uint64_t m) {
    if (is_local) return std::nullopt;
    auto const alone = ranks.measured().seconds({Problem::name_alone}, Problem::replicates);
    if (!alone) return std::nullopt;
    return *alone * static_cast<double>(m) / Problem::replicates / ranks.size();
  }

  TestsRow(Ranks const& ranks, std::uint64_t m) : ranks_(&ranks), replicates_(m) {}

  void prepare() {}
  void run() {
    if constexpr (is_local) {
      if (ranks_->rank() == 0) problem_.test(replicates_, ranks_->alone());
    } else {
      problem_.test(replicates_, ranks_->all());
    }
  }

  /// A few replicates are compared with the result of one device.
  std::uint64_t errors() const {
    constexpr std::uint64_t few = 1000;
    auto const& comm = is_local ? ranks_->alone() : ranks_->all();
    return problem_.test(few, comm) == problem_.test_on_one_device(few) ? 0 : 1;
  }

 private:
  Ranks const* ranks_;
  std::uint64_t replicates_;
  Problem problem_{};
};

template <class Problem>
void register_tests(Ranks& ranks) {
  auto const m = static_cast<std::int64_t>(Problem::replicates);
  std::vector<std::int64_t> sizes{m};
  register_row<TestsRow<Problem, Scope::one_rank>>(ranks, "m", sizes);
  if (ranks.size() > 1) sizes.push_back(m * ranks.size());
  register_row<TestsRow<Problem, Scope::all_ranks>>(ranks, "m", sizes);
}

}  // namespace perf
