// Products of small matrices by a warp, on an emulated GPU, compared with loops over the whole matrices. The
// distribution of elements to lanes is stated here as in the header's comments.

#include <Kokkos_Core.hpp>
#include <riffle/backend/matrix_units.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/emulated_gpu.hpp"

namespace riffle::test::matrix_units_test {
namespace {

constexpr std::size_t rows = 16;
constexpr std::size_t columns = 8;

/// A matrix, stored row by row.
template <class T, std::size_t Rows, std::size_t Columns>
struct Whole {
  std::array<T, Rows * Columns> elements{};
  T& operator()(std::size_t i, std::size_t j) { return elements[i * Columns + j]; }
  T const& operator()(std::size_t i, std::size_t j) const { return elements[i * Columns + j]; }
};

using BytesA = Whole<std::int8_t, rows, 32>;
using BytesB = Whole<std::int8_t, 32, columns>;
using IntegersC = Whole<std::int32_t, rows, columns>;
using DoublesA = Whole<double, rows, 4>;
using DoublesB = Whole<double, 4, columns>;
using DoublesC = Whole<double, rows, columns>;

/// The element of C that is a lane's i-th.
template <class C>
auto& of_lane(C& c, int lane, int i) {
  auto const g = static_cast<std::size_t>(lane / 4);
  auto const t = static_cast<std::size_t>(lane % 4);
  auto const e = static_cast<std::size_t>(i);
  return c(g + 8 * (e / 2), 2 * t + e % 2);
}

/// Four bytes, the first in the lowest bits.
template <class Byte>
std::uint32_t word_of(Byte const& byte) {
  std::uint32_t word = 0;
  for (std::size_t b = 0; b < 4; ++b) {
    word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(byte(b))) << (8 * b);
  }
  return word;
}

backend::ByteRows rows_of_lane(BytesA const& a, int lane) {
  auto const g = static_cast<std::size_t>(lane / 4);
  auto const k = static_cast<std::size_t>(4 * (lane % 4));
  return {{word_of([&](std::size_t b) { return a(g, k + b); }),
           word_of([&](std::size_t b) { return a(g + 8, k + b); }),
           word_of([&](std::size_t b) { return a(g, 16 + k + b); }),
           word_of([&](std::size_t b) { return a(g + 8, 16 + k + b); })}};
}

backend::ByteColumns columns_of_lane(BytesB const& b, int lane) {
  auto const g = static_cast<std::size_t>(lane / 4);
  auto const k = static_cast<std::size_t>(4 * (lane % 4));
  return {{word_of([&](std::size_t i) { return b(k + i, g); }),
           word_of([&](std::size_t i) { return b(16 + k + i, g); })}};
}

/// Calls function(w, lane) for the lanes of all warps of a team. Warp w has a problem of its own.
template <class Function>
void for_warps(std::size_t warps, Function const& function) {
  EmulatedGpu gpu(1, 7);
  gpu.run(1, static_cast<int>(warps) * backend::width, 0, [&](EmulatedMember const& team) {
    int const rank = team.team_rank();
    function(static_cast<std::size_t>(rank / backend::width), rank % backend::width);
  });
}

struct BytesProblem {
  BytesA a;
  BytesB b;
  IntegersC c;
};

/// c + A B, modulo 2^32.
IntegersC sum_with_product(BytesProblem const& problem) {
  IntegersC result;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      std::int64_t sum = problem.c(i, j);
      for (std::size_t k = 0; k < 32; ++k) {
        sum += std::int64_t{problem.a(i, k)} * std::int64_t{problem.b(k, j)};
      }
      result(i, j) = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
    }
  }
  return result;
}

/// The result of multiply_add for each problem.
std::vector<IntegersC> multiplied_and_added(std::vector<BytesProblem> const& problems) {
  std::vector<IntegersC> found(problems.size());
  for_warps(problems.size(), [&](std::size_t w, int lane) {
    auto const& own = problems[w];
    std::int32_t c[4];
    for (int i = 0; i < 4; ++i) c[i] = of_lane(own.c, lane, i);
    backend::multiply_add(lane, c, rows_of_lane(own.a, lane), columns_of_lane(own.b, lane));
    for (int i = 0; i < 4; ++i) of_lane(found[w], lane, i) = c[i];
  });
  return found;
}

void expect_sums(std::vector<BytesProblem> const& problems) {
  auto const found = multiplied_and_added(problems);
  for (std::size_t w = 0; w < problems.size(); ++w) {
    EXPECT_EQ(found[w].elements, sum_with_product(problems[w]).elements) << "warp " << w;
  }
}

BytesProblem random_bytes(std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  BytesProblem problem;
  for (auto& x : problem.a.elements) x = static_cast<std::int8_t>(generator());
  for (auto& x : problem.b.elements) x = static_cast<std::int8_t>(generator());
  for (auto& x : problem.c.elements) x = static_cast<std::int32_t>(generator());
  return problem;
}

TEST(MatrixUnits, SumsOfProductsOfBytes) {
  expect_sums({random_bytes(1), random_bytes(2), random_bytes(3), random_bytes(4)});
}

// Each byte of A is multiplied by each byte of B: a row of A has one element that is not 0.
TEST(MatrixUnits, AllBytes) {
  std::vector<BytesProblem> problems;
  for (std::size_t from_a = 0; from_a < 256; from_a += rows) {
    for (std::size_t from_b = 0; from_b < 256; from_b += columns) {
      BytesProblem problem;
      for (std::size_t i = 0; i < rows; ++i) {
        std::size_t const k = (5 * i + from_b) % 32;
        problem.a(i, k) = static_cast<std::int8_t>(from_a + i);
        for (std::size_t j = 0; j < columns; ++j) {
          problem.b(k, j) = static_cast<std::int8_t>(from_b + j);
        }
      }
      problems.push_back(problem);
    }
  }
  for (std::size_t begin = 0; begin < problems.size(); begin += 32) {
    auto const at = problems.begin() + static_cast<std::ptrdiff_t>(begin);
    expect_sums({at, at + 32});
  }
}

// All elements are the lowest byte: its square is the largest product.
TEST(MatrixUnits, LeastBytesWrapAround) {
  BytesProblem problem;
  problem.a.elements.fill(-128);
  problem.b.elements.fill(-128);
  for (std::size_t at = 0; at < problem.c.elements.size(); ++at) {
    problem.c.elements[at] = INT32_MAX - 524288 + static_cast<std::int32_t>(at % 3);
  }
  auto opposite = problem;
  opposite.b.elements.fill(127);
  opposite.c.elements.fill(INT32_MIN + 3);
  auto const found = multiplied_and_added({problem, opposite});
  for (std::size_t at = 0; at < problem.c.elements.size(); ++at) {
    EXPECT_EQ(found[0].elements[at],
              at % 3 == 0 ? INT32_MAX : INT32_MIN + static_cast<std::int32_t>(at % 3) - 1);
    EXPECT_EQ(found[1].elements[at], INT32_MAX - 32 * 128 * 127 + 4);
  }
}

TEST(MatrixUnits, ProductsOfBytesFromABeginning) {
  std::vector<BytesProblem> problems;
  std::vector<std::int32_t> const begins{0, 1, -1, INT32_MIN, INT32_MAX};
  for (std::int32_t const begin : begins) {
    problems.push_back(random_bytes(10 + problems.size()));
    problems.back().c.elements.fill(begin);
  }
  std::vector<IntegersC> found(problems.size());
  for_warps(problems.size(), [&](std::size_t w, int lane) {
    std::int32_t c[4] = {99, 99, 99, 99};  // which is of no account
    backend::multiply(lane, c, rows_of_lane(problems[w].a, lane),
                      columns_of_lane(problems[w].b, lane), begins[w]);
    for (int i = 0; i < 4; ++i) of_lane(found[w], lane, i) = c[i];
  });
  for (std::size_t w = 0; w < problems.size(); ++w) {
    EXPECT_EQ(found[w].elements, sum_with_product(problems[w]).elements) << begins[w];
  }
}

struct DoublesProblem {
  DoublesA a;
  DoublesB b;
  DoublesC c;
};

/// Adds the products in order, and rounds each sum.
DoublesC sum_with_product(DoublesProblem const& problem) {
  DoublesC result = problem.c;
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) result(i, j) += problem.a(i, k) * problem.b(k, j);
    }
  }
  return result;
}

void expect_sums(std::vector<DoublesProblem> const& problems) {
  std::vector<DoublesC> found(problems.size());
  for_warps(problems.size(), [&](std::size_t w, int lane) {
    auto const& own = problems[w];
    auto const g = static_cast<std::size_t>(lane / 4);
    auto const t = static_cast<std::size_t>(lane % 4);
    double c[4];
    for (int i = 0; i < 4; ++i) c[i] = of_lane(own.c, lane, i);
    double const a[2] = {own.a(g, t), own.a(g + 8, t)};
    backend::multiply_add(lane, c, a, own.b(t, g));
    for (int i = 0; i < 4; ++i) of_lane(found[w], lane, i) = c[i];
  });
  for (std::size_t w = 0; w < problems.size(); ++w) {
    EXPECT_EQ(found[w].elements, sum_with_product(problems[w]).elements) << "warp " << w;
  }
}

/// Whole numbers below 2^bits, so that sums of products are exact.
DoublesProblem whole_numbers(std::uint64_t seed, int bits) {
  std::mt19937_64 generator(seed);
  auto const whole = [&] {
    return static_cast<double>(generator() >> (64 - bits)) - static_cast<double>(1 << (bits - 1));
  };
  DoublesProblem problem;
  for (double& x : problem.a.elements) x = whole();
  for (double& x : problem.b.elements) x = whole();
  for (double& x : problem.c.elements) x = whole();
  return problem;
}

TEST(MatrixUnits, SumsOfProductsOfDoubles) {
  expect_sums({whole_numbers(1, 4), whole_numbers(2, 25), whole_numbers(3, 25)});
}

// The sum of 2^60, 1, -2^60 and i is i in this order, and i + 1 in another order.
TEST(MatrixUnits, DoublesAreAddedOneAfterTheOther) {
  DoublesProblem problem;
  for (std::size_t i = 0; i < rows; ++i) {
    problem.a(i, 0) = 0x1p30;
    problem.a(i, 1) = 1;
    problem.a(i, 2) = -0x1p30;
    problem.a(i, 3) = static_cast<double>(i);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    problem.b(0, j) = problem.b(2, j) = 0x1p30;
    problem.b(1, j) = problem.b(3, j) = 1;
  }
  expect_sums({problem});
}

}  // namespace
}  // namespace riffle::test::matrix_units_test
