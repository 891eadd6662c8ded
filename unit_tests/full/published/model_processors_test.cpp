#include <riffle/published/offline_permutation/memory_machine.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "support/thrown_message.hpp"

namespace riffle::test::model_processors_test {
namespace {

using Index = std::uint32_t;

TEST(ModelProcessors, OwnRowsNeverConflict) {
  ModelProcessors processors(5);
  auto const matrix = processors.matrix<int>(7);
  processors.step([&](Index p) {
    for (Index k = 0; k < p; ++k) matrix.write(p, (k + p) % 7, 1);
  });
  EXPECT_EQ(processors.conflicts(), 0u);
  EXPECT_EQ(processors.races(), 0u);
  EXPECT_EQ(processors.time(), 4u);  // the time of the slowest processor
}

TEST(ModelProcessors, APermutationOfRowsIsFreeOfConflicts) {
  ModelProcessors processors(6);
  auto const matrix = processors.matrix<int>(6);
  processors.step([&](Index p) { matrix.read((p + 1) % 6, p); });
  EXPECT_EQ(processors.conflicts(), 0u);
  EXPECT_EQ(processors.time(), 1u);
}

TEST(ModelProcessors, CountsConflicts) {
  ModelProcessors processors(6);
  auto const matrix = processors.matrix<int>(6);
  processors.step([&](Index p) { matrix.read(0, p); });
  EXPECT_EQ(processors.conflicts(), 5u);
  // Reads of the same element conflict, too: the paper's machine has exclusive reads.
  processors.step([&](Index) { matrix.read(0, 0); });
  EXPECT_EQ(processors.conflicts(), 10u);
}

TEST(ModelProcessors, DifferentMatricesShareTheBanks) {
  ModelProcessors processors(2);
  auto const a = processors.matrix<int>(3);
  auto const b = processors.matrix<double>(3);
  processors.step([&](Index p) { p == 0 ? static_cast<double>(a.read(1, 0)) : b.read(1, 2); });
  EXPECT_EQ(processors.conflicts(), 1u);
}

TEST(ModelProcessors, OnlyAccessesOfOneRoundConflict) {
  ModelProcessors processors(2);
  auto const matrix = processors.matrix<int>(2);
  processors.step([&](Index p) {
    matrix.read(p, 0);
    matrix.read(1 - p, 1);
  });
  EXPECT_EQ(processors.conflicts(), 0u);
  processors.step([&](Index p) {
    if (p == 0) matrix.read(0, 0);
    matrix.read(1, 1);
  });
  EXPECT_EQ(processors.conflicts(), 0u);  // in rounds 0 and 1
  processors.step([&](Index p) { matrix.read(p == 0 ? 1 : p, 1); });
  EXPECT_EQ(processors.conflicts(), 1u);
}

TEST(ModelProcessors, FindsRaces) {
  ModelProcessors processors(3);
  auto const matrix = processors.matrix<int>(3);
  processors.step([&](Index p) {  // each reads what the next one writes one round later
    matrix.read((p + 1) % 3, 0);
    matrix.write(p, 0, 1);
  });
  EXPECT_EQ(processors.conflicts(), 0u);
  EXPECT_EQ(processors.races(), 3u);
}

TEST(ModelProcessors, ReadersOfOneElementAreNoRaceButAWriterAmongThemIs) {
  ModelProcessors processors(3);
  auto const matrix = processors.matrix<int>(3);
  processors.step([&](Index) { matrix.read(0, 0); });
  EXPECT_EQ(processors.races(), 0u);
  processors.step([&](Index p) { p < 2 ? void(matrix.read(0, 0)) : matrix.write(0, 0, 1); });
  EXPECT_EQ(processors.races(), 1u);
  processors.step([&](Index p) {
    if (p == 1) matrix.write(0, 0, 2);
  });
  EXPECT_EQ(processors.races(), 1u);
  processors.step(
      [&](Index p) {  // the last reader also writes; another processor has read the element
        if (p < 2) matrix.read(0, 0);
        if (p == 1) matrix.write(0, 0, 3);
      });
  EXPECT_EQ(processors.races(), 2u);
}

TEST(ModelProcessors, CountsAsTheDiscreteMemoryMachineDoes) {
  constexpr Index w = 7;
  DiscreteMemoryMachine machine({.width = w, .latency = 1});
  ModelProcessors processors(w);
  processors.run_on(machine);
  auto const matrix = processors.matrix<int>(3);
  processors.step([&](Index p) {
    for (Index k = 0; k < 1 + p / 2; ++k) matrix.read((p + k) % w, 0);
  });
  EXPECT_EQ(machine.rounds().size(), 4u);
  EXPECT_EQ(machine.time(), processors.time());
  EXPECT_EQ(machine.counts().conflicting_reading, 0u);
  processors.step([&](Index p) { matrix.write(p / 2, p % 2, 1); });
  EXPECT_EQ(machine.counts().conflicting_writing, 1u);
  EXPECT_EQ(processors.conflicts(), 3u);
}

TEST(ModelProcessors, RejectsInvalidArguments) {
  EXPECT_EQ(thrown_message([] { ModelProcessors(0); }),
            "riffle::ModelProcessors: rows = 0: must be at least 1");
  ModelProcessors processors(2);
  auto const matrix = processors.matrix<int>(3);
  EXPECT_THROW(processors.step([&](Index p) { matrix.read(p, 3); }), std::out_of_range);
  EXPECT_THROW(processors.step([&](Index p) { matrix.write(p + 2, 0, 1); }), std::out_of_range);
}

}  // namespace
}  // namespace riffle::test::model_processors_test
