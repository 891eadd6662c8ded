// A permutation test of the difference of the means of two samples. Items are values: replicates x values of a replicate.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/mpi/permutation_test.hpp>

#include "mpi/rows.hpp"
#include "mpi/tests_row.hpp"

namespace perf {
namespace {

struct Comparison {
  static constexpr char const* name = "PermutationTest";
  static constexpr char const* name_alone = "PermutationTestAlone";
  static constexpr std::uint64_t values_per_sample = 200;
  static constexpr double items_per_replicate = 2 * values_per_sample;
  /// Takes some tenths of a second on one rank.
  static constexpr std::uint64_t replicates = std::uint64_t{1} << (runs_on_host ? 19 : 28);

  using Counts = std::pair<std::uint64_t, std::uint64_t>;

  static std::uint64_t memory_of(std::uint64_t) { return std::uint64_t{1} << 28; }

  Counts test(std::uint64_t m, riffle::mpi::Communicator const& comm) const {
    return counts_of(riffle::mpi::permutation_test(exec, comm, riffle::DifferenceOfMeans{}, x, y,
                                                   options_of<riffle::PermutationTestOptions>(m)));
  }
  Counts test_on_one_device(std::uint64_t m) const {
    return counts_of(riffle::permutation_test(exec, riffle::DifferenceOfMeans{}, x, y,
                                              options_of<riffle::PermutationTestOptions>(m)));
  }

 private:
  static Counts counts_of(riffle::PermutationTestResult const& result) {
    return {result.less_equal, result.greater_equal};
  }

  Exec exec{};
  Elements<double> x = elements_of<double>(exec, 0, values_per_sample, AsUniform{});
  Elements<double> y = elements_of<double>(exec, values_per_sample, values_per_sample, AsUniform{});
};

}  // namespace

void register_permutation_test(Ranks& ranks) { register_tests<Comparison>(ranks); }

}  // namespace perf
