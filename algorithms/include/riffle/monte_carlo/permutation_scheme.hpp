#pragma once

// What may be exchanged under the null hypothesis: the permutations and changes of sign of the observations that leave
// their joint distribution as it is
//   [1] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith, T. E. Nichols, "Permutation inference for the general
//       linear model", NeuroImage 92 (2014), doi 10.1016/j.neuroimage.2014.01.060,
//   [2] A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols, S. M. Smith, "Multi-level block permutation",
//       NeuroImage 123 (2015), doi 10.1016/j.neuroimage.2015.05.092.
//
// riffle/monte_carlo/permutation_scheme_views.hpp fills Views with random and with all permutations and signs,
// riffle/monte_carlo/permutation_files.hpp writes them to files.

#include <cstdint>
#include <memory>
#include <vector>

#include <riffle/monte_carlo/detail/permutation_scheme/layout.hpp>
#include <riffle/random/integers.hpp>

namespace riffle {

/// A group of permutations sigma of the observations 0, ..., n - 1 and of signs s: an arrangement of data y is y*_i = s_i
/// y_sigma(i). Copies share what they hold, which never changes.
///
///     auto const scheme = PermutationScheme::within_blocks(litter).with_sign_flips();
///
/// Replicate r of a seed is a function of the two and of the object: independent and uniform in the group. Where there
/// are fewer than 2^64 - 1 arrangements, they also have ranks 0, ..., arrangements() - 1, of which rank 0 is that of the
/// data as they are.
///
/// Blocks are named by any integers. All functions throw std::invalid_argument, with the block's name, where blocks are
/// not as they must be, and where n reaches 2^31. Memory: 4 n bytes for each level of blocks; time to make one: O(n), for
/// nested blocks and equal observations O(n log n).
class PermutationScheme {
 public:
  /// Any observation for any other: n! permutations.
  static PermutationScheme free(std::uint64_t n);
  static PermutationScheme free(detail::LoseAFraction auto n) = delete;

  /// Observations change places with others of their block alone. block_of[i] is the block of observation i.
  static PermutationScheme within_blocks(std::vector<int> const& block_of);

  /// Blocks of one size change places as wholes: the k-th observation of a block, in the order of their indices, takes
  /// the place of the k-th of another.
  static PermutationScheme whole_blocks(std::vector<int> const& block_of);

  /// Blocks of one size change places, and observations inside them.
  static PermutationScheme within_and_whole_blocks(std::vector<int> const& block_of);

  /// The two observations of each pair change places or not.
  static PermutationScheme pairs(std::vector<int> const& pair_of);

  /// No observation changes its place, each its sign or not.
  static PermutationScheme sign_flips(std::uint64_t n);
  static PermutationScheme sign_flips(detail::LoseAFraction auto n) = delete;

  /// Blocks in blocks, as in [2] and in PALM's files: levels[l][i] names the block of level l that observation i is in,
  /// from the outermost level, l = 0, to the innermost; a name holds inside the block of the level before. The members of
  /// a block are its blocks of the next level, ordered by their names, and those of a block of the last level its
  /// observations, ordered by their indices. Where the block's number is positive, its members change places as wholes,
  /// and must have the same structure; where it is negative they stay where they are. The blocks of level 0 always stay:
  /// a first level of equal numbers says of the whole. One level of positive numbers is within_blocks().
  ///
  /// (PALM reads a file of one column in another way: there negative numbers are whole_blocks().)
  static PermutationScheme nested(std::vector<std::vector<int>> const& levels);

  /// The same, with the sign of each observation changed or not: errors that are independent and symmetric, besides or
  /// instead of exchangeable ([1], section "Permutations and exchangeability").
  PermutationScheme with_sign_flips() const;

  /// The same, with the signs of all observations at the places of a block changed together or not, in place of such
  /// changes that there were.
  PermutationScheme with_block_sign_flips(std::vector<int> const& block_of) const;

  /// The same, where observations of one type, those with equal rows in the design, are alike: what gives the same data
  /// to the places of each type is one arrangement, counted and enumerated once. Random replicates stay what they are.
  /// Blocks whose signs change together must then move as wholes, change places only inside, or stay.
  PermutationScheme with_equal_observations(std::vector<int> const& type_of) const;

  /// n, the number of observations.
  std::uint64_t size() const { return layout_->n; }

  /// Whether any observation can change its place.
  bool permutes() const { return !layout_->sets.empty(); }

  /// Of each observation the number of its orbit, from 0 in the order of first observations: two have one number where
  /// permutations take the one to the other's place, at once or in several steps. No permutation changes what is equal in
  /// each orbit. Signs are of no account.
  std::vector<int> orbits() const;

  /// Whether any sign can change.
  bool flips_signs() const { return layout_->sign_units > 0; }

  /// The number of arrangements, the observed one among them; 2^64 - 1 where there are that many or more.
  std::uint64_t arrangements() const { return layout_->arrangements; }

  /// What Riffle's own kernels are told.
  detail::SchemeLayout const& layout() const { return *layout_; }

 private:
  PermutationScheme(detail::SchemeLayout layout);

  static detail::SchemeLayout fixed(char const* function, std::uint64_t n);

  void check_size(char const* function, char const* name, std::vector<int> const& values) const;

  static void check_kept_sign_units(char const* function, detail::SchemeLayout const& layout);

  std::shared_ptr<detail::SchemeLayout const> layout_;
};

/// The former name of PermutationScheme.
using Exchanges [[deprecated("use riffle::PermutationScheme")]] = PermutationScheme;

}  // namespace riffle
