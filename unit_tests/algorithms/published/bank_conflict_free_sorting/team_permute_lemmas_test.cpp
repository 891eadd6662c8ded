// The parts of Theorem 4 (preprocessing, Lemma 3, appendix B) of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391,
// on the model.

#include <riffle/published/bank_conflict_free_sorting/detail/permute/by_communication.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "support/labelled_matrices.hpp"

namespace riffle::test::team_permute_lemmas_test {
namespace {

namespace mp = detail::matrix_permute;

// --- preprocessing ---

/// The largest number of labels in a row that have the same destination row.
Index max_for_one_row(LabelledMatrix const& model) {
  Index most = 0;
  for (Index row = 0; row < model.rows(); ++row) {
    std::map<Index, Index> count;
    for (Index column = 0; column < model.columns(); ++column) {
      Index const label = model.labels.data()[column * model.rows() + row];
      most = std::max(most, ++count[label % model.rows()]);
    }
  }
  return most;
}

TEST(Preprocessing, NoRowHasManyLabelsForAnother) {
  for (Labelling const labels : {next_row_labels, transposed_square_labels, identity}) {
    for (auto const& [w, m] : {std::pair<Index, Index>{64, 64}, {128, 32}, {70, 32}, {33, 32}}) {
      LabelledMatrix model(w, m);
      model.set(labels(w, m));
      mp::spread(model.processors, model.items, 1);
      EXPECT_LE(max_for_one_row(model), 9u) << model.shape();
      auto after = model.cells_of(model.labels);
      std::sort(after.begin(), after.end());
      EXPECT_EQ(after, identity(w, m)) << model.shape();
      expect_no_conflicts(model.processors, model.shape());
    }
  }
}

TEST(Preprocessing, ShiftsARow) {
  for (Index m = 1; m <= 12; ++m) {
    for (Index shift = 0; shift < m; ++shift) {
      LabelledMatrix model(1, m);
      model.set(identity(1, m));
      mp::shift_row(detail::matrix_sort::RowSegment<LabelledMatrix::Items>(model.items, 0, 0, m),
                    shift);
      for (Index i = 0; i < m; ++i) {
        EXPECT_EQ(model.labels.data()[(i + shift) % m], i);
        EXPECT_EQ(model.values.data()[(i + shift) % m], value_in_cell(i));
      }
    }
  }
}

// --- Lemma 3 ---

/// The number of labels whose colour more than `alpha` labels have.
Index heavy_labels(std::vector<Index> const& labels, mp::Colouring const& colouring, Index alpha) {
  std::vector<Index> count(colouring.labels.columns);
  for (Index const label : labels) ++count[colouring(label)];
  Index heavy = 0;
  for (Index const c : count) heavy += c > alpha ? c : 0;
  return heavy;
}

/// The probability that a binomial variable with n trials and success probability p is at least t.
double binomial_tail(Index n, double p, Index t) {
  double term = std::pow(1 - p, n), below = 0;
  for (Index i = 0; i < t; ++i) {
    below += term;
    term *= (n - i) * p / ((i + 1) * (1 - p));
  }
  return 1 - below;
}

constexpr Index lemma_rows = 1 << 14;
constexpr Index lemma_columns = 512;
constexpr Index colourings = 200;

/// `k` labels; each destination row has `together` of them.
std::vector<Index> labels_of_a_row(Index k, Index together) {
  std::vector<Index> labels;
  for (Index i = 0; i < k; ++i) {
    Index const row = i / together * 29 % lemma_rows, column = i % together * 3;
    labels.push_back(column * lemma_rows + row);
  }
  return labels;
}

struct Heavy {
  double mean = 0;
  Index most = 0;
};

Heavy heavy_over_colourings(std::vector<Index> const& labels, Index alpha) {
  Heavy result;
  for (Index round = 0; round < colourings; ++round) {
    Index const heavy = heavy_labels(labels, {1, round, {lemma_rows, lemma_columns}}, alpha);
    result.mean += static_cast<double>(heavy) / colourings;
    result.most = std::max(result.most, heavy);
  }
  return result;
}

TEST(Lemma3, FewLabelsHaveHeavyColours) {
  for (Index const k : {lemma_columns, lemma_columns / 2, lemma_columns / 4}) {
    for (Index alpha = 3; alpha <= 6; ++alpha) {
      double const bound = lemma_columns * std::pow(k / (2.0 * lemma_columns), alpha);
      EXPECT_LE(heavy_over_colourings(labels_of_a_row(k, 1), alpha).mean, bound) << k;
      EXPECT_LE(heavy_over_colourings(labels_of_a_row(k, 8), alpha).mean, bound) << k;
    }
  }
}

// Labels for different rows have independent colours.
TEST(Lemma3, HeavyLabelsMatchIndependentColours) {
  for (Index const k : {lemma_columns, lemma_columns / 2}) {
    for (Index alpha = 1; alpha <= 4; ++alpha) {
      double const expected = k * binomial_tail(k - 1, 1.0 / lemma_columns, alpha);
      double const deviation = std::sqrt(2 * (alpha + 1) * expected / colourings);
      EXPECT_NEAR(heavy_over_colourings(labels_of_a_row(k, 1), alpha).mean, expected, 5 * deviation)
          << k << ", alpha = " << alpha;
    }
  }
}

TEST(Lemma3, ManyMoreAreRare) {
  auto const heavy = heavy_over_colourings(labels_of_a_row(lemma_columns, 1), 3);
  EXPECT_LE(heavy.most, 2.5 * heavy.mean);
  auto const gathered = heavy_over_colourings(labels_of_a_row(lemma_columns, 8), 3);
  EXPECT_LE(gathered.most, 3.5 * gathered.mean);
}

TEST(Lemma3, LabelsForOneRowHaveDifferentColours) {
  auto const labels = labels_of_a_row(lemma_columns / 3, lemma_columns);
  EXPECT_EQ(heavy_labels(labels, {1, 0, {lemma_rows, lemma_columns}}, 1), 0u);
}

/// The number of waiting items of each row, as the processors know it.
auto waiting_in(LabelledMatrix& model, std::vector<Index> const& counts) {
  auto waiting = model.processors.registers<Index>();
  for (Index p = 0; p < model.rows(); ++p) waiting[p] = counts[p];
  return waiting;
}

TEST(Lemma3, ARoundLeavesLabelsBeyondAlphaOfAColour) {
  for (Index alpha = 1; alpha <= 4; ++alpha) {
    LabelledMatrix model(40, 50);
    auto const labels = random_labels(40, 50);
    mp::Colouring const colouring{9, alpha, {40, 50}};
    model.set(labels);
    auto waiting = waiting_in(model, std::vector<Index>(40, 50));
    auto const left =
        mp::communicate(model.processors, model.items, model.memory, colouring, alpha, waiting);
    Index sum = 0, most = 0;
    for (Index p = 0; p < 40; ++p) {
      std::vector<Index> count(50);
      for (Index column = 0; column < 50; ++column) ++count[colouring(labels[column * 40 + p])];
      Index expected = 0;
      for (Index const c : count) expected += c > alpha ? c - alpha : 0;
      EXPECT_EQ(waiting[p], expected);
      sum += expected;
      most = std::max(most, expected);
    }
    EXPECT_EQ(left.sum, sum);
    EXPECT_EQ(left.most, most);
    expect_no_conflicts(model.processors, model.shape());
  }
}

// --- appendix B ---

/// Rows with waiting items in their first columns; the other cells are undefined.
struct Leftover {
  std::vector<Index> counts;
  std::vector<Index> labels;  // of the waiting items, in any order
};

Leftover put_leftover(LabelledMatrix& model, std::vector<Index> const& counts,
                      std::vector<Index> const& labels) {
  Leftover result{counts, {}};
  for (Index p = 0; p < model.rows(); ++p) {
    for (Index column = 0; column < counts[p]; ++column) {
      Index const label = labels[result.labels.size()];
      model.labels.data()[column * model.rows() + p] = label;
      model.values.data()[column * model.rows() + p] = value_in_cell(label);
      result.labels.push_back(label);
    }
  }
  return result;
}

template <class Waiting>
std::vector<Index> sorted_waiting(LabelledMatrix const& model, Waiting const& waiting) {
  std::vector<Index> labels;
  for (Index p = 0; p < model.rows(); ++p) {
    for (Index column = 0; column < waiting[p]; ++column) {
      Index const cell = column * model.rows() + p;
      labels.push_back(model.labels.data()[cell]);
      EXPECT_EQ(model.values.data()[cell], value_in_cell(labels.back()));
    }
  }
  return sorted(labels);
}

/// The first `full` rows have `each` items, the others have none.
std::vector<Index> full_rows(Index w, Index full, Index each) {
  std::vector<Index> counts(w, 0);
  std::fill_n(counts.begin(), full, each);
  return counts;
}

TEST(AppendixB, RowsPackAsManyLabelsAsFit) {
  mp::Packing const packing{20, 8};
  EXPECT_EQ(packing.given(40, 18), 2u);
  EXPECT_EQ(packing.given(40, 0), 8u);
  EXPECT_EQ(packing.given(25, 14), 5u);
  EXPECT_EQ(packing.given(25, 20), 0u);
  EXPECT_EQ(packing.given(25, 24), 0u);
  EXPECT_EQ(packing.given(20, 0), 0u);
  EXPECT_EQ(packing.given(3, 0), 0u);
}

TEST(AppendixB, PacksUnluckyRows) {
  for (auto const& [w, m, full] : {std::tuple<Index, Index, Index>{2, 9, 1},
                                   {32, 64, 1},
                                   {32, 64, 3},
                                   {61, 20, 5},
                                   {256, 128, 9}}) {
    LabelledMatrix model(w, m);
    auto const leftover = put_leftover(model, full_rows(w, full, m), random_labels(w, m));
    Index const width = mp::packed_width(leftover.labels.size(), w);
    auto waiting = waiting_in(model, leftover.counts);
    auto const packed = mp::pack(model.processors, model.items, model.memory.lists.heads,
                                 model.memory.tallies, width, 5, 0, waiting);
    EXPECT_EQ(packed.sum, leftover.labels.size());
    EXPECT_LE(packed.most, width) << model.shape();
    EXPECT_EQ(sorted_waiting(model, waiting), sorted(leftover.labels));
    expect_no_conflicts(model.processors, model.shape());
    Index const log_w = mp::ceil_log2(w);
    EXPECT_LE(model.processors.time(), 8 * m + 12 * log_w * log_w + 5 * log_w + 8) << model.shape();
  }
}

// More items wait than the packed size allows for any random choice; communication must still deliver all of them.
TEST(AppendixB, CommunicationCompletesAfterUnluckyPacking) {
  LabelledMatrix model(32, 16);
  auto const leftover = put_leftover(model, full_rows(32, 10, 13), random_labels(32, 16));
  auto waiting = waiting_in(model, leftover.counts);
  EXPECT_GT(mp::pack(model.processors, model.items, model.memory.lists.heads, model.memory.tallies,
                     3, 5, 0, waiting)
                .most,
            3u);
  EXPECT_EQ(sorted_waiting(model, waiting), sorted(leftover.labels));
  Index round = 0;
  while (
      mp::communicate(model.processors, model.items, model.memory, {5, round, {32, 16}}, 1, waiting)
          .sum > 0) {
    ASSERT_LT(++round, 20u);
  }
  for (Index const label : leftover.labels) {
    EXPECT_EQ(model.memory.arrivals.data()[label], value_in_cell(label));
  }
  expect_no_conflicts(model.processors, model.shape());
}

/// Sends the first of `labels`, at most `width` in each row, and expects that exactly these arrive.
void expect_finished(Index w, Index m, Index width, std::vector<Index> const& labels,
                     std::uint32_t seed) {
  LabelledMatrix model(w, m);
  std::mt19937 random(seed);
  std::vector<Index> counts(w);
  for (auto& count : counts) count = seed == 0 ? width : random() % (width + 1);
  auto const leftover = put_leftover(model, counts, labels);
  auto waiting = waiting_in(model, counts);
  auto expected = model.cells_of(model.memory.arrivals);
  for (Index const label : leftover.labels) expected[label] = value_in_cell(label);
  mp::finish(model.processors, model.items, model.memory, width, waiting);
  EXPECT_EQ(model.cells_of(model.memory.arrivals), expected) << model.shape();
  expect_no_conflicts(model.processors, model.shape());
}

TEST(AppendixB, SendsAllPackedItems) {
  for (auto const& [w, m] : {std::pair<Index, Index>{1, 4}, {2, 2}, {7, 9}, {32, 16}, {50, 6}}) {
    for (Index width = 1; width <= m; width += 1 + width / 4) {
      for (std::uint32_t seed = 0; seed < 4; ++seed) {
        expect_finished(w, m, width, random_labels(w, m), seed);
        // All items of some rows, so that neighbours in the sorted matrix have the same destination row.
        expect_finished(w, m, width, transposed_labels(w, m), seed);
        expect_finished(w, m, width, identity(w, m), seed);
      }
    }
  }
}

struct TallyOfRow {
  KOKKOS_FUNCTION mp::Tally operator()(Index p) const { return {p + 1, (p * 37 + 11) % 71}; }
};

TEST(Tallies, CombineAllRows) {
  for (Index w = 1; w <= 70; ++w) {
    ModelProcessors processors(w);
    auto const tallies = processors.matrix<mp::Tally>(1);
    auto const all = mp::combine_rows(processors, tallies, TallyOfRow());
    std::uint64_t most = 0;
    for (Index p = 0; p < w; ++p) {
      most = std::max<std::uint64_t>(most, (p * 37 + 11) % 71);
      EXPECT_EQ(tallies.data()[p].sum, w * (w + 1) / 2);
    }
    EXPECT_EQ(all.sum, w * (w + 1) / 2);
    EXPECT_EQ(all.most, most);
    expect_no_conflicts(processors, shape(w, 1));
    EXPECT_LE(processors.time(), 5 * mp::ceil_log2(w) + 2);
  }
}

}  // namespace
}  // namespace riffle::test::team_permute_lemmas_test
