// RowPermutation and ColumnPermutation: matrices whose rows or columns have permutations of their own.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/permute/row_permutation.hpp>
#include <riffle/published/offline_permutation/detail/transpose_tiles.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::row_permutation_test {
namespace {

/// A matrix stored by rows.
template <class T>
struct Table {
  std::size_t rows;
  std::size_t columns;
  std::vector<T> values;

  Table(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}

  T& at(std::size_t i, std::size_t j) { return values[i * columns + j]; }
  T const& at(std::size_t i, std::size_t j) const { return values[i * columns + j]; }

  Table transposed() const {
    Table result(columns, rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) result.at(j, i) = at(i, j);
    return result;
  }
};

using Images = Table<int>;

using Row = std::function<std::size_t(std::size_t j, std::size_t n)>;

/// All rows have the same permutation.
Images rows_of(std::size_t rows, std::size_t columns, Row const& row) {
  Images p(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) p.at(i, j) = static_cast<int>(row(j, columns));
  return p;
}

Images random_rows(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Images p = rows_of(rows, columns, [](std::size_t j, std::size_t) { return j; });
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < rows; ++i) {
    auto const begin = p.values.begin() + static_cast<std::ptrdiff_t>(i * columns);
    std::shuffle(begin, begin + static_cast<std::ptrdiff_t>(columns), random);
  }
  return p;
}

template <class T>
Table<T> permuted_rows(Table<T> const& in, Images const& p) {
  Table<T> out(in.rows, in.columns);
  for (std::size_t i = 0; i < in.rows; ++i)
    for (std::size_t j = 0; j < in.columns; ++j)
      out.at(i, static_cast<std::size_t>(p.at(i, j))) = in.at(i, j);
  return out;
}

struct Sixteen {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  Sixteen() = default;
  explicit Sixteen(std::size_t i) : a(i), b(~i) {}
  friend bool operator==(Sixteen const&, Sixteen const&) = default;
};

struct alignas(16) Large {
  char bytes[1024];
};

template <class T>
Table<T> numbered(std::size_t rows, std::size_t columns) {
  Table<T> table(rows, columns);
  for (std::size_t i = 0; i < table.values.size(); ++i) table.values[i] = T(i);
  return table;
}

template <class Exec, class T, class Layout = Kokkos::LayoutRight>
auto to_matrix(Table<T> const& table) {
  Kokkos::View<T**, Layout, typename Exec::memory_space> const view("matrix", table.rows,
                                                                    table.columns);
  auto const host = HostElements(view);
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j) host(i, j) = table.at(i, j);
  host.store();
  return view;
}

template <class View>
auto to_table(View const& view) {
  Table<typename View::non_const_value_type> table(view.extent(0), view.extent(1));
  auto const host = HostElements(view);
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j) table.at(i, j) = host(i, j);
  return table;
}

/// Expects that each warp of the schedule reads all banks and writes all banks.
template <class Exec>
void expect_all_banks(RowSchedule<Exec> const& schedule) {
  auto const from = to_vector(schedule.from);
  auto const to = to_vector(schedule.to);
  ASSERT_EQ(from.size() % 32, 0u);
  for (std::size_t k = 0; k < from.size(); k += 32) {
    std::uint32_t read = 0;
    std::uint32_t written = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      read |= 1u << from[k + lane] % 32;
      written |= 1u << to[k + lane] % 32;
    }
    ASSERT_EQ(read, ~0u) << k;
    ASSERT_EQ(written, ~0u) << k;
  }
}

template <class Exec>
class RowPermutationTest : public ::testing::Test {
 protected:
  template <class T>
  void expect_permuted(Images const& p) {
    auto const in = numbered<T>(p.rows, p.columns);
    RowPermutation<Exec> const plan(exec, to_matrix<Exec>(p));
    expect_all_banks(plan.schedule());
    auto const out = to_matrix<Exec>(Table<T>(p.rows, p.columns));
    auto const again = to_matrix<Exec>(Table<T>(p.rows, p.columns));
    plan(exec, to_matrix<Exec>(in), out);
    plan.inverse()(exec, out, again);
    exec.fence();
    EXPECT_TRUE(to_table(out).values == permuted_rows(in, p).values)
        << p.rows << " x " << p.columns;
    EXPECT_TRUE(to_table(again).values == in.values) << p.rows << " x " << p.columns;
  }

  /// p.at(i, j) is the row to which element (i, j) moves.
  template <class T>
  void expect_columns_permuted(Images const& p) {
    auto const in = numbered<T>(p.rows, p.columns);
    ColumnPermutation<Exec> const plan(exec, to_matrix<Exec>(p));
    expect_all_banks(plan.schedule());
    auto const out = to_matrix<Exec>(Table<T>(p.rows, p.columns));
    auto const again = to_matrix<Exec>(Table<T>(p.rows, p.columns));
    plan(Context(exec, workspace), to_matrix<Exec>(in), out);
    plan.inverse()(exec, out, again);
    exec.fence();
    auto const expected = permuted_rows(in.transposed(), p.transposed()).transposed();
    EXPECT_TRUE(to_table(out).values == expected.values) << p.rows << " x " << p.columns;
    EXPECT_TRUE(to_table(again).values == in.values) << p.rows << " x " << p.columns;
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RowPermutationTest, ExecutionSpaces, SpaceNames);

std::vector<std::size_t> lengths() {
  return {1, 2, 31, 32, 33, 63, 64, 65, 96, 100, 127, 128, 257, 1000, 1024, 1536};
}

TYPED_TEST(RowPermutationTest, RandomRows) {
  for (std::size_t const columns : lengths()) {
    for (std::size_t const rows : {1, 3, 40}) {
      this->template expect_permuted<float>(random_rows(rows, columns, columns + rows));
    }
  }
}

TYPED_TEST(RowPermutationTest, RegularRows) {
  std::vector<Row> const kinds{
      [](std::size_t j, std::size_t) { return j; },
      [](std::size_t j, std::size_t n) { return n - 1 - j; },
      [](std::size_t j, std::size_t n) { return (j + 5) % n; },
      // The elements of a bank all move to one bank, or to different banks.
      [](std::size_t j, std::size_t n) { return (j + 32) % n; },
      [](std::size_t j, std::size_t n) { return j % 32 * (n / 32) + j / 32; }};
  for (std::size_t const columns : {32, 64, 96, 1024, 1312}) {
    for (auto const& kind : kinds) {
      this->template expect_permuted<float>(rows_of(2, columns, kind));
    }
  }
}

TYPED_TEST(RowPermutationTest, ElementsOfManySizes) {
  Images const p = random_rows(5, 300, 1);
  this->template expect_permuted<double>(p);
  this->template expect_permuted<Sixteen>(p);
}

TYPED_TEST(RowPermutationTest, RandomColumns) {
  for (std::size_t const rows : {1, 31, 32, 33, 100, 256}) {
    for (std::size_t const columns : {1, 32, 45}) {
      Images const p = random_rows(columns, rows, rows + columns).transposed();
      this->template expect_columns_permuted<float>(p);
    }
  }
}

TYPED_TEST(RowPermutationTest, ColumnsOfManySizes) {
  Images const p = random_rows(70, 50, 2).transposed();
  this->template expect_columns_permuted<Sixteen>(p);
}

TYPED_TEST(RowPermutationTest, InPlace) {
  Images const p = random_rows(9, 130, 3);
  auto const in = numbered<float>(9, 130);
  auto const data = to_matrix<TypeParam>(in);
  RowPermutation<TypeParam> const plan(this->exec, to_matrix<TypeParam>(p));
  plan(this->exec, data, data);
  this->exec.fence();
  EXPECT_TRUE(to_table(data).values == permuted_rows(in, p).values);
  Images const q = random_rows(130, 9, 4).transposed();
  ColumnPermutation<TypeParam> const columns(this->exec, to_matrix<TypeParam>(q));
  auto const before = to_table(data);
  columns(this->exec, data, data);
  this->exec.fence();
  EXPECT_TRUE(to_table(data).values ==
              permuted_rows(before.transposed(), q.transposed()).transposed().values);
}

TYPED_TEST(RowPermutationTest, OtherLayouts) {
  Images const p = random_rows(20, 70, 5);
  auto const in = numbered<float>(20, 70);
  RowPermutation<TypeParam> const plan(this->exec,
                                       to_matrix<TypeParam, int, Kokkos::LayoutLeft>(p));
  auto const out = to_matrix<TypeParam, float, Kokkos::LayoutLeft>(Table<float>(p.rows, p.columns));
  plan(this->exec, to_matrix<TypeParam>(in), out);
  this->exec.fence();
  EXPECT_TRUE(to_table(out).values == permuted_rows(in, p).values);
}

// On a device, p is copied to the host through a contiguous View.
TYPED_TEST(RowPermutationTest, StridedDestinations) {
  Images const p = random_rows(20, 70, 10);
  auto const in = numbered<float>(20, 70);
  auto const expect_plan = [&](auto const& images) {
    fill(images, p.values);
    auto const out = to_matrix<TypeParam>(Table<float>(p.rows, p.columns));
    RowPermutation<TypeParam>(this->exec, images)(this->exec, to_matrix<TypeParam>(in), out);
    this->exec.fence();
    EXPECT_TRUE(to_table(out).values == permuted_rows(in, p).values);
  };
  expect_plan(make_matrix<TypeParam, std::int16_t, Kokkos::LayoutStride>(20, 70));
  Kokkos::View<int**, Kokkos::LayoutLeft, typename TypeParam::memory_space> const whole("p", 23,
                                                                                        70);
  expect_plan(Kokkos::subview(whole, std::make_pair(1, 21), Kokkos::ALL));
}

TYPED_TEST(RowPermutationTest, NoElements) {
  auto const nothing = to_matrix<TypeParam>(Images(0, 7));
  auto const none = to_matrix<TypeParam>(Images(7, 0));
  RowPermutation<TypeParam>(this->exec, nothing)(this->exec, nothing, nothing);
  RowPermutation<TypeParam>(this->exec, none)(this->exec, none, none);
  ColumnPermutation<TypeParam>(this->exec, nothing)(this->exec, nothing, nothing);
  ColumnPermutation<TypeParam>(this->exec, none)(this->exec, none, none);
  EXPECT_EQ(RowPermutation<TypeParam>(this->exec, nothing).columns(), 7u);
  EXPECT_EQ(ColumnPermutation<TypeParam>(this->exec, none).rows(), 7u);
}

// The longest row that fits in scratch memory.
TYPED_TEST(RowPermutationTest, LongestRow) {
  std::uint64_t const most = RowPermutation<TypeParam>::template max_columns<double>(this->exec);
  ASSERT_GE(most, 1024u);
  this->template expect_permuted<double>(random_rows(2, most, 6));
}

TYPED_TEST(RowPermutationTest, RejectsRowsThatDoNotFit) {
  std::uint64_t const most = RowPermutation<TypeParam>::template max_columns<Large>(this->exec);
  std::size_t const columns = most + 1;
  Images const p = random_rows(1, columns, 7);
  RowPermutation<TypeParam> const plan(this->exec, to_matrix<TypeParam>(p));
  Kokkos::View<Large**, typename TypeParam::memory_space> const data("data", 1, columns);
  std::string const message = thrown_message([&] { plan(this->exec, data, data); });
  EXPECT_EQ(message.find("riffle::RowPermutation: a row of " + std::to_string(columns) +
                         " elements of 1024 bytes take "),
            0u)
      << message;
  EXPECT_NE(message.find("must be at most " + std::to_string(most) + " elements"),
            std::string::npos)
      << message;
}

TYPED_TEST(RowPermutationTest, RejectsRowsThatAreNotPermutations) {
  Images p = random_rows(40, 50, 8);
  auto const of_rows = [&] {
    return thrown_message([&] { RowPermutation<TypeParam>(this->exec, to_matrix<TypeParam>(p)); });
  };
  auto const of_columns = [&] {
    auto const transposed = to_matrix<TypeParam>(p.transposed());
    return thrown_message([&] { ColumnPermutation<TypeParam>(this->exec, transposed); });
  };
  p.at(30, 3) = 50;
  EXPECT_EQ(of_rows(),
            "riffle::RowPermutation: p(30, 3) = 50: must be at least 0 and less than columns = 50");
  EXPECT_EQ(of_columns(),
            "riffle::ColumnPermutation: p(3, 30) = 50: must be at least 0 and less than rows = 50");
  p.at(20, 49) = -1;
  EXPECT_EQ(
      of_rows(),
      "riffle::RowPermutation: p(20, 49) = -1: must be at least 0 and less than columns = 50");
  p.at(11, 7) = p.at(11, 2);
  std::string const value = std::to_string(p.at(11, 2));
  EXPECT_EQ(of_rows(), "riffle::RowPermutation: p(11, 7) = " + value +
                           " is there before in its row: must be a permutation, each value once");
  EXPECT_EQ(of_columns(),
            "riffle::ColumnPermutation: p(7, 11) = " + value +
                " is there before in its column: must be a permutation, each value once");
}

TYPED_TEST(RowPermutationTest, RejectsInvalidMatrices) {
  RowPermutation<TypeParam> const plan(this->exec, to_matrix<TypeParam>(random_rows(4, 6, 9)));
  auto const data = to_matrix<TypeParam>(Images(4, 6));
  auto const other = to_matrix<TypeParam>(Images(6, 4));
  EXPECT_EQ(thrown_message([&] { plan(this->exec, other, data); }),
            "riffle::RowPermutation: in is of 6 x 4: must be of 4 x 6, as the plan");
  EXPECT_EQ(thrown_message([&] { plan(this->exec, data, other); }),
            "riffle::RowPermutation: out is of 6 x 4: must be of 4 x 6, as the plan");
  auto const wide = to_matrix<TypeParam>(Images(4, 9));
  auto const part = [&](int begin) {
    return Kokkos::subview(wide, Kokkos::ALL(), std::make_pair(begin, begin + 6));
  };
  EXPECT_NE(thrown_message([&] { plan(this->exec, part(0), part(3)); }).find("overlap"),
            std::string::npos);
  Kokkos::View<std::int8_t**, typename TypeParam::memory_space> const long_rows("p", 0, 65537);
  EXPECT_EQ(thrown_message([&] { RowPermutation<TypeParam>(this->exec, long_rows); }),
            "riffle::RowPermutation: p has 65537 columns: must be at most 65536");
}

TYPED_TEST(RowPermutationTest, KernelsHaveLabels) {
  auto const p = to_matrix<TypeParam>(random_rows(40, 40, 10));
  auto const q = to_matrix<TypeParam>(random_rows(40, 40, 10).transposed());
  auto const data = to_matrix<TypeParam>(Images(40, 40));
  // Plans are built outside of the check: their kernels run on the host.
  RowPermutation<TypeParam> const rows(this->exec, p);
  ColumnPermutation<TypeParam> const columns(this->exec, q);
  expect_labels_and_instance(this->exec, [&](auto const& on) {
    rows(on, data, data);
    columns(on, data, data);
  });
}

TYPED_TEST(RowPermutationTest, ApplyingDoesNotFence) {
  auto const p = to_matrix<TypeParam>(random_rows(40, 40, 10));
  auto const data = to_matrix<TypeParam>(Images(40, 40));
  RowPermutation<TypeParam> const rows(this->exec, p);
  rows(this->exec, data, data);
  auto const apply = [&] { rows(this->exec, data, data); };
  // With the Threads back end every kernel fences, and a kernel of teams twice.
  if (fences_of([&] {
        Kokkos::parallel_for("plain", Kokkos::RangePolicy<TypeParam>(this->exec, 0, 9),
                             DoNothing());
      }).empty()) {
    expect_no_fence(this->exec, apply);
  }
}

// The kernels on an emulated GPU, whose warps take turns at random.
TEST(RowPermutationOnAGpu, TeamsOfManyThreads) {
  namespace rp = detail::row_permutation;
  using Host = Kokkos::DefaultHostExecutionSpace;
  for (std::size_t const columns : {20, 64, 300}) {
    for (int const threads : {32, 96, 256}) {
      Images const p = random_rows(3, columns, columns);
      auto const in = numbered<double>(3, columns);
      RowPermutation<Host> const plan(Host(), to_matrix<Host>(p));
      auto const data = to_matrix<Host>(in);
      rp::ViewMatrix<std::remove_const_t<decltype(data)>> const matrix{data};
      rp::RowAddresses const at{columns, columns};
      rp::PermuteRows<decltype(matrix), decltype(matrix)> const kernel{
          at, plan.schedule().from.data(), plan.schedule().to.data(), matrix, matrix, 0};
      EmulatedGpu(2, columns).run(3, threads, rp::scratch_bytes<double>(2 * at.steps()), kernel);
      EXPECT_TRUE(to_table(data).values == permuted_rows(in, p).values) << columns;
    }
  }
}

TEST(RowPermutationOnAGpu, TilesOfManyThreads) {
  namespace rp = detail::row_permutation;
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const in = numbered<float>(40, 70);
  auto const source = to_matrix<Host>(in);
  auto const target = to_matrix<Host>(Table<float>(70, 40));
  using Matrix = rp::ViewMatrix<std::remove_const_t<decltype(source)>>;
  rp::TransposeTiles<Matrix, Matrix> const kernel{{40, 70}, {source}, {target}, 0};
  EmulatedGpu(2, 1).run(6, 256, rp::scratch_bytes<float>(1024), kernel);
  EXPECT_TRUE(to_table(target).values == in.transposed().values);
}

}  // namespace
}  // namespace riffle::test::row_permutation_test
