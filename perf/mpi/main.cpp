// Compares calls over several ranks with their limits.
//
//     mpirun -n P perf_mpi [--transport=direct|staged|nccl] [--log2-n=W,...] [--iterations=K]
//
// P processes, each with its own GPU in a CUDA build, run the same rows; rank 0 reports. Each rank has n elements of 64 bits.
// In addition to the calls of riffle::mpi there are, in the same process, the rows
//   Exchange    an alltoallv of n / P elements to each other rank, by the same transport; a shuffle has to send this amount,
//   Local...    the same function for one device, of each rank's elements, by all ranks at once,
//   Merge       a merge of P sorted runs of n / P values, by each rank,
//   ...Alone    a permutation test by rank 0 alone.
// The time of a call is the time of the slowest rank. Rates are rates of the median call and of all ranks together.
// bytes_each_way is the number of bytes that a rank sends, and receives, in a call. of_limit is the time of the limit divided by
// the time of the row. The limits are
//   ShuffleCopy         LocalShuffleCopy + Exchange,
//   RandomPermutation   LocalRandomPermutation,
//   InclusiveScan       LocalInclusiveScan,
//   Sort                LocalSort + Merge + Exchange,
//   SortByKey           LocalSortByKey + 2 Exchange,
//   Rank                LocalRank,
//   RankUnsorted        LocalRankUnsorted + 2 Exchange,
//   Permute             LocalGather + Exchange; out(p(i)) = in(i) by the plan of a random p,
//   PermuteInverse      LocalGather + Exchange; out(i) = in(p(i)) by the inverse of the plan.
// PlanPermutation makes the plan, and has no limit.
// `efficiency` is the rate of a permutation test divided by P times the rate of rank 0 alone. Both are left out if a row that
// they need was not run. Every row checks its answer before it is timed: few elements are compared bit by bit with the result
// of one device, n elements by sums over all ranks.

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/options.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rows.hpp"
#include "support/context.hpp"

namespace perf {
namespace {

/// The reporter of all ranks except the first.
class NoReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

/// The ranks of a host use different GPUs, unless the user chooses them.
void choose_device() {
  if constexpr (!runs_on_host) {
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int rank = 0;
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    setenv("KOKKOS_DEVICE_ID", std::to_string(rank % Kokkos::num_devices()).c_str(), 0);
  }
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string const version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

void add_context(Ranks const& ranks) {
  for (auto const& [name, value] : run_context()) benchmark::AddCustomContext(name, value);
  benchmark::AddCustomContext("ranks", std::to_string(ranks.size()));
  benchmark::AddCustomContext("transport", ranks.options().transport);
  benchmark::AddCustomContext("mpi", mpi_library());
  benchmark::AddCustomContext("nccl", NcclComm::version());
}

void register_rows(Ranks& ranks) {
  register_exchange(ranks);
  register_shuffle(ranks);
  register_permutation(ranks);
  register_scan(ranks);
  register_sort(ranks);
  register_permutation_test(ranks);
  register_permutation_tests(ranks);
  register_sort_by_key(ranks);
  register_rank(ranks);
  register_permute(ranks);
}

/// Google Benchmark's options; only rank 0 writes a file.
bool take_benchmark_options(int& argc, char** argv, int rank) {
  std::string no_file = "--benchmark_out=";
  std::vector<char*> arguments(argv, argv + argc);
  if (rank != 0) arguments.push_back(no_file.data());
  auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  return !benchmark::ReportUnrecognizedArguments(count, arguments.data());
}

int run(int argc, char** argv, int rank) {
  choose_device();
  Kokkos::ScopeGuard const guard(argc, argv);
  Options const options = take_options(argc, argv);
  if (!take_benchmark_options(argc, argv, rank)) return 1;
  Ranks ranks(options);
  add_context(ranks);
  register_rows(ranks);
  if (rank == 0) {
    benchmark::RunSpecifiedBenchmarks();
  } else {
    NoReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
  }
  benchmark::Shutdown();
  return ranks.has_failed() ? 1 : 0;
}

}  // namespace
}  // namespace perf

int main(int argc, char** argv) {
#ifndef NDEBUG
  std::cerr << "perf: this is not a Release build, so its times are meaningless\n";
  return 1;
#endif
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 1;
  try {
    status = perf::run(argc, argv, rank);
  } catch (std::invalid_argument const& error) {  // thrown by all ranks
    if (rank == 0) std::cerr << error.what() << '\n';
  } catch (std::exception const& error) {
    std::cerr << "perf_mpi, rank " << rank << ": " << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
