#pragma once

// Kernels that write the permutations and signs of replicates to the rows of Views.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/permutation_scheme/plan.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail {

template <class Matrix>
struct MatrixRow {
  Matrix const& matrix;
  std::uint64_t row;

  KOKKOS_FUNCTION auto& operator()(std::uint32_t i) const { return matrix(row, i); }
};

template <class Plan, class Permutations>
struct DrawPermutation {
  Plan plan;
  std::uint64_t seed;
  std::uint64_t first;
  Permutations permutations;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    plan.draw_permutation(seed, first + k, MatrixRow<Permutations>{permutations, k});
  }
};

template <class Exec, class Plan, class Permutations>
void draw_permutations(Context<Exec> const& context, Plan const& plan, std::uint64_t seed,
                       std::uint64_t first, Permutations const& permutations) {
  if (permutations.size() == 0) return;
  context.named("permutations")
      .for_each(permutations.extent(0),
                DrawPermutation<Plan, Permutations>{plan, seed, first, permutations});
}

/// The temporary memory of one lane. The k-th elements of all lanes are adjacent, so that accesses are coalesced.
struct LaneScratch {
  std::uint32_t* memory;
  std::uint64_t lanes;
  std::uint64_t lane;

  KOKKOS_FUNCTION std::uint32_t& operator()(std::uint32_t k) const {
    return memory[k * lanes + lane];
  }
};

template <class Plan, class Permutations>
struct RankPermutations {
  Plan plan;
  std::uint64_t first;
  Permutations permutations;
  std::uint32_t* scratch;
  std::uint64_t lanes;

  KOKKOS_FUNCTION void operator()(std::uint64_t lane) const {
    for (std::uint64_t k = lane; k < permutations.extent(0); k += lanes) {
      plan.rank_permutation(first + k, MatrixRow<Permutations>{permutations, k},
                            LaneScratch{scratch, lanes, lane});
    }
  }
};

/// Returns the number of lanes to launch: the minimum of `rows`, the number of lanes that can run at a time and the
/// number of lanes whose scratch fits in 64 MiB, but at least one.
template <class Exec>
std::uint64_t lanes_with_scratch(Exec const& exec, std::uint64_t rows, std::uint64_t scratch) {
  std::uint64_t constexpr entries = std::uint64_t{1} << 24;
  auto const at_once = static_cast<std::uint64_t>(exec.concurrency());
  std::uint64_t const in_memory = entries / std::max<std::uint64_t>(scratch, 1);
  return std::max<std::uint64_t>(1, std::min({rows, at_once, in_memory}));
}

template <class Exec, class Plan, class Permutations>
void rank_permutations(Context<Exec> const& context, Scope<Exec>& scope, Plan const& plan,
                       std::uint64_t first, Permutations const& permutations) {
  if (permutations.size() == 0) return;
  std::uint64_t const lanes =
      lanes_with_scratch(context.exec(), permutations.extent(0), plan.scratch_size());
  auto* const scratch = scope.template take<std::uint32_t>(lanes * plan.scratch_size());
  context.named("permutations")
      .for_each(lanes,
                RankPermutations<Plan, Permutations>{plan, first, permutations, scratch, lanes});
}

struct RandomSigns {
  std::uint64_t seed;

  template <class Plan>
  KOKKOS_FUNCTION std::uint32_t word(Plan const& plan, std::uint64_t r, std::uint32_t w) const {
    return plan.sign_word(seed, r, w);
  }
};

struct RankedSigns {
  template <class Plan>
  KOKKOS_FUNCTION std::uint32_t word(Plan const& plan, std::uint64_t rank, std::uint32_t w) const {
    return plan.ranked_sign_word(rank, w);
  }
};

template <class Plan, class Source, class Signs>
struct WriteSigns {
  Plan plan;
  Source source;
  std::uint64_t first;
  Signs signs;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    using Value = typename Signs::non_const_value_type;
    // Keeps the last word of signs, because the signs of neighbouring observations are mostly in the same word.
    std::uint32_t held = ~0u;
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < plan.size(); ++i) {
      bool is_flipped = false;
      if (plan.sign_units() > 0) {
        std::uint32_t const unit = plan.sign_unit(i);
        if (unit / signs_per_word != held) {
          held = unit / signs_per_word;
          word = source.word(plan, first + k, held);
        }
        is_flipped = (word >> unit % signs_per_word & 1) != 0;
      }
      signs(k, i) = static_cast<Value>(is_flipped ? -1 : 1);
    }
  }
};

template <class Exec, class Plan, class Source, class Signs>
void write_signs(Context<Exec> const& context, Plan const& plan, Source const& source,
                 std::uint64_t first, Signs const& signs) {
  if (signs.size() == 0) return;
  context.named("signs").for_each(signs.extent(0),
                                  WriteSigns<Plan, Source, Signs>{plan, source, first, signs});
}

}  // namespace riffle::detail
