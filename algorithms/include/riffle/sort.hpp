#pragma once

// Sorts.
//
//   sort/sort.hpp         values in order
//   sort/sort_by_key.hpp  keys in order, and the rows of other Views with them
//   sort/argsort.hpp      the order alone, as indices
//   sort/key_value.hpp    a pair that is compared by its key
// Rows by a predicate or by their labels: riffle/partition.hpp. In a kernel: riffle/team.hpp.

#include <riffle/sort/argsort.hpp>
#include <riffle/sort/key_value.hpp>
#include <riffle/sort/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>
