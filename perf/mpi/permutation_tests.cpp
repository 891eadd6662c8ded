// Student's t of 10^4 variables, for 11 of 38 observations, with the maximum over all variables (max-T). Items are statistics of
// all replicates. Rows "NoMaxima" compute p-values only; the others also the maxima of all replicates. "OneDevice" is the
// function that does not use MPI.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi/permutation_tests.hpp>

#include "mpi/rows.hpp"
#include "mpi/tests_row.hpp"

namespace perf {
namespace {

template <bool KeepsMaxima>
class Variables {
 public:
  static constexpr char const* name = KeepsMaxima ? "PermutationTests" : "PermutationTestsNoMaxima";
  static constexpr char const* name_alone =
      KeepsMaxima ? "PermutationTestsAlone" : "PermutationTestsNoMaximaAlone";
  static constexpr std::uint64_t variables = 10000;
  static constexpr std::uint64_t observations = 38;
  static constexpr std::uint64_t labelled = 11;
  static constexpr double items_per_replicate = variables;
  static constexpr std::uint64_t replicates = std::uint64_t{1} << (runs_on_host ? 12 : 22);

  struct Outcome {
    std::vector<std::uint64_t> extreme;
    std::vector<double> p_single_step;
    std::vector<double> maxima;
    bool operator==(Outcome const&) const = default;
  };

  static std::uint64_t memory_of(std::uint64_t m) { return (std::uint64_t{1} << 28) + 64 * m; }

  Variables() {
    auto const data = Kokkos::create_mirror_view(data_);
    auto const labels = Kokkos::create_mirror_view(labels_);
    for (std::uint64_t i = 0; i < observations; ++i) {
      labels(i) = i < labelled ? 1 : 0;
      for (std::uint64_t g = 0; g < variables; ++g) {
        // Values have four decimals; a tenth of the variables has an effect.
        double const noise = static_cast<double>(mix(g * observations + i) % 20000) / 1e4;
        data(g, i) = noise + (i < labelled && g % 10 == 0 ? 0.5 : 0);
      }
    }
    Kokkos::deep_copy(data_, data);
    Kokkos::deep_copy(labels_, labels);
  }

  Outcome test(std::uint64_t m, riffle::mpi::Communicator const& comm) const {
    return outcome_of(riffle::mpi::permutation_tests(Exec(), comm, riffle::StudentT{}, data_,
                                                     labels_, options(m)));
  }
  Outcome test_on_one_device(std::uint64_t m) const {
    return outcome_of(
        riffle::permutation_tests(Exec(), riffle::StudentT{}, data_, labels_, options(m)));
  }

 private:
  static riffle::PermutationTestsOptions options(std::uint64_t m) {
    auto options = options_of<riffle::PermutationTestsOptions>(m);
    options.keep_maxima = KeepsMaxima;
    return options;
  }

  static Outcome outcome_of(riffle::PermutationTestsResult const& result) {
    // Otherwise copies of the long results would be timed.
    constexpr std::uint64_t most = 1000;
    std::uint64_t const count = std::min<std::uint64_t>(most, result.maxima.extent(0));
    auto const* const p = result.p_single_step.data();
    return {result.counts.extreme,
            {p, p + result.p_single_step.extent(0)},
            {result.maxima.data(), result.maxima.data() + count}};
  }

  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> data_{"perf::data", variables, observations};
  Kokkos::View<int*, Exec> labels_{"perf::labels", observations};
};

/// Runs on rank 0 alone.
template <bool KeepsMaxima>
class OneDevice : public Variables<KeepsMaxima> {
 public:
  using Base = Variables<KeepsMaxima>;
  static constexpr char const* name_alone =
      KeepsMaxima ? "PermutationTestsOneDevice" : "PermutationTestsNoMaximaOneDevice";

  typename Base::Outcome test(std::uint64_t m, riffle::mpi::Communicator const&) const {
    return this->test_on_one_device(m);
  }
};

template <bool KeepsMaxima>
void register_variables(Ranks& ranks) {
  auto const m = static_cast<std::int64_t>(Variables<KeepsMaxima>::replicates);
  register_row<TestsRow<OneDevice<KeepsMaxima>, Scope::one_rank>>(ranks, "m", {m});
  register_tests<Variables<KeepsMaxima>>(ranks);
}

}  // namespace

void register_permutation_tests(Ranks& ranks) {
  register_variables<true>(ranks);
  register_variables<false>(ranks);
}

}  // namespace perf
