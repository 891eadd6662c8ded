// Merges of several runs on every execution space, and the GPU kernels on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/merge_runs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/execution_spaces.hpp"
#include "support/fuzzed_comparisons.hpp"
#include "support/views.hpp"

namespace riffle::test::merge_runs_test {
namespace {

namespace sort = detail::sort;
using Runs = std::vector<sort::Run>;

struct ByHash {
  KOKKOS_FUNCTION bool operator()(Record const& a, Record const& b) const {
    return a.hash % 50 < b.hash % 50;
  }
};

/// Runs of these sizes; before each there is a gap of one of `gaps` items.
Runs runs_of(std::vector<std::uint64_t> const& sizes, std::vector<std::uint64_t> const& gaps) {
  Runs runs;
  std::uint64_t end = 0;
  for (auto const size : sizes) {
    std::uint64_t const first = end + gaps[runs.size() % gaps.size()];
    end = first + size;
    runs.push_back({first, end});
  }
  return runs;
}

/// No run, one run, empty runs among others, runs of one item and of many, with and without gaps.
std::vector<Runs> all_runs() {
  std::vector<Runs> all;
  for (auto const& gaps : std::vector<std::vector<std::uint64_t>>{{0}, {1}, {15, 0, 1, 3}}) {
    for (auto const& sizes :
         std::vector<std::vector<std::uint64_t>>{{0},
                                                 {0, 0},
                                                 {5},
                                                 {0, 7, 0},
                                                 {1, 1},
                                                 {1, 1, 1},
                                                 {3000, 2000},
                                                 {0, 4000, 1, 0, 900, 1793},
                                                 {10, 20, 30, 40, 50, 60, 70, 80, 90},
                                                 {20000, 1, 30000, 10001, 5}}) {
      all.push_back(runs_of(sizes, gaps));
    }
  }
  return all;
}

std::uint64_t size_of(Runs const& runs) {
  std::uint64_t size = 0;
  for (auto const& run : runs) size += run.size();
  return size;
}

/// Records, sorted within each run.
std::vector<Record> sorted_runs(Runs const& runs) {
  auto records = fuzzed_records(runs.back().last);
  for (auto const& run : runs) {
    std::stable_sort(records.begin() + static_cast<std::ptrdiff_t>(run.first),
                     records.begin() + static_cast<std::ptrdiff_t>(run.last), ByHash{});
  }
  return records;
}

std::vector<std::int32_t> ids_of(std::vector<Record> const& records) {
  std::vector<std::int32_t> ids;
  for (auto const& record : records) ids.push_back(record.id);
  return ids;
}

std::vector<std::int32_t> merged_ids(std::vector<Record> const& records, Runs const& runs) {
  std::vector<Record> of_runs;
  for (auto const& run : runs) {
    of_runs.insert(of_runs.end(), records.begin() + static_cast<std::ptrdiff_t>(run.first),
                   records.begin() + static_cast<std::ptrdiff_t>(run.last));
  }
  std::stable_sort(of_runs.begin(), of_runs.end(), ByHash{});
  return ids_of(of_runs);
}

template <class Exec>
class MergesOfRuns : public ::testing::Test {};
TYPED_TEST_SUITE(MergesOfRuns, ExecutionSpaces, SpaceNames);

template <class Exec, class T>
std::vector<T> on_host(Exec const& exec, T const* items, std::size_t count) {
  exec.fence();
  return to_vector(
      Kokkos::View<T const*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(items, count));
}

/// The records of runs, merged by a comparison: as values, then by indices.
template <class Exec, class Order>
std::pair<std::vector<Record>, std::vector<Record>> merged(Runs const& runs,
                                                           std::vector<Record> const& records,
                                                           Order const& order) {
  Exec const exec;
  detail::Call const context(exec, "test");
  Context<Exec> const& of_call = context;
  detail::Scope scope(of_call);
  std::size_t const n = size_of(runs);
  GuardedView<Exec, Record> const items(records);
  GuardedView<Exec, Record> const spare(n);
  GuardedView<Exec, Record> const last(n);
  GuardedView<Exec, std::uint32_t> const indices(records.size());
  GuardedView<Exec, std::uint32_t> const others(n);
  sort::MergesOfRuns<Exec, std::uint32_t> const of_indices(context, scope, runs);
  auto const* const order_of = of_indices.run_by_indices(
      context, items.view(), indices.view().data(), others.view().data(), order);
  std::vector<Record> by_indices;
  for (auto const i : on_host(exec, order_of, n)) by_indices.push_back(records.at(i));
  sort::MergesOfRuns<Exec, Record> const of_records(context, scope, runs);
  auto const* const result =
      of_records.run(context, items.view().data(), spare.view().data(), order, last.view().data());
  std::vector<Record> const by_copies = on_host(exec, result, n);
  for (auto const* view : {&items, &spare, &last}) static_cast<void>(view->values());
  for (auto const* view : {&indices, &others}) static_cast<void>(view->values());
  return {by_copies, by_indices};
}

TYPED_TEST(MergesOfRuns, AreStable) {
  for (auto const& runs : all_runs()) {
    auto const records = sorted_runs(runs);
    auto const [by_copies, by_indices] = merged<TypeParam>(runs, records, ByHash{});
    EXPECT_EQ(ids_of(by_copies), merged_ids(records, runs)) << runs.size() << " runs";
    EXPECT_EQ(ids_of(by_indices), merged_ids(records, runs)) << runs.size() << " runs";
  }
}

TYPED_TEST(MergesOfRuns, KeepAllItemsIfTheComparisonIsNotAnOrder) {
  for_each_fuzzed({8, 897, 9001}, [](std::size_t n, FuzzedComparison const& comparison) {
    auto const records = fuzzed_records(n);
    auto const [by_copies, by_indices] =
        merged<TypeParam>(sort::runs_between({0, n / 3, n / 2, n / 2 + 1, n}), records, comparison);
    EXPECT_TRUE(are_fuzzed_records(by_copies));
    EXPECT_TRUE(are_fuzzed_records(by_indices));
  });
}

// --- on an emulated GPU ---

/// Does the steps of merge_pairs_on_device, round by round.
template <class Before>
std::vector<Record> merged_on_emulated_gpu(Runs const& runs, std::vector<Record> const& records,
                                           Before const& before) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Kernel = sort::MergePairTiles<Record, Before>;
  sort::MergeRounds const rounds(runs, sort::MergeTileShape<Record>::size);
  GuardedView<Host, Record> const items(records);
  GuardedView<Host, Record> const spare(records.size());
  Record* from = items.view().data();
  Record* to = spare.view().data();
  for (auto const& round : rounds.rounds()) {
    auto const pairs = rounds.pairs_of(round, rounds.pairs().data(), rounds.first_parts().data());
    std::vector<sort::RunMerge> tiles(round.parts);
    sort::FindTiles<Record, Before> const find{from, pairs, before, tiles.data()};
    for (std::uint64_t tile = 0; tile < round.parts; ++tile) find(tile);
    EmulatedGpu(2, round.parts)
        .run(static_cast<int>(round.parts), Kernel::threads, Kernel::scratch_bytes + 256,
             Kernel(from, to, tiles.data(), before));
    std::swap(from, to);
  }
  auto const in_items = items.values();
  auto const in_spare = spare.values();
  auto const& result = from == items.view().data() ? in_items : in_spare;
  auto const begin =
      result.begin() + static_cast<std::ptrdiff_t>(rounds.rounds().empty() ? rounds.first() : 0);
  return {begin, begin + static_cast<std::ptrdiff_t>(rounds.size())};
}

TEST(MergesOfRunsOnEmulatedGpu, AreStable) {
  for (auto const& runs : all_runs()) {
    if (size_of(runs) > 10000) continue;  // emulation is slow
    auto const records = sorted_runs(runs);
    EXPECT_EQ(ids_of(merged_on_emulated_gpu(runs, records, ByHash{})), merged_ids(records, runs));
  }
}

TEST(MergesOfRunsOnEmulatedGpu, KeepAllItemsIfTheComparisonIsNotAnOrder) {
  for_each_fuzzed({8, 897, 1793}, [](std::size_t n, FuzzedComparison const& comparison) {
    EXPECT_TRUE(are_fuzzed_records(merged_on_emulated_gpu(sort::runs_between({0, n / 3, n / 2, n}),
                                                          fuzzed_records(n), comparison)));
  });
}

}  // namespace
}  // namespace riffle::test::merge_runs_test
