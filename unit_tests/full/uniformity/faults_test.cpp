// For each faulty generator, the tests that are meant to find its fault reject it; a correct generator passes.

#include <Kokkos_Core.hpp>
#include <riffle/uniformity/uniformity_battery.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "support/faulty_sampler.hpp"

namespace riffle::test::faults_test {
namespace {

using uniformity::battery;
using uniformity::BatteryResult;

struct Case {
  char const* name;
  Fault fault;
  std::uint64_t n;
  std::vector<std::string> caught_by;
};

void PrintTo(Case const& faulty, std::ostream* out) { *out << faulty.name; }

constexpr std::uint64_t samples = 20'000;

BatteryResult run(Fault fault, std::uint64_t n) {
  return battery(Kokkos::DefaultExecutionSpace(), FaultySampler{fault}, n, samples);
}

std::string table(BatteryResult const& result) {
  std::string text;
  for (auto const& row : result.rows) {
    text += row.result.test + ": " + std::to_string(row.result.statistic) + ", " + row.result.null +
            ", p = " + std::to_string(row.result.p_value) + "\n";
  }
  return text;
}

bool rejects(BatteryResult const& result, std::string const& test) {
  return std::any_of(result.rows.begin(), result.rows.end(), [&](auto const& row) {
    return row.result.test == test && row.result.p_value < 1e-9;
  });
}

class FaultyGenerator : public ::testing::TestWithParam<Case> {};

TEST_P(FaultyGenerator, IsCaughtByItsTest) {
  auto const& faulty = GetParam();
  auto const result = run(faulty.fault, faulty.n);
  EXPECT_FALSE(result.passes());
  for (auto const& test : faulty.caught_by) {
    EXPECT_TRUE(rejects(result, test)) << test << " of\n" << table(result);
  }
}

std::vector<Case> cases() {
  std::string const flipped = "one bit flipped: ";
  return {
      {"EvenOnly", Fault::even_only, 33, {"sign", "sign of the quotient of pairs"}},
      {"FixedPosition", Fault::fixed_position, 33, {"fixed points", "positions", "footrule"}},
      {"BiasedSwap", Fault::biased_swap, 33, {"positions", "Lehmer digits", "inversions"}},
      {"RepeatedSeed", Fault::repeated_seed, 33, {"matches of pairs", "collisions"}},
      {"SeldomRepeated", Fault::seldom_repeated, 33, {"Mallows kernel of pairs", "collisions"}},
      {"FewRounds", Fault::few_rounds, 33, {"descents", "successions", "orders of 5 neighbours"}},
      {"Congruential", Fault::congruential, 33, {"serial correlation", "descents", "bits"}},
      {"WalkedPhilox", Fault::walked_philox, 33, {"sign", "number of cycles"}},
      {"PublishedPhiloxOnAPowerOfTwo", Fault::compacted_philox, 32, {"sign"}},
      {"PublishedPhiloxOnFivePoints", Fault::compacted_philox, 5, {"arrangements"}},
      {"Rotations", Fault::rotations, 33, {"2-cycles", "changes of bits"}},
      {"NearlySorted", Fault::nearly_sorted, 33, {"descents", "longest increasing subsequence"}},
      {"SeedInFewBits", Fault::seed_in_few_bits, 33, {"collisions", flipped + "matches of pairs"}}};
}

INSTANTIATE_TEST_SUITE_P(Battery, FaultyGenerator, ::testing::ValuesIn(cases()),
                         [](auto const& faulty) { return std::string(faulty.param.name); });

TEST(TrueGenerator, Passes) {
  for (std::uint64_t const n : {2, 3, 5, 8, 33, 300}) {
    auto const result = run(Fault::none, n);
    EXPECT_TRUE(result.passes(0.01)) << "n = " << n << "\n" << table(result);
  }
}

}  // namespace
}  // namespace riffle::test::faults_test
