#pragma once

// Permutation tests of many variables under way: the engine that callers link as riffle::monte_carlo. Its classes are
// defined in algorithms/src/riffle/monte_carlo/detail/variables/tests_of_space.hpp, which algorithms/src/CMakeLists.txt has
// compiled once for each execution space of Kokkos, its other functions in algorithms/src/permutation_tests.cpp.

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
// Of whatever View: what reads them is compiled with the caller, all else with the library.

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

/// The values of G variables of n observations each.
template <class Exec>
struct TestData {
  std::uint64_t variables;
  std::uint64_t observations;
  /// A copy of them, which the caller may overwrite.
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

// --- what is brought to the host before a result is made of it ---

/// The maxima of replicates on the host.
struct HostMaxima {
  std::vector<double> test_statistics;
  Kokkos::View<double*, Kokkos::HostSpace> statistics;
  /// Whether test statistics are there; else there is memory for them, at least.
  bool has_test_statistics = false;
};

/// The counts of arrangements by the minimum of p-values, by place in an order from the least to the most significant.
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
/// Of n differences.
ColumnModel model_of(char const* function, OneSampleT, std::uint64_t n);

// --- tests ---

/// Throws where the alternative does not go with the statistic or other options.
void check_alternative(char const* function, PermutationTestsOptions const& options,
                       ColumnModel const& model);

/// By run(options), which tests one tail, what two_sided_doubled finds.
PermutationTestsResult double_smaller_tails(
    PermutationTestsOptions options,
    std::function<PermutationTestsResult(PermutationTestsOptions const&)> const& run);

/// Least ranks over no places: more than any rank.
std::vector<std::uint32_t> no_ranks(std::uint64_t arrangements);

/// Adds the single-step counts, by the least ranks over all places.
void count_single_step(std::vector<std::uint32_t> least, MinPCounts& counts);

/// Permutation tests under way. Who runs them counts all replicates, in ranges, and reads the result.
template <class Exec>
class RunningTests {
 public:
  /// Throws where something is wrong with what was passed. The context outlives the tests. Fences.
  RunningTests(char const* function, Context<Exec> const& context, TestData<Exec> const& data,
               ColumnModel model, PermutationTestsOptions const& options);
  ~RunningTests();
  RunningTests(RunningTests const&) = delete;
  RunningTests& operator=(RunningTests const&) = delete;

  /// Whether enumerated arrangements may tie with the data or not, as rounding does not tell.
  bool has_uncertain() const;

  /// How many of the replicates first, ..., first + count - 1, by variable, are surely as extreme as the data.
  std::vector<std::uint64_t> count_surely(std::uint64_t first, std::uint64_t count);

  /// Adds to the result how many arrangements are uncertain, where those are counted that are surely as extreme as the data.
  /// The observed one itself is as extreme, and those that exchange groups of one size, or where |T| is compared all signs.
  void add_uncertain(std::vector<std::uint64_t> const& sure, PermutationTestsResult& result) const;

  /// The replicates of the whole tests; none where there are no variables.
  std::uint64_t total() const;

  /// The replicates, and the observed arrangement where it is not among them.
  std::uint64_t arrangements() const;

  /// Replicates that are best counted at once.
  std::uint64_t batch_size() const;

  /// Begins with these counts, of replicates 0, ..., counts.done - 1.
  void begin_with(PermutationCounts const& counts);

  /// Begins with no counts beside the maxima of these, where they are kept.
  void begin_beside(PermutationCounts const& counts);

  /// Counts replicates first, ..., first + count - 1 as well. Does not fence.
  void count(std::uint64_t first, std::uint64_t count);

  /// The counts so far, said to be those of the first `done` replicates, without their maxima. Fences.
  PermutationCounts counts(std::uint64_t done) const;

  /// Memory of the host for the maxima of so many replicates, where they are kept. Does not fence: best called while a
  /// device counts.
  HostMaxima memory_for_maxima(std::uint64_t done) const;

  /// The maxima of all replicates by their numbers, where they are kept, of which those are there that are counted.
  Array<typename Exec::memory_space> const& maxima() const;

  /// Reads them as far as there is memory, which they stay in when result() is given it. Fences.
  void read_test_statistics(HostMaxima& maxima) const;

  /// Writes what others have added to them. Fences.
  void write_test_statistics(HostMaxima const& maxima) const;

  /// What the first counts.done replicates say, which are all that are counted, and whose maxima are there. Fences.
  PermutationTestsResult result(PermutationCounts counts, HostMaxima maxima, bool is_stopped) const;

  /// Where there are no variables.
  PermutationTestsResult result_of_none() const;

  /// The variables from the least to the most significant, by a result of all replicates.
  std::vector<std::uint64_t> order_of(PermutationTestsResult const& result) const;

  /// Takes consecutive places of that order for count_min_p().
  void begin_min_p(std::vector<std::uint64_t> variables);

  /// Counts by the minimum of p-values, with the least rank of each arrangement over the places before, which becomes that
  /// over these places, too. A second time goes faster where the ranks of all places fit in memory. Leaves single_step empty.
  /// Fences.
  MinPCounts count_min_p(std::vector<std::uint32_t>& least);

  /// Adds p-values by their minimum to that result, by what is counted in that order.
  void add_min_p(PermutationTestsResult& result, std::vector<std::uint64_t> const& order,
                 MinPCounts const& counts);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Tests by a model. Fences.
template <class Exec>
PermutationTestsResult run_tests(char const* function, Context<Exec> const& context,
                                 TestData<Exec> const& data, ColumnModel const& model,
                                 PermutationTestsOptions const& options);

}  // namespace riffle::detail::variables
