#pragma once

// Functions that all threads of a team call inside the caller's kernel. They use the team's scratch
// memory.
//
//   team/team_shuffle.hpp     shuffles items, writes a random permutation
//   team/team_sort.hpp        sorts keys, alone or with values
//   primitives/team_scan.hpp  scans one value per thread
// riffle/published/bank_conflict_free_sorting/ has sorts, partitions and permutations of 32-way
// banked matrices.

#include <riffle/primitives/team_scan.hpp>
#include <riffle/team/team_shuffle.hpp>
#include <riffle/team/team_sort.hpp>
