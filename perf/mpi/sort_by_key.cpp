// Sorts of keys with 64-bit values, of all ranks' elements and of each rank's own elements.

#include <cstdint>
#include <optional>

#include <riffle/mpi/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>

#include "mpi/rows.hpp"
#include "mpi/sorted_errors.hpp"
#include "mpi/time_row.hpp"

namespace perf {
namespace {

/// Counts keys that are no longer next to their value.
struct CountLostNumbers {
  Elements<double> keys;
  Elements<std::uint64_t> numbers;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& lost) const {
    lost += keys(i) == AsUniform{}(numbers(i)) ? 0 : 1;
  }
};

template <Scope scope>
class SortByKey : public ElementsRow {
 public:
  static constexpr bool is_local = scope == Scope::one_rank;
  static constexpr char const* name = is_local ? "LocalSortByKey" : "SortByKey";

  static std::uint64_t memory_of(std::uint64_t n) { return 96 * n; }
  static double bytes_sent_by(std::uint64_t n, std::uint64_t ranks) {
    return is_local ? 0 : bytes_to_others(n, ranks, sizeof(double) + sizeof(std::uint64_t));
  }
  /// Other merges and gathers are not in the limit.
  static std::optional<double> limit(Ranks& ranks, std::uint64_t n) {
    if (is_local) return std::nullopt;
    return ranks.measured().seconds({"LocalSortByKey", "Exchange", "Exchange"}, n);
  }

  SortByKey(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        keys_(allocate<double>(exec_, "perf::keys", n)),
        numbers_(allocate<std::uint64_t>(exec_, "perf::numbers", n)) {}

  void prepare() {
    Kokkos::parallel_for("perf::keys", range(exec_, n_),
                         WriteElements<double, AsUniform>{keys_, first_, {}});
    Kokkos::parallel_for("perf::numbers", range(exec_, n_),
                         WriteElements<std::uint64_t, AsIndex>{numbers_, first_, {}});
  }

  void run() {
    if constexpr (is_local) {
      riffle::sort_by_key(context(), keys_, numbers_);
    } else {
      riffle::mpi::sort_by_key(context(), ranks_->all(), keys_, numbers_);
    }
  }

  std::uint64_t errors() const {
    std::uint64_t lost = 0;
    Kokkos::parallel_reduce("perf::count_lost_numbers", range(exec_, n_),
                            CountLostNumbers{keys_, numbers_}, lost);
    auto const expected = elements_of<double>(exec_, first_, n_, AsUniform{});
    return lost + count_descents(exec_, keys_) + (is_local ? 0 : descents_between(*ranks_, keys_)) +
           (hash_of(exec_, expected) - hash_of(exec_, keys_));
  }

  Elements<std::uint64_t> output() const requires(!is_local) { return numbers_; }

  Elements<std::uint64_t> on_one_device(std::uint64_t n) const {
    auto const keys = elements_of<double>(exec_, 0, n, AsUniform{});
    auto const numbers = elements_of<std::uint64_t>(exec_, 0, n, AsIndex{});
    riffle::sort_by_key(exec_, keys, numbers);
    return numbers;
  }

 private:
  Elements<double> keys_;
  Elements<std::uint64_t> numbers_;
};

}  // namespace

void register_sort_by_key(Ranks& ranks) {
  register_row<SortByKey<Scope::one_rank>>(ranks);
  register_row<SortByKey<Scope::all_ranks>>(ranks);
}

}  // namespace perf
