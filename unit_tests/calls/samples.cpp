// The smallest and largest keys, and samples.

#include <Kokkos_Core.hpp>
#include <riffle/shuffle/resample.hpp>
#include <riffle/top_k.hpp>
#include <riffle/weighted_sample.hpp>
#include <riffle/workspace.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/case.hpp"
#include "calls/groups.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::samples_cases {
namespace {

struct OfDoubles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    Context const context(exec, "top", workspace);
    auto const keys = to_array<Exec>(special_numbers<double>(n));
    for (std::uint64_t const k : {n / 200, n / 3}) {
      auto const values = make_output<Exec, double>(k);
      auto const indices = make_output<Exec, std::uint32_t>(k);
      bottom_k(context, keys, values, indices);
      results.add("smallest", values);
      results.add("their indices", indices);
      top_k(context, keys, values, indices);
      results.add("largest", values);
      results.add("their indices", indices);
    }
  }
};

struct OfIntegers {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::vector<std::int32_t> keys(n);
    for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i * 37 % 253);
    auto const values = make_output<Exec, std::int64_t>(n / 50);
    auto const indices = make_output<Exec, std::uint64_t>(n / 50);
    top_k(exec, to_array<Exec>(keys), values, indices);
    results.add("values", values);
    results.add("indices", indices);
  }
};

struct OfWeights {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::vector<float> weights(n);
    std::uint64_t positive = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      auto const number = static_cast<int>(word(i) % 50);
      weights[i] = number == 0 ? 0 : std::ldexp(1.3f, number - 25);
      if (number > 0) ++positive;
    }
    auto const in = to_array<Exec>(weights);
    for (std::uint64_t const k : {n / 200, positive}) {
      auto const out = make_output<Exec, std::uint32_t>(k);
      weighted_sample(exec, in, out, 5, 6);
      results.add("sample", out);
    }
  }
};

struct OfSegments {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const offsets = group_offsets(n);
    std::vector<std::uint32_t> counts;
    std::uint64_t drawn = 0;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      counts.push_back(static_cast<std::uint32_t>((offsets[s + 1] - offsets[s] + 1) / 2));
      drawn += counts.back();
    }
    auto const out = make_output<Exec, std::uint32_t>(drawn);
    sample_segments(exec, to_array<Exec>(offsets), to_array<Exec>(counts), out, 8);
    results.add("sample", out);
    if (n > 0) bootstrap_indices(exec, n, out, 8, 1);
    results.add("bootstrap", out);
  }
};

Cases const cases{
    make_case<OfDoubles>("top_and_bottom_k_of_doubles", sizes()),
    make_case<OfIntegers>("top_k_of_few_integers", sizes()),
    make_case<OfWeights>("weighted_sample", sizes()),
    make_case<OfSegments>("sample_segments_and_bootstrap_indices", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::samples_cases
