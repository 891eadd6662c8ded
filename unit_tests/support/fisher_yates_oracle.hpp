#pragma once

// The shuffle of riffle/random/fisher_yates.hpp by its definition, one index at a time.

#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::test {

class FisherYatesOracle {
 public:
  FisherYatesOracle(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::vector<std::uint64_t> sigma(std::uint64_t n) {
    std::vector<std::uint64_t> items(n);
    for (std::uint64_t i = 0; i < n; ++i) items[i] = i;
    while (n > 1) {
      std::uint64_t const count = n > 6 ? batch(n) : 1;
      std::vector<std::uint64_t> const indices = draw(n, count);
      for (std::uint64_t const index : indices) std::swap(items[--n], items[index]);
    }
    return items;
  }

 private:
  static std::uint64_t batch(std::uint64_t n) {
    std::uint64_t const most[] = {1ull << 9, 1ull << 11, 1ull << 14, 1ull << 19, 1ull << 30};
    std::uint64_t count = 6;
    for (std::uint64_t const bound : most) count -= n > bound ? 1 : 0;
    return count;
  }

  // Word w gives several indices: it is a fixed-point fraction, which is multiplied by the product of their bounds.
  std::vector<std::uint64_t> draw(std::uint64_t n, std::uint64_t count) {
    detail::uint128 product = 1;
    for (std::uint64_t k = 0; k < count; ++k) product *= n - k;
    detail::uint128 const rejected = (detail::uint128{1} << 64) % product;
    detail::uint128 scaled;
    do {
      scaled = product * word();
    } while (static_cast<std::uint64_t>(scaled) < rejected);
    auto whole = static_cast<std::uint64_t>(scaled >> 64);
    std::vector<std::uint64_t> indices(count);
    for (std::uint64_t k = count; k-- > 0; whole /= n - k) indices[k] = whole % (n - k);
    return indices;
  }

  std::uint64_t word() {
    auto const block =
        detail::random_block(seed_, stream_, detail::Purpose::fisher_yates, drawn_ / 2);
    int const half = static_cast<int>(drawn_++ % 2);
    return block[2 * half] + (std::uint64_t{block[2 * half + 1]} << 32);
  }

  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t drawn_ = 0;
};

}  // namespace riffle::test
