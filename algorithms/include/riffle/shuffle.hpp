#pragma once

// Random shuffles and samples of Views, and random permutations that are never stored.
//
//   shuffle/shuffle.hpp               shuffle, shuffle_copy, random_permutation, sample
//   shuffle/bucket_shuffle.hpp        passes that stay in cache, for many elements
//   shuffle/fisher_yates_shuffle.hpp  std::shuffle's permutation of many small arrays or rows
//   random/random_permutation.hpp     RandomPermutation, which any kernel can evaluate
// The shuffles of R. Mitchell et al. as published are in riffle/published/bijective_shuffle/.

#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle/bucket_shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/shuffle/shuffle.hpp>
