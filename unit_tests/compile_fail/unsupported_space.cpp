// Calls for an execution space that Riffle has no kernels for must not compile. Without RIFFLE_WRONG_CALLS the source has
// only calls for the host, which must compile although the program defines such a space.

#include <riffle_headers.hpp>

#include <cstdint>

#include "unsupported_space.hpp"

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

#if defined(RIFFLE_WRONG_CALLS)

// Each call has a space of its own, since a compiler reports each instantiation once.
// expected-error-of-each: riffle: no kernels for this execution space; Riffle runs on Kokkos::Cuda, HIP, OpenMP, Threads and Serial
#define EXPECT_ERROR(CALL)                   \
  {                                          \
    UnsupportedSpace<__LINE__> const exec{}; \
    CALL;                                    \
  }

#if RIFFLE_WRONG_CALLS & 1

void wrong_calls(Numbers const& x, Numbers const& y, Matrix const& a, Matrix const& b,
                 Indices const& p, Indices const& q,
                 Kokkos::View<TieStatistics, Kokkos::HostSpace> const& ties) {
  EXPECT_ERROR(inclusive_scan(exec, x, y))
  EXPECT_ERROR(exclusive_scan(exec, x, y))
  EXPECT_ERROR(shuffle_copy(exec, x, y, 1))
  EXPECT_ERROR(shuffle(Context(exec, "user::label"), x, 1))
  EXPECT_ERROR(random_permutation(exec, p, 1))
  EXPECT_ERROR(sample(exec, 100, p, 1))
  EXPECT_ERROR(riffle::sort(exec, x))
  EXPECT_ERROR(riffle::sort_copy(exec, x, y))
  EXPECT_ERROR(riffle::sort_by_key(exec, x, y))
  EXPECT_ERROR(argsort(exec, x, p))
  EXPECT_ERROR(riffle::partition(exec, x, IsPositive{}))
  EXPECT_ERROR(riffle::partition_copy(exec, x, y, IsPositive{}))
  EXPECT_ERROR(riffle::partition_by_label(exec, x, p, y, q))
  EXPECT_ERROR(rank(exec, x, y))
  EXPECT_ERROR(rank_unsorted(exec, x, y))
  EXPECT_ERROR(rank_and_count_ties(exec, x, y, ties))
  EXPECT_ERROR(rank_groups(exec, p, x, y))
  EXPECT_ERROR(rank_unsorted_groups(exec, p, x, y))
  EXPECT_ERROR(rank_rows(exec, a, b))
  EXPECT_ERROR(rank_unsorted_rows(exec, a, b))
  EXPECT_ERROR(tie_statistics(exec, x))
  EXPECT_ERROR(permute(exec, x, p, y))
  EXPECT_ERROR(gather(exec, x, p, y))
  EXPECT_ERROR(scatter(exec, x, p, y))
  EXPECT_ERROR(transpose(exec, a, b))
  EXPECT_ERROR(transpose_in_place(exec, x, 2, 3))
  EXPECT_ERROR(permute_bits(exec, x, y, BitPermutation::bit_reversal(3)))
  EXPECT_ERROR(inverse(exec, p, q))
  EXPECT_ERROR(compose(exec, p, q, p))
  EXPECT_ERROR(is_permutation(exec, p))
  EXPECT_ERROR(first_violation(exec, p))
  EXPECT_ERROR(count_address_groups(exec, p, 32))
  EXPECT_ERROR(fill_permutation(exec, BitReversal(8), p))
  EXPECT_ERROR(colour_edges(exec, 8, p, q, p))
  EXPECT_ERROR(permutation_test(exec, DifferenceOfMeans{}, x, y))
  EXPECT_ERROR(ScheduledPermutation(exec, p))
  EXPECT_ERROR(PlannedPermutation(exec, p))
  EXPECT_ERROR(ColouredPermutation(exec, p))
  EXPECT_ERROR(RowPermutation(exec, Kokkos::View<int**, Kokkos::HostSpace>()))
  EXPECT_ERROR(Workspace<UnsupportedSpace<__LINE__>> memory(exec))
}

#endif

#if RIFFLE_WRONG_CALLS & 2

void wrong_calls_of_teams(int value) {
  UnsupportedMember<__LINE__> const member;
  team_inclusive_scan(member, value, Sum<int>{});  // EXPECT_ERROR(the call of a team)
}

#endif

#endif

}  // namespace riffle::test
