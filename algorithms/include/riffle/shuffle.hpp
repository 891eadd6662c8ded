#pragma once

// Random shuffles and samples of Views, and random permutations that are computed, not stored.
//
//   shuffle/shuffle.hpp               shuffle, shuffle_copy, random_permutation, sample, BucketShuffle
//   shuffle/fisher_yates_shuffle.hpp  the Fisher-Yates shuffle by one thread, for small arrays
//   shuffle/resample.hpp              bootstrap_indices, sample_segments
//   random/random_permutation.hpp     RandomPermutation, which any kernel can evaluate
// riffle/published/bijective_shuffle/ has the shuffles of R. Mitchell et al. as published.

#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/shuffle/resample.hpp>
#include <riffle/shuffle/shuffle.hpp>
