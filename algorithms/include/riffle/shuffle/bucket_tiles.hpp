#pragma once

// Counting and riffling of a chunk of a node of BucketShuffle's tree by a team of a GPU. For modules in which one
// process owns only a part of a node (riffle/mpi).

#include <riffle/shuffle/bucket_tree.hpp>
#include <riffle/shuffle/detail/gpu/digit_tiles.hpp>
#include <riffle/shuffle/detail/gpu/riffle_gpu.hpp>
#include <riffle/shuffle/tuning.hpp>
