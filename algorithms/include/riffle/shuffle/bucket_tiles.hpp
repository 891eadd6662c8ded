#pragma once

// Functions with which a team of a GPU counts and riffles a chunk of places in BucketShuffle's tree. For modules in
// which one process owns only a part of a node (riffle/mpi).

#include <riffle/shuffle/bucket_tree.hpp>
#include <riffle/shuffle/detail/gpu/digit_tiles.hpp>
#include <riffle/shuffle/detail/gpu/riffle_gpu.hpp>
#include <riffle/shuffle/tuning.hpp>
