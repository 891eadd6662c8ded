// Shuffles of all ranks' elements, and of each rank's own elements.

#include <cstdint>
#include <optional>

#include <riffle/mpi/shuffle.hpp>
#include <riffle/shuffle.hpp>

#include "mpi/rows.hpp"
#include "mpi/time_row.hpp"

namespace perf {
namespace {

template <Scope scope>
class ShuffleCopy : public ElementsRow {
 public:
  static constexpr bool is_local = scope == Scope::one_rank;
  static constexpr char const* name = is_local ? "LocalShuffleCopy" : "ShuffleCopy";

  static std::uint64_t memory_of(std::uint64_t n) { return 40 * n; }
  static double bytes_sent_by(std::uint64_t n, std::uint64_t ranks) {
    return is_local ? 0 : bytes_to_others(n, ranks, sizeof(double));
  }
  static std::optional<double> limit(Ranks& ranks, std::uint64_t n) {
    if (is_local) return std::nullopt;
    return ranks.measured().seconds({"LocalShuffleCopy", "Exchange"}, n);
  }

  ShuffleCopy(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        in_(elements_of<double>(exec_, first_, n, AsNumber{})),
        out_(allocate<double>(exec_, "perf::out", n)) {}

  void run() {
    if constexpr (is_local) {
      riffle::shuffle_copy(context(), in_, out_, seed, riffle::BucketShuffle{});
    } else {
      riffle::mpi::shuffle_copy(context(), ranks_->all(), in_, out_, seed, riffle::BucketShuffle{});
    }
  }

  std::uint64_t errors() const { return hash_of(exec_, in_) - hash_of(exec_, out_); }

  Elements<double> output() const requires(!is_local) { return out_; }

  Elements<double> on_one_device(std::uint64_t n) const {
    auto const in = elements_of<double>(exec_, 0, n, AsNumber{});
    auto const out = allocate<double>(exec_, "perf::expected", n);
    riffle::shuffle_copy(exec_, in, out, seed, riffle::BucketShuffle{});
    return out;
  }

 private:
  Elements<double> in_;
  Elements<double> out_;
};

}  // namespace

void register_shuffle(Ranks& ranks) {
  register_row<ShuffleCopy<Scope::one_rank>>(ranks);
  register_row<ShuffleCopy<Scope::all_ranks>>(ranks);
}

}  // namespace perf
