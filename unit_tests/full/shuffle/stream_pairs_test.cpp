// Permutations with related seeds and streams are independent: their relative permutations pass the battery.
// core/random/streams_test.cpp checks that faulty sources are found.

#include <Kokkos_Core.hpp>
#include <riffle/random/fisher_yates.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/uniformity/uniformity_battery.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/stream_pairs.hpp"

namespace riffle::test::stream_pairs_test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

class StreamPairs : public ::testing::TestWithParam<Related> {
 protected:
  template <class Sampler>
  static void expect_pass(Sampler const& sampler, std::uint64_t n, std::uint64_t samples) {
    auto const result = uniformity::battery(Exec(), sampler, n, samples);
    EXPECT_TRUE(result.passes()) << "n = " << n << ": " << result.worst().result.test
                                 << ": p = " << result.worst().result.p_value;
  }

  template <class Source>
  static void expect_pass_at_all_sizes() {
    RelativeSampler<Source> const sampler{GetParam()};
    expect_pass(sampler, 2, 100'000);
    expect_pass(sampler, 5, 100'000);
    expect_pass(sampler, 20, 50'000);
    expect_pass(sampler, 21, 50'000);
    expect_pass(sampler, 129, 10'000);
    expect_pass(sampler, 1000, 2'000);
    expect_pass(sampler, 4097, 200);
  }
};

TEST_P(StreamPairs, OfRandomPermutation) { expect_pass_at_all_sizes<ByStream>(); }
TEST_P(StreamPairs, OfSeedsOfStreams) { expect_pass_at_all_sizes<BySeedOfStream>(); }

/// The relative permutation of two shuffles of one thread.
struct RelativeFisherYates {
  Related related;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    std::uint32_t a[64];
    std::uint32_t b[64];
    auto const pair = related_pair(related, r);
    for (std::uint32_t i = 0; i < n; ++i) a[i] = b[i] = i;
    fisher_yates(a, n, pair.a.seed, pair.a.stream);
    fisher_yates(b, n, pair.b.seed, pair.b.stream);
    for (std::uint64_t i = 0; i < n; ++i) row[a[i]] = b[i];
  }
};

TEST_P(StreamPairs, OfFisherYates) {
  RelativeFisherYates const sampler{GetParam()};
  for (std::uint64_t const n : {5, 20, 21, 64}) expect_pass(sampler, n, 50'000);
}

/// Row r of a table.
struct TableOfRows {
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Exec> table;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = table(r, i);
  }
};

/// table(r, a(i)) = b(i).
struct WriteRelative {
  TableOfRows rows;
  Kokkos::View<std::uint32_t*, Exec> a;
  Kokkos::View<std::uint32_t*, Exec> b;
  std::size_t r;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { rows.table(r, a(i)) = b(i); }
};

// The battery would draw samples that the table does not have.
TEST_P(StreamPairs, OfBucketShuffle) {
  std::size_t constexpr n = (1 << 20) + 3;
  std::size_t constexpr samples = 16;
  Exec const exec;
  TableOfRows const rows{{"table", samples, n}};
  Kokkos::View<std::uint32_t*, Exec> const a("a", n);
  Kokkos::View<std::uint32_t*, Exec> const b("b", n);
  for (std::size_t r = 0; r < samples; ++r) {
    auto const pair = related_pair(GetParam(), r);
    random_permutation(exec, a, pair.a.seed, pair.a.stream, BucketShuffle{});
    random_permutation(exec, b, pair.b.seed, pair.b.stream, BucketShuffle{});
    Kokkos::parallel_for("relative", Kokkos::RangePolicy(exec, 0, n), WriteRelative{rows, a, b, r});
  }
  auto const expect_pass = [&](auto const& test) {
    auto const result = uniformity::test(exec, test, rows, n, samples);
    EXPECT_GT(result.p_value, 1e-4) << result.test;
  };
  expect_pass(uniformity::CyclesOfLength<1>{});
  expect_pass(uniformity::Inversions{});
  expect_pass(uniformity::Descents{});
  expect_pass(uniformity::Footrule{});
  expect_pass(uniformity::SquaredDifferences{});
  expect_pass(uniformity::Successions{});
  expect_pass(uniformity::SerialCorrelation{});
}

INSTANTIATE_TEST_SUITE_P(Battery, StreamPairs, ::testing::ValuesIn(all_relations),
                         [](auto const& related) { return name_of(related.param); });

}  // namespace
}  // namespace riffle::test::stream_pairs_test
