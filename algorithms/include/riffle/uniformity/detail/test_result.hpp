#pragma once

#include <cstdint>
#include <string>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>

namespace riffle::uniformity {

/// The result of a test. For uniform permutations, p_value is uniform on [0, 1], as far as the null
/// distribution is exact.
struct TestResult {
  std::string test;
  std::uint64_t n = 0;
  std::uint64_t samples = 0;
  double statistic = 0;
  std::string null;  // the distribution of the statistic under uniformity
  double p_value = 1;
};

}  // namespace riffle::uniformity

namespace riffle::detail::uniformity {

using riffle::uniformity::TestResult;

inline TestResult chi_square_result(char const* name, std::uint64_t n, std::uint64_t samples,
                                    ChiSquare const& found) {
  auto const null = concatenate("chi-square, ", found.degrees, " df");
  return {name, n, samples, found.statistic, null, found.p};
}

}  // namespace riffle::detail::uniformity
