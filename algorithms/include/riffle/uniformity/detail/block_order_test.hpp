#pragma once

// Tests whether all orders of the values at a few neighbouring positions occur equally often. This
// is the permutation test of D. E. Knuth, "The Art of Computer Programming" 2, section 3.3.2, with
// the values of a permutation instead of random numbers.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/random/lehmer.hpp>
#include <riffle/uniformity/detail/nulls/chi_square.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/tally.hpp>
#include <riffle/uniformity/detail/test_result.hpp>

namespace riffle::detail::uniformity {

/// Returns the rank of the order of row[begin], ..., row[begin + Length - 1] among all Length!
/// orders.
template <int Length>
KOKKOS_FUNCTION std::uint64_t rank_of_order(Row const& row, std::uint64_t begin) {
  std::uint64_t rank = 0;
  for (std::uint64_t i = 0; i < Length; ++i) {
    std::uint64_t smaller = 0;
    for (std::uint64_t j = i + 1; j < Length; ++j) smaller += row[begin + j] < row[begin + i];
    rank = rank * (Length - i) + smaller;
  }
  return rank;
}

template <class Exec, int Length>
struct BlockOrderObserver : ObserverBase<Exec> {
  explicit BlockOrderObserver(Exec const& exec)
      : ObserverBase<Exec>(exec, static_cast<std::size_t>(factorial(Length))) {}

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    tally(worker, sample, *this, factorial(Length), sample.n / Length,
          [&](std::uint64_t block) { return rank_of_order<Length>(sample.sigma, Length * block); });
  }
};

/// For uniform permutations, the order of each block is uniform, and the orders of disjoint blocks
/// are independent.
template <int Length>
class BlockOrderPlan {
 public:
  static_assert(2 <= Length && Length <= 9);
  static constexpr char text[] = {
      'o', 'r', 'd', 'e', 'r', 's', ' ', 'o', 'f', ' ', static_cast<char>('0' + Length), ' ', 'n',
      'e', 'i', 'g', 'h', 'b', 'o', 'u', 'r', 's', '\0'};
  static constexpr char const* name = text;

  std::string refusal;

  BlockOrderPlan(std::uint64_t n, std::uint64_t samples) : n_(n), samples_(samples) {
    if (n < Length) {
      refusal = concatenate("n must be at least ", Length);
    } else if (samples < min_samples()) {
      refusal =
          concatenate("samples must be at least ", min_samples(), ", for 5 ", Length, "! blocks");
    }
  }

  template <class Exec>
  BlockOrderObserver<Exec, Length> observer(Exec const& exec) const {
    return BlockOrderObserver<Exec, Length>(exec);
  }

  TestResult evaluate(std::vector<std::uint64_t> const& counts) const {
    auto const equal = block_order_distribution(Length).probabilities;
    return chi_square_result(name, n_, samples_, chi_square_p(counts, equal));
  }

 private:
  std::uint64_t min_samples() const {
    std::uint64_t const blocks = n_ / Length;
    return (5 * factorial(Length) + blocks - 1) / blocks;
  }

  std::uint64_t n_;
  std::uint64_t samples_;
};

template <int Length>
using BlockOrderTest = TestOf<BlockOrderPlan<Length>>;

}  // namespace riffle::detail::uniformity
