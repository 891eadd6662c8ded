#pragma once

// What rows have in common whose ranks divide the m replicates of permutation tests: "Alone" is rank 0, while the others
// wait. A row of all ranks has the replicates of that one, and P times as many.

#include <cstdint>
#include <optional>
#include <vector>

#include "mpi/time_row.hpp"

namespace perf {

/// Of m random replicates.
template <class Options>
Options options_of(std::uint64_t m) {
  Options options;
  options.replicates = m;
  options.seed = 1;
  options.enumerate = false;
  return options;
}

/// Items are `items_per_replicate` of each replicate.
template <class Problem, Of of>
class TestsRow {
 public:
  static constexpr bool is_local = of == Of::one_rank;
  static constexpr char const* name = is_local ? Problem::name_alone : Problem::name;
  /// The rate over P times that of one rank alone.
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

  /// Few replicates are those of one device.
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
  register_row<TestsRow<Problem, Of::one_rank>>(ranks, "m", sizes);
  if (ranks.size() > 1) sizes.push_back(m * ranks.size());
  register_row<TestsRow<Problem, Of::all_ranks>>(ranks, "m", sizes);
}

}  // namespace perf
