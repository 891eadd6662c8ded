#include <Kokkos_Core.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace riffle::test::banked_matrix_test {
namespace {

using Index = std::uint32_t;

struct Padded {
  double a;
  float b;
  bool operator==(Padded const&) const = default;
};

TEST(BankedMatrix, AnElementOfOneWordIsAtColumnTimesRowsPlusRow) {
  std::vector<float> array(32 * 5);
  BankedMatrix<float> const matrix(array.data(), 5);
  matrix.write(7, 3, 1.5f);
  EXPECT_EQ(array[3 * 32 + 7], 1.5f);
  EXPECT_EQ(matrix.read(7, 3), 1.5f);
  EXPECT_EQ(matrix.bytes(5), array.size() * sizeof(float));
}

/// Expects that elements do not overlap, and that a write changes words in the row's bank only.
template <class T, Index Rows>
void expect_rows_in_banks(T const& value) {
  constexpr Index columns = 3;
  std::size_t const words = BankedMatrix<T, Rows>::bytes(columns) / 4;
  std::vector<Index> owner(words, ~Index{0});
  for (Index cell = 0; cell < Rows * columns; ++cell) {
    std::vector<Index> memory(words, 0x5A5A5A5A);
    BankedMatrix<T, Rows> const matrix(memory.data(), columns);
    matrix.write(cell % Rows, cell / Rows, value);
    EXPECT_EQ(matrix.read(cell % Rows, cell / Rows), value);
    for (std::size_t word = 0; word < words; ++word) {
      if (memory[word] == 0x5A5A5A5A) continue;
      EXPECT_EQ(word % Rows, cell % Rows);
      EXPECT_EQ(owner[word], ~Index{0});
      owner[word] = cell;
    }
  }
}

TEST(BankedMatrix, EveryWordOfARowIsInItsBank) {
  expect_rows_in_banks<Index, 32>(1);
  expect_rows_in_banks<double, 32>(0.1);
  expect_rows_in_banks<std::uint8_t, 32>(1);
  expect_rows_in_banks<Padded, 32>({0.1, 0.3f});
  expect_rows_in_banks<double, 5>(0.1);
}

}  // namespace
}  // namespace riffle::test::banked_matrix_test
