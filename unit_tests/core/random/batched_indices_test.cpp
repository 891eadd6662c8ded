#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include <riffle/random/detail/index_stream.hpp>
#include <riffle/random/integers.hpp>

namespace batched_indices_test {
namespace {

using riffle::detail::draw_indices;
using riffle::detail::uint128;

/// A generator that returns these words in order, and counts them.
class Words {
 public:
  explicit Words(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  KOKKOS_FUNCTION std::uint64_t operator()() {
    std::uint64_t word = 0;
    KOKKOS_IF_ON_HOST((word = words_.at(taken_++);))
    return word;
  }
  std::size_t taken() const { return taken_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t taken_ = 0;
};

// A word stands for the fraction word / 2^64 of the product of the bounds. The indices are the digits of its whole
// part, in the mixed radix of the bounds. So the words of a whole part are consecutive. To be uniform, the same number
// of words must be accepted for each whole part: 2^64 / product, rounded down.
template <int Count>
class Bounds {
 public:
  explicit Bounds(std::uint64_t bound) : bound_(bound) {
    for (int k = 0; k < Count; ++k) product_ *= bound - static_cast<std::uint64_t>(k);
  }

  std::uint64_t product() const { return product_; }

  /// The first and the last word that stand for `whole`.
  std::uint64_t first(std::uint64_t whole) const {
    uint128 const from = (static_cast<uint128>(whole) << 64) + refused();
    return static_cast<std::uint64_t>((from + product_ - 1) / product_);
  }
  std::uint64_t last(std::uint64_t whole) const {
    uint128 const to = static_cast<uint128>(whole + 1) << 64;
    return static_cast<std::uint64_t>((to - 1) / product_);
  }
  std::uint64_t refused() const {
    return static_cast<std::uint64_t>((static_cast<uint128>(1) << 64) % product_);
  }
  std::uint64_t words_of_each() const {
    return static_cast<std::uint64_t>((static_cast<uint128>(1) << 64) / product_);
  }

  void expect_digits(std::uint64_t word, std::uint64_t whole) const {
    Words words({word});
    std::uint64_t indices[Count];
    draw_indices(words, bound_, indices);
    std::uint64_t rest = whole;
    for (int k = Count; k-- > 0;) {
      std::uint64_t const below = bound_ - static_cast<std::uint64_t>(k);
      EXPECT_EQ(indices[k], rest % below) << "bound " << bound_ << ", word " << word << ", " << k;
      rest /= below;
    }
  }

  void expect_refused(std::uint64_t word) const {
    Words words({word, word, ~std::uint64_t{0}});  // the last word is never refused
    std::uint64_t indices[Count];
    draw_indices(words, bound_, indices);
    EXPECT_EQ(words.taken(), 3u) << "bound " << bound_ << ", word " << word;
  }

 private:
  std::uint64_t bound_;
  std::uint64_t product_ = 1;
};

template <int Count>
void check(std::uint64_t bound) {
  Bounds<Count> const bounds(bound);
  std::mt19937_64 generator(bound);
  std::vector<std::uint64_t> wholes{0, 1, bounds.product() / 2, bounds.product() - 1};
  for (int i = 0; i < 20; ++i) wholes.push_back(generator() % bounds.product());
  for (std::uint64_t const whole : wholes) {
    std::uint64_t const first = bounds.first(whole);
    ASSERT_EQ(bounds.last(whole) - first + 1, bounds.words_of_each()) << "the oracle itself";
    bounds.expect_digits(first, whole);
    bounds.expect_digits(bounds.last(whole), whole);
    bool const has_refused = first > 0 && (whole == 0 || bounds.last(whole - 1) != first - 1);
    if (has_refused) bounds.expect_refused(first - 1);
  }
}

TEST(BatchedIndices, EachTupleHasTheSameNumberOfWords) {
  for (std::uint64_t const bound : {2ull, 3ull, 7ull, 1ull << 31, (1ull << 63) - 25, 1ull << 63}) {
    check<1>(bound);
  }
  for (std::uint64_t const bound : {3ull, 10ull, (1ull << 19) + 1, 1ull << 30}) check<2>(bound);
  for (std::uint64_t const bound : {4ull, (1ull << 14) + 1, 1ull << 19}) check<3>(bound);
  for (std::uint64_t const bound : {5ull, (1ull << 11) + 1, 1ull << 14}) check<4>(bound);
  for (std::uint64_t const bound : {6ull, 513ull, 1ull << 11}) check<5>(bound);
  for (std::uint64_t const bound : {7ull, 100ull, 512ull, 1200ull}) check<6>(bound);
}

}  // namespace
}  // namespace batched_indices_test
