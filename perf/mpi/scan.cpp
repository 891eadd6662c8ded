// Scans of all ranks' elements, and of each rank's own elements.

#include <cstdint>
#include <optional>

#include <riffle/mpi/scan.hpp>
#include <riffle/scan.hpp>

#include "mpi/rows.hpp"
#include "mpi/time_row.hpp"

namespace perf {
namespace {

/// Integers below 16, so that doubles represent the sums exactly.
struct AsSummand {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const {
    return static_cast<double>(mix(i + 1) % 16);
  }
};

/// Counts places where the difference of neighbouring sums is not the summand.
struct CountWrongSteps {
  Elements<double> in;
  Elements<double> out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    if (i > 0 && out(i) - out(i - 1) != in(i)) ++wrong;
  }
};

struct SumElements {
  Elements<double> view;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, double& sum) const { sum += view(i); }
};

template <Scope scope>
class InclusiveScan : public ElementsRow {
 public:
  static constexpr bool is_local = scope == Scope::one_rank;
  static constexpr char const* name = is_local ? "LocalInclusiveScan" : "InclusiveScan";

  static std::uint64_t memory_of(std::uint64_t n) { return 24 * n; }
  static double bytes_sent_by(std::uint64_t, std::uint64_t) { return 0; }
  static std::optional<double> limit(Ranks& ranks, std::uint64_t n) {
    if (is_local) return std::nullopt;
    return ranks.measured().seconds({"LocalInclusiveScan"}, n);
  }

  InclusiveScan(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        in_(elements_of<double>(exec_, first_, n, AsSummand{})),
        out_(allocate<double>(exec_, "perf::out", n)) {}

  void run() {
    if constexpr (is_local) {
      riffle::inclusive_scan(context(), in_, out_);
    } else {
      riffle::mpi::inclusive_scan(context(), ranks_->all(), in_, out_);
    }
  }

  std::uint64_t errors() const {
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce("perf::count_wrong_steps", range(exec_, n_), CountWrongSteps{in_, out_},
                            wrong);
    double const before = element(out_, 0) - element(in_, 0);
    return wrong + (before == (is_local ? 0 : sum_before()) ? 0 : 1);
  }

  Elements<double> output() const requires(!is_local) { return out_; }

  Elements<double> on_one_device(std::uint64_t n) const {
    auto const in = elements_of<double>(exec_, 0, n, AsSummand{});
    auto const out = allocate<double>(exec_, "perf::expected", n);
    riffle::inclusive_scan(exec_, in, out);
    return out;
  }

 private:
  static double element(Elements<double> const& view, std::uint64_t i) {
    double value = 0;
    Kokkos::deep_copy(value, Kokkos::subview(view, i));
    return value;
  }

  /// The number of elements of the ranks before this one.
  double sum_before() const {
    double own = 0;
    Kokkos::parallel_reduce("perf::sum", range(exec_, n_), SumElements{in_}, own);
    double before = 0;
    MPI_Exscan(&own, &before, 1, MPI_DOUBLE, MPI_SUM, ranks_->all().get());
    return ranks_->rank() == 0 ? 0 : before;
  }

  Elements<double> in_;
  Elements<double> out_;
};

}  // namespace

void register_scan(Ranks& ranks) {
  register_row<InclusiveScan<Scope::one_rank>>(ranks);
  register_row<InclusiveScan<Scope::all_ranks>>(ranks);
}

}  // namespace perf
