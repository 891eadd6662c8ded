// The scan by central prefixes, on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/detail/gpu/by_central_prefixes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/emulated_scan.hpp"
#include "support/monoids.hpp"
#include "support/scan_oracle.hpp"
#include "support/type_names.hpp"

namespace riffle::test::scan_by_central_prefixes_test {
namespace {

/// Launches of the prefix team alone, with one other team, and with several teams, some of which wait until another
/// team has ended.
std::vector<EmulatedLaunch> launches() { return {{1, 1, 1}, {2, 1, 2}, {5, 3, 3}}; }

template <template <class, class, class, bool> class Kernel, class Op>
void expect_sums_at_edges(Op const& op) {
  using T = typename Op::value_type;
  using View = Elements<T>;
  using Tiles = Kernel<detail::ViewSource<View>, detail::ViewSink<View>, Op, true>;
  static_assert(Tiles::is_possible);
  std::size_t const tile = Tiles::tile_size;
  for (auto const& launch : launches()) {
    for (std::size_t const n : {std::size_t{1}, tile - 1, tile, tile + 1, 9 * tile + 77}) {
      auto const values = summable_numbers<T>(n);
      EXPECT_TRUE(same(emulated_scan<Kernel, true>(launch, values, op, op.identity()),
                       inclusive_oracle(values, op)));
      EXPECT_TRUE(same(emulated_scan<Kernel, false>(launch, values, op, T(5)),
                       exclusive_oracle(values, op, T(5))));
    }
  }
}

TEST(ScanByCentralPrefixes, SumsAtTheEdgesOfTiles) {
  expect_sums_at_edges<ValuesByCentralPrefixes>(Sum<std::int32_t>{});
  expect_sums_at_edges<ValuesByCentralPrefixes>(Sum<std::uint64_t>{});
}

TEST(ScanByCentralPrefixes, SumsChunksAtTheEdgesOfTiles) {
  expect_sums_at_edges<PackedByCentralPrefixes>(Sum<std::uint16_t>{});
  expect_sums_at_edges<PackedByCentralPrefixes>(Max<std::int8_t>{});
}

// Values of up to 8 bytes are scanned in this way, with any amount of scratch memory for their tiles.
template <class T, class Op>
constexpr bool scans =
    ValuesByCentralPrefixes<detail::ViewSource<Elements<T>>, detail::ViewSink<Elements<T>>, Op,
                            true>::is_possible;
static_assert(scans<std::int32_t, Sum<std::uint32_t>>);
static_assert(scans<std::int32_t, Sum<std::int16_t>>);
static_assert(scans<std::int32_t, Max<std::uint8_t>>);
static_assert(scans<double, Sum<double>>);
static_assert(!scans<MultiplyMatrices::value_type, MultiplyMatrices>);

TEST(ScanByCentralPrefixes, CombinesInOrder) {
  auto const values = random_values(ComposeAffine{}, 9 * tile_elements + 77, 1);
  ComposeAffine const op;
  for (auto const& launch : launches()) {
    EXPECT_TRUE(
        same(emulated_scan<ValuesByCentralPrefixes, true>(launch, values, op, op.identity()),
             inclusive_oracle(values, op)));
    EXPECT_TRUE(same(emulated_scan<ValuesByCentralPrefixes, false>(launch, values, op, values[1]),
                     exclusive_oracle(values, op, values[1])));
  }
}

TEST(ScanByCentralPrefixes, AddsInTheOrderOfTheTileTree) {
  for (auto const& launch : launches()) {
    expect_bits_of_cpu<ValuesByCentralPrefixes, float>(launch, 6 * tile_elements + 77);
    expect_bits_of_cpu<ValuesByCentralPrefixes, double>(launch, 6 * tile_elements + 77);
  }
}

// Several bundles of tiles, among messages of earlier launches; in place.
template <class Op>
void expect_scan_of_bundles(EmulatedLaunch const& launch) {
  using T = typename Op::value_type;
  std::size_t const n = 2 * bundle_elements + 3 * tile_elements + 5;
  auto values = summable_numbers<T>(n);
  auto once = inclusive_oracle(values, Op{});
  auto const twice = inclusive_oracle(once, Op{});
  detail::ViewSource<Elements<T>> const source(elements(values));
  detail::ViewSink<Elements<T>> const sink(elements(values));
  run_emulated<ValuesByCentralPrefixes, true>(launch, n, source, sink, Op{}, T(0), 2);
  EXPECT_TRUE(same(values, twice));
}

TEST(ScanByCentralPrefixes, CombinesBundles) {
  expect_scan_of_bundles<Sum<std::uint32_t>>({7, 7, 11});
  expect_scan_of_bundles<Sum<std::uint64_t>>({1, 1, 12});
}

/// A source that computes numbers, and a sink that writes prefixes through a function.
struct NumberOf {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return static_cast<double>(i % 7); }
};
struct KeepIn {
  double* prefixes;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, double prefix) const { prefixes[i] = prefix; }
};

TEST(ScanByCentralPrefixes, ScansFunctions) {
  for (auto const& launch : launches()) {
    std::size_t const n = 7 * tile_elements + 77;
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = NumberOf{}(i);
    std::vector<double> result(n);
    run_emulated<ValuesByCentralPrefixes, false>(
        launch, n, detail::FunctionSource<NumberOf>{},
        detail::FunctionSink<KeepIn, false>{KeepIn{result.data()}}, Sum<double>{}, 3.0);
    EXPECT_TRUE(same(result, exclusive_oracle(values, std::plus<>{}, 3.0)));
  }
}

TEST(ScanByCentralPrefixes, ScansToSmallerValues) {
  std::size_t const n = 7 * tile_elements + 77;
  auto const values = summable_numbers<std::int32_t>(n);
  for (auto const& launch : launches()) {
    EXPECT_TRUE(same(emulated_scan<ValuesByCentralPrefixes, true>(
                         launch, values, Max<std::uint8_t>{}, std::uint8_t{0}),
                     [&] {
                       std::vector<std::uint8_t> expected(n);
                       std::uint8_t most = 0;
                       for (std::size_t i = 0; i < n; ++i) {
                         most = std::max(most, static_cast<std::uint8_t>(values[i]));
                         expected[i] = most;
                       }
                       return expected;
                     }()));
  }
}

/// Other teams start long after the first one.
template <class Source, class Sink, class Op, bool Inclusive>
class Late : public ValuesByCentralPrefixes<Source, Sink, Op, Inclusive> {
  using Tiles = ValuesByCentralPrefixes<Source, Sink, Op, Inclusive>;

 public:
  using Tiles::Tiles;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    for (int k = 0; team.league_rank() > 0 && k < 400; ++k) backend::wait();
    Tiles::operator()(team);
  }
};

TEST(ScanByCentralPrefixes, TeamsMayStartWhenThePrefixTeamHasScannedTiles) {
  auto const values = summable_numbers<std::int32_t>(40 * tile_elements + 77);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_TRUE(same(emulated_scan<Late, true>({3, 3, seed}, values, Sum<std::int32_t>{}, 0),
                     inclusive_oracle(values, std::plus<>{})));
  }
}

}  // namespace
}  // namespace riffle::test::scan_by_central_prefixes_test
