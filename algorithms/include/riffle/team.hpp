#pragma once

// Calls for the threads of one team, in a kernel of the caller's and in its scratch memory.
//
//   team/team_sort.hpp        keys in order, alone or with their values
//   primitives/team_scan.hpp  one value of each thread, scanned
// Sorts, partitions and permutations of 32-way banked matrices are in riffle/published/bank_conflict_free_sorting/.

#include <riffle/primitives/team_scan.hpp>
#include <riffle/team/team_sort.hpp>
