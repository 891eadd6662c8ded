#pragma once

// The GPU's scan kernels, run on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/dispatch.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/scan_oracle.hpp"

namespace riffle::test {

// The kernels, by kind of tile.
template <class Source, class Sink, class Op, bool Inclusive>
using ValuesByLookBack =
    detail::scan::ScanByLookBack<detail::scan::ValueTile<Source, Sink, Op, Inclusive>, Source, Sink,
                                 Op, Inclusive>;
template <class Source, class Sink, class Op, bool Inclusive>
using PackedByLookBack =
    detail::scan::ScanByLookBack<detail::scan::PackedTile<Source, Sink, Op, Inclusive>, Source,
                                 Sink, Op, Inclusive>;
template <class Source, class Sink, class Op, bool Inclusive>
using ValuesByCentralPrefixes =
    detail::scan::ScanByCentralPrefixes<detail::scan::ValueTile<Source, Sink, Op, Inclusive>,
                                        Source, Sink, Op, Inclusive>;
template <class Source, class Sink, class Op, bool Inclusive>
using PackedByCentralPrefixes =
    detail::scan::ScanByCentralPrefixes<detail::scan::PackedTile<Source, Sink, Op, Inclusive>,
                                        Source, Sink, Op, Inclusive>;

/// Number of teams, number of resident teams, and the seed of their interleaving.
struct EmulatedLaunch {
  int teams;
  int resident;
  std::uint64_t seed;
};

/// Runs Kernel<Source, Sink, Op, Inclusive> `times` times with one set of messages, as calls with a workspace do.
template <template <class, class, class, bool> class Kernel, bool Inclusive, class Source,
          class Sink, class Op>
void run_emulated(EmulatedLaunch const& launch, std::uint64_t n, Source const& source,
                  Sink const& sink, Op const& op, typename Op::value_type const& init,
                  int times = 1) {
  using Tiles = Kernel<Source, Sink, Op, Inclusive>;
  std::uint64_t const tiles = detail::scan::tile_count<Tiles>(n);
  std::vector<std::uint64_t> messages(detail::LookBack<Op>::words(tiles));
  detail::LookBack<Op> const look_back(messages.data(), tiles,
                                       static_cast<std::uint64_t>(launch.teams), op, init);
  for (int time = 0; time < times; ++time) {
    EmulatedGpu gpu(launch.resident, launch.seed + static_cast<std::uint64_t>(time));
    gpu.run(launch.teams, Tiles::threads, Tiles::scratch_bytes, Tiles(n, source, sink, look_back));
  }
}

template <class T>
using Elements = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T>
Elements<T> elements(std::vector<T>& values) {
  return Elements<T>(values.data(), values.size());
}

/// Scans from a View to a View.
template <template <class, class, class, bool> class Kernel, bool Inclusive, class T, class Op>
auto emulated_scan(EmulatedLaunch const& launch, std::vector<T> values, Op const& op,
                   typename Op::value_type const& init) {
  using Value = typename Op::value_type;
  std::size_t const n = values.size();
  // The elements after the result must not change.
  std::vector<Value> const guard(4, init);
  std::vector<Value> result(n);
  result.insert(result.end(), guard.begin(), guard.end());
  detail::ViewSource<Elements<T>> const source(elements(values));
  detail::ViewSink<Elements<Value>> const sink(Elements<Value>(result.data(), n));
  run_emulated<Kernel, Inclusive>(launch, n, source, sink, op, init);
  EXPECT_EQ(std::memcmp(result.data() + n, guard.data(), 4 * sizeof(Value)), 0) << n;
  result.resize(n);
  return result;
}

/// Numbers whose sums fit into 32 bits.
template <class T>
std::vector<T> summable_numbers(std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<T> values(n);
  for (auto& value : values) value = static_cast<T>(generator() % 200) - static_cast<T>(77);
  return values;
}

/// Expects the same bits as from the CPU's scan, which adds in the same order and which other tests compare with an oracle.
template <template <class, class, class, bool> class Kernel, class T>
void expect_bits_of_cpu(EmulatedLaunch const& launch, std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<T> values(n);
  for (auto& value : values) value = static_cast<T>(generator() % 1'000'003) / T(7);
  std::vector<T> expected(n);
  Kokkos::DefaultHostExecutionSpace const exec;
  inclusive_scan(exec, elements(values), elements(expected), Sum<T>{});
  exec.fence();
  EXPECT_TRUE(same(emulated_scan<Kernel, true>(launch, values, Sum<T>{}, T(0)), expected));
}

}  // namespace riffle::test
