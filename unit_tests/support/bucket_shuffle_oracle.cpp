#include "support/bucket_shuffle_oracle.hpp"

#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/random/random_permutation.hpp>

#include <array>
#include <map>
#include <utility>

namespace riffle::test {

namespace {

// The values of detail::Purpose; they are part of the definition.
constexpr std::uint32_t for_digits = 4;
constexpr std::uint32_t for_leaf_seed = 5;

riffle::Philox4x32::Block random_block(std::uint64_t seed, std::uint32_t purpose,
                                       std::uint64_t stream, std::uint32_t index) {
  return riffle::Philox4x32(seed)({index, purpose << 24, static_cast<std::uint32_t>(stream),
                                   static_cast<std::uint32_t>(stream >> 32)});
}

std::uint64_t draw_leaf_seed(std::uint64_t seed) {
  auto const block = random_block(seed, for_leaf_seed, 0, 0);
  return block[0] + (std::uint64_t{block[1]} << 32);
}

/// The number of levels by the definition, for sizes that a test can allocate.
int bucket_shuffle_levels(std::uint32_t n) {
  if (n < bucket_shuffle_fewest_split) return 0;
  return n <= 1073741824 ? 1 : 2;
}

}  // namespace

BucketShuffleOracle::BucketShuffleOracle(std::uint64_t seed)
    : seed_(seed), leaf_seed_(draw_leaf_seed(seed)) {}

BucketShuffleOracle::Images BucketShuffleOracle::images(std::uint32_t n, int levels) const {
  if (levels > 0) return node(n, 0, 1, levels);
  riffle::RandomPermutation const sigma(n, seed_);
  Images images(n);
  for (std::uint32_t i = 0; i < n; ++i) images[i] = static_cast<std::uint32_t>(sigma(i));
  return images;
}

std::vector<std::uint8_t> BucketShuffleOracle::digits(std::uint32_t n, std::uint64_t node) const {
  std::vector<std::uint8_t> digits(n);
  for (std::uint32_t unit = 0; unit < n; unit += 256) {
    for (std::uint32_t lane = 0; lane < 16; ++lane) {
      auto const block = random_block(seed_, for_digits, node, unit / 16 + lane);
      std::uint32_t place = unit + lane;
      for (std::uint32_t word : {block[0], block[1], block[2], block[3]}) {
        for (int byte = 0; byte < 4; ++byte, place += 16, word /= 256) {
          if (place < n) digits[place] = static_cast<std::uint8_t>(word % 256);
        }
      }
    }
  }
  return digits;
}

std::vector<std::uint32_t> BucketShuffleOracle::part_bounds(
    std::vector<std::uint8_t> const& digits) {
  std::vector<std::uint32_t> bounds(257, 0);
  for (auto const digit : digits) ++bounds[digit + std::size_t{1}];
  for (std::size_t k = 0; k < 256; ++k) bounds[k + 1] += bounds[k];
  return bounds;
}

BucketShuffleOracle::Images BucketShuffleOracle::leaf(std::uint32_t size,
                                                      std::uint64_t node) const {
  riffle::MixedRadixFeistel const network(size, leaf_seed_, node, 8);
  Images images(size);
  for (std::uint32_t i = 0; i < size; ++i) images[i] = static_cast<std::uint32_t>(network(i));
  return images;
}

BucketShuffleOracle::Images BucketShuffleOracle::node(std::uint32_t n, std::uint32_t first,
                                                      std::uint64_t number, int levels) const {
  Images images;
  if (n == 0) return images;
  if (levels == 0) {
    images = leaf(n, number);
    for (auto& image : images) image += first;
    return images;
  }
  auto const digit_of = digits(n, number);
  auto const bounds = part_bounds(digit_of);
  std::vector<Images> children;
  for (std::size_t k = 0; k < 256; ++k) {
    children.push_back(
        node(bounds[k + 1] - bounds[k], first + bounds[k], number * 256 + k, levels - 1));
  }
  std::array<std::size_t, 256> taken{};
  for (auto const digit : digit_of) images.push_back(children[digit][taken[digit]++]);
  return images;
}

BucketShuffleOracle::Images const& bucket_shuffle_images(std::uint32_t n, std::uint64_t seed) {
  static std::map<std::pair<std::uint32_t, std::uint64_t>, BucketShuffleOracle::Images> known;
  auto const [entry, is_new] = known.try_emplace({n, seed});
  if (is_new) {
    entry->second = BucketShuffleOracle(seed).images(n, bucket_shuffle_levels(n));
  }
  return entry->second;
}

}  // namespace riffle::test
