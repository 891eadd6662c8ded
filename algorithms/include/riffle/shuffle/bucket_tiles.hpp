#pragma once

// How a team of a GPU counts and riffles a chunk of the places of BucketShuffle's tree: for modules whose places are not
// all of a node's.

#include <riffle/shuffle/bucket_tree.hpp>
#include <riffle/shuffle/detail/gpu/riffle_gpu.hpp>
#include <riffle/shuffle/detail/gpu/tiles.hpp>
#include <riffle/shuffle/tuning.hpp>
