#pragma once

// Algorithms on data that is distributed over the ranks of an MPI communicator. A call has the form
// riffle::mpi::verb(exec, comm, views..., parameters...).
//
// The global data is the concatenation of the data of all ranks, in the order of the ranks. For any
// number of ranks, any distribution of the elements and any back end, the result of a call is
// bitwise identical to the result of the call on one device for the global data. Only this module
// needs MPI. To use it, link the target riffle::mpi, which exists if find_package(MPI) finds an
// MPI.
//   mpi/communicator.hpp  Communicator: the ranks that take part, and how data is sent between them
//   mpi/shuffle.hpp       shuffle_copy, shuffle, random_permutation
//   mpi/scan.hpp          inclusive_scan, exclusive_scan
//   mpi/sort.hpp          sort, sort_copy, sort_by_key
//   mpi/rank.hpp          rank, rank_unsorted
//   mpi/permute.hpp       permute; mpi/planned_permutation.hpp  PlannedPermutation, made once and applied many times
//   mpi/sample.hpp        sample
//   mpi/permutation_test.hpp, mpi/permutation_tests.hpp, mpi/linear_model_tests.hpp   permutation tests: every rank
//                         stores all data, and the ranks divide the replicates

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/linear_model_tests.hpp>
#include <riffle/mpi/permutation_test.hpp>
#include <riffle/mpi/permutation_tests.hpp>
#include <riffle/mpi/permute.hpp>
#include <riffle/mpi/planned_permutation.hpp>
#include <riffle/mpi/rank.hpp>
#include <riffle/mpi/sample.hpp>
#include <riffle/mpi/scan.hpp>
#include <riffle/mpi/shuffle.hpp>
#include <riffle/mpi/sort.hpp>
