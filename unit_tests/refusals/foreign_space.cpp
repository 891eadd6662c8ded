// Calls for an execution space that Riffle has no kernels for: none compiles, each is refused in words. Without
// RIFFLE_REFUSED_CALLS only those for the host are there, which compile beside such a space.

#include <riffle_headers.hpp>

#include <cstdint>

#include "foreign_space.hpp"

namespace riffle::test {

using Numbers = Kokkos::View<double*, Kokkos::HostSpace>;
using Indices = Kokkos::View<std::uint32_t*, Kokkos::HostSpace>;
using Matrix = Kokkos::View<double**, Kokkos::HostSpace>;

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(double value) const { return value > 0; }
};

void call_for_the_host(Numbers const& x, Numbers const& y, Indices const& p) {
  Kokkos::DefaultHostExecutionSpace const exec;
  Workspace<Kokkos::DefaultHostExecutionSpace> memory(exec);
  inclusive_scan(Context(exec, memory), x, y, Sum<double>{});
  shuffle(Context(exec, memory), x, 1, DefaultShuffle{});
  riffle::sort(exec, x);
  argsort(exec, x, p);
  permute(exec, x, p, y);
}

#if defined(RIFFLE_REFUSED_CALLS)  // in two parts: see CMakeLists.txt

// Each for a space of its own, since a compiler says of each but once that it has no kernels.
// each is refused: riffle: no kernels for this execution space; Riffle runs on Kokkos::Cuda, OpenMP, Threads and Serial
#define REFUSED(CALL)               \
  {                                 \
    Foreign<__LINE__> const exec{}; \
    CALL;                           \
  }

#if RIFFLE_REFUSED_CALLS & 1

void refused(Numbers const& x, Numbers const& y, Matrix const& a, Matrix const& b, Indices const& p,
             Indices const& q, Kokkos::View<TieStatistics, Kokkos::HostSpace> const& ties) {
  REFUSED(inclusive_scan(exec, x, y))
  REFUSED(exclusive_scan(exec, x, y))
  REFUSED(shuffle_copy(exec, x, y, 1))
  REFUSED(shuffle(Context(exec, "user::label"), x, 1))
  REFUSED(random_permutation(exec, p, 1))
  REFUSED(sample(exec, 100, p, 1))
  REFUSED(riffle::sort(exec, x))
  REFUSED(riffle::sort_copy(exec, x, y))
  REFUSED(riffle::sort_by_key(exec, x, y))
  REFUSED(argsort(exec, x, p))
  REFUSED(riffle::partition(exec, x, IsPositive{}))
  REFUSED(riffle::partition_copy(exec, x, y, IsPositive{}))
  REFUSED(riffle::partition_by_label(exec, x, p, y, q))
  REFUSED(rank(exec, x, y))
  REFUSED(rank_unsorted(exec, x, y))
  REFUSED(rank_and_count_ties(exec, x, y, ties))
  REFUSED(rank_groups(exec, p, x, y))
  REFUSED(rank_unsorted_groups(exec, p, x, y))
  REFUSED(rank_rows(exec, a, b))
  REFUSED(rank_unsorted_rows(exec, a, b))
  REFUSED(tie_statistics(exec, x))
  REFUSED(permute(exec, x, p, y))
  REFUSED(gather(exec, x, p, y))
  REFUSED(scatter(exec, x, p, y))
  REFUSED(transpose(exec, a, b))
  REFUSED(transpose_in_place(exec, x, 2, 3))
  REFUSED(permute_bits(exec, x, y, BitPermutation::bit_reversal(3)))
  REFUSED(inverse(exec, p, q))
  REFUSED(compose(exec, p, q, p))
  REFUSED(is_permutation(exec, p))
  REFUSED(first_violation(exec, p))
  REFUSED(count_address_groups(exec, p, 32))
  REFUSED(fill_permutation(exec, BitReversal(8), p))
  REFUSED(colour_edges(exec, 8, p, q, p))
  REFUSED(permutation_test(exec, DifferenceOfMeans{}, x, y))
  REFUSED(ScheduledPermutation(exec, p))
  REFUSED(PlannedPermutation(exec, p))
  REFUSED(ColouredPermutation(exec, p))
  REFUSED(RowPermutation(exec, Kokkos::View<int**, Kokkos::HostSpace>()))
  REFUSED(Workspace<Foreign<__LINE__>> memory(exec))
}

#endif

#if RIFFLE_REFUSED_CALLS & 2

void refused_of_teams(int value) {
  ForeignMember<__LINE__> const member;
  team_inclusive_scan(member, value, Sum<int>{});  // REFUSED(a call of a team)
}

#endif

#endif

}  // namespace riffle::test
