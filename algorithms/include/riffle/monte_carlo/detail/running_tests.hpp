#pragma once

// The interface of the library riffle::monte_carlo for permutation tests of many variables. RunningTests and
// run_tests() are defined in algorithms/src/riffle/monte_carlo/detail/variables/tests_of_space.hpp, which
// algorithms/src/CMakeLists.txt compiles once for each execution space of Kokkos. model_of() and the other functions,
// which do not depend on an execution space, are defined in algorithms/src/permutation_tests.cpp.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/permutation_tests_options.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/monte_carlo/statistics.hpp>

namespace riffle::detail::variables {

// --- data ---
//
// The code that reads the caller's Views is compiled with the caller; everything else is compiled into the library.

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
  /// Returns a copy of the values, which the caller may overwrite.
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

/// Counts from which min-P p-values are computed. Each vector has one count per variable, sorted from the least to the
/// most significant variable.
struct MinPCounts {
  std::vector<std::uint64_t> step_down;
  std::vector<std::uint64_t> single_step;
  std::vector<std::uint32_t> bounds;  // the ranks of the observed arrangement
};

// --- the model of each statistic ---

/// The columns by which permuted values are multiplied, and the formula of the statistic. The struct is defined in
/// algorithms/src/riffle/monte_carlo/detail/variables/column_model.hpp.
struct ColumnModel;
using Model = std::shared_ptr<ColumnModel const>;

Model model_of(char const* function, StudentT, std::vector<double> const& labels);
Model model_of(char const* function, WelchT, std::vector<double> const& labels);
Model model_of(char const* function, MannWhitneyU, std::vector<double> const& labels);
Model model_of(char const* function, FStatistic, std::vector<double> const& labels);
Model model_of(char const* function, KruskalWallisH, std::vector<double> const& labels);
Model model_of(char const* function, PearsonCorrelation, std::vector<double> const& x);
Model model_of(char const* function, SpearmanCorrelation, std::vector<double> const& x);
/// The model of n differences.
Model model_of(char const* function, OneSampleT, std::uint64_t n);

// --- tests ---

/// Throws if the alternative cannot be combined with the statistic or other options.
void check_alternative(char const* function, PermutationTestsOptions const& options,
                       ColumnModel const& model);

/// Returns the result for two_sided_doubled. run(options) must return the result for a one-sided alternative.
PermutationTestsResult double_smaller_tails(
    PermutationTestsOptions options,
    std::function<PermutationTestsResult(PermutationTestsOptions const&)> const& run);

/// For each arrangement, returns the minimum of ranks over an empty set of variables, that is, a number greater than
/// any rank.
std::vector<std::uint32_t> greatest_ranks(std::uint64_t arrangements);

/// Computes counts.single_step. `least` contains, for each arrangement, the minimum of ranks over all variables.
void count_single_step(std::vector<std::uint32_t> least, MinPCounts& counts);

/// Permutation tests in progress. The caller first counts all replicates, one range after the other, and then reads the
/// result.
template <class Exec>
class RunningTests {
 public:
  /// Throws if the arguments are invalid. The context must outlive the tests. Fences.
  RunningTests(char const* function, Context<Exec> const& context, TestData<Exec> const& data,
               ColumnModel const& model, PermutationTestsOptions const& options);
  ~RunningTests();
  RunningTests(RunningTests const&) = delete;
  RunningTests& operator=(RunningTests const&) = delete;

  /// Returns whether some enumerated arrangements may or may not tie with the data, because rounding hides the
  /// difference.
  bool has_uncertain() const;

  /// Returns, for each variable, how many of the replicates first, ..., first + count - 1 are certainly at least as
  /// extreme as the data, regardless of rounding.
  std::vector<std::uint64_t> count_certain(std::uint64_t first, std::uint64_t count);

  /// Computes result.uncertain. sure[g] is the result of count_certain() for variable g and all arrangements.
  /// Arrangements that tie with the observed one regardless of rounding are certain, too: the observed arrangement
  /// itself, and each arrangement that differs from it only by swapping groups of equal size or, if |T| is compared, by
  /// changing all signs.
  void add_uncertain(std::vector<std::uint64_t> const& sure, PermutationTestsResult& result) const;

  /// Returns the total number of replicates, or 0 if there are no variables.
  std::uint64_t total() const;

  /// Returns the number of replicates, plus 1 if the observed arrangement is not among them.
  std::uint64_t arrangements() const;

  /// Returns the best number of replicates to count at a time.
  std::uint64_t batch_size() const;

  /// Initialises the counts with `counts`, which are the counts of replicates 0, ..., counts.done - 1.
  void begin_with(PermutationCounts const& counts);

  /// Initialises the counts with 0 and, if maxima are kept, the maxima with counts.maxima.
  void begin_with_maxima(PermutationCounts const& counts);

  /// Counts replicates first, ..., first + count - 1, and adds to the counts so far. Does not fence.
  void count(std::uint64_t first, std::uint64_t count);

  /// Returns host memory for the result of `done` replicates. Does not fence, so that memory can be allocated while a
  /// device counts.
  PermutationTestsResult memory_for_result(std::uint64_t done) const;

  /// Copies the counts so far, without maxima, to `counts`. Fences.
  void read_counts(PermutationCounts& counts) const;

  /// Replaces the counts by `counts`, after other ranks have added theirs. Fences.
  void write_counts(PermutationCounts const& counts) const;

  /// Returns the maxima of all replicates, if they are kept; element r belongs to replicate r. Only the maxima of
  /// counted replicates are valid.
  Array<typename Exec::memory_space> const& maxima() const;

  /// Copies the first maxima.size() maxima to `maxima`. Fences.
  void read_maxima(std::vector<double>& maxima) const;

  /// Copies maxima from `maxima` to the device, after other ranks have added theirs. Fences.
  void write_maxima(std::vector<double> const& maxima) const;

  /// Writes `result`, which is from memory_for_result(), except for its counts per variable. Requires: exactly the
  /// first result.counts.done replicates are counted, and their maxima are valid. Fences.
  void write_result(PermutationTestsResult& result, bool is_stopped) const;

  /// Returns the result if there are no variables.
  PermutationTestsResult empty_result() const;

  /// Returns the indices of the variables from the least to the most significant one. `result` must be the result for
  /// all replicates.
  std::vector<std::uint64_t> order_by_significance(PermutationTestsResult const& result) const;

  /// Selects the variables that count_min_p() counts. `variables` must be a contiguous part of the result of
  /// order_by_significance(), in the same order.
  void begin_min_p(std::vector<std::uint64_t> variables);

  /// Returns the min-P counts of the selected variables, without single_step. On entry, `least` contains for each
  /// arrangement the minimum of ranks over the variables before the selected ones; on return, it also includes the
  /// selected ones. A second call is faster if the ranks of all selected variables fit in memory. Fences.
  MinPCounts count_min_p(std::vector<std::uint32_t>& least);

  /// Adds the min-P p-values to `result`; `counts` is in the order `order`.
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
