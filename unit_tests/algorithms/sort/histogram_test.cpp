// Histograms compared with loops, and their GPU kernel on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/histogram.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::histogram_test {
namespace {

template <class Label>
std::vector<std::int64_t> counts_of(std::vector<Label> const& labels, std::size_t bins) {
  std::vector<std::int64_t> counts(bins);
  for (Label const label : labels) {
    if (static_cast<std::size_t>(label) < bins) ++counts[static_cast<std::size_t>(label)];
  }
  return counts;
}

/// Random labels, one label only, and one label with exceptions.
std::vector<std::vector<int>> every_kind_of_labels(std::size_t n, unsigned bins) {
  auto const random = few_values<int>(n, bins);
  auto mostly_equal = random;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 9 != 0) mostly_equal[i] = static_cast<int>(bins / 2);
  }
  return {random, std::vector<int>(n, static_cast<int>(bins - 1)), mostly_equal};
}

/// The edges that the documentation defines.
std::vector<double> edges_of(double lower, double upper, std::size_t bins) {
  std::vector<double> edges(bins + 1, upper);
  for (std::size_t b = 0; b < bins; ++b) {
    double const product = static_cast<double>(b) * (upper - lower);
    double const quotient = product / static_cast<double>(bins);
    edges[b] = std::min(upper, lower + quotient);
  }
  return edges;
}

template <class Value>
std::vector<std::int64_t> counts_between(std::vector<Value> const& values,
                                         std::vector<double> const& edges) {
  std::vector<std::int64_t> counts(edges.size() - 1);
  for (Value const value : values) {
    auto const x = static_cast<double>(value);
    if (!(x >= edges.front() && x <= edges.back())) continue;
    auto const after = std::upper_bound(edges.begin(), edges.end() - 1, x);
    ++counts[static_cast<std::size_t>(after - edges.begin()) - 1];
  }
  return counts;
}

/// The edges with their neighbours, and values that are not counted.
std::vector<double> values_at(std::vector<double> const& edges) {
  double const infinite = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values{nan, -nan, infinite, -infinite, 0.0, -0.0};
  for (double const edge : edges) {
    for (double const x : {edge, std::nextafter(edge, infinite), std::nextafter(edge, -infinite)}) {
      values.push_back(x);
    }
  }
  return values;
}

struct Bounds {
  double lower;
  double upper;
  std::size_t bins;
};

/// Exact and inexact widths, bins as narrow as the distance of two doubles, and very large and very small numbers.
std::vector<Bounds> every_kind_of_bounds() {
  return {{0, 1, 10},           {0, 1, 3},       {-0.1, 0.7, 7},       {-1, 3, 1},
          {0, 256, 256},        {0.1, 0.3, 999}, {1e15, 1e15 + 4, 18}, {-1e307, 1e307, 6},
          {1e-300, 3e-300, 11}, {0, 1e-307, 7},  {-1e-9, 1e9, 1001}};
}

template <class Exec>
class HistogramTest : public ::testing::Test {
 protected:
  template <class... Arguments>
  std::vector<std::int64_t> histogram(std::size_t bins, Arguments const&... arguments) {
    auto const counts = to_view<Exec>(std::vector<std::int64_t>(bins, -7));
    riffle::histogram(Context(exec, workspace), arguments..., counts);
    exec.fence();
    return to_vector(counts);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(HistogramTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(HistogramTest, Labels) {
  for (std::size_t const n : {0, 1, 3, 5000, 100'003}) {
    for (unsigned const bins : {1u, 2u, 7u, 4096u, 20'000u, 100'003u, 1u << 20}) {
      for (auto const& labels : every_kind_of_labels(n, bins)) {
        EXPECT_TRUE(this->histogram(bins, to_view<TypeParam>(labels)) == counts_of(labels, bins))
            << n << " " << bins;
      }
    }
  }
}

TYPED_TEST(HistogramTest, LabelsAndCountsOfEveryType) {
  auto const labels = few_values<int>(9000, 100);
  auto const expected = counts_of(labels, 100);
  for_each_index_type(100, [&]<class Label>(Label) {
    EXPECT_EQ(this->histogram(100, to_view<TypeParam>(converted<Label>(labels))), expected);
  });
  auto const narrow = zeros<TypeParam, std::int16_t>(100);
  riffle::histogram(this->exec, to_view<TypeParam>(labels), narrow);
  this->exec.fence();
  EXPECT_EQ(to_vector(narrow), converted<std::int16_t>(expected));
}

struct LastDigit {
  KOKKOS_FUNCTION int operator()(std::uint64_t i) const { return static_cast<int>(i * i % 10); }
};

struct SquareRoot {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const {
    return 0.001 * static_cast<double>(i * i % 5000);
  }
};

TYPED_TEST(HistogramTest, Functions) {
  std::uint64_t const n = 70'001;
  std::vector<int> labels;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < n; ++i) {
    labels.push_back(LastDigit{}(i));
    values.push_back(SquareRoot{}(i));
  }
  EXPECT_EQ(this->histogram(10, n, LastDigit{}), counts_of(labels, 10));
  EXPECT_EQ(this->histogram(9, n, SquareRoot{}, 0.5, 4.5),
            counts_between(values, edges_of(0.5, 4.5, 9)));
}

TYPED_TEST(HistogramTest, DoesNotCountLabelsOutOfRange) {
  for (std::size_t const bins : {0, 5, 30'000}) {
    std::vector<std::int64_t> labels(1000, 3);
    labels[77] = -1;
    labels[78] = static_cast<std::int64_t>(bins);
    labels[79] = INT64_MAX;
    labels[80] = INT64_MIN;
    EXPECT_EQ(this->histogram(bins, to_view<TypeParam>(labels)), counts_of(labels, bins));
  }
}

TYPED_TEST(HistogramTest, ValuesAtTheEdgesOfEqualBins) {
  for (auto const& [lower, upper, bins] : every_kind_of_bounds()) {
    auto const edges = edges_of(lower, upper, bins);
    auto const values = values_at(edges);
    EXPECT_EQ(this->histogram(bins, to_view<TypeParam>(values), lower, upper),
              counts_between(values, edges))
        << lower << " " << upper << " " << bins;
  }
}

TYPED_TEST(HistogramTest, ValuesOfEveryType) {
  auto const check = [&]<class Value>(Value) {
    auto values = converted<Value>(few_values<int>(20'000, 120));
    if (std::is_floating_point_v<Value>) {
      for (auto& value : values) value /= 7;
    }
    for (auto const& [lower, upper, bins] :
         {Bounds{0, 100, 100}, Bounds{2.5, 15.25, 33}, Bounds{-5, 17, 30'000}}) {
      EXPECT_TRUE(this->histogram(bins, to_view<TypeParam>(values), lower, upper) ==
                  counts_between(values, edges_of(lower, upper, bins)))
          << lower << " " << bins;
    }
  };
  check(double{});
  check(float{});
  check(std::uint8_t{});
  check(std::int64_t{});
}

TYPED_TEST(HistogramTest, GivenEdges) {
  double const infinite = std::numeric_limits<double>::infinity();
  for (auto const& edges :
       {std::vector<double>{0, 1}, std::vector<double>{-1, 0.5, 0.5, 0.75, 9, 9},
        std::vector<double>{-infinite, 0, infinite}, edges_of(0.1, 0.3, 999)}) {
    auto const values = values_at(edges);
    EXPECT_EQ(
        this->histogram(edges.size() - 1, to_view<TypeParam>(values), to_view<TypeParam>(edges)),
        counts_between(values, edges));
  }
  // As integers, these are distinct; as doubles, they are not.
  std::int64_t const large = std::int64_t{1} << 60;
  auto const edges = to_view<TypeParam>(std::vector<std::int64_t>{large, large + 1, large + 2});
  auto const values = to_view<TypeParam>(
      std::vector<std::int64_t>{large - 1, large, large + 1, large + 2, large + 3});
  EXPECT_EQ(this->histogram(2, values, edges), (std::vector<std::int64_t>{1, 2}));
}

TYPED_TEST(HistogramTest, StridedViews) {
  auto const labels = few_values<int>(10'000, 50);
  Kokkos::View<int*[3], Kokkos::LayoutRight, typename TypeParam::memory_space> const matrix(
      "matrix", 10'000),
      results("results", 50);
  fill(Kokkos::subview(matrix, Kokkos::ALL, 1), labels);
  auto const counts = Kokkos::subview(results, Kokkos::ALL, 2);
  riffle::histogram(this->exec, Kokkos::subview(matrix, Kokkos::ALL, 1), counts);
  this->exec.fence();
  EXPECT_EQ(to_vector(counts), converted<int>(counts_of(labels, 50)));
  EXPECT_EQ(to_vector(Kokkos::subview(results, Kokkos::ALL, 1)), std::vector<int>(50));
}

TYPED_TEST(HistogramTest, LabelsOfKernelsAndInstanceAndNoFence) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const values = zeros<TypeParam, double>(40'000);
  auto const counts = zeros<TypeParam, int>(40);
  Kokkos::fence();
  expect_labels_and_instance(
      instance, [&](auto const& on) { riffle::histogram(on, values, 0.0, 1.0, counts); });
  riffle::Context const context(this->exec, this->workspace);
  riffle::histogram(context, values, 0.0, 1.0, counts);
  expect_no_fence(this->exec, [&] { riffle::histogram(context, values, 0.0, 1.0, counts); });
}

TYPED_TEST(HistogramTest, RejectsInvalidArguments) {
  auto const labels = zeros<TypeParam, int>(400);
  auto const values = zeros<TypeParam, double>(400);
  auto const counts = zeros<TypeParam, int>(10);
  auto const message = [&](auto const&... arguments) {
    return thrown_message([&] { riffle::histogram(this->exec, arguments...); });
  };
  EXPECT_EQ(message(labels, zeros<TypeParam, std::int8_t>(10)),
            "riffle::histogram: n = 400: the value type of counts holds no number above 127");
  EXPECT_NE(message(labels, labels).find("overlap"), std::string::npos);
  EXPECT_EQ(message(values, zeros<TypeParam, double>(10), counts),
            "riffle::histogram: edges.extent(0) = 10 and counts.extent(0) = 10: there must be a "
            "bin, and one edge more than there are bins");
  EXPECT_EQ(message(values, 0, 1, zeros<TypeParam, int>(0)),
            "riffle::histogram: counts.extent(0) = 0: there must be a bin");
  double const infinite = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (auto const& [lower, upper] : std::vector<std::pair<double, double>>{{1, 1},
                                                                           {2, 1},
                                                                           {nan, 1},
                                                                           {0, nan},
                                                                           {0, infinite},
                                                                           {-infinite, 0},
                                                                           {-1e308, 1e308},
                                                                           {0, 1e308},
                                                                           {0, 5e-324},
                                                                           {1e15, 1e15 + 1},
                                                                           {1, 1 + 1e-15}}) {
    EXPECT_NE(message(values, lower, upper, counts).find("riffle::histogram: lower = "),
              std::string::npos)
        << lower << " " << upper;
  }
  EXPECT_EQ(to_vector(counts), std::vector<int>(10));
}

// --- the kernel of a GPU ---

using Labels = Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

TEST(HistogramOnEmulatedGpu, Labels) {
  namespace histogram = riffle::detail::histogram;
  using Bin = histogram::BinOfElement<Labels, histogram::BinsOfLabels>;
  using Counts = Kokkos::View<std::int64_t*, Kokkos::LayoutStride, Kokkos::HostSpace>;
  using Kernel = histogram::CountBins<Bin, Counts>;
  unsigned const most = Kernel::max_in_scratch;
  for (std::size_t const n : {std::size_t{1}, std::size_t{31}, std::size_t{Kernel::tile_size},
                              std::size_t{2 * Kernel::tile_size + 77}}) {
    for (unsigned const bins : {1u, 5u, most, most + 1}) {
      auto kinds = every_kind_of_labels(n, bins);
      kinds[0][n / 2] = -1;
      for (auto const& labels : kinds) {
        for (int const teams : {1, 3}) {
          Kokkos::View<std::int64_t* [2], Kokkos::LayoutRight, Kokkos::HostSpace> const both("both",
                                                                                             bins);
          Counts const counts = Kokkos::subview(both, Kokkos::ALL, 1);
          EmulatedGpu gpu(2, static_cast<unsigned>(teams));
          gpu.run(teams, Kernel::threads, Kernel::scratch_bytes,
                  Kernel{n, {Labels(labels.data(), n), {bins}}, counts, bins > most ? 0 : bins});
          EXPECT_TRUE(to_vector(counts) == counts_of(labels, bins)) << n << " " << bins;
        }
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::histogram_test
