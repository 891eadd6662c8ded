#pragma once

// Tests whether every point moves to every position equally often. The null distribution is derived
// in nulls/position_matrix.hpp.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/position_matrix.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/parts.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/tally.hpp>
#include <riffle/uniformity/detail/test_result.hpp>

namespace riffle::detail::uniformity {

template <class Exec>
class PositionObserver : public ObserverBase<Exec> {
 public:
  PositionObserver(Exec const& exec, Parts const& blocks)
      : ObserverBase<Exec>(exec, static_cast<std::size_t>(blocks.count * blocks.count)),
        blocks_(blocks) {}

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    std::uint64_t const cells = blocks_.count * blocks_.count;
    tally(worker, sample, *this, cells, sample.n, [&](std::uint64_t i) {
      return blocks_.of(i) * blocks_.count + blocks_.of(sample.sigma[i]);
    });
  }

 private:
  Parts blocks_;
};

class PositionPlan {
 public:
  static constexpr char const* name = "positions";
  /// The maximum number of points for which each point is a block.
  static constexpr std::uint64_t max_single_points = 256;
  static constexpr std::uint64_t max_blocks = 64;

  std::string refusal;

  PositionPlan(std::uint64_t n, std::uint64_t samples)
      : samples_(samples), blocks_{n, n <= max_single_points ? n : max_blocks} {
    if (n < 2) {
      refusal = "n must be at least 2";
    } else if (samples < min_samples()) {
      refusal = concatenate("samples must be at least ", min_samples(),
                            ", for an expected count of 1 in every cell");
    }
  }

  template <class Exec>
  PositionObserver<Exec> observer(Exec const& exec) const {
    return {exec, blocks_};
  }

  TestResult evaluate(std::vector<std::uint64_t> const& counts) const {
    auto const found = position_blocks_test(counts, blocks_.lengths(), samples_);
    return chi_square_result(name, blocks_.size, samples_, found);
  }

 private:
  // If there is a single sample and each point is a block, the statistic is constant.
  std::uint64_t min_samples() const {
    std::uint64_t const cell = blocks_.shortest() * blocks_.shortest();
    std::uint64_t const fewest = (blocks_.size + cell - 1) / cell;
    return fewest < 2 ? 2 : fewest;
  }

  std::uint64_t samples_;
  Parts blocks_;
};

using PositionTest = TestOf<PositionPlan>;

}  // namespace riffle::detail::uniformity
