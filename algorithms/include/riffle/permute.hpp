#pragma once

// Permutations of Views, and plans for permutations that are known in advance.
//
//   permute/permute.hpp                        moves elements to stored indices, or by a plan
//   permute/gather.hpp, permute/scatter.hpp    out(i) = in(p(i)), out(p(i)) = in(i)
//   permute/scheduled_permutation.hpp          a plan that is made once and applied many times
//   permute/schedule_file.hpp                  saves plans to files, and loads them
//   permute/planned_permutation.hpp            a plan that uses the fastest of three methods for a given p
//   permute/row_permutation.hpp                permutes each row, or each column, of a matrix separately
//   permute/named_permutations.hpp             bit reversal, perfect shuffle, transpose as functions of the index
//   permute/bit_permutation.hpp                permutes the bits of the index
//   permute/affine_bit_permutation.hpp         affine maps of the bits of the index
//   permute/transpose.hpp, permute/transpose_in_place.hpp   transpose matrices
//   permute/edge_colouring.hpp                 edge colourings of regular bipartite multigraphs, used to make plans
//   permute/permutation_check.hpp              checks whether indices are a permutation
//   permute/permutation_algebra.hpp            compositions and inverses
//   permute/address_groups.hpp                 D_w(p), which measures the memory accesses of a scatter
// The schedule of Kasagi, Nakano and Ito, which permutes rows and columns, is in riffle/published/offline_permutation/.

#include <riffle/permute/address_groups.hpp>
#include <riffle/permute/affine_bit_permutation.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/edge_colouring.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/named_permutations.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/permute.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/row_permutation.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/permute/schedule_file.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/permute/transpose.hpp>
#include <riffle/permute/transpose_in_place.hpp>
