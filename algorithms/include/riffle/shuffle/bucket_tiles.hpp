#pragma once

// How a team of a GPU counts and riffles a chunk of the places of BucketShuffle's tree: for rooms whose places are not
// all of a node's.

#include <riffle/shuffle/bucket_tree.hpp>
#include <riffle/shuffle/detail/bucket/gpu/level.hpp>
#include <riffle/shuffle/detail/bucket/gpu/team_count.hpp>
#include <riffle/shuffle/detail/bucket/gpu/team_riffle.hpp>
#include <riffle/shuffle/tuning.hpp>
