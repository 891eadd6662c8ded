// Calls that do not fence are captured into a CUDA graph, and replayed with other input.

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)

#include <riffle/histogram.hpp>
#include <riffle/partition.hpp>
#include <riffle/segmented_scan.hpp>
#include <riffle/segmented_shuffle.hpp>
#include <riffle/segmented_sort.hpp>
#include <riffle/select.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/segment_lengths.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::graph_capture_test {
namespace {

using Exec = Kokkos::Cuda;

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(std::int32_t x) const { return x > 0; }
};

class GraphCapture : public ::testing::Test {
 protected:
  using Ctx = riffle::Context<Exec>;
  using Call = std::function<void(Ctx const&)>;
  template <class T>
  using Array = Kokkos::View<T*, Exec>;

  static constexpr std::size_t n = 50'000;

  GraphCapture() : exec(make_stream()), workspace(exec) {
    Kokkos::deep_copy(offsets, to_view<Exec>(offsets_of_segments(n, 700)));
  }

  /// A stream of its own, because the default stream cannot be captured. Lives as long as the program.
  static cudaStream_t make_stream() {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    return stream;
  }

  /// Few values, in runs.
  void set_input(unsigned seed) const {
    auto values = few_values<std::int32_t>(n, 9, seed);
    for (std::size_t i = 1; i < n; ++i) {
      if (i % 3 != 0) values[i] = values[i - 1];
    }
    Kokkos::deep_copy(exec, in, to_view<Exec>(values));
    Kokkos::deep_copy(exec, sorted_in_place, in);
    Kokkos::deep_copy(exec, out, -1);
    Kokkos::deep_copy(exec, other, -1);
    Kokkos::deep_copy(exec, count, -1);
    exec.fence();
  }

  /// All outputs.
  std::vector<std::int32_t> results() const {
    exec.fence();
    auto all = to_vector(out);
    for (auto const& more : {to_vector(other), to_vector(sorted_in_place)})
      all.insert(all.end(), more.begin(), more.end());
    std::int32_t number = 0;
    Kokkos::deep_copy(number, count);
    all.push_back(number);
    return all;
  }

  void expect_replays(char const* name, Call const& call) {
    Ctx const context(exec, workspace);
    std::vector<std::int32_t> expected[2];
    for (unsigned k = 0; k < 2; ++k) {
      set_input(k);
      call(context);
      expected[k] = results();
    }
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal),
              cudaSuccess);
    call(context);
    ASSERT_EQ(cudaStreamEndCapture(exec.cuda_stream(), &graph), cudaSuccess) << name;
    ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess) << name;
    for (unsigned const k : {0u, 1u, 0u}) {
      set_input(k);
      ASSERT_EQ(cudaGraphLaunch(replay, exec.cuda_stream()), cudaSuccess) << name;
      EXPECT_TRUE(results() == expected[k]) << name << ", input " << k;
    }
    EXPECT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace;
  Array<std::int32_t> in{"in", n};
  Array<std::int32_t> sorted_in_place{"sorted", n};
  Array<std::int32_t> out{"out", n};
  Array<std::int32_t> other{"other", n};
  Kokkos::View<std::int32_t, Exec> count{"count"};
  Array<std::int32_t> offsets{"offsets", offsets_of_segments(n, 700).size()};
};

TEST_F(GraphCapture, Selections) {
  expect_replays("copy_if", [&](Ctx const& ctx) { copy_if(ctx, in, out, IsPositive(), count); });
  expect_replays("copy_flagged", [&](Ctx const& ctx) { copy_flagged(ctx, in, in, out, count); });
  expect_replays("unique_copy", [&](Ctx const& ctx) { unique_copy(ctx, in, out, count); });
  expect_replays("run_length_encode",
                 [&](Ctx const& ctx) { run_length_encode(ctx, in, out, other, count); });
}

TEST_F(GraphCapture, ScansAndSumsOfSegments) {
  expect_replays("reduce_by_key",
                 [&](Ctx const& ctx) { reduce_by_key(ctx, in, in, out, other, count); });
  expect_replays("inclusive_scan_by_key",
                 [&](Ctx const& ctx) { inclusive_scan_by_key(ctx, in, in, out); });
  expect_replays("exclusive_scan_segments",
                 [&](Ctx const& ctx) { exclusive_scan_segments(ctx, in, offsets, out); });
  Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged> const rows(
      in.data(), 100, n / 100);
  Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged> const sums(
      out.data(), 100, n / 100);
  expect_replays("inclusive_scan_rows",
                 [&](Ctx const& ctx) { inclusive_scan_rows(ctx, rows, sums); });
}

TEST_F(GraphCapture, Histograms) {
  expect_replays("histogram of labels", [&](Ctx const& ctx) { histogram(ctx, in, out); });
  expect_replays("histogram of values",
                 [&](Ctx const& ctx) { histogram(ctx, in, -9.0, 9.0, out); });
}

TEST_F(GraphCapture, Particles) {
  expect_replays("sort_by_cell",
                 [&](Ctx const& ctx) { sort_by_cell(ctx, sorted_in_place, in, out); });
}

TEST_F(GraphCapture, SortsAndShufflesOfSegments) {
  expect_replays("sort_segments",
                 [&](Ctx const& ctx) { sort_segments(ctx, sorted_in_place, offsets); });
  expect_replays("argsort_segments",
                 [&](Ctx const& ctx) { argsort_segments(ctx, in, offsets, out, Descending()); });
  Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged> const rows(
      sorted_in_place.data(), 4, n / 4);
  expect_replays("sort_rows", [&](Ctx const& ctx) { sort_rows(ctx, rows); });
  expect_replays("shuffle_segments",
                 [&](Ctx const& ctx) { shuffle_segments(ctx, sorted_in_place, offsets, 3); });
}

}  // namespace
}  // namespace riffle::test::graph_capture_test

#endif
