#pragma once

// How a team of a GPU counts and riffles a chunk of a node's places in BucketShuffle's tree, for modules that have only
// some of a node's places (riffle/mpi).

#include <riffle/shuffle/bucket_tree.hpp>
#include <riffle/shuffle/detail/gpu/digit_tiles.hpp>
#include <riffle/shuffle/detail/gpu/riffle_gpu.hpp>
#include <riffle/shuffle/tuning.hpp>
