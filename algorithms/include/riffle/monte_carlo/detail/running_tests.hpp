#pragma once

// Permutation tests of many variables in progress: the engine that callers link as riffle::monte_carlo. Its classes are
// defined in algorithms/src/riffle/monte_carlo/detail/variables/tests_of_space.hpp, which algorithms/src/CMakeLists.txt
// compiles once for each execution space of Kokkos, its other functions in algorithms/src/permutation_tests.cpp.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/permutation_tests_options.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/monte_carlo/statistics.hpp>

namespace riffle::detail::variables {

// --- data ---
//
// The code that reads the caller's Views is compiled with the caller, everything else with the library.

template <class Memory>
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;
template <class Memory>
using Array = Kokkos::View<double*, Memory>;

template <class Data, class Out>
struct CopyAsDoubles {
  Data data;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = data.extent(1);
    out(at / n, at % n) = static_cast<double>(data(at / n, at % n));
  }
};

/// The values of G variables with n observations each.
template <class Exec>
struct TestData {
  std::uint64_t variables;
  std::uint64_t observations;
  /// Returns a copy of the values, which may be overwritten.
  std::function<Matrix<typename Exec::memory_space>(Context<Exec> const&)> read;
};

template <class Exec, class Data>
TestData<Exec> test_data(Data const& data) {
  using Copy = Matrix<typename Exec::memory_space>;
  return {data.extent(0), data.extent(1), [data](Context<Exec> const& context) {
            Copy const copy(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                               context.label() + "::values"),
                            data.extent(0), data.extent(1));
            context.named("copy").for_each(data.size(), CopyAsDoubles<Data, Copy>{data, copy});
            return copy;
          }};
}

// --- data on the host from which a result is made ---

/// The maxima of replicates on the host.
struct HostMaxima {
  std::vector<double> test_statistics;
  Kokkos::View<double*, Kokkos::HostSpace> statistics;
  /// Whether test_statistics has values; otherwise at least its memory is reserved.
  bool has_test_statistics = false;
};

/// The counts of arrangements by the minimum of p-values, in the order of variables from the least to the most
/// significant.
struct MinPCounts {
  std::vector<std::uint64_t> step_down;
  std::vector<std::uint64_t> single_step;
  std::vector<std::uint32_t> bounds;  // the ranks of the observed arrangement
};

// --- the model of each statistic ---

ColumnModel model_of(char const* function, StudentT, std::vector<double> const& labels);
ColumnModel model_of(char const* function, WelchT, std::vector<double> const& labels);
ColumnModel model_of(char const* function, MannWhitneyU, std::vector<double> const& labels);
ColumnModel model_of(char const* function, FStatistic, std::vector<double> const& labels);
ColumnModel model_of(char const* function, KruskalWallisH, std::vector<double> const& labels);
ColumnModel model_of(char const* function, PearsonCorrelation, std::vector<double> const& x);
ColumnModel model_of(char const* function, SpearmanCorrelation, std::vector<double> const& x);
/// The model of n differences.
ColumnModel model_of(char const* function, OneSampleT, std::uint64_t n);

// --- tests ---

/// Throws if the alternative cannot be combined with the statistic or other options.
void check_alternative(char const* function, PermutationTestsOptions const& options,
                       ColumnModel const& model);

/// Computes the result of two_sided_doubled. run(options) tests one tail.
PermutationTestsResult double_smaller_tails(
    PermutationTestsOptions options,
    std::function<PermutationTestsResult(PermutationTestsOptions const&)> const& run);

/// Returns the minimum of ranks over no variables: greater than any rank.
std::vector<std::uint32_t> greatest_ranks(std::uint64_t arrangements);

/// Adds the single-step counts, from the minimum of ranks over all variables.
void count_single_step(std::vector<std::uint32_t> least, MinPCounts& counts);

/// Permutation tests in progress. The caller counts all replicates, in ranges, and then reads the result.
template <class Exec>
class RunningTests {
 public:
  /// Throws if the arguments are invalid. The context must outlive the tests. Fences.
  RunningTests(char const* function, Context<Exec> const& context, TestData<Exec> const& data,
               ColumnModel model, PermutationTestsOptions const& options);
  ~RunningTests();
  RunningTests(RunningTests const&) = delete;
  RunningTests& operator=(RunningTests const&) = delete;

  /// Returns whether rounding leaves it undecided for some enumerated arrangements if they tie with the data.
  bool has_uncertain() const;

  /// Returns, for each variable, how many of the replicates first, ..., first + count - 1 are certainly as extreme as
  /// the data.
  std::vector<std::uint64_t> count_certain(std::uint64_t first, std::uint64_t count);

  /// Adds the numbers of uncertain arrangements to the result, given the numbers `sure` of those certainly as extreme.
  /// The observed arrangement is certain, and so are those that swap groups of one size, or change all signs if |T| is
  /// compared.
  void add_uncertain(std::vector<std::uint64_t> const& sure, PermutationTestsResult& result) const;

  /// Returns the number of replicates of the whole tests; 0 without variables.
  std::uint64_t total() const;

  /// Returns the number of replicates, plus 1 if the observed arrangement is not among them.
  std::uint64_t arrangements() const;

  /// Returns the best number of replicates to count at a time.
  std::uint64_t batch_size() const;

  /// Begins with these counts, of replicates 0, ..., counts.done - 1.
  void begin_with(PermutationCounts const& counts);

  /// Begins with counts of 0, and with the maxima of these counts, if maxima are kept.
  void begin_with_maxima(PermutationCounts const& counts);

  /// Also counts replicates first, ..., first + count - 1. Does not fence.
  void count(std::uint64_t first, std::uint64_t count);

  /// Returns the counts so far, as counts of the first `done` replicates, without maxima. Fences.
  PermutationCounts counts(std::uint64_t done) const;

  /// Returns host memory for the maxima of `done` replicates, if they are kept. Does not fence: best called while a
  /// device counts.
  HostMaxima memory_for_maxima(std::uint64_t done) const;

  /// Returns the maxima of all replicates by number, if they are kept. Only the maxima of counted replicates are valid.
  Array<typename Exec::memory_space> const& maxima() const;

  /// Reads maxima up to the size of their memory, which result() takes over. Fences.
  void read_test_statistics(HostMaxima& maxima) const;

  /// Writes maxima to which other ranks have added theirs. Fences.
  void write_test_statistics(HostMaxima const& maxima) const;

  /// Returns the result of the first counts.done replicates. Requires: exactly these are counted, and their maxima are
  /// valid. Fences.
  PermutationTestsResult result(PermutationCounts counts, HostMaxima maxima, bool is_stopped) const;

  /// Returns the result without variables.
  PermutationTestsResult empty_result() const;

  /// Returns the variables from the least to the most significant, by a result of all replicates.
  std::vector<std::uint64_t> order_by_significance(PermutationTestsResult const& result) const;

  /// Selects consecutive variables of this order for count_min_p().
  void begin_min_p(std::vector<std::uint64_t> variables);

  /// Counts by the minimum of p-values. `least` is the minimum of ranks of each arrangement over the variables before
  /// these, and becomes the minimum over these, too. A second call is faster if the ranks of all variables fit in
  /// memory. Leaves single_step empty. Fences.
  MinPCounts count_min_p(std::vector<std::uint32_t>& least);

  /// Adds p-values by their minimum to this result, from counts in this order.
  void add_min_p(PermutationTestsResult& result, std::vector<std::uint64_t> const& order,
                 MinPCounts const& counts);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs the tests of a model. Fences.
template <class Exec>
PermutationTestsResult run_tests(char const* function, Context<Exec> const& context,
                                 TestData<Exec> const& data, ColumnModel const& model,
                                 PermutationTestsOptions const& options);

}  // namespace riffle::detail::variables
