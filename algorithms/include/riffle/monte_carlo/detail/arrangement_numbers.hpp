#pragma once

// All permutation tests share this code: checks of options and sizes, the numbering of arrangements, and tolerances for
// ties.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/random/lehmer.hpp>
#include <riffle/random/random_permutation.hpp>

namespace riffle::detail {

/// Throws unless the options are valid for a permutation test.
inline void check_options(char const* function, std::uint64_t replicates, Alternative alternative,
                          bool has_one_tail) {
  check(replicates > 0, function, "options.replicates = 0: must be at least 1");
  check(alternative == Alternative::less || alternative == Alternative::greater ||
            alternative == Alternative::two_sided || alternative == Alternative::two_sided_doubled,
        function, "options.alternative = ", static_cast<int>(alternative),
        ": must be less, greater, two_sided or two_sided_doubled");
  bool const is_greater =
      alternative == Alternative::greater || alternative == Alternative::two_sided;
  check(!has_one_tail || is_greater, function,
        "options.alternative = ", alternative == Alternative::less ? "less" : "two_sided_doubled",
        ": the statistic has one tail, greater");
}

/// Returns the p-value if `count` (b) of `replicates` (m) replicates are at least as extreme as the data: b / m if all
/// arrangements were enumerated, (b + 1) / (m + 1) if they were random (B. Phipson, G. K. Smyth, Stat. Appl. Genet.
/// Mol. Biol. 9, 2010).
KOKKOS_INLINE_FUNCTION double p_of_count(std::uint64_t count, std::uint64_t replicates,
                                         bool is_exact) {
  double const added = is_exact ? 0 : 1;
  return (static_cast<double>(count) + added) / (static_cast<double>(replicates) + added);
}

inline void check_sizes(char const* function, std::uint64_t n) {
  check(n < std::uint64_t{1} << 31, function, "n = ", n, " values: must be less than 2^31");
}

// Tolerances for ties. The sums are exact, but two statistics that are equal in exact arithmetic may differ for two
// reasons. First, rounding in the formula causes an error proportional to the statistic; tie_epsilon allows for this
// error, with the same factor 100 as SciPy's permutation_test. Second, rounding of the data changes each mean by up to
// half an epsilon times the largest value; data_epsilon allows for this error.
inline constexpr double tie_epsilon = 100 * std::numeric_limits<double>::epsilon();
inline constexpr double data_epsilon = 4 * std::numeric_limits<double>::epsilon();

/// Returns n!, or 0 if n! exceeds `limit` or n exceeds max_ranked_size.
inline std::uint64_t count_permutations(std::uint64_t n, std::uint64_t limit) {
  if (n > max_ranked_size) return 0;
  std::uint64_t const count = factorial(static_cast<int>(n));
  return count <= limit ? count : 0;
}

/// Defines the arrangement of replicate r. If `arrangements` is 0, it is the random arrangement for (seed, r);
/// otherwise it is the arrangement with rank r among all `arrangements` arrangements.
struct Numbering {
  std::uint64_t seed;
  std::uint64_t arrangements;

  KOKKOS_FUNCTION bool is_exact() const { return arrangements > 0; }

  KOKKOS_FUNCTION RandomPermutation permutation(std::uint64_t n, std::uint64_t r) const {
    return is_exact() ? RandomPermutation::from_rank(n, r < arrangements ? r : 0)
                      : RandomPermutation(n, seed, r);
  }
};

}  // namespace riffle::detail
