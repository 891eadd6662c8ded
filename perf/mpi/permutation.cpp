// Random permutations: of the elements of all ranks, and of each rank's own elements.

#include <cstdint>
#include <optional>

#include <riffle/mpi/shuffle.hpp>
#include <riffle/shuffle.hpp>

#include "mpi/rows.hpp"
#include "mpi/time_row.hpp"

namespace perf {
namespace {

template <Scope scope>
class RandomPermutationRow : public ElementsRow {
 public:
  static constexpr bool is_local = scope == Scope::one_rank;
  static constexpr char const* name = is_local ? "LocalRandomPermutation" : "RandomPermutation";

  static std::uint64_t memory_of(std::uint64_t n) { return 32 * n; }
  static double bytes_sent_by(std::uint64_t, std::uint64_t) { return 0; }
  static std::optional<double> limit(Ranks& ranks, std::uint64_t n) {
    if (is_local) return std::nullopt;
    return ranks.measured().seconds({"LocalRandomPermutation"}, n);
  }

  RandomPermutationRow(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n), out_(allocate<std::uint64_t>(exec_, "perf::out", n)) {}

  void run() {
    if constexpr (is_local) {
      riffle::random_permutation(context(), out_, seed, riffle::BucketShuffle{});
    } else {
      riffle::mpi::random_permutation(context(), ranks_->all(), out_, seed,
                                      riffle::BucketShuffle{});
    }
  }

  std::uint64_t errors() const {
    auto const indices = elements_of<std::uint64_t>(exec_, is_local ? 0 : first_, n_, AsIndex{});
    return hash_of(exec_, indices) - hash_of(exec_, out_);
  }

  Elements<std::uint64_t> output() const requires(!is_local) { return out_; }

  Elements<std::uint64_t> on_one_device(std::uint64_t n) const {
    auto const out = allocate<std::uint64_t>(exec_, "perf::expected", n);
    riffle::random_permutation(exec_, out, seed, riffle::BucketShuffle{});
    return out;
  }

 private:
  Elements<std::uint64_t> out_;
};

}  // namespace

void register_permutation(Ranks& ranks) {
  register_row<RandomPermutationRow<Scope::one_rank>>(ranks);
  register_row<RandomPermutationRow<Scope::all_ranks>>(ranks);
}

}  // namespace perf
