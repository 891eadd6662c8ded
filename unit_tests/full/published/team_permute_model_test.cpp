// Theorem 4, Lemma 3 and appendix B of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391,
// on the model: items arrive without bank conflicts, and times grow as the theorem says.

#include <riffle/published/bank_conflict_free_sorting/team_permute.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/labelled_matrices.hpp"

namespace riffle::test::team_permute_model_test {
namespace {

namespace mp = detail::matrix_permute;

/// Permutes, expects each value at the place that its label names, and returns the result.
TeamPermuteResult expect_permuted(LabelledMatrix& model, std::vector<Index> const& labels,
                                  std::uint64_t seed = 0, Index repetitions = 2) {
  model.set(labels);
  auto const result =
      mp::permute_checked(model.processors, model.items, model.memory, seed, repetitions);
  EXPECT_EQ(result.status, TeamPermuteStatus::permuted) << model.shape();
  EXPECT_EQ(model.cells_of(model.values), permuted_values(labels)) << model.shape();
  EXPECT_EQ(model.cells_of(model.labels), identity(model.rows(), model.columns())) << model.shape();
  expect_no_conflicts(model.processors, model.shape());
  return result;
}

TeamPermuteResult expect_permuted(Index w, Index m, std::vector<Index> const& labels,
                                  std::uint64_t seed = 0, Index repetitions = 2) {
  LabelledMatrix model(w, m);
  return expect_permuted(model, labels, seed, repetitions);
}

TEST(Theorem4, EveryShapeUpTo64) {
  Index number = 0;
  for (Index w = 1; w <= 64; ++w) {
    for (Index m = 1; m <= 64; ++m) {
      for (int time = 0; time < 2; ++time) {
        auto const& labels = matrix_labellings[number++ % std::size(matrix_labellings)];
        expect_permuted(w, m, labels(w, m), number);
      }
    }
  }
}

TEST(Theorem4, EveryLabelling) {
  for (auto const& [w, m] : {std::pair<Index, Index>{1, 1},
                             {1, 9},
                             {9, 1},
                             {8, 8},
                             {7, 40},
                             {40, 7},
                             {32, 5},
                             {32, 32},
                             {32, 33},
                             {61, 16}}) {
    for (auto const& labels : matrix_labellings) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        for (Index const repetitions : {1u, 2u, 5u}) {
          expect_permuted(w, m, labels(w, m), seed, repetitions);
        }
      }
    }
  }
}

TEST(Theorem4, EveryPermutationOfSixCells) {
  for (auto const& [w, m] : {std::pair<Index, Index>{1, 6}, {2, 3}, {3, 2}, {6, 1}}) {
    auto labels = identity(w, m);
    do expect_permuted(w, m, labels, 5);
    while (std::next_permutation(labels.begin(), labels.end()));
  }
}

TEST(Theorem4, TheDiscreteMemoryMachineFindsNoConflicts) {
  for (auto const& [w, m] : {std::pair<Index, Index>{8, 8}, {13, 4}, {32, 48}}) {
    LabelledMatrix model(w, m);
    DiscreteMemoryMachine machine({.width = w, .latency = 1});
    model.processors.run_on(machine);
    expect_permuted(model, random_labels(w, m));
    EXPECT_EQ(machine.counts().conflicting_reading + machine.counts().conflicting_writing, 0u);
    EXPECT_EQ(machine.time(), model.processors.time());
  }
}

/// Expects that times per column differ by a factor of two at most.
class TimesPerColumn {
 public:
  void add(Index w, Index m, std::vector<Index> const& labels) {
    LabelledMatrix model(w, m);
    expect_permuted(model, labels);
    double const time = static_cast<double>(model.processors.time()) / m;
    least_ = std::min(least_, time);
    greatest_ = std::max(greatest_, time);
  }
  void expect_alike() const {
    EXPECT_LE(greatest_, 2 * least_);
    ::testing::Test::RecordProperty("least", std::to_string(least_));
    ::testing::Test::RecordProperty("greatest", std::to_string(greatest_));
  }

 private:
  double least_ = 1e300;
  double greatest_ = 0;
};

TEST(Theorem4, TakesTimeLinearInColumns) {
  for (auto const& labels : {random_labels, next_row_labels, transposed_labels}) {
    TimesPerColumn times;
    for (Index m = 32; m <= 1024; m *= 2) times.add(32, m, labels(32, m));
    times.expect_alike();
  }
}

// log log log_m w is less than 2 for all sizes of practice.
TEST(Theorem4, TimePerColumnIsNearlyIndependentOfRows) {
  TimesPerColumn times;
  for (Index w = 64; w <= 4096; w *= 4) times.add(w, 128, random_labels(w, 128));
  times.expect_alike();
}

TEST(Theorem4, RoundsFollowFromLabelsAndSeed) {
  std::vector<Index> rounds;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    rounds.push_back(expect_permuted(32, 8, identity(32, 8), seed, 1).rounds);
  }
  EXPECT_EQ(rounds, std::vector<Index>({3, 3, 3, 4, 3, 3, 3, 2, 3, 3, 2, 3, 3, 3, 2, 3}));
  EXPECT_EQ(expect_permuted(32, 64, reversed_labels(32, 64), 0, 1).rounds, 3u);
}

/// Expects this status, unchanged items, and no bank conflicts.
void expect_rejected(Index w, Index m, std::vector<Index> const& labels, TeamPermuteStatus status) {
  LabelledMatrix model(w, m);
  model.set(labels);
  auto const before = model.cells_of(model.values);
  auto const result = mp::permute_checked(model.processors, model.items, model.memory, 3, 2);
  EXPECT_EQ(result.status, status) << model.shape();
  EXPECT_EQ(model.cells_of(model.labels), labels) << model.shape();
  EXPECT_EQ(model.cells_of(model.values), before) << model.shape();
  expect_no_conflicts(model.processors, model.shape());
  EXPECT_LE(model.processors.time(), m + 5 * mp::ceil_log2(w) + 2) << model.shape();
}

TEST(BadLabels, OutOfRange) {
  for (auto const& [w, m] : {std::pair<Index, Index>{1, 1}, {5, 3}, {32, 7}}) {
    for (Index const bad : {w * m, w * m + 1, ~Index{0}}) {
      for (Index const cell : {Index{0}, w * m / 2, w * m - 1}) {
        auto labels = random_labels(w, m);
        labels[cell] = bad;
        expect_rejected(w, m, labels, TeamPermuteStatus::label_out_of_range);
      }
    }
  }
}

TEST(BadLabels, Repeated) {
  for (auto const& [w, m] : {std::pair<Index, Index>{2, 1}, {1, 2}, {5, 3}, {32, 7}}) {
    for (Index first = 0; first < w * m; ++first) {
      auto labels = random_labels(w, m);
      labels[first] = labels[(first + 1) % (w * m)];
      expect_rejected(w, m, labels, TeamPermuteStatus::label_repeated);
    }
    expect_rejected(w, m, std::vector<Index>(w * m, 0), TeamPermuteStatus::label_repeated);
  }
  auto labels = identity(32, 4);
  labels[1] = labels[0];
  labels[70] = labels[69];
  labels[3] = 4;
  labels[4] = 3;
  expect_rejected(32, 4, labels, TeamPermuteStatus::label_repeated);
}

TEST(TeamPermute, NoColumns) {
  LabelledMatrix model(7, 0);
  auto const result = mp::permute_checked(model.processors, model.items, model.memory, 0, 2);
  EXPECT_EQ(result.status, TeamPermuteStatus::permuted);
  EXPECT_EQ(result.rounds, 0u);
}

}  // namespace
}  // namespace riffle::test::team_permute_model_test
