#pragma once

// Tiles of the places of BucketShuffle's tree, and how a team of a GPU ranks those of a tile by their digits: for rooms
// whose places are not all of a node's.

#include <riffle/shuffle/bucket_tree.hpp>
#include <riffle/shuffle/detail/bucket/gpu/level.hpp>
#include <riffle/shuffle/detail/bucket/gpu/ranks.hpp>
