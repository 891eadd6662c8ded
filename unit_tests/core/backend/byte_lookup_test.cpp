#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <riffle/backend/byte_lookup.hpp>

namespace byte_lookup_test {
namespace {

namespace backend = riffle::backend;

#if defined(RIFFLE_BYTE_VECTORS)

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t untouched = 77;

std::uint8_t below(int bound, std::mt19937& generator) {
  return static_cast<std::uint8_t>(generator() % static_cast<unsigned>(bound));
}

/// The values after the entries would give wrong sums.
backend::ByteTable random_table(int entries, int modulus, std::mt19937& generator) {
  backend::ByteTable table;
  table.entries = entries;
  table.modulus = modulus;
  for (int e = 0; e < backend::ByteTable::max_entries; ++e) {
    table.values[e] = e < entries ? below(modulus, generator) : std::uint8_t{255};
  }
  // The largest and the smallest sum.
  table.values[0] = static_cast<std::uint8_t>(modulus - 1);
  if (entries > 1) table.values[entries - 1] = 0;
  return table;
}

Bytes random_bytes(std::size_t n, int bound, std::mt19937& generator) {
  Bytes bytes(n + backend::overwritten_bytes, untouched % static_cast<unsigned>(bound));
  for (std::size_t i = 0; i < n; ++i) bytes[i] = below(bound, generator);
  return bytes;
}

/// Adds the entries one by one.
void add_one_by_one(std::vector<backend::ByteTable> const& tables, std::uint8_t& x,
                    std::uint8_t& y) {
  for (std::size_t t = 0; t < tables.size(); ++t) {
    std::uint8_t& sum = t % 2 == 0 ? x : y;
    std::uint8_t const argument = t % 2 == 0 ? y : x;
    int const value = tables[t].values[argument];
    sum = static_cast<std::uint8_t>((sum + value) % tables[t].modulus);
  }
}

/// x is below `low`, y below `high`.
template <class Lookup>
void expect_same_as_one_by_one(int low, int high, int count, std::size_t n) {
  std::mt19937 generator(static_cast<unsigned>(low * 1000 + high));
  std::vector<backend::ByteTable> tables;
  for (int t = 0; t < count; ++t) {
    tables.push_back(t % 2 == 0 ? random_table(high, low, generator)
                                : random_table(low, high, generator));
  }
  Bytes x = random_bytes(n, low, generator);
  Bytes y = random_bytes(n, high, generator);
  Bytes expected_x = x;
  Bytes expected_y = y;
  for (std::size_t i = 0; i < n; ++i) add_one_by_one(tables, expected_x[i], expected_y[i]);
  Lookup::add_alternately(tables.data(), count, x.data(), y.data(), n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(int{x[i]}, int{expected_x[i]})
        << low << " x " << high << ", " << count << " tables, byte " << i;
    ASSERT_EQ(int{y[i]}, int{expected_y[i]})
        << low << " x " << high << ", " << count << " tables, byte " << i;
  }
}

template <class Lookup>
void expect_look_ups() {
  for (int const low : {1, 2, 16, 64, 128, 256}) {
    for (int const high : {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200, 255, 256}) {
      expect_same_as_one_by_one<Lookup>(low, high, 5, 600);
    }
  }
  for (std::size_t const n : {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256, 257, 320, 321}) {
    for (int const count : {0, 1, 2, 7}) expect_same_as_one_by_one<Lookup>(32, 33, count, n);
  }
}

TEST(ByteLookupTest, Avx2LooksUpWhatALoopDoes) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  expect_look_ups<backend::detail::LookupByAvx2>();
}

TEST(ByteLookupTest, Avx512LooksUpWhatALoopDoes) {
  if (!backend::detail::has_avx512_bytes()) GTEST_SKIP() << "this processor has no AVX-512 VBMI";
  expect_look_ups<backend::detail::LookupByAvx512>();
}

#else

TEST(ByteLookupTest, IsAbsentWithoutAvx) { EXPECT_EQ(backend::most_entries_looked_up(), 0); }

#endif

}  // namespace
}  // namespace byte_lookup_test
