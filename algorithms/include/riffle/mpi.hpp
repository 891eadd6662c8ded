#pragma once

// The calls of one device, of data that several ranks own: riffle::mpi::verb(exec, comm, views..., parameters...).
//
// A call gives the same bits as the call of one device gives for the data of all ranks, one after the other in the order
// of the ranks: for any number of ranks, however many elements each of them owns, on any back end. This room needs MPI,
// and no other knows of it: link riffle::mpi, which is there where find_package(MPI) finds one.
//   mpi/communicator.hpp  Communicator: the ranks that take part, and how data go between them
//   mpi/shuffle.hpp       shuffle_copy, shuffle, random_permutation
//   mpi/scan.hpp          inclusive_scan, exclusive_scan
//   mpi/sort.hpp          sort, sort_copy, sort_by_key
//   mpi/rank.hpp          rank, rank_unsorted
//   mpi/permute.hpp       permute; mpi/planned_permutation.hpp  PlannedPermutation, made once and applied many times
//   mpi/sample.hpp        sample
//   mpi/permutation_test.hpp, mpi/permutation_tests.hpp   tests of data that every rank has, whose replicates are divided

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/permutation_test.hpp>
#include <riffle/mpi/permutation_tests.hpp>
#include <riffle/mpi/permute.hpp>
#include <riffle/mpi/planned_permutation.hpp>
#include <riffle/mpi/rank.hpp>
#include <riffle/mpi/sample.hpp>
#include <riffle/mpi/scan.hpp>
#include <riffle/mpi/shuffle.hpp>
#include <riffle/mpi/sort.hpp>
