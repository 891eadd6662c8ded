// Sorts of all ranks' values and of each rank's own values, and the merge of P sorted runs with which the former end.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <riffle/mpi/sort.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/merge_runs.hpp>

#include "mpi/rows.hpp"
#include "mpi/sorted_errors.hpp"
#include "mpi/time_row.hpp"

namespace perf {
namespace {

template <Scope scope>
class Sort : public ElementsRow {
 public:
  static constexpr bool is_local = scope == Scope::one_rank;
  static constexpr char const* name = is_local ? "LocalSort" : "Sort";

  static std::uint64_t memory_of(std::uint64_t n) { return 48 * n; }
  static double bytes_sent_by(std::uint64_t n, std::uint64_t ranks) {
    return is_local ? 0 : bytes_to_others(n, ranks, sizeof(double));
  }
  static std::optional<double> limit(Ranks& ranks, std::uint64_t n) {
    if (is_local) return std::nullopt;
    return ranks.measured().seconds({"LocalSort", "Exchange", "Merge"}, n);
  }

  Sort(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        values_(elements_of<double>(exec_, first_, n, AsUniform{})),
        sorted_(allocate<double>(exec_, "perf::sorted", n)) {}

  void prepare() { Kokkos::deep_copy(exec_, sorted_, values_); }

  void run() {
    if constexpr (is_local) {
      riffle::sort(context(), sorted_);
    } else {
      riffle::mpi::sort(context(), ranks_->all(), sorted_);
    }
  }

  std::uint64_t errors() const {
    return count_descents(exec_, sorted_) + (is_local ? 0 : descents_between(*ranks_, sorted_)) +
           (hash_of(exec_, values_) - hash_of(exec_, sorted_));
  }

  Elements<double> output() const requires(!is_local) { return sorted_; }

  Elements<double> on_one_device(std::uint64_t n) const {
    auto const values = elements_of<double>(exec_, 0, n, AsUniform{});
    riffle::sort(exec_, values);
    return values;
  }

 private:
  Elements<double> values_;
  Elements<double> sorted_;
};

class Merge : public ElementsRow {
 public:
  static constexpr char const* name = "Merge";
  static constexpr bool is_local = true;

  static std::uint64_t memory_of(std::uint64_t n) { return 32 * n; }
  static double bytes_sent_by(std::uint64_t, std::uint64_t) { return 0; }
  static std::optional<double> limit(Ranks&, std::uint64_t) { return std::nullopt; }

  Merge(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        runs_(elements_of<double>(exec_, first_, n, AsUniform{})),
        values_(allocate<double>(exec_, "perf::values", n)),
        spare_(allocate<double>(exec_, "perf::spare", n)),
        scope_(std::make_unique<riffle::detail::Scope<Exec>>(call_)) {
    std::vector<std::uint64_t> bounds;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      auto const run = riffle::mpi::block_of(n, rank, ranks.size());
      riffle::sort(exec_, Kokkos::subview(runs_, std::pair(run.first, run.first + run.count)));
      bounds.push_back(run.first);
    }
    bounds.push_back(n);
    merges_.emplace(call_, *scope_, riffle::detail::sort::runs_between(bounds));
  }

  void prepare() { Kokkos::deep_copy(exec_, values_, runs_); }
  void run() { merged_ = merges_->run(call_, values_.data(), spare_.data(), riffle::Ascending{}); }

  std::uint64_t errors() const {
    auto const& merged = merged_ == values_.data() ? values_ : spare_;
    return count_descents(exec_, merged) + (hash_of(exec_, runs_) - hash_of(exec_, merged));
  }

 private:
  Elements<double> runs_;
  Elements<double> values_;
  Elements<double> spare_;
  riffle::detail::Call<Exec> call_{exec_, "perf::merge"};
  std::unique_ptr<riffle::detail::Scope<Exec>> scope_;
  std::optional<riffle::detail::sort::MergesOfRuns<Exec, double>> merges_;
  double const* merged_ = nullptr;
};

void register_merge(Ranks& ranks) {
  if (ranks.size() > 1) return register_row<Merge>(ranks);
  // With one rank, nothing is merged.
  for (auto const n : ranks.options().sizes) {
    ranks.measured().set(Merge::name, static_cast<std::uint64_t>(n), 0);
  }
}

}  // namespace

void register_sort(Ranks& ranks) {
  register_row<Sort<Scope::one_rank>>(ranks);
  register_merge(ranks);
  register_row<Sort<Scope::all_ranks>>(ranks);
}

}  // namespace perf
