// The partition problem of section 2 of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391,
// on the model: each item moves to the row of its label without bank conflicts, and times grow as the paper says.

#include <riffle/published/bank_conflict_free_sorting/detail/partition/run.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/square_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/tall_partition.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>
#include <riffle/sort/key_value.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/labelled_items.hpp"
#include "support/model_matrices.hpp"

namespace riffle::test::team_partition_model_test {
namespace {

namespace mp = detail::matrix_partition;

using Index = std::uint32_t;
using Item = KeyValue<Index, Index>;
struct LabelIsKey {
  KOKKOS_FUNCTION Index operator()(Item const& item) const { return item.key; }
};
using Words = ModelMatrix<Index>;
using Items = ModelMatrix<Item>;

struct Model : ModelledMatrix<Item> {
  Model(Index w, Index m, std::vector<Index> const& labels)
      : ModelledMatrix<Item>(w, m),
        memory{marks, processors.matrix<Index>(mp::counter_columns(m, w)),
               processors.matrix<Item>(mp::aside_columns(m, w))} {
    std::vector<Item> items(labels.size());
    for (Index i = 0; i < w * m; ++i) items[i] = {labels[i], i};
    set_row_major(items);
  }

  auto sorter() const {
    return mp::RadixSort(memory.counters, memory.aside, matrix.rows(), LabelIsKey());
  }
  std::vector<Index> values() {
    std::vector<Index> result;
    for (Item const& item : row_major()) result.push_back(item.value);
    return result;
  }

  mp::PartitionMemory<Words, Items> memory;
};

bool partition(Model& model) {
  return mp::partition(model.processors, model.matrix, model.memory, LabelIsKey());
}

bool partition_by_theorem_1(Model& model) {
  detail::matrix_sort::sort_square(model.matrix, RowGroups(model.processors), model.marks,
                                   model.sorter());
  return true;
}

/// Partitions by Lemma 2; returns whether that was enough.
bool partition_by_lemma_2(Model& model) {
  return mp::partition_tall(model.processors, model.matrix, model.marks, model.memory.counters,
                            model.sorter(), LabelIsKey());
}

struct Result {
  std::uint64_t time;
  bool returned;
};

Result expect_partitioned(bool (*by)(Model&), Index w, Index m, LabelOrder order) {
  auto const labels = balanced_labels(order, w, m);
  Model model(w, m, labels);
  bool const returned = by(model);
  std::string const where = shape(w, m) + ", order " + std::to_string(static_cast<int>(order));
  EXPECT_TRUE(is_partition(labels, model.values(), m)) << where;
  expect_no_conflicts(model.processors, where);
  return {model.processors.time(), returned};
}

void expect_all_orders_partitioned(bool (*by)(Model&), Index w, Index m) {
  for (LabelOrder const order : all_label_orders) {
    EXPECT_TRUE(expect_partitioned(by, w, m, order).returned) << shape(w, m);
  }
}

/// The longest time over all orders of labels.
double time_of(bool (*by)(Model&), Index w, Index m) {
  std::uint64_t longest = 0;
  for (LabelOrder const order : all_label_orders) {
    longest = std::max(longest, expect_partitioned(by, w, m, order).time);
  }
  return static_cast<double>(longest);
}

/// Expects that the ratios of times to bounds differ by `factor` at most.
void expect_within(double factor, std::vector<double> const& ratios) {
  auto const [least, greatest] = std::minmax_element(ratios.begin(), ratios.end());
  EXPECT_LE(*greatest, factor * *least) << *least << " to " << *greatest;
  ::testing::Test::RecordProperty("least", std::to_string(*least));
  ::testing::Test::RecordProperty("greatest", std::to_string(*greatest));
}

/// Sorts each row, every other one in descending order.
template <class Matrix, class Sorter>
struct SortOwnRow {
  Matrix matrix;
  Sorter sorter;
  KOKKOS_FUNCTION void operator()(Index p) const {
    sorter(detail::matrix_sort::RowSegment<Matrix>(matrix, p, 0, matrix.columns()), p % 2 == 1);
  }
};

TEST(RadixSort, SortsTheOwnRowAlone) {
  for (Index m = 1; m <= 70; m += 1 + m / 8) {
    for (Index const w : {1u, 2u, 5u, 16u, 17u, 32u, 33u, 64u, 100u}) {
      Model model(w, m, balanced_labels(LabelOrder::random, w, m));
      auto const before = model.row_major();
      auto const sorter = model.sorter();
      model.processors.step(SortOwnRow<Items, decltype(sorter)>{model.matrix, sorter});
      auto const after = model.row_major();
      for (Index r = 0; r < w; ++r) {
        std::vector<Index> labels, expected, sources;
        for (Index c = 0; c < m; ++c) {
          Item const item = after[r * m + c];
          EXPECT_EQ(item.key, before[item.value].key);
          labels.push_back(item.key);
          sources.push_back(item.value);
          expected.push_back(before[r * m + c].key);
        }
        std::sort(expected.begin(), expected.end());
        if (r % 2 == 1) std::reverse(expected.begin(), expected.end());
        ASSERT_EQ(labels, expected) << shape(w, m);
        std::sort(sources.begin(), sources.end());
        for (Index c = 0; c < m; ++c) ASSERT_EQ(sources[c], r * m + c) << shape(w, m);
      }
      expect_no_conflicts(model.processors, shape(w, m));
      EXPECT_LE(model.processors.time(), 40 * m) << shape(w, m);
    }
  }
}

TEST(Partition, EveryShapeUpTo64) {
  Index number = 0;
  for (Index w = 1; w <= 64; ++w) {
    for (Index m = 1; m <= 64; ++m) {
      LabelOrder const order = all_label_orders[number++ % std::size(all_label_orders)];
      EXPECT_TRUE(expect_partitioned(partition, w, m, order).returned) << shape(w, m);
    }
  }
}

TEST(Partition, MoreThan64Rows) {
  for (auto const& [w, m] :
       {std::pair<Index, Index>{65, 64}, {70, 70}, {80, 100}, {100, 10}, {129, 4}, {200, 1}}) {
    expect_all_orders_partitioned(partition, w, m);
  }
}

TEST(Partition, TheDiscreteMemoryMachineFindsNoConflicts) {
  for (auto const& [w, m] : {std::pair<Index, Index>{3, 10}, {8, 8}, {13, 4}}) {
    Model model(w, m, balanced_labels(LabelOrder::random, w, m));
    DiscreteMemoryMachine machine({.width = w, .latency = 1});
    model.processors.run_on(machine);
    EXPECT_TRUE(partition(model));
    EXPECT_EQ(machine.counts().conflicting_reading + machine.counts().conflicting_writing, 0u);
    EXPECT_EQ(machine.time(), model.processors.time());
  }
}

TEST(Partition, RejectsInvalidLabelsAndKeepsItems) {
  for (auto const& [w, m] : {std::pair<Index, Index>{1, 1},
                             {1, 7},
                             {2, 1},
                             {7, 3},
                             {9, 64},
                             {29, 4},
                             {32, 8},
                             {32, 33},
                             {33, 16},
                             {64, 1}}) {
    auto const good = balanced_labels(LabelOrder::random, w, m);
    for (Index const at : {0u, w * m / 2, w * m - 1}) {
      for (Index const label : {(good[at] + 1) % w, w - 1 - good[at], 0u, w, w + 31, ~0u}) {
        auto labels = good;
        labels[at] = label;
        Model model(w, m, labels);
        EXPECT_EQ(partition(model), labels == good) << shape(w, m) << ", label " << label;
        expect_no_conflicts(model.processors, shape(w, m));
        if (labels == good) continue;
        auto const items = model.row_major();
        for (Index i = 0; i < w * m; ++i) {
          ASSERT_EQ(items[i].key, labels[i]);
          ASSERT_EQ(items[i].value, i);
        }
      }
    }
  }
}

TEST(Partition, LooksAtLabelsInTimeOfTheColumnsAndRows) {
  for (Index const w : {8u, 32u, 64u, 512u}) {
    for (Index m = 4; m <= 512; m *= 2) {
      Model model(w, m, balanced_labels(LabelOrder::random, w, m));
      EXPECT_TRUE(
          mp::has_all_labels(model.processors, model.matrix, model.memory.counters, LabelIsKey()));
      EXPECT_LE(model.processors.time(), 10 * m + 14 * w + 30) << shape(w, m);
    }
  }
}

TEST(Corollary1, EveryOrder) {
  for (auto const& [w, m] : {std::pair<Index, Index>{1, 5},
                             {2, 4},
                             {3, 9},
                             {4, 17},
                             {5, 40},
                             {8, 64},
                             {11, 131},
                             {32, 1024}}) {
    expect_all_orders_partitioned(partition, w, m);
  }
}

TEST(Corollary1, TakesTimeOfM) {
  for (Index const w : {8u, 17u}) {
    for (Index m = w * w; m <= 2 * w * w; m *= 2) {
      double const growth = time_of(partition, w, 2 * m) / time_of(partition, w, m);
      EXPECT_GE(growth, 1.7) << shape(w, m);
      EXPECT_LE(growth, 2.2) << shape(w, m);
    }
  }
  std::vector<double> ratios;
  for (Index w = 4; w <= 32; w *= 2) ratios.push_back(time_of(partition, w, w * w) / (w * w));
  expect_within(1.5, ratios);
}

TEST(Theorem1, EveryOrder) {
  for (Index const m : {1u, 2u, 3u, 4u, 8u, 9u, 15u, 24u, 25u, 35u, 64u}) {
    expect_all_orders_partitioned(partition_by_theorem_1, m, m);
    expect_all_orders_partitioned(partition_by_theorem_1, (m + 1) / 2, m);
  }
}

TEST(Theorem1, EveryShapeUpTo20) {
  Index number = 0;
  for (Index m = 1; m <= 20; ++m) {
    for (Index w = 1; w <= m; ++w) {
      LabelOrder const order = all_label_orders[number++ % std::size(all_label_orders)];
      expect_partitioned(partition_by_theorem_1, w, m, order);
    }
  }
}

TEST(Theorem1, TakesTimeOfM) {
  for (Index m = 16; m <= 64; m *= 4) {
    double const growth =
        time_of(partition_by_theorem_1, 4 * m, 4 * m) / time_of(partition_by_theorem_1, m, m);
    EXPECT_LE(growth, 4 * 1.3) << shape(m, m);
  }
  std::vector<double> ratios;
  for (Index m = 16; m <= 200; m = m * 3 / 2)
    ratios.push_back(time_of(partition_by_theorem_1, m, m) / m);
  expect_within(2.5, ratios);
}

/// The items of each row with labels less than `bound`.
std::vector<Index> zeros_of_rows(Model& model, Index bound) {
  std::vector<Index> zeros(model.matrix.rows());
  auto const items = model.row_major();
  for (Index i = 0; i < items.size(); ++i) {
    zeros[i / model.matrix.columns()] += items[i].key < bound;
  }
  return zeros;
}

TEST(Lemma2, BalancesRowsWithinItsBound) {
  for (auto const& [w, m] :
       {std::pair<Index, Index>{8, 2}, {64, 4}, {27, 3}, {81, 3}, {25, 5}, {64, 8}}) {
    for (LabelOrder const order : all_label_orders) {
      Model model(w, m, balanced_labels(order, w, m));
      mp::balance(model.matrix, RowGroups(model.processors), model.marks, model.sorter());
      expect_no_conflicts(model.processors, shape(w, m));
      Index const rounds = mp::balancing_rounds(w, m);
      for (Index bound = 1; bound < w; ++bound) {
        for (Index const zeros : zeros_of_rows(model, bound)) {
          EXPECT_LE(zeros * w, bound * m + rounds * w) << shape(w, m);
          EXPECT_GE((zeros + rounds) * w, bound * m) << shape(w, m);
        }
      }
    }
  }
}

TEST(Lemma2, IsRightWithoutTheorem2WhereMIsLargeEnough) {
  for (auto const& [w, m] : {std::pair<Index, Index>{8, 8},
                             {16, 8},
                             {64, 8},
                             {17, 16},
                             {33, 16},
                             {64, 16},
                             {100, 16},
                             {256, 16},
                             {61, 20},
                             {343, 7},
                             {512, 8},
                             {64, 32},
                             {64, 64}}) {
    expect_all_orders_partitioned(partition_by_lemma_2, w, m);
  }
}

TEST(Lemma2, IsRightForEveryShapeUpTo20AndSomeUpTo64) {
  Index number = 0;
  for (Index w = 1; w <= 64; w += w < 20 ? 1 : 11) {
    for (Index m = 1; m <= 64; m += m < 20 ? 1 : 11) {
      LabelOrder const order = all_label_orders[number++ % std::size(all_label_orders)];
      expect_partitioned(partition_by_lemma_2, w, m, order);
    }
  }
}

TEST(Lemma2, FallsBackOnTheorem2WhereMIsTooSmall) {
  auto const by_both = expect_partitioned(partition_by_lemma_2, 64, 2, LabelOrder::random);
  EXPECT_FALSE(by_both.returned);
}

TEST(Lemma2, TakesTimeOfMTimesTheCubeOfLogW) {
  for (Index const m : {8u, 16u, 32u}) {
    std::vector<double> ratios;
    for (Index w = m; w <= 256; w *= 2) {
      double const log_w = std::log2(w) / std::log2(m);
      ratios.push_back(time_of(partition_by_lemma_2, w, m) / (m * std::pow(log_w, 3)));
    }
    expect_within(3, ratios);
  }
}

}  // namespace
}  // namespace riffle::test::team_partition_model_test
