// Common errors in calls of public functions. No call compiles; each gives the message above it (check_diagnostics.cmake).
// Each call has types of its own, since a compiler reports each instantiation once.
// no-other-errors

#include <Kokkos_DualView.hpp>
#include <Kokkos_StdAlgorithms.hpp>
#include <riffle_headers.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "wrong_arguments.hpp"

namespace riffle::test {

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(double value) const { return value > 0; }
};

#if RIFFLE_WRONG_CALLS & 1

// Each call writes a View with const values.
// expected-error-of-each: this View is written, and its values are const
#define EXPECT_ERROR(CALL)                                  \
  {                                                         \
    auto const& out = made<Array<Value<__LINE__> const>>(); \
    CALL;                                                   \
  }

void outputs() {
  EXPECT_ERROR(shuffle_copy(exec, x, out, 1))
  EXPECT_ERROR(shuffle_copy(exec, pack(x, a), pack(y, out), 1))
  EXPECT_ERROR(shuffle(exec, out, 1))
  EXPECT_ERROR(shuffle(Context(exec, "a label"), out, 1, DefaultShuffle{}))
  EXPECT_ERROR(shuffle(exec, out, 1, 2, DefaultShuffle{}))
  EXPECT_ERROR(random_permutation(exec, out, 1))
  EXPECT_ERROR(sample(exec, 100, out, 1))
  EXPECT_ERROR(riffle::sort(exec, out))
  EXPECT_ERROR(riffle::sort(exec, out, Descending{}))
  EXPECT_ERROR(sort_copy(exec, x, out))
  EXPECT_ERROR(sort_by_key(exec, out, x))
  EXPECT_ERROR(sort_by_key(exec, x, pack(a, out)))
  EXPECT_ERROR(argsort(exec, x, out))
  EXPECT_ERROR(std::uint64_t const first = partition(exec, out, IsPositive{});
               static_cast<void>(first))
  EXPECT_ERROR(partition_copy(exec, x, out, IsPositive{}))
  EXPECT_ERROR(partition_flagged(exec, out, p))
  EXPECT_ERROR(partition_copy_flagged(exec, x, out, p))
  EXPECT_ERROR(partition_by_label(exec, x, p, out, p))
  EXPECT_ERROR(partition_by_label(exec, x, p, y, out))
  EXPECT_ERROR(sort_by_cell(exec, pack(x, out), p, p))
  EXPECT_ERROR(sort_by_cell(exec, x, p, out))
  EXPECT_ERROR(riffle::rank(exec, x, out))
  EXPECT_ERROR(rank_if_sorted(exec, x, out))
  EXPECT_ERROR(rank_unsorted(exec, x, out))
  EXPECT_ERROR(rank_groups(exec, x, y, out))
  EXPECT_ERROR(rank_segments(exec, p, y, out))
  EXPECT_ERROR(rank_unsorted_groups(exec, x, y, out))
  EXPECT_ERROR(rank_unsorted_segments(exec, p, y, out))
  EXPECT_ERROR(rank_and_count_ties(exec, x, out, made<Kokkos::View<TieStatistics>>()))
  EXPECT_ERROR(rank_unsorted_and_count_ties(exec, x, out, made<Kokkos::View<TieStatistics>>()))
  EXPECT_ERROR(permute(exec, x, p, out))
  EXPECT_ERROR(permute(exec, x, made<PlannedPermutation<Exec>>(), out))
  EXPECT_ERROR(gather(exec, x, p, out))
  EXPECT_ERROR(gather_if_valid(exec, x, p, out))
  EXPECT_ERROR(scatter(exec, x, p, out))
  EXPECT_ERROR(scatter_if_permutation(exec, x, p, out))
  EXPECT_ERROR(transpose(exec, x, out, 2, 3))
  EXPECT_ERROR(transpose_in_place(exec, out, 2, 3))
  EXPECT_ERROR(permute_bits(exec, x, out, BitPermutation::bit_reversal(3)))
  EXPECT_ERROR(permute_bits_in_place(exec, out, BitPermutation::bit_reversal(3)))
  EXPECT_ERROR(inverse(exec, p, out))
  EXPECT_ERROR(inverse_if_permutation(exec, p, out))
  EXPECT_ERROR(compose(exec, p, p, out))
  EXPECT_ERROR(compose_if_permutations(exec, p, p, out))
  EXPECT_ERROR(fill_permutation(exec, BitReversal(8), out))
  EXPECT_ERROR(colour_edges(exec, 8, p, p, out))
  EXPECT_ERROR(null_distribution(exec, DifferenceOfMeans{}, x, y, out))
}

#undef EXPECT_ERROR

#endif

#if RIFFLE_WRONG_CALLS & 2

// Each call has a View as its first argument, in place of the instance.
// expected-error-of-each: riffle: an execution space instance belongs first
#define EXPECT_ERROR(CALL)                           \
  {                                                  \
    auto const& in = made<Array<Value<__LINE__>>>(); \
    CALL;                                            \
  }

void instances() {
  EXPECT_ERROR(inclusive_scan(in, x))
  EXPECT_ERROR(exclusive_scan(in, x))
  EXPECT_ERROR(shuffle_copy(in, x, 1))
  EXPECT_ERROR(shuffle(in, 1))
  EXPECT_ERROR(random_permutation(in, 1))
  EXPECT_ERROR(sample(in, 100, 1))
  EXPECT_ERROR(riffle::sort(in))
  EXPECT_ERROR(sort_copy(in, x))
  EXPECT_ERROR(sort_by_key(in, x))
  EXPECT_ERROR(argsort(in, p))
  EXPECT_ERROR(partition(in, IsPositive{}))
  EXPECT_ERROR(partition_flagged(in, p))
  EXPECT_ERROR(partition_copy(in, x, IsPositive{}))
  EXPECT_ERROR(partition_by_label(in, p, y, p))
  EXPECT_ERROR(sort_by_cell(in, p, p))
  EXPECT_ERROR(riffle::rank(in, x))
  EXPECT_ERROR(first_unsorted(in))
  EXPECT_ERROR(is_sorted_for(in))
  EXPECT_ERROR(rank_if_sorted(in, x))
  EXPECT_ERROR(rank_unsorted(in, x))
  EXPECT_ERROR(rank_rows(in, a))
  EXPECT_ERROR(rank_columns(in, a))
  EXPECT_ERROR(rank_unsorted_rows(in, a))
  EXPECT_ERROR(rank_unsorted_columns(in, a))
  EXPECT_ERROR(rank_groups(in, x, y))
  EXPECT_ERROR(rank_segments(in, x, y))
  EXPECT_ERROR(rank_unsorted_groups(in, x, y))
  EXPECT_ERROR(rank_unsorted_segments(in, x, y))
  EXPECT_ERROR(rank_and_count_ties(in, x, made<Kokkos::View<TieStatistics>>()))
  EXPECT_ERROR(rank_unsorted_and_count_ties(in, x, made<Kokkos::View<TieStatistics>>()))
  EXPECT_ERROR(double const mean = tie_statistics(in); static_cast<void>(mean))
  EXPECT_ERROR(permute(in, p, x))
  EXPECT_ERROR(gather(in, p, x))
  EXPECT_ERROR(gather_if_valid(in, p, x))
  EXPECT_ERROR(scatter(in, p, x))
  EXPECT_ERROR(scatter_if_permutation(in, p, x))
  EXPECT_ERROR(transpose(in, x, 2, 3))
  EXPECT_ERROR(transpose_in_place(in, 2, 3))
  EXPECT_ERROR(permute_bits(in, x, BitPermutation::bit_reversal(3)))
  EXPECT_ERROR(permute_bits_in_place(in, BitPermutation::bit_reversal(3)))
  EXPECT_ERROR(inverse(in, p))
  EXPECT_ERROR(inverse_if_permutation(in, p))
  EXPECT_ERROR(compose(in, p, p))
  EXPECT_ERROR(compose_if_permutations(in, p, p))
  EXPECT_ERROR(fill_permutation(in, BitReversal(8)))
  EXPECT_ERROR(is_permutation(in))
  EXPECT_ERROR(first_violation(in))
  EXPECT_ERROR(count_address_groups(in, 32))
  EXPECT_ERROR(colour_edges(in, p, p, 8))
  EXPECT_ERROR(permutation_test(in, x, DifferenceOfMeans{}))
  EXPECT_ERROR(null_distribution(in, x, DifferenceOfMeans{}, y))
}

#undef EXPECT_ERROR

#endif

#if RIFFLE_WRONG_CALLS & 4

void others() {
  // expected-error: this View is written, and its values are const
  inclusive_scan(exec, made<Array<float>>(), made<Array<float const>>());
  // expected-error: this View is written, and its values are const
  exclusive_scan(exec, made<Array<int>>(), made<Array<int const>>());
  // expected-error: this View is written, and its values are const
  exclusive_scan(exec, made<Array<long>>(), made<Array<long const>>(), 0);
  // expected-error: this View is written, and its values are const
  rank_rows(exec, a, made<Matrix<float const>>());
  // expected-error: this View is written, and its values are const
  rank_unsorted_columns(exec, a, made<Matrix<short const>>());
  // expected-error: riffle: a label comes with the instance
  riffle::sort("my sort", exec, x);
  // expected-error: riffle: a workspace comes with the instance
  riffle::sort(made<Workspace<Exec>>(), x);
  // expected-error: kernels of this execution space cannot access this View's memory
  riffle::sort(exec, made<ArrayElsewhere<Value<1>>>());
  // expected-error: kernels of this execution space cannot access this View's memory
  argsort(exec, made<ArrayElsewhere<Value<2>>>(), p);
  // expected-error: kernels of this execution space cannot access this View's memory
  shuffle(exec, made<ArrayElsewhere<Value<3>>>(), 1);
  // expected-error: kernels of this execution space cannot access this View's memory
  shuffle(exec, pack(x, made<ArrayElsewhere<Value<4>>>()), 1);
  // expected-error: kernels of this execution space cannot access this View's memory
  inclusive_scan(exec, made<ArrayElsewhere<double>>(), x);
  // expected-error: kernels of this execution space cannot access this View's memory
  exclusive_scan(exec, x, made<ArrayElsewhere<double>>());
  // expected-error: kernels of this execution space cannot access this View's memory
  gather(exec, made<ArrayElsewhere<Value<7>>>(), p, x);
  // expected-error: kernels of this execution space cannot access this View's memory
  permutation_test(exec, DifferenceOfMeans{}, x, made<ArrayElsewhere<Value<8>>>());
  // expected-error: kernels of this execution space cannot access this View's memory
  riffle::rank(exec, made<ArrayElsewhere<Value<9>>>(), y);
  // expected-error: a Kokkos::View belongs here
  riffle::sort(exec, made<unsigned>());
  // expected-error: a Kokkos::View belongs here
  shuffle(exec, made<long>(), 1);
  // expected-error: a Kokkos::View belongs here
  gather(exec, x, p, made<short>());
  // expected-error: a Kokkos::View belongs here
  riffle::rank(exec, x, made<char>());
  // expected-error: a Kokkos::View belongs here
  inclusive_scan(exec, x, made<unsigned char>());
  // expected-error: a Kokkos::View belongs here
  permutation_test(exec, DifferenceOfMeans{}, x, made<unsigned short>());
  // expected-error: a Kokkos::View belongs here
  random_permutation(exec, made<unsigned long>(), 1);
  // expected-error: a Kokkos::View belongs here
  is_permutation(exec, made<float>());
  // expected-error: an array, a View of rank 1, belongs here
  riffle::sort(exec, made<Cube<Value<1>>>());
  // expected-error: an array, a View of rank 1, belongs here
  argsort(exec, made<Cube<Value<2>>>(), p);
  // expected-error: an array, a View of rank 1, belongs here
  riffle::rank(exec, x, made<Cube<Value<3>>>());
  // expected-error: an array, a View of rank 1, belongs here
  exclusive_scan(exec, made<Cube<double>>(), x);
  // expected-error: an array, a View of rank 1, belongs here
  permutation_test(exec, DifferenceOfMeans{}, made<Cube<Value<5>>>(), y);
  // expected-error: an array, a View of rank 1, belongs here
  rank_groups(exec, made<Cube<Value<6>>>(), x, y);
  // expected-error: a matrix, a View of rank 2, belongs here
  rank_rows(exec, made<Cube<Value<7>>>(), a);
  // expected-error: a matrix, a View of rank 2, belongs here
  rank_unsorted_columns(exec, a, made<Cube<Value<8>>>());
  // expected-error: values or rows, a View of rank 1 or 2, belong here
  shuffle(exec, made<Cube<Value<9>>>(), 1);
  // expected-error: values or rows, a View of rank 1 or 2, belong here
  gather(exec, made<Cube<Value<10>>>(), p, x);
  // expected-error: values or rows, a View of rank 1 or 2, belong here
  sort_by_key(exec, x, pack(y, made<Cube<Value<11>>>()));
  // expected-error: values or rows, a View of rank 1 or 2, belong here
  transpose(exec, made<Cube<Value<12>>>(), a);
  // expected-error: indices, a View of integers, belong here
  gather(exec, x, made<Array<Value<13>>>(), y);
  // expected-error: indices, a View of integers, belong here
  is_permutation(exec, made<Array<Value<14>>>());
  // expected-error: indices, a View of integers, belong here
  partition_by_label(exec, x, made<Array<Value<15>>>(), y, p);
  // expected-error: indices, a View of integers, belong here
  sort_by_cell(exec, x, made<Array<Value<46>>>(), p);
  // expected-error: indices, a View of integers, belong here
  rank_segments(exec, made<Array<Value<16>>>(), x, y);
  // expected-error: indices, a View of integers, belong here
  inverse(exec, made<Array<Value<17>>>(), p);
  // expected-error: indices, a View of integers, belong here
  sort_segments(exec, x, made<Array<Value<46>>>());
  // expected-error: a matrix, a View of rank 2, belongs here
  sort_rows(exec, made<Cube<Value<47>>>());
  // expected-error: no View belongs here
  riffle::sort(exec, x, made<Array<Value<18>>>());
  // expected-error: no View belongs here
  sort_by_key(exec, x, y, made<Array<Value<19>>>());
  // expected-error: no View belongs here
  shuffle(exec, x, made<Array<Value<20>>>());
  // expected-error: no View belongs here
  sample(exec, made<Array<Value<21>>>(), 100, 1);
  // expected-error: no View belongs here
  histogram(exec, 100, made<Array<Value<22>>>(), p);
  // expected-error: no View belongs here
  permutation_test(exec, made<Array<Value<23>>>(), y, DifferenceOfMeans{});
  // expected-error: riffle: argument values: a View of trivially copyable values belongs here
  riffle::sort(exec, made<Array<Text>>());
  // expected-error: riffle: argument out: a View of trivially copyable values belongs here
  partition_copy(exec, x, made<Array<Text>>(), IsPositive{});
  // expected-error: riffle: argument seed is missing
  shuffle(exec, made<Array<Value<30>>>());
  // expected-error: riffle: argument seed: a whole number of at most 64 bits belongs here
  shuffle(exec, made<Array<Value<32>>>(), 1.5);
  // expected-error: riffle: argument stream: a whole number of at most 64 bits belongs here
  shuffle(exec, made<Array<Value<44>>>(), 1, 1.5);
  // expected-error: no View belongs here
  shuffle(exec, made<Array<Value<45>>>(), 1, x);
  // expected-error: riffle: argument stream: a whole number of at most 64 bits belongs here
  sample(exec, 100, made<Indices>(), 1, 2.0F);
  // expected-error: riffle: argument seed: a whole number of at most 64 bits belongs here
  sample(exec, 100, made<Indices>(), 1.5F);
  // expected-error: riffle: argument n: a whole number of at most 64 bits belongs here
  sample(exec, 1e6, p, 1);
  // expected-error: riffle: argument offsets is missing
  partition_by_label(exec, made<Array<Value<33>>>(), p, made<Array<Value<33>>>());
  // expected-error: riffle: argument op is missing
  inclusive_scan(exec, 100, IsPositive{}, IsPositive{});
  // expected-error: riffle: argument init is missing
  exclusive_scan(exec, 100, IsPositive{}, IsPositive{}, Sum<int>{});
  // expected-error: riffle: argument n: a whole number of at most 64 bits belongs here
  exclusive_scan(exec, 1e2F, IsPositive{}, IsPositive{}, Sum<int>{}, 0);
  // expected-error: riffle: argument init: an integer belongs here, since the scan combines integers
  exclusive_scan(exec, made<Array<int>>(), made<Array<int>>(), 0.5);
  // expected-error: riffle: argument init: an integer belongs here, since the scan combines integers
  inclusive_scan(exec, made<Array<short>>(), made<Array<short>>(), Sum<short>{}, 0.5F);
  // expected-error: riffle: argument values: an unmanaged Kokkos::View of this array or std::vector belongs here
  riffle::sort(exec, made<std::vector<double>>());
  // expected-error: riffle: argument out: an unmanaged Kokkos::View of this array or std::vector belongs here
  inclusive_scan(exec, x, made<double*>());
  // expected-error: riffle: argument data: .view_device() of this DualView belongs here, or .view_host()
  shuffle(exec, made<Kokkos::DualView<double*>>(), 1);
  // expected-error: riffle: argument values: the Kokkos::View belongs here, not its iterator
  riffle::sort(exec, Kokkos::Experimental::begin(x), Kokkos::Experimental::end(x));
  // expected-error: riffle: argument values: one Kokkos::View belongs here
  riffle::sort(exec, pack(x, y));
  // expected-error: riffle: argument out: one Kokkos::View belongs here
  sort_copy(exec, x, pack(x, y));
  // expected-error: riffle: a rule for ties belongs after ranks
  rank_unsorted(exec, made<Array<Value<34>>>(), p, Descending{});
  // expected-error: riffle: a rule for ties belongs after ranks
  riffle::rank(exec, made<Array<Value<35>>>(), p, RankOptions<Descending>{});
  // expected-error: riffle: the arguments of a Context are (exec), (exec, label), (exec, workspace) or
  static_cast<void>(Context("a label", exec));
  // expected-error: riffle: the arguments of a Context are (exec), (exec, label), (exec, workspace) or
  static_cast<void>(Context(exec, made<Workspace<Exec>>(), "a label"));
  // expected-error: riffle: argument values: this View has the trait Atomic
  riffle::sort(exec, made<Kokkos::View<int*, Kokkos::MemoryTraits<Kokkos::Atomic>>>());
  // expected-error: riffle: argument keys: this View has the trait Atomic
  sort_by_key(exec, made<Kokkos::View<long*, Kokkos::MemoryTraits<Kokkos::Atomic>>>(), x);
  // expected-error: riffle: argument keys: a View of trivially copyable values belongs here
  sort_by_key(exec, made<Array<Text>>(), x);
  // expected-error: riffle: the values have no operator <
  riffle::sort(exec, made<Array<Value<36>>>());
  // expected-error: riffle: the values have no operator + or no T(0)
  inclusive_scan(exec, made<Array<Value<37>>>(), made<Array<Value<37>>>());
  // expected-error: riffle: a View of trivially copyable values belongs here, since their bytes move: a scan
  inclusive_scan(exec, made<Array<std::string>>(), made<Array<std::string>>());
}

#endif

}  // namespace riffle::test
