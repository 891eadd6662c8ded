// partition_by_label compared with the standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/sort/detail/partition/by_label.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::partition_by_label_test {
namespace {

template <class Exec>
class PartitionByLabelTest : public ::testing::Test {
 protected:
  void expect_parts(std::vector<int> const& labels, std::size_t parts) {
    std::size_t const n = labels.size();
    auto const in = to_view<Exec>(iota<int>(n));
    auto const out = to_view<Exec>(std::vector<int>(n, -7));
    auto const offsets = to_view<Exec>(std::vector<std::int64_t>(parts + 1, -7));
    riffle::partition_by_label(Context(exec, workspace), in, to_view<Exec>(labels), out, offsets);
    exec.fence();
    auto const order = order_oracle(labels, std::less<int>{});
    EXPECT_TRUE(to_vector(out) == std::vector<int>(order.begin(), order.end()))
        << n << " " << parts;
    std::vector<std::int64_t> expected(parts + 1);
    for (int const label : labels) ++expected[static_cast<std::size_t>(label) + 1];
    for (std::size_t k = 0; k < parts; ++k) expected[k + 1] += expected[k];
    EXPECT_TRUE(to_vector(offsets) == expected) << n << " " << parts;

    auto const numbers = to_view<Exec>(std::vector<std::uint32_t>(n, 77));
    auto const again = to_view<Exec>(std::vector<std::int32_t>(parts + 1, -7));
    riffle::argpartition_by_label(Context(exec, workspace), to_view<Exec>(labels), numbers, again);
    exec.fence();
    EXPECT_TRUE(to_vector(numbers) == std::vector<std::uint32_t>(order.begin(), order.end()))
        << n << " " << parts;
    EXPECT_TRUE(to_vector(again) == std::vector<std::int32_t>(expected.begin(), expected.end()));
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(PartitionByLabelTest, ExecutionSpaces, SpaceNames);

// Fewer labels than rows, n labels, and more, most of which do not occur.
TYPED_TEST(PartitionByLabelTest, AnyNumberOfParts) {
  for (std::size_t const n : {0, 1, 2, 5000, 100'003}) {
    for (unsigned const parts : {1u, 2u, 7u, 4095u, 4096u, 4097u, 4098u, 100'003u, 300'000u})
      this->expect_parts(few_values<int>(n, parts), parts);
  }
}

TYPED_TEST(PartitionByLabelTest, UnevenParts) {
  this->expect_parts(std::vector<int>(50'000, 3), 9);
  this->expect_parts(std::vector<int>(50'000, 0), 5000);
  this->expect_parts(std::vector<int>(50'000, 4999), 5000);
  this->expect_parts(std::vector<int>(50'000, 49'999), 50'000);
  auto labels = few_values<int>(100'003, 100);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i % 9 == 0 ? labels[i] : 42;
  this->expect_parts(labels, 100);
}

TYPED_TEST(PartitionByLabelTest, LabelsOfEveryType) {
  std::size_t const n = 9000;
  unsigned const parts = 100;
  auto const numbers = few_values<int>(n, parts);
  auto const order = order_oracle(numbers, std::less<int>{});
  for_each_index_type(parts, [&]<class Label>(Label) {
    auto const out = zeros<TypeParam, int>(n);
    riffle::partition_by_label(this->exec, to_view<TypeParam>(iota<int>(n)),
                               to_view<TypeParam>(converted<Label>(numbers)), out,
                               zeros<TypeParam, std::int16_t>(parts + 1));
    this->exec.fence();
    EXPECT_TRUE(to_vector(out) == std::vector<int>(order.begin(), order.end()));
  });
}

struct LabelOf {
  KOKKOS_FUNCTION int operator()(std::uint64_t i) const { return static_cast<int>(i * i % 100); }
};

struct RowOf {
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return static_cast<double>(i) + 0.5; }
};

template <class View>
struct WriteRow {
  View out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, double row) const { out(i) = row; }
};

// Labels, rows and outputs that are functions give the results of Views.
TYPED_TEST(PartitionByLabelTest, Functions) {
  for (std::size_t const n : {0, 1, 100'003}) {
    std::vector<int> labels(n);
    std::vector<double> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
      labels[i] = LabelOf{}(i);
      rows[i] = RowOf{}(i);
    }
    auto const stored_labels = to_view<TypeParam>(labels);
    auto const stored_rows = to_view<TypeParam>(rows);
    auto const offsets = zeros<TypeParam, std::int64_t>(101);
    auto const expected = zeros<TypeParam, double>(n);
    riffle::partition_by_label(this->exec, stored_rows, stored_labels, expected, offsets);
    auto const expect_same = [&](auto const& call) {
      auto const out = zeros<TypeParam, double>(n);
      auto const found = zeros<TypeParam, std::int64_t>(101);
      call(out, WriteRow<std::decay_t<decltype(out)>>{out}, found);
      this->exec.fence();
      EXPECT_TRUE(to_vector(out) == to_vector(expected)) << n;
      EXPECT_EQ(to_vector(found), to_vector(offsets));
    };
    expect_same([&](auto const& out, auto const&, auto const& found) {
      riffle::partition_by_label(this->exec, stored_rows, LabelOf{}, out, found);
    });
    expect_same([&](auto const&, auto const& write, auto const& found) {
      riffle::partition_by_label(this->exec, n, RowOf{}, LabelOf{}, write, found);
    });
    expect_same([&](auto const& out, auto const&, auto const& found) {
      auto const order = zeros<TypeParam, std::int32_t>(n);
      riffle::argpartition_by_label(this->exec, LabelOf{}, order, found);
      riffle::gather(this->exec, RowOf{}, order, WriteRow<std::decay_t<decltype(out)>>{out});
    });
  }
  auto const out = zeros<TypeParam, std::int32_t>(1000);
  EXPECT_EQ(thrown_message([&] {
              riffle::argpartition_by_label(this->exec, LabelOf{}, out, zeros<TypeParam, int>(97));
            }),
            "riffle::argpartition_by_label: labels(14) = 96: must be at least 0 and less than "
            "offsets.extent(0) - 1 = 96");
}

/// Takes the place of CUB: sorts words stably by some of their bits.
struct StableSortOfBits {
  template <bool is_descending, class Exec>
  static void numbers(Exec const& exec, void* memory, std::size_t& bytes,
                      riffle::backend::ArrayPair<std::uint64_t>& words, std::uint64_t n,
                      int first_bit, int end_bit) {
    bytes = 1;
    if (memory == nullptr) return;
    exec.fence();
    ASSERT_LT(first_bit, end_bit);
    auto const digit = [=](std::uint64_t word) {
      return word << (64 - end_bit) >> (64 - end_bit + first_bit);
    };
    std::copy_n(words.current, n, words.spare);
    std::swap(words.current, words.spare);
    std::stable_sort(words.current, words.current + n,
                     [&](std::uint64_t a, std::uint64_t b) { return digit(a) < digit(b); });
  }
};

// The algorithm of GPUs with narrow words, in 1, 2, 3 or 16 rounds for labels of 16 bits.
TEST(PartitionByWords, AnyNumberOfRounds) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  riffle::Workspace<Exec> workspace(exec);
  riffle::Context<Exec> const context(exec, "words", workspace);
  std::size_t const n = 1000;
  for (unsigned const parts : {1u, 2u, 300u, 40'000u}) {
    auto const labels = few_values<std::int64_t>(n, parts);
    auto const order = order_oracle(labels, std::less<std::int64_t>{});
    std::vector<std::int32_t> bounds(parts + 1);
    for (auto const label : labels) ++bounds[static_cast<std::size_t>(label) + 1];
    for (std::size_t k = 0; k < parts; ++k) bounds[k + 1] += bounds[k];
    for (int const word_bits : {64, 18, 16, 11}) {
      auto const out = to_view<Exec>(std::vector<int>(n, -7));
      auto const offsets = to_view<Exec>(std::vector<std::int32_t>(parts + 1, -7));
      auto const in = to_view<Exec>(iota<int>(n));
      detail::partition::MoveRows<std::decay_t<decltype(in)>, std::decay_t<decltype(out)>> const
          rows{in, out};
      detail::partition::by_words<StableSortOfBits>(context, to_view<Exec>(labels), parts, offsets,
                                                    rows, word_bits);
      exec.fence();
      EXPECT_TRUE(to_vector(out) == std::vector<int>(order.begin(), order.end()))
          << parts << " " << word_bits;
      EXPECT_EQ(to_vector(offsets), bounds) << parts << " " << word_bits;
      // Rows whose labels are too large follow all others.
      std::uint64_t const valid = (parts + 1) / 2;
      detail::partition::LabelsOrEnd<std::decay_t<decltype(to_view<Exec>(labels))>> const or_end{
          to_view<Exec>(labels), valid};
      auto const bounds_of_valid =
          Kokkos::subview(offsets, Kokkos::pair<std::size_t, std::size_t>(0, valid + 1));
      Kokkos::deep_copy(offsets, -7);
      detail::partition::by_words<StableSortOfBits>(context, or_end, valid + 1, bounds_of_valid,
                                                    rows, word_bits);
      exec.fence();
      auto const is_valid = [&](int i) {
        return labels[static_cast<std::size_t>(i)] < static_cast<std::int64_t>(valid);
      };
      std::vector<int> expected(order.begin(), order.end());
      std::sort(std::find_if_not(expected.begin(), expected.end(), is_valid), expected.end());
      EXPECT_TRUE(to_vector(out) == expected) << parts << " " << word_bits;
      auto const found = to_vector(bounds_of_valid);
      EXPECT_TRUE(std::equal(found.begin(), found.end(), bounds.begin()));
    }
  }
}

// For any number of threads: tasks have each row once, in ascending order within a chunk and a
// range, and there are at most max(rows, labels) counts.
TEST(PartitionByCounts, TasksHaveEachRowOnce) {
  using namespace detail::partition;
  for (std::size_t const n : {1, 4095, 40'000, 300'001}) {
    for (std::uint64_t const parts : {1u, 5u, 3000u, 40'000u, 300'001u, 1'000'000u}) {
      auto const labels = few_values<std::uint32_t>(n, static_cast<unsigned>(parts));
      auto const label_of = [&](std::uint64_t i) { return labels[i]; };
      for (std::uint64_t const threads : {1, 2, 3, 16, 48}) {
        auto const tasks = count_tasks(n, parts, threads);
        EXPECT_LE(tasks.chunks.count * parts, std::max<std::uint64_t>(n, parts));
        if (n > 250'000 && threads > 1) {
          EXPECT_GE(tasks.count(), std::min(threads, parts));
        }
        std::vector<std::uint8_t> visits(n);
        bool in_order = true;
        for (std::uint64_t task = 0; task < tasks.count(); ++task) {
          std::uint64_t next = 0;
          for_each_row(tasks, task, label_of, [&](std::uint64_t i, std::size_t label) {
            in_order = in_order && i >= next && label == labels[i];
            next = i + 1;
            ++visits[i];
          });
        }
        EXPECT_TRUE(in_order);
        EXPECT_EQ(visits, std::vector<std::uint8_t>(n, 1)) << n << " " << parts << " " << threads;
      }
    }
  }
}

TYPED_TEST(PartitionByLabelTest, RowsOfSeveralViews) {
  std::size_t const n = 20'000;
  for (unsigned const parts : {10u, 5000u}) {
    auto const labels = few_values<std::uint16_t>(n, parts);
    auto const values = random_values<double>(n);
    Kokkos::View<float**, Kokkos::LayoutRight, typename TypeParam::memory_space> const rows("rows",
                                                                                            n, 3),
        rows_out("rows_out", n, 3);
    std::vector<float> const numbers = iota<float>(n);
    fill(Kokkos::subview(rows, Kokkos::ALL, 1), numbers);
    auto const out = zeros<TypeParam, double>(n);
    riffle::partition_by_label(this->exec, riffle::pack(to_view<TypeParam>(values), rows),
                               to_view<TypeParam>(labels), riffle::pack(out, rows_out),
                               zeros<TypeParam, std::uint32_t>(parts + 1));
    this->exec.fence();
    auto const order = order_oracle(labels, std::less<std::uint16_t>{});
    std::vector<double> expected;
    for (std::size_t const i : order) expected.push_back(values[i]);
    EXPECT_TRUE(to_vector(out) == expected);
    EXPECT_TRUE(to_vector(Kokkos::subview(rows_out, Kokkos::ALL, 1)) ==
                std::vector<float>(order.begin(), order.end()));
  }
}

TYPED_TEST(PartitionByLabelTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const in = to_view<TypeParam>(iota<int>(40'000));
  auto const out = zeros<TypeParam, int>(40'000);
  for (unsigned const parts : {100u, 5000u}) {
    auto const labels = to_view<TypeParam>(few_values<int>(40'000, parts));
    auto const offsets = zeros<TypeParam, std::int64_t>(parts + 1);
    Kokkos::fence();
    expect_labels_and_instance(instance, [&](auto const& on) {
      riffle::partition_by_label(on, in, labels, out, offsets);
    });
  }
}

TYPED_TEST(PartitionByLabelTest, RejectsInvalidArguments) {
  auto const in = zeros<TypeParam, int>(300);
  auto const out = to_view<TypeParam>(std::vector<int>(300, 5));
  auto const message = [&](std::vector<int> const& labels, auto const& offsets) {
    return thrown_message([&] {
      riffle::partition_by_label(this->exec, in, to_view<TypeParam>(labels), out, offsets);
    });
  };
  auto const offsets = zeros<TypeParam, std::int64_t>(4);
  EXPECT_EQ(message(std::vector<int>(299), offsets),
            "riffle::partition_by_label: in.extent(0) = 300 and labels.extent(0) = 299: must be "
            "equal");
  EXPECT_EQ(
      message(std::vector<int>(300), zeros<TypeParam, std::int8_t>(4)),
      "riffle::partition_by_label: n = 300: the value type of offsets holds no number above 127");
  EXPECT_EQ(thrown_message([&] {
              riffle::argpartition_by_label(this->exec, zeros<TypeParam, int>(300),
                                            zeros<TypeParam, std::int8_t>(300),
                                            zeros<TypeParam, int>(4));
            }),
            "riffle::argpartition_by_label: n = 300: the value type of out holds no index above "
            "127");
  EXPECT_EQ(
      message(std::vector<int>(300), zeros<TypeParam, std::int64_t>(1)),
      "riffle::partition_by_label: offsets.extent(0) = 1: must be one more than the number of "
      "parts, which is at least 1");
  for (int const bad : {-1, 3}) {
    std::vector<int> labels(300, 2);
    labels[77] = labels[200] = bad;
    EXPECT_EQ(message(labels, offsets),
              "riffle::partition_by_label: labels(77) = " + std::to_string(bad) +
                  ": must be at least 0 and less than offsets.extent(0) - 1 = 3");
  }
  EXPECT_EQ(to_vector(out), std::vector<int>(300, 5));
}

}  // namespace
}  // namespace riffle::test::partition_by_label_test
