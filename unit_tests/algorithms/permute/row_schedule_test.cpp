// The checks of rows, and the schedules of their steps, compared with the destinations.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/row_schedule.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/views.hpp"

namespace riffle::test::row_schedule_test {
namespace {

namespace rp = detail::row_permutation;

using Host = Kokkos::DefaultHostExecutionSpace;
using Integer = std::uint64_t;

/// The destinations of all rows, one row after another.
struct Images {
  std::vector<Integer> values;
  Integer columns;

  Integer operator()(Integer row, Integer column) const { return values[row * columns + column]; }
};

Images random_images(Integer rows, Integer columns) {
  Images result{{}, columns};
  std::mt19937_64 random(rows + columns);
  for (Integer row = 0; row < rows; ++row) {
    auto images = iota<Integer>(columns);
    std::shuffle(images.begin(), images.end(), random);
    result.values.insert(result.values.end(), images.begin(), images.end());
  }
  return result;
}

// --- checks ---

Integer first_bad(std::vector<Integer> const& row) {
  return rp::first_bad_column(Images{row, row.size()}, 0, row.size());
}

TEST(RowScheduleTest, FirstBadColumnIsTheFirstToRepeatOrToLeaveTheRow) {
  EXPECT_EQ(first_bad({}), 0u);
  EXPECT_EQ(first_bad({0}), 1u);
  EXPECT_EQ(first_bad({1}), 0u);
  EXPECT_EQ(first_bad({2, 0, 1}), 3u);
  EXPECT_EQ(first_bad({2, 2, 3}), 1u);
  EXPECT_EQ(first_bad({0, 3, 0}), 1u);
  EXPECT_EQ(first_bad({0, ~Integer{0}, 1}), 1u);
}

TEST(RowScheduleTest, FirstBadColumnNearWordBoundaries) {
  for (Integer const columns : {Integer{63}, Integer{64}, Integer{65}, Integer{128}, Integer{1000},
                                rp::max_columns - 1, rp::max_columns}) {
    auto row = random_images(1, columns).values;
    EXPECT_EQ(first_bad(row), columns);
    Integer const last = row.back();
    row.back() = row.front();
    EXPECT_EQ(first_bad(row), columns - 1);
    row.back() = last;
    row[columns / 2] = columns;
    EXPECT_EQ(first_bad(row), columns / 2);
  }
}

Integer first_bad_destination(Images const& images) {
  Integer const rows = images.values.size() / images.columns;
  return rp::first_bad_destination(Context(Host(), "riffle::test"), rows, images.columns, images);
}

TEST(RowScheduleTest, FirstBadDestinationIsInTheFirstBadRow) {
  Images images = random_images(200, 40);
  EXPECT_EQ(first_bad_destination(images), 8000u);
  for (std::size_t const place : {7999, 4003, 81, 80, 39, 1, 0}) {
    images.values[place] = 40;
    EXPECT_EQ(first_bad_destination(images), place);
  }
}

TEST(RowScheduleTest, EmptyMatricesHaveNoBadRow) {
  Context const context(Host(), "riffle::test");
  EXPECT_EQ(rp::first_bad_destination(context, 0, 7, Images{{}, 7}), 0u);
  EXPECT_EQ(rp::first_bad_destination(context, 7, 0, Images{{}, 0}), 0u);
}

// --- schedules ---

RowSchedule<Host> schedule_of(Images const& images, Integer rows) {
  return rp::make_schedule(Context(Host(), "riffle::test"), rows, images.columns, images);
}

/// Expects that the steps of each row move every column to its destination, and that the padding stays in place.
void expect_steps(RowSchedule<Host> const& schedule, Images const& images) {
  Integer const steps = (schedule.columns + 31) / 32 * 32;
  auto const from = to_vector(schedule.from);
  auto const to = to_vector(schedule.to);
  ASSERT_EQ(from.size(), schedule.rows * steps);
  ASSERT_EQ(to.size(), schedule.rows * steps);
  for (Integer row = 0; row < schedule.rows; ++row) {
    std::vector<Integer> target(steps, steps);
    for (Integer k = row * steps; k < (row + 1) * steps; ++k) {
      ASSERT_LT(from[k], steps);
      target[from[k]] = to[k];
    }
    for (Integer j = 0; j < steps; ++j) {
      ASSERT_EQ(target[j], j < schedule.columns ? images(row, j) : j) << row << ", " << j;
    }
  }
}

TEST(RowScheduleTest, StepsMoveColumnsToTheirDestinations) {
  for (Integer const columns : {1, 2, 31, 32, 33, 64, 100, 1024}) {
    for (Integer const rows : {1, 2, 70}) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << columns);
      Images const images = random_images(rows, columns);
      auto const schedule = schedule_of(images, rows);
      EXPECT_EQ(schedule.rows, rows);
      EXPECT_EQ(schedule.columns, columns);
      expect_steps(schedule, images);
    }
  }
}

/// Expects that 32 steps from `first` on read every bank and write every bank.
void expect_all_banks(RowSchedule<Host> const& schedule, Integer first) {
  std::uint32_t read = 0;
  std::uint32_t written = 0;
  for (Integer k = first; k < first + 32; ++k) {
    read |= std::uint32_t{1} << schedule.from(k) % 32;
    written |= std::uint32_t{1} << schedule.to(k) % 32;
  }
  ASSERT_EQ(read, ~std::uint32_t{0}) << first;
  ASSERT_EQ(written, ~std::uint32_t{0}) << first;
}

// The longest row has all column numbers of 16 bits. It is reversed, so all elements of a bank move to one bank.
TEST(RowScheduleTest, LongestRow) {
  Images images{iota<Integer>(rp::max_columns), rp::max_columns};
  std::reverse(images.values.begin(), images.values.end());
  auto const schedule = schedule_of(images, 1);
  expect_steps(schedule, images);
  for (Integer k = 0; k < rp::max_columns; k += 32) expect_all_banks(schedule, k);
}

TEST(RowScheduleTest, InverseMovesColumnsBack) {
  Images const images = random_images(3, 100);
  Images inverse = images;
  for (Integer row = 0; row < 3; ++row) {
    for (Integer j = 0; j < 100; ++j) inverse.values[row * 100 + images(row, j)] = j;
  }
  auto const schedule = schedule_of(images, 3);
  expect_steps(schedule.inverse(), inverse);
  expect_steps(schedule.inverse().inverse(), images);
}

TEST(RowScheduleTest, EmptyRowsTakeNoSteps) {
  for (auto const& schedule : {schedule_of({{}, 7}, 0), schedule_of({{}, 0}, 7)}) {
    EXPECT_EQ(schedule.from.extent(0), 0u);
    EXPECT_EQ(schedule.to.extent(0), 0u);
  }
}

}  // namespace
}  // namespace riffle::test::row_schedule_test
