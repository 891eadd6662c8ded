#pragma once

// Sorts. This header includes:
//
//     sort/sort.hpp         sort, sort_copy: values
//     sort/sort_by_key.hpp  sort_by_key: keys, and rows of other Views with them
//     sort/argsort.hpp      argsort: the indices of the sorted elements
//     sort/key_value.hpp    KeyValue: a key with a value, compared by the key
//
// Partitions by a predicate or by labels are in riffle/partition.hpp, sorts inside kernels in
// riffle/team.hpp.

#include <riffle/sort/argsort.hpp>
#include <riffle/sort/key_value.hpp>
#include <riffle/sort/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>
