// Compares ranking with a copy, for different numbers of ties.
//
// Sorted floats and 32-bit ranks, as in section IV of
//   J. Liang, J. Bisnett, A. Hylton, J. Sang, C. Yu, "Parallel computation of standard competition
//   rankings over a sorted array".
// A row Algorithm/p:P/n:N ranks N values; each value equals the one before it with probability P (figures 6 to 8 of the paper at
// 2^27 values, figures 9 to 12 at P = 0.5). In addition to Riffle's default and the paper's algorithms there are, in the same
// process, the rows
//   Copy                  the limit: a copy of the values,
//   ModifiedCompetition, Dense, Ordinal, Fractional     other rules for ties, by the default algorithm,
//   CompetitionAndTies    ranks, and the number of ties from the same pass,
//   CubScan               CUDA's scan, in a CUDA build,
//   Sequential, SequentialBranchFree    one thread, if Kokkos runs on a CPU.
// `of_limit` compares with a copy that moves the same number of bytes: 8 per item, 12 for Fractional, whose ranks are doubles
// (floats represent no halves beyond 2^23), and 4 for Ordinal, which does not read values. Every row checks its answer before it
// is timed. A row is a class with a name, a rule for ties, the type of its ranks and the memory that it needs. It is constructed
// for n values, and called with values and ranks.

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <riffle/published/competition_ranking/hybrid_ranking.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>
#include <riffle/published/competition_ranking/segment_search_ranking.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_and_count_ties.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/workspace.hpp>

#include "baselines/sequential_rank.hpp"
#include "support/check_rank.hpp"
#include "support/copy_limit.hpp"
#include "support/recurring_values.hpp"
#include "support/report.hpp"
#include "support/sizes.hpp"
#include "support/timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_rank.hpp"
#endif

namespace perf {

namespace ties = riffle::ties;

template <class Rule_, class Method = riffle::DefaultRanking, class Rank_ = std::int32_t>
class RiffleRanking {
 public:
  using Rule = Rule_;
  using Rank = Rank_;
  static constexpr std::uint64_t bytes_per_item = sizeof(float) + sizeof(Rank);
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  RiffleRanking(Exec const& exec, std::uint64_t) : exec_(exec), workspace_(exec) {}

  void operator()(Values const& values, Ranks<Rank> const& ranks) {
    riffle::rank(riffle::Context(exec_, workspace_), values, ranks, Rule{}, {}, Method{});
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
};

template <class Method>
using CompetitionBy = RiffleRanking<ties::Competition, Method>;

/// A call without a rule or an algorithm.
struct DefaultRanking : CompetitionBy<riffle::DefaultRanking> {
  static constexpr char const* name = "Riffle";
  using RiffleRanking::RiffleRanking;
};

struct NaivePrefixRanking : CompetitionBy<riffle::NaivePrefixRanking> {
  static constexpr char const* name = "NaivePrefixRanking";
  static constexpr std::uint64_t scratch_bytes_per_item = 2 * sizeof(std::uint32_t);
  using RiffleRanking::RiffleRanking;
};

struct PackedScanRanking : CompetitionBy<riffle::PackedScanRanking> {
  static constexpr char const* name = "PackedScanRanking";
  using RiffleRanking::RiffleRanking;
};

struct HybridRanking : CompetitionBy<riffle::HybridRanking> {
  static constexpr char const* name = "HybridRanking";
  using RiffleRanking::RiffleRanking;
};

struct SegmentSearchRanking : CompetitionBy<riffle::SegmentSearchRanking> {
  static constexpr char const* name = "SegmentSearchRanking";
  using RiffleRanking::RiffleRanking;
};

struct ModifiedCompetition : RiffleRanking<ties::ModifiedCompetition> {
  static constexpr char const* name = "ModifiedCompetition";
  using RiffleRanking::RiffleRanking;
};

struct Dense : RiffleRanking<ties::Dense> {
  static constexpr char const* name = "Dense";
  using RiffleRanking::RiffleRanking;
};

struct Ordinal : RiffleRanking<ties::Ordinal> {
  static constexpr char const* name = "Ordinal";
  static constexpr std::uint64_t bytes_per_item = sizeof(Rank);
  using RiffleRanking::RiffleRanking;
};

struct Fractional : RiffleRanking<ties::Fractional, riffle::DefaultRanking, double> {
  static constexpr char const* name = "Fractional";
  using RiffleRanking::RiffleRanking;
};

/// Competition ranks, and the number of ties from the same pass.
class CompetitionAndTies : public RiffleRanking<ties::Competition> {
 public:
  static constexpr char const* name = "CompetitionAndTies";

  CompetitionAndTies(Exec const& exec, std::uint64_t n)
      : RiffleRanking(exec, n), exec_(exec), workspace_(exec) {}

  void operator()(Values const& values, Ranks<Rank> const& ranks) {
    riffle::rank_and_count_ties(riffle::Context(exec_, workspace_), values, ranks, ties_, Rule{});
  }

 private:
  Exec exec_;
  riffle::Workspace<Exec> workspace_;
  Kokkos::View<riffle::TieStatistics, Exec> ties_{"perf::ties"};
};

/// A probability of ties, and its name in rows.
struct Probability {
  char const* label;
  double value;
};

/// Runs a row once on ranks that are a wrong answer, and throws if the result is wrong. A result that was right once is not
/// checked again.
template <class Row>
void check_rank_once(Exec const& exec, Row& row, Values const& values, double probability,
                     Ranks<typename Row::Rank> const& ranks) {
  static std::set<std::pair<double, std::uint64_t>> known_as_right;
  std::pair const problem(probability, static_cast<std::uint64_t>(values.extent(0)));
  Kokkos::deep_copy(exec, ranks, typename Row::Rank(-1));
  row(values, ranks);
  if (known_as_right.contains(problem)) return;
  std::string const error = rank_error<typename Row::Rule>(exec, values, ranks);
  if (!error.empty()) throw std::logic_error(error);
  known_as_right.insert(problem);
}

template <class Row>
void time_rank(benchmark::State& state, double probability) {
  using Rank = typename Row::Rank;
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, n * (sizeof(float) + sizeof(Rank) + Row::scratch_bytes_per_item), [&] {
    Exec const exec;
    double const limit = limit_rate<float>(exec, n, Row::bytes_per_item);
    Values const values = recurring_values(exec, n, probability);
    auto const ranks = allocate<Rank>(exec, "perf::ranks", n);
    Row row(exec, n);
    check_rank_once(exec, row, values, probability, ranks);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, [&] { row(values, ranks); });
    report(state, n, calls, Row::bytes_per_item, limit);
  });
}

/// Moves the same number of bytes without ranking.
void time_copy(benchmark::State& state, double probability) {
  constexpr std::uint64_t bytes_per_item = 2 * sizeof(float);
  auto const n = static_cast<std::uint64_t>(state.range(0));
  run_row(state, n * bytes_per_item, [&] {
    Exec const exec;
    double const limit = limit_rate<float>(exec, n, bytes_per_item);
    Values const values = recurring_values(exec, n, probability);
    Values const copies = allocate<float>(exec, "perf::copies", n);
    FastestCopy<float> const copy(exec, values, copies);
    int const calls = calls_per_fence(n);
    time_batches(state, exec, calls, copy);
    report(state, n, calls, bytes_per_item, limit);
  });
}

// --- the problems of the paper's figures ---

using TimeRow = void (*)(benchmark::State&, double probability);

constexpr int largest_exponent = 27;

void register_problem(char const* algorithm, TimeRow time_row, Probability const& p,
                      int first_exponent) {
  std::string const name = std::string(algorithm) + "/p:" + p.label;
  auto* const row = benchmark::RegisterBenchmark(name.c_str(), time_row, p.value);
  row->ArgName("n")->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (int exponent = first_exponent; exponent <= largest_exponent; ++exponent) {
    row->Arg(power_of_two(exponent));
  }
}

void register_problems(char const* algorithm, TimeRow time_row) {
  constexpr Probability at_largest_size[] = {{"0", 0},
                                             {"0.1", 0.1},
                                             {"0.2", 0.2},
                                             {"0.3", 0.3},
                                             {"0.4", 0.4},
                                             {"0.6", 0.6},
                                             {"0.7", 0.7},
                                             {"0.8", 0.8},
                                             {"0.9", 0.9},
                                             {"0.99", 0.99},
                                             {"0.999", 0.999},
                                             {"0.9999", 0.9999},
                                             {"0.99999", 0.99999},
                                             {"0.999999", 0.999999},
                                             {"1", 1}};
  constexpr int smallest_exponent = 22;
  register_problem(algorithm, time_row, {"0.5", 0.5}, smallest_exponent);
  for (Probability const& p : at_largest_size) {
    register_problem(algorithm, time_row, p, largest_exponent);
  }
}

template <class Row>
void register_row() {
  register_problems(Row::name, time_rank<Row>);
}

void register_others() {
#ifdef KOKKOS_ENABLE_CUDA
  register_row<CubScanRanking>();
#endif
  if constexpr (runs_on_host) {
    register_row<SegmentSearchRanking>();
    register_row<SequentialRanking>();
    register_row<SequentialBranchFreeRanking>();
  }
}

bool register_all() {
  register_problems("Copy", time_copy);
  register_row<DefaultRanking>();
  register_row<HybridRanking>();
  register_row<PackedScanRanking>();
  register_row<NaivePrefixRanking>();
  register_row<ModifiedCompetition>();
  register_row<Dense>();
  register_row<Ordinal>();
  register_row<Fractional>();
  register_row<CompetitionAndTies>();
  register_others();
  return true;
}

[[maybe_unused]] bool const is_registered = register_all();

}  // namespace perf
