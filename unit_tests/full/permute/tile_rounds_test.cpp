// The accesses of the kernels that move tiles, computed by the kernels' own address functions and run on the paper's memory
// machine: coalesced, without bank conflicts, and with the rounds and times of its Table 1.

#include <Kokkos_Core.hpp>
#include <riffle/permute/affine_bit_permutation.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/detail/tiles/run_bits.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/index_maps.hpp"
#include "support/kasagi_table_1.hpp"

namespace riffle::test::tile_rounds_test {
namespace {

namespace tiles = riffle::detail::tiles;

constexpr std::uint64_t word = 4;
constexpr HierarchicalMachineParameters gpu{32, 400, 8, 1};

/// All rounds of a kernel, in words of 4 bytes. A vector access takes several rounds of 32 words, as do accesses to elements of
/// 8 and 16 bytes in scratch memory; smaller elements share words.
template <class T, class Mover>
class TileRounds {
 public:
  explicit TileRounds(Mover const& mover) : mover_(mover) {}

  HierarchicalMemoryMachine run() const {
    HierarchicalMemoryMachine machine(gpu);
    auto const blocks = mover_.addresses().tiles();
    constexpr std::uint64_t vectors = tiles::threads_of_team * Mover::items;
    constexpr std::uint64_t words_of_vector = Mover::count * sizeof(T) / word;
    constexpr std::uint64_t elements = vectors * Mover::count;
    constexpr std::uint64_t words_of_element = sizeof(T) <= word ? 1 : sizeof(T) / word;
    machine.read_global(
        blocks, vectors * words_of_vector,
        in_vectors(words_of_vector, [&](auto tile, auto k) { return source(tile, k); }));
    machine.write_shared(blocks, elements * words_of_element,
                         in_vectors(words_of_element, [&](auto, auto k) { return stored(k); }));
    machine.read_shared(
        blocks, elements * words_of_element,
        in_vectors(words_of_element, [&](auto tile, auto k) { return loaded(tile, k); }));
    machine.write_global(
        blocks, vectors * words_of_vector,
        in_vectors(words_of_vector, [&](auto tile, auto k) { return target(tile, k); }));
    return machine;
  }

 private:
  static int thread(std::uint64_t k) { return static_cast<int>(k % tiles::threads_of_team); }
  static int item(std::uint64_t k) {
    return static_cast<int>(k / tiles::threads_of_team) % Mover::items;
  }
  static int element(std::uint64_t k) {
    return static_cast<int>(k / tiles::threads_of_team) / Mover::items;
  }

  static constexpr int first = Mover::vector_bits;

  std::uint64_t source(std::uint64_t tile, std::uint64_t k) const {
    auto const& addresses = mover_.addresses();
    auto const read_start = addresses.template read_start<first>(
        addresses.tile(tile), static_cast<std::uint32_t>(thread(k)) << first);
    return addresses.template source<first>(read_start, Mover::item_bits(item(k))).offset *
           sizeof(T) / word;
  }
  std::uint64_t target(std::uint64_t tile, std::uint64_t k) const {
    auto const& addresses = mover_.addresses();
    auto const write_start = addresses.template write_start<first>(
        addresses.tile(tile), static_cast<std::uint32_t>(thread(k)) << first);
    return addresses.template target<first>(write_start, Mover::item_bits(item(k))).offset *
           sizeof(T) / word;
  }
  std::uint64_t stored(std::uint64_t k) const {
    return (mover_.stored_by_thread(thread(k)) ^ mover_.stored_by_item(item(k)) ^
            mover_.stored_by_element(element(k))) *
           sizeof(T) / word;
  }
  std::uint64_t loaded(std::uint64_t tile, std::uint64_t k) const {
    return (mover_.loaded_by_thread(thread(k)) ^ mover_.addresses().tile(tile).shift ^
            mover_.loaded_by_item(item(k)) ^ mover_.loaded_by_element(element(k))) *
           sizeof(T) / word;
  }

  Mover mover_;
};

/// Compares the model's rounds and time of a kernel for n elements with Table 1.
template <class T, class Mover>
void expect_table_1(Mover const& mover, std::uint64_t n) {
  auto const machine = TileRounds<T, Mover>(mover).run();
  EXPECT_EQ(machine.counts(), table_1::regular().rounds);
  if (sizeof(T) < word) return;
  std::uint64_t const words = n * sizeof(T) / word;
  EXPECT_EQ(machine.time(), table_1::regular().time(words, gpu.width, gpu.dmms, gpu.latency));
}

template <class T, bool wide, bool is_affine>
void expect_table_1(detail::AffineBits const& map) {
  auto const tiling =
      tiles::make_tiling(map, tiles::tile_bits(sizeof(T)), false, tiles::TileOrder::writing);
  auto const mover =
      tiles::bit_mover<T, std::uint32_t, is_affine, wide>(tiling, {nullptr, 1}, {nullptr, 1});
  expect_table_1<T>(mover, std::uint64_t{1} << map.matrix.size());
}

template <class T>
void expect_table_1_of_bits(int m) {
  for (auto const& sigma :
       {BitPermutation::bit_reversal(m), BitPermutation::perfect_shuffle(m),
        BitPermutation::unshuffle(m), BitPermutation::transpose(m / 2, m - m / 2),
        BitPermutation::transpose(3, m - 3), BitPermutation::identity(m),
        BitPermutation(random_bits(m, 1)), BitPermutation(random_bits(m, 2))}) {
    expect_table_1<T, true, false>(detail::to_affine_bits(sigma));
  }
}

TEST(TileRounds, PermutationsOfBits) {
  expect_table_1_of_bits<float>(17);
  expect_table_1_of_bits<double>(16);
  expect_table_1_of_bits<NumberStruct<4>>(15);
  expect_table_1_of_bits<std::uint16_t>(17);
  expect_table_1_of_bits<std::uint8_t>(18);
}

TEST(TileRounds, AffineMapsOfBits) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    auto const float_map = AffineBitPermutation(random_invertible(17, seed), 4711 * seed).map();
    expect_table_1<float, true, true>(float_map);
    auto const double_map = AffineBitPermutation(random_invertible(16, seed), 4711 * seed).map();
    expect_table_1<double, true, true>(double_map);
  }
}

// Without vectors, as for memory that is not aligned.
TEST(TileRounds, ElementByElement) {
  for (auto const& bits : {reversed_bits(17), shuffled_bits(17), random_bits(17, 3)}) {
    expect_table_1<float, false, false>(detail::to_affine_bits(BitPermutation(bits)));
    expect_table_1<double, false, false>(detail::to_affine_bits(BitPermutation(bits)));
  }
}

template <class T>
void expect_table_1_of_matrix(std::uint64_t rows, std::uint64_t columns) {
  constexpr int bits = tiles::tile_bits(sizeof(T));
  tiles::Transposition const matrix{rows, columns, columns, 1, rows, 1};
  int const row_bits = tiles::tile_row_bits(rows, columns, bits);
  auto const mover = tiles::matrix_mover<T, bits, true>(matrix, row_bits, nullptr, nullptr);
  expect_table_1<T>(mover, rows * columns);
}

TEST(TileRounds, Transpositions) {
  expect_table_1_of_matrix<float>(256, 384);
  expect_table_1_of_matrix<float>(192, 1024);
  expect_table_1_of_matrix<float>(32, 4096);
  expect_table_1_of_matrix<double>(256, 128);
  expect_table_1_of_matrix<NumberStruct<4>>(64, 128);
}

// A check of the model: in a plain tile, with element s at place s, it must find conflicts.
TEST(TileRounds, WithoutAnArrangementThereAreConflicts) {
  HierarchicalMemoryMachine machine(gpu);
  machine.read_shared(1, 4096, [](auto, auto k) { return k % 64 * 64 + k / 64; });
  EXPECT_EQ(machine.counts().conflicting_reading, 1u);
}

}  // namespace
}  // namespace riffle::test::tile_rounds_test
