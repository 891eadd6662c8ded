// Runs the tests on all ranks. Rank 0 reports the failures of all ranks, and a failure on any rank fails all processes.

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "support/watched_arena.hpp"

namespace {

class FailuresOfAllRanks : public ::testing::EmptyTestEventListener {
 public:
  FailuresOfAllRanks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  int count() const { return count_; }

 private:
  void OnTestPartResult(::testing::TestPartResult const& result) override {
    if (!result.failed()) return;
    texts_ += "rank " + std::to_string(rank_) + ": " +
              (result.file_name() == nullptr ? "" : result.file_name()) + ":" +
              std::to_string(result.line_number()) + ": " + result.message() + "\n";
  }

  // All ranks run the same tests, so each gets here, unless one waits forever: tests have a time limit for that.
  void OnTestEnd(::testing::TestInfo const& info) override {
    auto const length = static_cast<int>(texts_.size());
    std::vector<int> lengths(static_cast<std::size_t>(size_));
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> begins;
    int all = 0;
    for (int const l : lengths) {
      begins.push_back(all);
      all += l;
    }
    std::string texts(static_cast<std::size_t>(all), ' ');
    MPI_Gatherv(texts_.data(), length, MPI_CHAR, texts.data(), lengths.data(), begins.data(),
                MPI_CHAR, 0, MPI_COMM_WORLD);
    texts_.clear();
    if (all == 0) return;
    ++count_;
    if (rank_ == 0) {
      std::printf("%s.%s fails:\n%s", info.test_suite_name(), info.name(), texts.c_str());
    }
  }

  int rank_ = 0;
  int size_ = 1;
  int count_ = 0;
  std::string texts_;
};

int run(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  riffle::test::ArenaThatFailsTests watch(false);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto* const failures = new FailuresOfAllRanks;  // GoogleTest takes ownership
  listeners.Append(failures);
  int const own = RUN_ALL_TESTS();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int const tests = ::testing::UnitTest::GetInstance()->test_to_run_count();
  if (rank == 0) std::printf("%d tests, %d failed\n", tests, failures->count());
  return own != 0 || failures->count() > 0 || tests == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  // An exception that no test expects must end the program, since other ranks may wait for this one.
  GTEST_FLAG_SET(catch_exceptions, false);
  int const code = run(argc, argv);
  MPI_Finalize();
  return code;
}
