#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox.hpp>

#include "support/execution_spaces.hpp"
#include "support/kernels.hpp"

namespace philox_test {
namespace {

using riffle::Philox4x32;
using riffle::backend::Vector;
using riffle::detail::Purpose;
using riffle::detail::random_block;
using riffle::detail::random_keys;

static_assert(std::is_trivially_copyable_v<Philox4x32>);
static_assert(sizeof(Philox4x32) == 8);
static_assert(Philox4x32::rounds == 10);
static_assert(Philox4x32(0)({0, 0, 0, 0})[0] == 0x6627E8D5u, "usable in constant expressions");

struct KnownAnswer {
  std::uint64_t key;
  std::uint32_t counter[4];
  std::uint32_t words[4];
};

// Random123's kat_vectors, the three of philox4x32 with 10 rounds.
std::vector<KnownAnswer> known_answers() {
  return {
      {0, {0, 0, 0, 0}, {0x6627E8D5u, 0xE169C58Du, 0xBC57AC4Cu, 0x9B00DBD8u}},
      {0xFFFFFFFFFFFFFFFFu,
       {0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu},
       {0x408F276Du, 0x41C83B0Eu, 0xA20BC7C6u, 0x6D5451FDu}},
      {0x299F31D0A4093822u,
       {0x243F6A88u, 0x85A308D3u, 0x13198A2Eu, 0x03707344u},
       {0xD16CFE09u, 0x94FDCCEBu, 0x5001E420u, 0x24126EA1u}},
  };
}

// Returns the number of words that differ from the known answer.
struct CountWrongWords {
  KOKKOS_FUNCTION int operator()(KnownAnswer const& known) const {
    auto const words = Philox4x32(known.key)(
        {known.counter[0], known.counter[1], known.counter[2], known.counter[3]});
    int wrong = 0;
    for (int j = 0; j < 4; ++j) wrong += words[j] != known.words[j] ? 1 : 0;
    return wrong;
  }
};

struct BlockQuery {
  std::uint64_t seed;
  std::uint64_t stream;
  Purpose purpose;
  std::uint64_t index;
};

struct HashBlock {
  KOKKOS_FUNCTION std::uint64_t operator()(BlockQuery const& query) const {
    auto const block = random_block(query.seed, query.stream, query.purpose, query.index);
    std::uint64_t hash = 0;
    for (int j = 0; j < 4; ++j) hash = hash * 0x9E3779B97F4A7C15u + block[j];
    return hash;
  }
};

std::vector<BlockQuery> block_queries(std::uint64_t seed) {
  constexpr auto last = std::numeric_limits<std::uint64_t>::max();
  std::vector<BlockQuery> queries;
  for (auto const purpose :
       {Purpose::keys, Purpose::rank, Purpose::labels, Purpose::labels_redrawn}) {
    for (std::uint64_t const stream :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 24,
          std::uint64_t{1} << 32, std::uint64_t{1} << 56, std::uint64_t{1} << 63, last}) {
      for (std::uint64_t const index :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, (std::uint64_t{1} << 32) - 1,
            std::uint64_t{1} << 32, (std::uint64_t{1} << 56) - 1})
        queries.push_back({seed, stream, purpose, index});
    }
  }
  return queries;
}

// a^-1 = a^(2^30 - 1): the odd numbers modulo 2^32 are a group whose elements have orders that
// divide 2^30.
std::uint32_t inverse_modulo_2_32(std::uint32_t a) {
  std::uint32_t product = 1;
  for (int i = 0; i < 30; ++i, a *= a) product *= a;
  return product;
}

using Counter = std::array<std::uint32_t, 4>;

// Runs the ten rounds backwards.
Counter counter_of_block(std::uint64_t key, Philox4x32::Block const& block) {
  Counter x{block[0], block[1], block[2], block[3]};
  std::uint32_t const multipliers[2] = {0xD2511F53u, 0xCD9E8D57u};
  for (std::uint32_t round = 10; round-- > 0;) {
    std::uint32_t const k0 = static_cast<std::uint32_t>(key) + round * 0x9E3779B9u;
    std::uint32_t const k1 = static_cast<std::uint32_t>(key >> 32) + round * 0xBB67AE85u;
    std::uint32_t const c0 = x[3] * inverse_modulo_2_32(multipliers[0]);
    std::uint32_t const c2 = x[1] * inverse_modulo_2_32(multipliers[1]);
    auto const high0 = static_cast<std::uint32_t>(std::uint64_t{multipliers[0]} * c0 >> 32);
    auto const high1 = static_cast<std::uint32_t>(std::uint64_t{multipliers[1]} * c2 >> 32);
    x = {c0, x[0] ^ high1 ^ k0, c2, x[2] ^ high0 ^ k1};
  }
  return x;
}

TEST(Philox, GivesThePublishedKnownAnswers) {
  for (auto const& known : known_answers()) EXPECT_EQ(CountWrongWords{}(known), 0);
}

TEST(Philox, CountsAWrongWord) {
  auto known = known_answers()[1];
  known.words[2] ^= 1;
  EXPECT_EQ(CountWrongWords{}(known), 1);
}

// The upper half of every lane is filled with bits that must not matter.
TEST(Philox, TransformIsSingleBlocksSideBySide) {
  constexpr std::size_t width = Vector::width;
  for (std::uint64_t const key : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 45}) {
    std::int64_t counters[4][width], words[4][width];
    std::mt19937_64 generator(key);
    Vector vectors[4];
    for (std::size_t j = 0; j < 4; ++j) {
      for (auto& counter : counters[j]) counter = static_cast<std::int64_t>(generator());
      vectors[j] = Vector::load(counters[j]);
    }
    Philox4x32(key).transform(vectors);
    for (std::size_t j = 0; j < 4; ++j) vectors[j].store(words[j]);
    for (std::size_t lane = 0; lane < width; ++lane) {
      Philox4x32::Block counter{};
      for (std::size_t j = 0; j < 4; ++j)
        counter[j] = static_cast<std::uint32_t>(counters[j][lane]);
      auto const block = Philox4x32(key)(counter);
      for (std::size_t j = 0; j < 4; ++j)
        EXPECT_EQ(static_cast<std::uint32_t>(words[j][lane]), block[j]) << "lane " << lane;
    }
  }
}

TEST(RandomBlock, NoTwoUsesShareACounter) {
  for (std::uint64_t const seed : {std::uint64_t{0}, std::uint64_t{0xA4093822299F31D0u}}) {
    std::set<Counter> counters;
    auto const queries = block_queries(seed);
    for (auto const& query : queries) {
      counters.insert(counter_of_block(
          seed, random_block(query.seed, query.stream, query.purpose, query.index)));
    }
    EXPECT_EQ(counters.size(), queries.size());
  }
}

TEST(RandomBlock, HasTheKeyAndCounterItDocuments) {
  std::uint64_t const seed = 0x243F6A8885A308D3u;
  auto const block = random_block(seed, 0x0000000900000007u, Purpose::labels, 0x0000000500000003u);
  EXPECT_EQ(counter_of_block(seed, block), (Counter{3, 0x02000005u, 7, 9}));
}

TEST(RandomKeys, AreTheWordsOfConsecutiveBlocks) {
  std::uint64_t const seed = 99, stream = 5;
  for (int count = 0; count <= 9; ++count) {
    std::vector<std::uint32_t> keys(12, 0xDEADBEEFu);
    auto* const pointer = keys.data();
    random_keys(seed, stream, count, pointer);
    for (int i = 0; i < 12; ++i) {
      auto const block =
          random_block(seed, stream, Purpose::keys, static_cast<std::uint64_t>(i / 4));
      EXPECT_EQ(keys[static_cast<std::size_t>(i)], i < count ? block[i % 4] : 0xDEADBEEFu)
          << "key " << i << " of " << count;
    }
  }
}

TEST(RandomKeys, MatchTheReferenceProgram) {
  std::array<std::uint32_t, 6> keys{};
  auto* const pointer = keys.data();
  random_keys(0x243F6A8885A308D3u, 7, 6, pointer);
  EXPECT_EQ(keys, (std::array<std::uint32_t, 6>{0x388B67BEu, 0x79626EFFu, 0x190E4609u, 0xF42DBAEEu,
                                                0x23A6A22Cu, 0x8F1CB442u}));
}

template <class Exec>
class PhiloxInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(PhiloxInKernels, riffle::test::ExecutionSpaces, riffle::test::SpaceNames);

TYPED_TEST(PhiloxInKernels, GivesThePublishedKnownAnswers) {
  EXPECT_EQ(riffle::test::map_in_kernel<TypeParam>(CountWrongWords{}, known_answers()),
            (std::vector<int>{0, 0, 0}));
}

TYPED_TEST(PhiloxInKernels, RandomBlocksMatchTheHost) {
  auto const queries = block_queries(0x13198A2E03707344u);
  EXPECT_EQ(riffle::test::map_in_kernel<TypeParam>(HashBlock{}, queries),
            riffle::test::map_on_host(HashBlock{}, queries));
}

}  // namespace
}  // namespace philox_test
