// Rankings of all ranks' elements, sorted and unsorted, and of each rank's own elements.

#include <cstdint>
#include <optional>

#include <riffle/mpi/rank.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/ties.hpp>

#include "mpi/rows.hpp"
#include "mpi/time_row.hpp"

namespace perf {
namespace {

constexpr std::uint64_t ties = 5;

/// Runs of ties; usually one run is divided between two ranks.
struct AsTied {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return static_cast<double>(i / ties); }
};

/// Counts ranks among elements first, ..., end - 1 that are not the mean of the places of their run.
struct CountWrongMeans {
  Elements<double> ranks;
  std::uint64_t own;  // index of the first element of this rank
  std::uint64_t first;
  std::uint64_t end;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    std::uint64_t const start = (own + i) / ties * ties;
    std::uint64_t const low = (start < first ? first : start) - first;
    std::uint64_t const high = (start + ties < end ? start + ties : end) - first;
    wrong += ranks(i) == 0.5 * static_cast<double>(low + high - 1) + 1 ? 0 : 1;
  }
};

template <Scope scope>
class Rank : public ElementsRow {
 public:
  static constexpr bool is_local = scope == Scope::one_rank;
  static constexpr char const* name = is_local ? "LocalRank" : "Rank";

  static std::uint64_t memory_of(std::uint64_t n) { return 24 * n; }
  static double bytes_sent_by(std::uint64_t, std::uint64_t) { return 0; }
  static std::optional<double> limit(Ranks& ranks, std::uint64_t n) {
    if (is_local) return std::nullopt;
    return ranks.measured().seconds({"LocalRank"}, n);
  }

  Rank(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        sorted_(elements_of<double>(exec_, first_, n, AsTied{})),
        out_(allocate<double>(exec_, "perf::out", n)) {}

  void run() {
    if constexpr (is_local) {
      riffle::rank(context(), sorted_, out_, riffle::ties::Fractional{});
    } else {
      riffle::mpi::rank(context(), ranks_->all(), sorted_, out_, riffle::ties::Fractional{});
    }
  }

  std::uint64_t errors() const {
    std::uint64_t const all = n_ * static_cast<std::uint64_t>(ranks_->size());
    CountWrongMeans const count{out_, first_, is_local ? first_ : 0, is_local ? first_ + n_ : all};
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::count_wrong_means", range(exec_, n_), count, wrong);
    return wrong;
  }

  Elements<double> output() const requires(!is_local) { return out_; }

  Elements<double> on_one_device(std::uint64_t n) const {
    auto const sorted = elements_of<double>(exec_, 0, n, AsTied{});
    auto const out = allocate<double>(exec_, "perf::expected", n);
    riffle::rank(exec_, sorted, out, riffle::ties::Fractional{});
    return out;
  }

 private:
  Elements<double> sorted_;
  Elements<double> out_;
};

/// 0, ..., n - 1 in another order; n must not be a multiple of the prime.
struct AsShuffled {
  std::uint64_t n;

  KOKKOS_FUNCTION double operator()(std::uint64_t i) const {
    return static_cast<double>(i * 2654435761u % n);
  }
};

struct CountWrongRanks {
  Elements<double> data;
  Elements<double> ranks;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    wrong += ranks(i) == data(i) + 1 ? 0 : 1;
  }
};

template <Scope scope>
class RankUnsorted : public ElementsRow {
 public:
  static constexpr bool is_local = scope == Scope::one_rank;
  static constexpr char const* name = is_local ? "LocalRankUnsorted" : "RankUnsorted";

  static std::uint64_t memory_of(std::uint64_t n) { return 104 * n; }
  static double bytes_sent_by(std::uint64_t n, std::uint64_t ranks) {
    return is_local ? 0 : bytes_to_others(n, ranks, 2 * sizeof(double));
  }
  /// Other merges, gathers and scatters are not in the limit.
  static std::optional<double> limit(Ranks& ranks, std::uint64_t n) {
    if (is_local) return std::nullopt;
    return ranks.measured().seconds({"LocalRankUnsorted", "Exchange", "Exchange"}, n);
  }

  RankUnsorted(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        data_(elements_of<double>(exec_, is_local ? 0 : first_, n, AsShuffled{ranked(ranks, n)})),
        out_(allocate<double>(exec_, "perf::out", n)) {}

  void run() {
    if constexpr (is_local) {
      riffle::rank_unsorted(context(), data_, out_);
    } else {
      riffle::mpi::rank_unsorted(context(), ranks_->all(), data_, out_);
    }
  }

  std::uint64_t errors() const {
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::count_wrong_ranks", range(exec_, n_),
                            CountWrongRanks{data_, out_}, wrong);
    return wrong;
  }

  Elements<double> output() const requires(!is_local) { return out_; }

  Elements<double> on_one_device(std::uint64_t n) const {
    auto const data = elements_of<double>(exec_, 0, n, AsShuffled{n});
    auto const out = allocate<double>(exec_, "perf::expected", n);
    riffle::rank_unsorted(exec_, data, out);
    return out;
  }

 private:
  /// The number of elements that are ranked together.
  static std::uint64_t ranked(Ranks const& ranks, std::uint64_t n) {
    return is_local ? n : n * static_cast<std::uint64_t>(ranks.size());
  }

  Elements<double> data_;
  Elements<double> out_;
};

}  // namespace

void register_rank(Ranks& ranks) {
  register_row<Rank<Scope::one_rank>>(ranks);
  register_row<Rank<Scope::all_ranks>>(ranks);
  register_row<RankUnsorted<Scope::one_rank>>(ranks);
  register_row<RankUnsorted<Scope::all_ranks>>(ranks);
}

}  // namespace perf
