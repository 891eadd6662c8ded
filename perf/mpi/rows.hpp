#pragma once

namespace perf {

class Ranks;

// Functions that register the rows of perf_mpi; main.cpp says what they measure.
void register_exchange(Ranks& ranks);
void register_shuffle(Ranks& ranks);
void register_permutation(Ranks& ranks);
void register_scan(Ranks& ranks);
void register_sort(Ranks& ranks);
void register_sort_by_key(Ranks& ranks);
void register_rank(Ranks& ranks);
void register_permute(Ranks& ranks);
void register_permutation_test(Ranks& ranks);
void register_permutation_tests(Ranks& ranks);

}  // namespace perf
