#pragma once

// A permutation scheme: the permutations and sign changes of the observations that leave their joint distribution
// unchanged under the null hypothesis
//   [1] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith, T. E. Nichols, "Permutation inference for the general
//       linear model", NeuroImage 92 (2014), doi 10.1016/j.neuroimage.2014.01.060,
//   [2] A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols, S. M. Smith, "Multi-level block permutation",
//       NeuroImage 123 (2015), doi 10.1016/j.neuroimage.2015.05.092.
//
// riffle/monte_carlo/permutation_scheme_views.hpp writes random or all permutations and signs of a scheme to Views,
// riffle/monte_carlo/permutation_files.hpp writes them to files.

#include <cstdint>
#include <memory>
#include <vector>

#include <riffle/monte_carlo/detail/permutation_scheme/layout.hpp>
#include <riffle/random/integers.hpp>

namespace riffle {

/// A group of permutations sigma of the observations 0, ..., n - 1, with signs s. The arrangement of data y by sigma
/// and s is y*_i = s_i y_sigma(i). The object is immutable; copies share its memory.
///
///     auto const scheme = PermutationScheme::within_blocks(litter).with_sign_flips();
///
/// Replicate r of a seed is a function of r, the seed and the scheme. Replicates are independent and uniform in the
/// group. If there are fewer than 2^64 - 1 arrangements, they also have ranks 0, ..., arrangements() - 1; rank 0 is the
/// observed arrangement.
///
/// Blocks are named by any integers. Throws: all functions throw std::invalid_argument, with the name of the block, if
/// blocks are invalid, and if n >= 2^31. Memory: 4 n bytes for each level of blocks. Complexity: O(n) to make a scheme;
/// O(n log n) with nested blocks or equal observations.
class PermutationScheme {
 public:
  /// Returns the scheme of all n! permutations.
  static PermutationScheme free(std::uint64_t n);
  static PermutationScheme free(detail::LoseAFraction auto n) = delete;

  /// Returns the scheme in which observations change places within their block. block_of[i] is the block of observation
  /// i.
  static PermutationScheme within_blocks(std::vector<int> const& block_of);

  /// Returns the scheme in which blocks, all of one size, change places as wholes: the k-th observation of a block, in
  /// the order of indices, takes the place of the k-th of another.
  static PermutationScheme whole_blocks(std::vector<int> const& block_of);

  /// Returns the scheme in which blocks, all of one size, change places, and observations change places inside them.
  static PermutationScheme within_and_whole_blocks(std::vector<int> const& block_of);

  /// Returns the scheme in which the two observations of each pair may be swapped.
  static PermutationScheme pairs(std::vector<int> const& pair_of);

  /// Returns the scheme in which each observation keeps its place, and its sign may change.
  static PermutationScheme sign_flips(std::uint64_t n);
  static PermutationScheme sign_flips(detail::LoseAFraction auto n) = delete;

  /// Returns the scheme of blocks inside blocks, as in [2] and in PALM's files. levels[l][i] names the block of level l
  /// that contains observation i, from the outermost level, l = 0, to the innermost; a name identifies a block within
  /// the block of the level before. The members of a block are its blocks of the next level, ordered by name; the
  /// members of a block of the last level are its observations, ordered by index. If the number of a block is positive,
  /// its members change places as wholes, and must have the same structure; if it is negative, they keep their places.
  /// The blocks of level 0 themselves always keep their places; to permute all data as one block, begin with a level of
  /// equal numbers. One level of positive numbers is within_blocks().
  ///
  /// (PALM reads a file of one column differently: there negative numbers are whole_blocks().)
  static PermutationScheme nested(std::vector<std::vector<int>> const& levels);

  /// Returns this scheme with sign changes of each observation: for errors that are independent and symmetric, in
  /// addition to or instead of exchangeable ([1], section "Permutations and exchangeability").
  PermutationScheme with_sign_flips() const;

  /// Returns this scheme with sign changes by block: the signs of all observations at the places of a block change
  /// together. They replace earlier sign changes of the scheme.
  PermutationScheme with_block_sign_flips(std::vector<int> const& block_of) const;

  /// Returns this scheme, in which observations of one type (those with equal rows of the design) are interchangeable:
  /// arrangements that give the same data to the places of each type are one arrangement, which is counted and
  /// enumerated once. Random replicates do not change. Blocks whose signs change together must then move as wholes,
  /// change places only inside, or stay.
  PermutationScheme with_equal_observations(std::vector<int> const& type_of) const;

  /// Returns n, the number of observations.
  std::uint64_t size() const { return layout_->n; }

  /// Returns whether any observation can change its place.
  bool permutes() const { return !layout_->sets.empty(); }

  /// Returns the orbit of each observation, numbered from 0 in the order of first observations. Two observations are in
  /// one orbit if a permutation of the scheme takes one to the place of the other. A function of the observations that
  /// is constant in each orbit is not changed by any permutation. Signs are ignored.
  std::vector<int> orbits() const;

  /// Returns whether any sign can change.
  bool flips_signs() const { return layout_->sign_units > 0; }

  /// Returns the number of arrangements, including the observed one; 2^64 - 1 if there are that many or more.
  std::uint64_t arrangements() const { return layout_->arrangements; }

  /// Returns the form of the scheme that kernels use.
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
