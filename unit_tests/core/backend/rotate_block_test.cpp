// Rotations of the bits of indices in registers, compared with the definition.

#include <Kokkos_Core.hpp>
#include <riffle/backend/rotate_block.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace riffle::test::rotate_block_test {
namespace {

/// Vectors with gaps between them, which begin at unaligned addresses.
template <class T>
class Vectors {
 public:
  Vectors(std::size_t count, std::size_t lanes) : lanes_(lanes), data_(count * (lanes + 1) + 1) {}

  T* operator()(int j) { return data_.data() + (static_cast<std::size_t>(j) * (lanes_ + 1) + 1); }
  T& operator[](std::size_t i) { return (*this)(static_cast<int>(i / lanes_))[i % lanes_]; }

  /// The elements between the vectors.
  std::vector<T> between() const {
    std::vector<T> values;
    for (std::size_t i = 0; i < data_.size(); i += lanes_ + 1) values.push_back(data_[i]);
    return values;
  }

 private:
  std::size_t lanes_;
  std::vector<T> data_;
};

template <class T, int bits, int rotation>
void expect_rotates() {
  constexpr std::size_t n = std::size_t{1} << bits;
  constexpr std::size_t lanes = backend::block_width<sizeof(T)>;
  Vectors<T> in(n / lanes, lanes), out(n / lanes, lanes);
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<T>(i + 1);
  backend::rotate_block<sizeof(T), bits, rotation>([&](int j) { return in(j); },
                                                   [&](int j) { return out(j); });
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const j = (i << rotation | i >> (bits - rotation)) % n;
    ASSERT_EQ(out[j], in[i]) << i << " of " << n << " by " << rotation;
  }
  EXPECT_EQ(out.between(), std::vector<T>(n / lanes + 1));
}

template <class T, int bits, int... rotations>
void expect_rotates_by_all(std::integer_sequence<int, rotations...>) {
  (expect_rotates<T, bits, rotations>(), ...);
}

/// Rotates 2, 4, and 8 vectors by 0 to all bits, and 1 vector by 0 bits.
template <class T>
void expect_rotates_all() {
  constexpr int lane_bits = backend::block_bits<sizeof(T)>;
  expect_rotates<T, lane_bits, 0>();
  expect_rotates_by_all<T, lane_bits + 1>(std::make_integer_sequence<int, lane_bits + 2>{});
  expect_rotates_by_all<T, lane_bits + 2>(std::make_integer_sequence<int, lane_bits + 3>{});
  expect_rotates_by_all<T, lane_bits + 3>(std::make_integer_sequence<int, lane_bits + 4>{});
}

TEST(RotateBlock, ElementsOfEachSize) {
  expect_rotates_all<std::uint8_t>();
  expect_rotates_all<std::uint16_t>();
  expect_rotates_all<std::uint32_t>();
  expect_rotates_all<std::uint64_t>();
}

TEST(RotateBlock, ElementsThatDoNotFillARegister) { expect_rotates_all<long double>(); }

TEST(RotateBlock, TransposesABlock) {
  expect_rotates<std::uint8_t, 8, 4>();
  float const in[4][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};
  float out[4][4] = {};
  backend::rotate_block<4, 4, 2>([&](int j) { return in[j]; }, [&](int i) { return out[i]; });
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_EQ(out[i][j], in[j][i]);
  }
}

}  // namespace
}  // namespace riffle::test::rotate_block_test
