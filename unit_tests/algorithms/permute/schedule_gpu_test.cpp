// The kernels that build and apply a plan on a GPU, run on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/permute/detail/schedule/gpu/build_schedule_gpu.hpp>
#include <riffle/permute/detail/schedule/gpu/move_tiles.hpp>
#include <riffle/permute/detail/schedule/move_by_schedule.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/scan/detail/gpu/by_look_back.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/emulated_gpu.hpp"

namespace riffle::test::schedule_gpu_test {
namespace {

namespace schedule = detail::schedule;

using Host = Kokkos::HostSpace;
template <class T>
using HostView = Kokkos::View<T*, Host>;
using Indices = std::vector<std::uint32_t>;
using Stored = detail::StoredIndices<HostView<std::uint32_t>>;

HostView<std::uint32_t> to_host_view(Indices const& values) {
  HostView<std::uint32_t> const view("view", values.size());
  std::copy(values.begin(), values.end(), view.data());
  return view;
}

schedule::Pass<Host> make_pass(schedule::Tiles const& tiles, std::uint64_t runs) {
  std::string const label = "pass";
  Kokkos::DefaultHostExecutionSpace const exec;
  return schedule::make_pass(Context(exec, label), tiles, runs);
}

/// Builds a level as Builder does; the standard library scans the counts.
schedule::Pass<Host> build_level(schedule::Tiles const& tiles, schedule::Level const& level,
                                 HostView<std::uint32_t> const& from,
                                 HostView<std::uint32_t> const& to) {
  auto const pass = make_pass(tiles, level.buckets());
  HostView<std::uint64_t> const counts("counts", level.count_places(tiles.count()));
  using Count = schedule::CountBuckets<Stored, Host>;
  using Place = schedule::PlaceBuckets<Stored, HostView<std::uint32_t>, Host>;
  auto const teams = static_cast<int>(tiles.count());
  EmulatedGpu(2, 1).run(teams, Count::threads, Count::scratch_bytes,
                        Count{tiles, level, {from}, counts});
  std::exclusive_scan(counts.data(), counts.data() + counts.size(), counts.data(),
                      std::uint64_t{0});
  EmulatedGpu(2, 2).run(teams, Place::threads, Place::scratch_bytes,
                        Place(level, {from}, counts, pass, to));
  return pass;
}

/// max_bits: the log2 of the maximal number of buckets of a level; with few buckets small arrays have several levels.
schedule::Plan<Host> build(Indices const& p, int max_bits) {
  schedule::Plan<Host> plan;
  plan.tiles = {p.size(), schedule::GpuTile::bits};
  auto const levels = schedule::levels_of(plan.tiles.count(), max_bits);
  auto now = to_host_view(p);
  HostView<std::uint32_t> next("next", p.size());
  for (auto const& level : levels) {
    plan.passes.push_back(build_level(plan.tiles, level, now, next));
    std::swap(now, next);
  }
  auto last = make_pass(plan.tiles, 0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    last.order(i) = static_cast<std::uint16_t>(now(i) % schedule::GpuTile::size);
  }
  plan.passes.push_back(last);
  return plan;
}

template <template <class, class, class> class Kernel, class T>
void run_pass(schedule::Pass<Host> const& pass, HostView<T> const& in, HostView<T> const& out,
              std::size_t scratch) {
  using Source = schedule::ElementsOf<HostView<T>>;
  using Sink = schedule::ElementsOf<HostView<T>>;
  using Tiles = Kernel<Source, Sink, Host>;
  bool const from_last = pass.has_runs();
  Tiles const kernel(pass, Source(in), Sink(out), scratch, from_last);
  ASSERT_LE(kernel.used_scratch_bytes(), scratch);
  EmulatedGpu(2, 3).run(static_cast<int>(kernel.teams()), Tiles::threads,
                        kernel.used_scratch_bytes(), kernel);
}

/// Moves values through the plan, and back by its inverse.
template <class T>
void expect_moves(schedule::Plan<Host> const& plan, Indices const& p,
                  std::size_t scratch = detail::max_scratch_bytes) {
  std::size_t const n = p.size();
  HostView<T> now("now", n);
  HostView<T> next("next", n);
  for (std::size_t i = 0; i < n; ++i) now(i) = static_cast<T>(i + 1);
  for (auto const& pass : plan.passes) {
    run_pass<schedule::ForwardTiles>(pass, now, next, scratch);
    std::swap(now, next);
  }
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(now(p[i]), static_cast<T>(i + 1)) << i;
  for (auto pass = plan.passes.rbegin(); pass != plan.passes.rend(); ++pass) {
    run_pass<schedule::BackwardTiles>(*pass, now, next, scratch);
    std::swap(now, next);
  }
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(now(i), static_cast<T>(i + 1)) << i;
}

Indices random_permutation(std::size_t n) {
  Indices p(n);
  std::iota(p.begin(), p.end(), 0u);
  std::shuffle(p.begin(), p.end(), std::mt19937(static_cast<unsigned>(n)));
  return p;
}

void expect_function(schedule::Plan<Host> const& plan, Indices const& p) {
  schedule::PlanFunction<Host> const destination(plan);
  for (std::size_t i = 0; i < p.size(); ++i) ASSERT_EQ(destination(i), p[i]) << i;
}

TEST(ScheduleGpuTest, TilesAndEdges) {
  constexpr std::size_t tile = schedule::GpuTile::size;
  for (std::size_t const n : {std::size_t{33}, tile, tile + 5}) {
    SCOPED_TRACE(n);
    auto const p = random_permutation(n);
    auto const plan = build(p, 9);
    expect_function(plan, p);
    expect_moves<std::uint32_t>(plan, p);
  }
}

TEST(ScheduleGpuTest, SeveralLevels) {
  auto const p = random_permutation(2 * schedule::GpuTile::size + 100);
  auto const plan = build(p, 1);
  ASSERT_EQ(plan.passes.size(), 3u);
  expect_function(plan, p);
  expect_moves<std::uint32_t>(plan, p);
}

TEST(ScheduleGpuTest, SeveralWindowsOfScratchMemory) {
  auto const p = random_permutation(schedule::GpuTile::size + 77);
  auto const plan = build(p, 9);
  expect_moves<std::uint16_t>(plan, p, 3000);
  __extension__ using Wide = unsigned __int128;
  expect_moves<Wide>(plan, p);
}

TEST(ScheduleGpuTest, TilesThatGoToOneBucket) {
  constexpr std::uint32_t tile = schedule::GpuTile::size;
  Indices p(2 * tile);
  std::iota(p.begin(), p.end(), 0u);
  std::rotate(p.begin(), p.begin() + tile, p.end());
  expect_moves<std::uint32_t>(build(p, 9), p);
  std::reverse(p.begin(), p.end());
  expect_moves<std::uint32_t>(build(p, 9), p);
}

}  // namespace
}  // namespace riffle::test::schedule_gpu_test
