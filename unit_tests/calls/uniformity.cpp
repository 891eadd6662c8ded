// Tests of generators of permutations, with Riffle's generator and a user-defined one.

#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/uniformity.hpp>
#include <riffle/uniformity/uniformity_battery.hpp>

#include <cstdint>
#include <string>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::uniformity_cases {
namespace {

void add_result(Results& results, uniformity::TestResult const& found) {
  results.add("test", found.test);
  results.add("statistic of " + found.test, found.statistic);
  results.add("null of " + found.test, found.null);
  results.add("p_value of " + found.test, found.p_value);
}

/// Returns the permutation as an object.
struct RifflesSampler {
  KOKKOS_FUNCTION RandomPermutation operator()(std::uint64_t n, std::uint64_t replicate) const {
    return RandomPermutation(n, 7, replicate);
  }
};

/// A user-defined generator, which writes to a row: a rotation.
struct UsersSampler {
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t replicate, Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) {
      row[i] = static_cast<std::remove_reference_t<decltype(row[i])>>((i + replicate * 12345) % n);
    }
  }
};

/// All tests at once, including the tests of uniformity.hpp.
struct Battery {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    uniformity::BatteryResult const found = uniformity::battery(exec, RifflesSampler{}, n, 3000);
    for (auto const& row : found.rows) {
      add_result(results, row.result);
      results.add("adjusted p", row.adjusted_p_value);
    }
  }
};

struct OfUsersSampler {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    add_result(results, uniformity::test(exec, uniformity::Positions{}, UsersSampler{}, n, 3000));
    add_result(results, uniformity::test(Context(exec, "pairs"), uniformity::MallowsPaired{},
                                         UsersSampler{}, n, 3000));
  }
};

Cases const cases{
    make_case<Battery>("uniformity_battery", {2, 5, 8, 64, 200}),
    make_case<OfUsersSampler>("uniformity_of_users_sampler", {5, 8, 64, 200}),
};

}  // namespace
}  // namespace riffle::test::calls::uniformity_cases
