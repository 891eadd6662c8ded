#pragma once

// Functions for the threads of one team, which the caller's kernel calls. They use the team's scratch memory.
//
//   team/team_sort.hpp        sorts keys, alone or with values
//   primitives/team_scan.hpp  scans one value of each thread
// Sorts, partitions and permutations of 32-way banked matrices are in riffle/published/bank_conflict_free_sorting/.

#include <riffle/primitives/team_scan.hpp>
#include <riffle/team/team_sort.hpp>
