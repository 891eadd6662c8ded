// Histograms of labels and of values.

#include <Kokkos_Core.hpp>
#include <riffle/histogram.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::histograms_cases {
namespace {

template <std::uint64_t bins>
struct OfLabels {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto labels = numbers_below<std::int32_t>(bins, n, 5);
    for (std::uint64_t i = 0; i < n; ++i) {
      if (i % 16 < n % 16) labels[i] = 3;
    }
    auto const counts = make_output<Exec, std::uint32_t>(bins);
    histogram(Context(exec, "labels", workspace), to_array<Exec>(labels), counts);
    results.add("counts", counts);
  }
};

/// Numbers of special_numbers() in 1000 bins; many are at edges.
struct OfValues {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(special_numbers<double>(n));
    auto const counts = make_output<Exec, std::int64_t>(1000);
    histogram(exec, in, -0.1, 0.7, counts);
    results.add("of equal bins", counts);
    auto const edges = to_array<Exec>(sorted(plain_numbers<double>(1001)));
    histogram(exec, in, edges, counts);
    results.add("between edges", counts);
  }
};

struct Fraction {
  KOKKOS_FUNCTION float operator()(std::uint64_t i) const {
    return static_cast<float>(i % 1024) / 1024;
  }
};

struct Remainder {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i % 11; }
};

struct OfFunctions {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const counts = make_output<Exec, std::int32_t>(11);
    histogram(exec, n, Remainder{}, counts);
    results.add("of labels", counts);
    histogram(exec, n, Fraction{}, 0.1, 0.9, counts);
    results.add("of values", counts);
  }
};

Cases const cases{
    make_case<OfLabels<7>>("histogram_of_few_labels", sizes()),
    make_case<OfLabels<20'000>>("histogram_of_many_labels", sizes()),
    make_case<OfValues>("histogram_of_values", sizes()),
    make_case<OfFunctions>("histogram_of_functions", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::histograms_cases
