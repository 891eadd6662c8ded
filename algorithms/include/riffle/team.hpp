#pragma once

// Calls for the threads of one team, in a kernel of the caller's and in its scratch memory.
//
//   team/team_sort.hpp               keys in order, alone or with their values
//   primitives/team_scan.hpp         one value of each thread, scanned
//
// Calls on 32-way banked matrices, without a single bank conflict whatever the data (P. Afshani, N. Sitchinava,
// "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391):
//   team/team_matrix_sort.hpp        elements in order
//   team/team_matrix_conversion.hpp  from row-major to column-major order, and back
//   team/team_partition.hpp          each item to the row that its label says
//   team/team_permute.hpp            each item to the place that its label says, or that was known beforehand
//   team/published/                  Lemmas 1 and 2 step by step as published, for comparison; no call here needs them

#include <riffle/primitives/team_scan.hpp>
#include <riffle/team/team_matrix_conversion.hpp>
#include <riffle/team/team_matrix_sort.hpp>
#include <riffle/team/team_partition.hpp>
#include <riffle/team/team_permute.hpp>
#include <riffle/team/team_sort.hpp>
