// A user's source, compiled with more warnings than Riffle's own programs: Riffle's headers must not cause any.
// It is compiled, not run.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/partition.hpp>
#include <riffle/permute.hpp>
#include <riffle/permute/bit_permutation.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/permute/schedule_file.hpp>
#include <riffle/permute/transpose.hpp>
#include <riffle/permute/transpose_in_place.hpp>
#include <riffle/published/bijective_shuffle/bijective_shuffle.hpp>
#include <riffle/rank/rank_and_count_ties.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/uniformity/uniformity_battery.hpp>
#include <riffle/view_pack.hpp>

namespace consumer {

using Exec = Kokkos::DefaultExecutionSpace;
using Values = Kokkos::View<double*>;
using Indices = Kokkos::View<int*>;
using Matrix = Kokkos::View<double**>;

void shuffles(Exec const& exec, Values const& x, Values const& y, Indices const& p) {
  riffle::shuffle(exec, x, 1);
  riffle::shuffle_copy(exec, riffle::pack(x, p), riffle::pack(y, p), 1);
  riffle::shuffle(exec, x, 1, riffle::FisherYates{});
  riffle::random_permutation(exec, p, 1);
  riffle::sample(exec, 1000, p, 1);
}

void moves(Exec const& exec, Values const& x, Values const& y, Indices const& p, Matrix const& a,
           Matrix const& b) {
  riffle::gather_if_valid(exec, x, p, y);
  riffle::scatter_if_permutation(exec, x, p, y);
  riffle::permute(exec, x, riffle::PlannedPermutation<Exec>(exec, p), y);
  riffle::permute_bits(exec, x, y, riffle::BitPermutation::bit_reversal(3));
  riffle::transpose(exec, a, b);
  riffle::transpose_in_place(exec, x, 3, 4);
  riffle::partition_by_label(exec, x, p, y, p);
}

void sorts_and_scans(Exec const& exec, Values const& x, Values const& y, Indices const& p,
                     Matrix const& a, Matrix const& b) {
  riffle::inclusive_scan(exec, x, y);
  riffle::exclusive_scan(exec, p, p);
  riffle::sort(exec, x);
  riffle::sort_by_key(exec, x, y);
  riffle::argsort(exec, x, p);
  riffle::rank_unsorted(exec, x, p);
  riffle::rank_unsorted_groups(exec, p, x, y);
  riffle::rank_unsorted_rows(exec, a, b);
}

double tests(Exec const& exec, Values const& x, Values const& y) {
  return riffle::permutation_test(exec, riffle::MannWhitneyU{}, x, y).p_value();
}

}  // namespace consumer
