#pragma once

// All passes of a plan, and where they take an element.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/pass.hpp>

namespace riffle::detail::schedule {

/// A plan for n > 0 elements: a pass for each level, and the last one.
template <class Memory>
struct Plan {
  Tiles tiles;
  std::vector<Pass<Memory>> passes;

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (auto const& pass : passes) sum += pass.bytes();
    return sum;
  }
};

/// A GPU's plan as a function, in kernels.
template <class Memory>
class PlanFunction {
 public:
  /// Enough for more elements than addresses have bits.
  static constexpr int max_passes = 8;

  explicit PlanFunction(Plan<Memory> const& plan) : count_(static_cast<int>(plan.passes.size())) {
    for (int k = 0; k < count_; ++k) passes_[k] = plan.passes[static_cast<std::size_t>(k)];
  }

  /// Where element i goes. Takes some reads at random for each pass.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    for (int k = 0; k < count_; ++k) i = place(passes_[k], i);
    return i;
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t place(Pass<Memory> const& pass, std::uint64_t i) {
    std::uint64_t const tile = i >> pass.tiles.bits;
    std::uint32_t const position = pass.order(i);
    if (!pass.has_runs()) return pass.tiles.begin(tile) + position;
    Heads const heads = pass.heads(tile * pass.heads_per_tile() + position / backend::width);
    std::uint32_t const run = heads.run(static_cast<int>(position % backend::width));
    return position + pass.offsets(tile * pass.runs_per_tile + run);
  }

  int count_;
  Pass<Memory> passes_[max_passes];
};

}  // namespace riffle::detail::schedule
