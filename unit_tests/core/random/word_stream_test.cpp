#include <gtest/gtest.h>

#include <cstdint>

#include <riffle/random/detail/index_stream.hpp>
#include <riffle/random/philox.hpp>

namespace word_stream_test {
namespace {

using riffle::detail::Purpose;

TEST(WordStream, HasTheHalvesOfTheBlocksInTheirOrder) {
  for (std::uint64_t const seed : {std::uint64_t{0}, std::uint64_t{0x123456789ABCDEF0u}}) {
    for (std::uint64_t const stream : {std::uint64_t{1}, ~std::uint64_t{0} - 5}) {
      riffle::detail::WordStream one(seed, stream, Purpose::fisher_yates);
      riffle::detail::VectorWordStream many(seed, stream, Purpose::fisher_yates);
      for (std::uint64_t block = 0; block < 70; ++block) {
        auto const words = riffle::detail::random_block(seed, stream, Purpose::fisher_yates, block);
        for (int half = 0; half < 2; ++half) {
          std::uint64_t const expected =
              words[2 * half] + (std::uint64_t{words[2 * half + 1]} << 32);
          EXPECT_EQ(one(), expected) << block;
          EXPECT_EQ(many(), expected) << block;
        }
      }
    }
  }
}

}  // namespace
}  // namespace word_stream_test
