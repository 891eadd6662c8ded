// The residuals of variables after nuisance is projected out, compared with long double; the same bits by Riffle's
// kernel and by Kokkos Kernels, on every back end, and in batches of any size.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/products.hpp>
#include <riffle/monte_carlo/detail/variables/residuals.hpp>
#include <riffle/primitives/call.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/views.hpp"

namespace riffle::test::residuals_test {
namespace {

using detail::variables::PlainProducts;
using detail::variables::Products;
using detail::variables::replace_by_residuals;
using detail::variables::Slicing;

using Values = std::vector<double>;
using Rows = std::vector<Values>;
using Long = long double;

constexpr std::uint64_t all_memory = std::uint64_t{1} << 26;

/// Columns, one after the other.
struct Basis {
  std::size_t n;
  Rows columns;

  Values row_major() const {
    Values values;
    for (std::size_t i = 0; i < n; ++i) {
      for (auto const& column : columns) values.push_back(column[i]);
    }
    return values;
  }
};

/// Columns of I - 2 v v' / (v' v) for whole numbers v, which have the same bits on every machine.
Basis mirror_basis(std::size_t n, std::size_t q) {
  std::vector<int> v(n);
  int squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = static_cast<int>(i * i % 11) - 4;
    squares += v[i] * v[i];
  }
  Basis basis{n, Rows(q, Values(n))};
  for (std::size_t k = 0; k < q; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      double const share = static_cast<double>(2 * v[i] * v[k]) / squares;
      basis.columns[k][i] = (i == k ? 1 : 0) - share;
    }
  }
  return basis;
}

/// A constant first; then normal numbers, or numbers of magnitudes from e^-20 to e^20.
Basis random_basis(std::size_t n, std::size_t q, double spread) {
  std::mt19937_64 generator(n * 100 + q);
  std::normal_distribution<double> normal;
  std::vector<std::vector<Long>> columns;
  while (columns.size() < q) {
    std::vector<Long> column(n, 1);
    for (Long& x : column) {
      double const size = std::exp(spread * normal(generator));
      if (!columns.empty()) x = normal(generator) * size;
    }
    for (int time = 0; time < 3; ++time) {
      for (auto const& other : columns) {
        Long sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += other[i] * column[i];
        for (std::size_t i = 0; i < n; ++i) column[i] -= sum * other[i];
      }
    }
    Long squares = 0;
    for (Long const x : column) squares += x * x;
    for (Long& x : column) x /= std::sqrt(squares);
    columns.push_back(column);
  }
  Basis basis{n, {}};
  for (auto const& column : columns) basis.columns.emplace_back(column.begin(), column.end());
  return basis;
}

/// Returns the residuals of y, in units of the power of two above its largest |value|.
std::vector<Long> oracle(Values const& y, Basis const& basis, double unit) {
  std::vector<Long> u(y.begin(), y.end());
  for (Long& x : u) x /= unit;
  for (int time = 0; time < 4; ++time) {
    for (auto const& column : basis.columns) {
      Long sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += column[i] * u[i];
      for (std::size_t i = 0; i < y.size(); ++i) u[i] -= sum * column[i];
    }
  }
  return u;
}

double unit_of(Values const& y) {
  double largest = 0;
  for (double const x : y) largest = std::max(largest, std::abs(x));
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, exponent);
}

/// Rows of normal numbers, far from 0, with two decimals, and of very different magnitudes.
Rows rows_of(std::size_t n) {
  std::mt19937_64 generator(n);
  std::normal_distribution<double> normal;
  Rows rows;
  for (int k = 0; k < 12; ++k) {
    Values row(n);
    for (double& y : row) {
      double const x = normal(generator);
      double const size = std::exp(4 * normal(generator));
      y = k % 4 == 0 ? x : k % 4 == 1 ? 1e9 + x : k % 4 == 2 ? std::round(100 * x) / 100 : size * x;
    }
    rows.push_back(row);
  }
  return rows;
}

/// Whole numbers over 8, which have the same bits on every machine.
Rows golden_rows(std::size_t rows, std::size_t n) {
  std::mt19937_64 generator(rows + n);
  Rows all(rows, Values(n));
  for (std::size_t g = 0; g < rows; ++g) {
    for (double& y : all[g]) {
      double const whole = static_cast<double>(generator() >> (g % 2 == 0 ? 54 : 11));
      y = std::ldexp(whole, -3);
    }
  }
  return all;
}

std::uint64_t hash(Rows const& rows) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (auto const& row : rows) {
    for (double const x : row) sum = (sum ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3;
  }
  return sum;
}

/// NaNs are equal here.
void expect_same_bits(Rows const& found, Rows const& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t g = 0; g < found.size(); ++g) {
    for (std::size_t i = 0; i < found[g].size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found[g][i]),
                std::bit_cast<std::uint64_t>(expected[g][i]))
          << g << ", " << i << ": " << found[g][i] << " " << expected[g][i];
    }
  }
}

TEST(Slicing, SumsAreExactAndRemaindersSmall) {
  for (std::uint64_t log_n = 0; log_n < 32; ++log_n) {
    std::uint64_t const n = std::uint64_t{1} << log_n;
    auto const [bits, count] = Slicing::of(n);
    double const largest = std::ldexp(static_cast<double>(n), 2 * bits) * (count + 2) / 4;
    EXPECT_LE(largest, 0x1p53) << n;
    EXPECT_LE(std::ldexp(static_cast<double>(n), -count * bits), 0x1p-53) << n;
  }
  for (std::uint64_t const n : {1u, 38u, 1024u}) EXPECT_EQ(Slicing::of(n).count, 3) << n;
  EXPECT_EQ(Slicing::of(1000).bits, 21);
  EXPECT_EQ(Slicing::of(1025).bits, Slicing::of(2048).bits);
  EXPECT_EQ(Slicing::of(100'000).count, 5);
}

TEST(Slicing, SlicesAreWholeAndAddUp) {
  std::mt19937_64 generator(3);
  auto const [bits, count] = Slicing::of(500);
  double const step = std::ldexp(1.0, bits);
  for (int k = 0; k < 10'000; ++k) {
    double const sign = k % 2 == 0 ? 1 : -1;
    // Half of them are in the middle between two slices, or next to it.
    double const x = sign * std::ldexp(static_cast<double>(generator() >> (k % 4 < 2 ? 11 : 42)),
                                       k % 4 < 2 ? -53 : -22);
    double sum = 0;
    double weight = 4;  // the unit
    detail::variables::slice(4 * x, 4.0, count, step, [&](int a, double part) {
      weight /= step;
      sum += part * weight;
      EXPECT_EQ(part, std::floor(part));
      EXPECT_LE(std::abs(part), a == 0 ? step : step / 2);
    });
    EXPECT_EQ(sum, 4 * x);
  }
}

TEST(Slicing, Units) {
  using detail::variables::unit_above;
  EXPECT_EQ(unit_above(1), 2);
  EXPECT_EQ(unit_above(0.75), 1);
  EXPECT_EQ(unit_above(5e-300), unit_of({5e-300}));
  EXPECT_EQ(unit_above(0), 0);
  EXPECT_EQ(unit_above(5e-320), 0);
  EXPECT_EQ(unit_above(std::numeric_limits<double>::quiet_NaN()), 0);
}

template <class Exec>
class ResidualsTest : public ::testing::Test {
 protected:
  template <class By = Products>
  static Rows residuals(Rows const& rows, Basis const& basis, std::uint64_t bytes = all_memory) {
    auto const values = make_matrix<Exec, double, Kokkos::LayoutRight>(rows.size(), basis.n);
    auto const columns =
        make_matrix<Exec, double, Kokkos::LayoutRight>(basis.n, basis.columns.size());
    Values all;
    for (auto const& row : rows) all.insert(all.end(), row.begin(), row.end());
    fill(values, all);
    fill(columns, basis.row_major());
    detail::Call const context(Exec(), "riffle::residuals_test");
    replace_by_residuals<By>(context, values, columns, bytes);
    return to_rows(values);
  }

  static void expect_near_oracle(Rows const& rows, Basis const& basis) {
    SCOPED_TRACE("n = " + std::to_string(basis.n) +
                 ", q = " + std::to_string(basis.columns.size()));
    auto const found = residuals(rows, basis);
    for (std::size_t g = 0; g < rows.size(); ++g) {
      auto const expected = oracle(rows[g], basis, unit_of(rows[g]));
      Long largest = 0;
      for (Long const u : expected) largest = std::max(largest, std::abs(u));
      Long const tolerance = 0x1p-53L * (3 * largest + 1.0L / 16);  // of the largest |y|
      if (largest < 1e-11L) continue;                               // as in "NothingIsLeft"
      for (std::size_t i = 0; i < basis.n; ++i) {
        ASSERT_LE(std::abs(found[g][i] - expected[i]), tolerance) << g << ", " << i;
      }
    }
  }
};
TYPED_TEST_SUITE(ResidualsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ResidualsTest, AgainstLongDouble) {
  for (std::size_t const n : {2, 3, 7, 38, 100, 1000, 1500}) {
    for (std::size_t const q : {1, 2, 5, 20}) {
      if (q >= n) continue;
      for (double const spread : {0, 5}) {
        this->expect_near_oracle(rows_of(n), random_basis(n, q, spread));
      }
    }
  }
  for (std::size_t const n : {2, 7, 38}) {
    this->expect_near_oracle(rows_of(n), random_basis(n, n - 1, 0));
    this->expect_near_oracle(rows_of(n), mirror_basis(n, n - 1));
  }
}

/// Columns that a fast product of ordinary doubles would lose: rows of magnitude 2^40 next to rows of magnitude 1.
TYPED_TEST(ResidualsTest, RowsOfUnlikeSize) {
  auto rows = rows_of(38);
  for (std::size_t g = 0; g < rows.size(); ++g) {
    for (double& y : rows[g]) y = std::ldexp(y, static_cast<int>(40 * (g % 3)));
  }
  this->expect_near_oracle(rows, random_basis(38, 3, 0));
}

/// Values whose squares overflow, and values with fewer digits.
TYPED_TEST(ResidualsTest, UnitsDoNotChangeResults) {
  auto const basis = mirror_basis(11, 3);
  auto const rows = golden_rows(6, 11);
  auto const scaled = [&](int exponent) {
    auto copy = rows;
    for (auto& row : copy) {
      for (double& y : row) y = std::ldexp(y, exponent);
    }
    return copy;
  };
  auto const expected = this->residuals(rows, basis);
  for (int const exponent : {-1000, -600, -499, 3, 499, 600, 970}) {
    SCOPED_TRACE(exponent);
    expect_same_bits(this->residuals(scaled(exponent), basis), expected);
  }
  // Subnormal numbers, with few digits.
  Rows few{Values{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144}};
  auto const of_few = this->residuals(few, basis);
  for (double& y : few[0]) y = std::ldexp(y, -1074);
  expect_same_bits(this->residuals(few, basis), of_few);
}

TYPED_TEST(ResidualsTest, ResidualsOfFittedRowsAreZero) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  for (std::size_t const n : {1, 2, 16, 100}) {
    for (std::size_t q : {1, 3, 9}) {
      q = std::min(q, n);
      auto const basis = random_basis(n, q, 0);
      Rows rows{Values(n, 0.0), Values(n, 0.1), Values(n, 1e300), Values(n, -5e-324)};
      for (int k = 0; k < 5; ++k) {
        rows.emplace_back(n);
        for (auto const& column : basis.columns) {
          double const times = normal(generator) * std::exp(10 * normal(generator));
          for (std::size_t i = 0; i < n; ++i) rows.back()[i] += times * column[i];
        }
      }
      auto const found = this->residuals(rows, basis);
      for (auto const& row : found) EXPECT_EQ(row, Values(n, 0.0)) << n << ", " << q;
    }
  }
}

/// Residuals of 1e-11 of the length are kept, residuals of 1e-13 become 0.
TYPED_TEST(ResidualsTest, RoundingErrorsBecomeZero) {
  Basis const basis{4, {{0.5, 0.5, 0.5, 0.5}}};
  for (double const share : {1e-11, 1e-13}) {
    auto const found = this->residuals({{1 + share, 1 - share, 1 - share, 1 + share}}, basis);
    EXPECT_EQ(found[0] == Values(4, 0.0), share < 1e-12);
    EXPECT_NEAR(found[0][0], share < 1e-12 ? 0 : share / 2, 1e-16);
  }
}

TYPED_TEST(ResidualsTest, MissingValuesStay) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const basis = mirror_basis(7, 2);
  auto rows = golden_rows(5, 7);
  auto expected = this->residuals(rows, basis);
  rows[1][3] = rows[4][0] = rows[4][6] = nan;
  expected[1] = rows[1];
  expected[4] = rows[4];
  expect_same_bits(this->residuals(rows, basis), expected);
}

TYPED_TEST(ResidualsTest, NoColumnsAndNoRows) {
  auto const rows = golden_rows(3, 5);
  expect_same_bits(this->residuals(rows, mirror_basis(5, 0)), rows);
  EXPECT_TRUE(this->residuals({}, mirror_basis(5, 2)).empty());
}

TYPED_TEST(ResidualsTest, BatchesDoNotChangeResults) {
  auto const basis = mirror_basis(23, 4);
  auto const rows = golden_rows(50, 23);
  auto const expected = this->residuals(rows, basis);
  for (std::uint64_t const bytes : {1, 2000, 5000, 20'000, 100'000}) {
    expect_same_bits(this->residuals(rows, basis, bytes), expected);
  }
}

/// Riffle's kernel, and Kokkos Kernels if the tests are built with it.
TYPED_TEST(ResidualsTest, EveryMatrixProductGivesTheSame) {
  for (std::size_t const n : {1, 2, 9, 38, 300, 1100}) {
    for (std::size_t const q : {1, 2, 7, 37}) {
      if (q > n) continue;
      auto const basis = random_basis(n, q, 1);
      auto const rows = rows_of(n);
      expect_same_bits(this->template residuals<Products>(rows, basis),
                       this->template residuals<PlainProducts>(rows, basis));
    }
  }
}

TYPED_TEST(ResidualsTest, Golden) {
  struct Golden {
    std::size_t n;
    std::size_t q;
    std::uint64_t hash;
  };
  for (auto const& [n, q, expected] : {Golden{5, 1, 0x73cba48166bbe3b8},
                                       {38, 3, 0x4e2d6a31f1067d1d},
                                       {38, 37, 0x11b6db93eb5d997f},
                                       {1100, 6, 0x3524cc48ac86be8f}}) {
    auto const rows = golden_rows(20, n);
    auto const basis = mirror_basis(n, q);
    EXPECT_EQ(hash(this->template residuals<Products>(rows, basis)), expected) << n << ", " << q;
    EXPECT_EQ(hash(this->template residuals<PlainProducts>(rows, basis)), expected);
  }
}

}  // namespace
}  // namespace riffle::test::residuals_test
