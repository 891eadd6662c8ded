#pragma once

// A permutation scheme is the set of permutations and sign changes of the observations that leave their joint
// distribution unchanged under the null hypothesis:
//   [1] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith, T. E. Nichols, "Permutation inference for the general
//       linear model", NeuroImage 92 (2014), doi 10.1016/j.neuroimage.2014.01.060,
//   [2] A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols, S. M. Smith, "Multi-level block permutation",
//       NeuroImage 123 (2015), doi 10.1016/j.neuroimage.2015.05.092.
//
// riffle/monte_carlo/permutation_scheme_views.hpp writes random or all permutations and signs of a scheme to Views;
// riffle/monte_carlo/permutation_files.hpp writes such Views to files.

#include <cstdint>
#include <memory>
#include <vector>

#include <riffle/monte_carlo/detail/permutation_scheme/layout.hpp>
#include <riffle/random/integers.hpp>

namespace riffle {

/// A group of permutations sigma and signs s of the observations 0, ..., n - 1. Applied to data y, they give the
/// arrangement y*_i = s_i y_sigma(i). The object is immutable; copies share its memory.
///
///     auto const scheme = PermutationScheme::within_blocks(litter).with_sign_flips();
///
/// Replicate r is a function of r, the seed and the scheme. Replicates are independent and uniformly distributed over
/// the group. If there are fewer than 2^64 - 1 arrangements, they are also numbered by ranks 0, ..., arrangements() -
/// 1; rank 0 is the observed arrangement.
///
/// Any integers can be the names of blocks. Throws: all functions throw std::invalid_argument if blocks are invalid
/// (the message gives the name of the block) or if n >= 2^31. Memory: 4 n bytes for each level of blocks. Complexity:
/// O(n) to make a scheme; O(n log n) with nested blocks or equal observations.
class PermutationScheme {
 public:
  /// Returns the scheme of all n! permutations.
  static PermutationScheme free(std::uint64_t n);
  static PermutationScheme free(detail::LoseAFraction auto n) = delete;

  /// Returns the scheme in which observations change places within their block. block_of[i] is the block of observation
  /// i.
  static PermutationScheme within_blocks(std::vector<int> const& block_of);

  /// Returns the scheme in which whole blocks of equal size change places: if a block moves to the place of another,
  /// its observation with the k-th smallest index moves to the k-th smallest index of the other block.
  static PermutationScheme whole_blocks(std::vector<int> const& block_of);

  /// Returns the scheme in which whole blocks of equal size change places, and observations change places within their
  /// block.
  static PermutationScheme within_and_whole_blocks(std::vector<int> const& block_of);

  /// Returns the scheme in which the two observations of each pair may be swapped.
  static PermutationScheme pairs(std::vector<int> const& pair_of);

  /// Returns the scheme in which observations keep their places, and each sign may change independently.
  static PermutationScheme sign_flips(std::uint64_t n);
  static PermutationScheme sign_flips(detail::LoseAFraction auto n) = delete;

  /// Returns the scheme of nested blocks, as in [2] and in PALM's files. levels[l][i] is the name of the block of level
  /// l that contains observation i. Level 0 is the outermost; a name needs to be unique only within the enclosing
  /// block. The members of a block are the blocks of the next level that it contains, ordered by name; the members of a
  /// block of the last level are its observations, ordered by index.
  ///
  /// The sign of a block's name says whether its members change places. If the name is positive, they change places as
  /// wholes, and must have the same structure; if it is negative, they keep their places. The blocks of level 0
  /// themselves always keep their places: to let them change places, add a level before them in which all observations
  /// have the same positive name. One level of positive names is within_blocks().
  ///
  /// (PALM treats a file with one column differently: negative names in it mean whole_blocks().)
  static PermutationScheme nested(std::vector<std::vector<int>> const& levels);

  /// Returns this scheme, extended by sign changes: the sign of each observation may change independently. This
  /// requires errors that are independent and symmetric ([1], section "Permutations and exchangeability"). Replaces
  /// earlier sign changes of the scheme.
  PermutationScheme with_sign_flips() const;

  /// Returns this scheme, extended by sign changes of blocks: the signs at all positions of a block change together,
  /// and blocks change independently. Replaces earlier sign changes of the scheme.
  PermutationScheme with_block_sign_flips(std::vector<int> const& block_of) const;

  /// Returns this scheme with interchangeable observations. Observations of one type are interchangeable, for example
  /// because they have equal rows in the design. Arrangements that assign the same data to the positions of each type
  /// count as one arrangement, and are enumerated once. Random replicates do not change. Requires: each block whose
  /// signs change together moves as a whole, contains all observations that its observations change places with, or
  /// keeps its place.
  PermutationScheme with_equal_observations(std::vector<int> const& type_of) const;

  /// Returns n, the number of observations.
  std::uint64_t size() const { return layout_->n; }

  /// Returns whether any observation can change its place.
  bool permutes() const { return !layout_->sets.empty(); }

  /// Returns the orbit of each observation. Two observations are in one orbit if a permutation of the scheme moves one
  /// to the place of the other; signs are ignored. Orbits are numbered from 0 in the order of their first observations.
  /// No permutation changes a column of values that is constant in each orbit.
  std::vector<int> orbits() const;

  /// Returns whether any sign can change.
  bool flips_signs() const { return layout_->sign_units > 0; }

  /// Returns the number of arrangements, including the observed one; 2^64 - 1 if there are that many or more.
  std::uint64_t arrangements() const { return layout_->arrangements; }

  /// Returns the representation of the scheme for kernels.
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
