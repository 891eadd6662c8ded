// The commonest mistakes in a call of a public function: none compiles, and each says so in the words above it
// (check.cmake counts them). Each has types of its own, since a compiler says a thing once for the same ones.
// nothing else is said

#include <Kokkos_DualView.hpp>
#include <Kokkos_StdAlgorithms.hpp>
#include <riffle_headers.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "mistaken_arguments.hpp"

namespace riffle::test {

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(double value) const { return value > 0; }
};

#if RIFFLE_REFUSED_CALLS & 1

// Each with an output of another type.
// each is refused: this View is written, and its values are const
#define REFUSED(CALL)                                       \
  {                                                         \
    auto const& out = made<Array<Value<__LINE__> const>>(); \
    CALL;                                                   \
  }

void outputs() {
  REFUSED(shuffle_copy(exec, x, out, 1))
  REFUSED(shuffle_copy(exec, pack(x, a), pack(y, out), 1))
  REFUSED(shuffle(exec, out, 1))
  REFUSED(shuffle(Context(exec, "a label"), out, 1, DefaultShuffle{}))
  REFUSED(random_permutation(exec, out, 1))
  REFUSED(sample(exec, 100, out, 1))
  REFUSED(riffle::sort(exec, out))
  REFUSED(riffle::sort(exec, out, Descending{}))
  REFUSED(sort_copy(exec, x, out))
  REFUSED(sort_by_key(exec, out, x))
  REFUSED(sort_by_key(exec, x, pack(a, out)))
  REFUSED(argsort(exec, x, out))
  REFUSED(std::uint64_t const first = partition(exec, out, IsPositive{}); static_cast<void>(first))
  REFUSED(partition_copy(exec, x, out, IsPositive{}))
  REFUSED(partition_by_label(exec, x, p, out, p))
  REFUSED(partition_by_label(exec, x, p, y, out))
  REFUSED(riffle::rank(exec, x, out))
  REFUSED(rank_if_sorted(exec, x, out))
  REFUSED(rank_unsorted(exec, x, out))
  REFUSED(rank_groups(exec, x, y, out))
  REFUSED(rank_segments(exec, p, y, out))
  REFUSED(rank_unsorted_groups(exec, x, y, out))
  REFUSED(rank_unsorted_segments(exec, p, y, out))
  REFUSED(rank_and_count_ties(exec, x, out, made<Kokkos::View<TieStatistics>>()))
  REFUSED(rank_unsorted_and_count_ties(exec, x, out, made<Kokkos::View<TieStatistics>>()))
  REFUSED(permute(exec, x, p, out))
  REFUSED(permute(exec, x, made<PlannedPermutation<Exec>>(), out))
  REFUSED(gather(exec, x, p, out))
  REFUSED(gather_if_valid(exec, x, p, out))
  REFUSED(scatter(exec, x, p, out))
  REFUSED(scatter_if_permutation(exec, x, p, out))
  REFUSED(transpose(exec, x, out, 2, 3))
  REFUSED(transpose_in_place(exec, out, 2, 3))
  REFUSED(permute_bits(exec, x, out, BitPermutation::bit_reversal(3)))
  REFUSED(permute_bits_in_place(exec, out, BitPermutation::bit_reversal(3)))
  REFUSED(inverse(exec, p, out))
  REFUSED(inverse_if_permutation(exec, p, out))
  REFUSED(compose(exec, p, p, out))
  REFUSED(compose_if_permutations(exec, p, p, out))
  REFUSED(fill_permutation(exec, BitReversal(8), out))
  REFUSED(colour_edges(exec, 8, p, p, out))
  REFUSED(null_distribution(exec, DifferenceOfMeans{}, x, y, out))
}

#undef REFUSED

#endif

#if RIFFLE_REFUSED_CALLS & 2

// Each with an array that is passed where the instance belongs.
// each is refused: riffle: an execution space instance belongs first
#define REFUSED(CALL)                                \
  {                                                  \
    auto const& in = made<Array<Value<__LINE__>>>(); \
    CALL;                                            \
  }

void instances() {
  REFUSED(inclusive_scan(in, x))
  REFUSED(exclusive_scan(in, x))
  REFUSED(shuffle_copy(in, x, 1))
  REFUSED(shuffle(in, 1))
  REFUSED(random_permutation(in, 1))
  REFUSED(sample(in, 100, 1))
  REFUSED(riffle::sort(in))
  REFUSED(sort_copy(in, x))
  REFUSED(sort_by_key(in, x))
  REFUSED(argsort(in, p))
  REFUSED(partition(in, IsPositive{}))
  REFUSED(partition_copy(in, x, IsPositive{}))
  REFUSED(partition_by_label(in, p, y, p))
  REFUSED(riffle::rank(in, x))
  REFUSED(first_unsorted(in))
  REFUSED(is_sorted_for(in))
  REFUSED(rank_if_sorted(in, x))
  REFUSED(rank_unsorted(in, x))
  REFUSED(rank_rows(in, a))
  REFUSED(rank_columns(in, a))
  REFUSED(rank_unsorted_rows(in, a))
  REFUSED(rank_unsorted_columns(in, a))
  REFUSED(rank_groups(in, x, y))
  REFUSED(rank_segments(in, x, y))
  REFUSED(rank_unsorted_groups(in, x, y))
  REFUSED(rank_unsorted_segments(in, x, y))
  REFUSED(rank_and_count_ties(in, x, made<Kokkos::View<TieStatistics>>()))
  REFUSED(rank_unsorted_and_count_ties(in, x, made<Kokkos::View<TieStatistics>>()))
  REFUSED(double const mean = tie_statistics(in); static_cast<void>(mean))
  REFUSED(permute(in, p, x))
  REFUSED(gather(in, p, x))
  REFUSED(gather_if_valid(in, p, x))
  REFUSED(scatter(in, p, x))
  REFUSED(scatter_if_permutation(in, p, x))
  REFUSED(transpose(in, x, 2, 3))
  REFUSED(transpose_in_place(in, 2, 3))
  REFUSED(permute_bits(in, x, BitPermutation::bit_reversal(3)))
  REFUSED(permute_bits_in_place(in, BitPermutation::bit_reversal(3)))
  REFUSED(inverse(in, p))
  REFUSED(inverse_if_permutation(in, p))
  REFUSED(compose(in, p, p))
  REFUSED(compose_if_permutations(in, p, p))
  REFUSED(fill_permutation(in, BitReversal(8)))
  REFUSED(is_permutation(in))
  REFUSED(first_violation(in))
  REFUSED(count_address_groups(in, 32))
  REFUSED(colour_edges(in, p, p, 8))
  REFUSED(permutation_test(in, x, DifferenceOfMeans{}))
  REFUSED(null_distribution(in, x, DifferenceOfMeans{}, y))
}

#undef REFUSED

#endif

#if RIFFLE_REFUSED_CALLS & 4

void others() {
  // refused: this View is written, and its values are const
  inclusive_scan(exec, made<Array<float>>(), made<Array<float const>>());
  // refused: this View is written, and its values are const
  exclusive_scan(exec, made<Array<int>>(), made<Array<int const>>());
  // refused: this View is written, and its values are const
  exclusive_scan(exec, made<Array<long>>(), made<Array<long const>>(), 0);
  // refused: this View is written, and its values are const
  rank_rows(exec, a, made<Matrix<float const>>());
  // refused: this View is written, and its values are const
  rank_unsorted_columns(exec, a, made<Matrix<short const>>());
  // refused: riffle: a label comes with the instance
  riffle::sort("my sort", exec, x);
  // refused: riffle: a workspace comes with the instance
  riffle::sort(made<Workspace<Exec>>(), x);
  // refused: kernels of this execution space cannot access this View's memory
  riffle::sort(exec, made<ArrayElsewhere<Value<1>>>());
  // refused: kernels of this execution space cannot access this View's memory
  argsort(exec, made<ArrayElsewhere<Value<2>>>(), p);
  // refused: kernels of this execution space cannot access this View's memory
  shuffle(exec, made<ArrayElsewhere<Value<3>>>(), 1);
  // refused: kernels of this execution space cannot access this View's memory
  shuffle(exec, pack(x, made<ArrayElsewhere<Value<4>>>()), 1);
  // refused: kernels of this execution space cannot access this View's memory
  inclusive_scan(exec, made<ArrayElsewhere<double>>(), x);
  // refused: kernels of this execution space cannot access this View's memory
  exclusive_scan(exec, x, made<ArrayElsewhere<double>>());
  // refused: kernels of this execution space cannot access this View's memory
  gather(exec, made<ArrayElsewhere<Value<7>>>(), p, x);
  // refused: kernels of this execution space cannot access this View's memory
  permutation_test(exec, DifferenceOfMeans{}, x, made<ArrayElsewhere<Value<8>>>());
  // refused: kernels of this execution space cannot access this View's memory
  riffle::rank(exec, made<ArrayElsewhere<Value<9>>>(), y);
  // refused: a Kokkos::View belongs here
  riffle::sort(exec, made<unsigned>());
  // refused: a Kokkos::View belongs here
  shuffle(exec, made<long>(), 1);
  // refused: a Kokkos::View belongs here
  gather(exec, x, p, made<short>());
  // refused: a Kokkos::View belongs here
  riffle::rank(exec, x, made<char>());
  // refused: a Kokkos::View belongs here
  inclusive_scan(exec, x, made<unsigned char>());
  // refused: a Kokkos::View belongs here
  permutation_test(exec, DifferenceOfMeans{}, x, made<unsigned short>());
  // refused: a Kokkos::View belongs here
  random_permutation(exec, made<unsigned long>(), 1);
  // refused: a Kokkos::View belongs here
  is_permutation(exec, made<float>());
  // refused: an array, a View of rank 1, belongs here
  riffle::sort(exec, made<Cube<Value<1>>>());
  // refused: an array, a View of rank 1, belongs here
  argsort(exec, made<Cube<Value<2>>>(), p);
  // refused: an array, a View of rank 1, belongs here
  riffle::rank(exec, x, made<Cube<Value<3>>>());
  // refused: an array, a View of rank 1, belongs here
  exclusive_scan(exec, made<Cube<double>>(), x);
  // refused: an array, a View of rank 1, belongs here
  permutation_test(exec, DifferenceOfMeans{}, made<Cube<Value<5>>>(), y);
  // refused: an array, a View of rank 1, belongs here
  rank_groups(exec, made<Cube<Value<6>>>(), x, y);
  // refused: a matrix, a View of rank 2, belongs here
  rank_rows(exec, made<Cube<Value<7>>>(), a);
  // refused: a matrix, a View of rank 2, belongs here
  rank_unsorted_columns(exec, a, made<Cube<Value<8>>>());
  // refused: values or rows, a View of rank 1 or 2, belong here
  shuffle(exec, made<Cube<Value<9>>>(), 1);
  // refused: values or rows, a View of rank 1 or 2, belong here
  gather(exec, made<Cube<Value<10>>>(), p, x);
  // refused: values or rows, a View of rank 1 or 2, belong here
  sort_by_key(exec, x, pack(y, made<Cube<Value<11>>>()));
  // refused: values or rows, a View of rank 1 or 2, belong here
  transpose(exec, made<Cube<Value<12>>>(), a);
  // refused: indices, a View of integers, belong here
  gather(exec, x, made<Array<Value<13>>>(), y);
  // refused: indices, a View of integers, belong here
  is_permutation(exec, made<Array<Value<14>>>());
  // refused: indices, a View of integers, belong here
  partition_by_label(exec, x, made<Array<Value<15>>>(), y, p);
  // refused: indices, a View of integers, belong here
  rank_segments(exec, made<Array<Value<16>>>(), x, y);
  // refused: indices, a View of integers, belong here
  inverse(exec, made<Array<Value<17>>>(), p);
  // refused: no View belongs here
  riffle::sort(exec, x, made<Array<Value<18>>>());
  // refused: no View belongs here
  sort_by_key(exec, x, y, made<Array<Value<19>>>());
  // refused: no View belongs here
  shuffle(exec, x, made<Array<Value<20>>>());
  // refused: no View belongs here
  sample(exec, made<Array<Value<21>>>(), 100, 1);
  // refused: no View belongs here
  permutation_test(exec, made<Array<Value<23>>>(), y, DifferenceOfMeans{});
  // refused: riffle: argument values: a View of trivially copyable values belongs here
  riffle::sort(exec, made<Array<Text>>());
  // refused: riffle: argument out: a View of trivially copyable values belongs here
  partition_copy(exec, x, made<Array<Text>>(), IsPositive{});
  // refused: riffle: argument seed is missing
  shuffle(exec, made<Array<Value<30>>>());
  // refused: riffle: argument seed: a whole number of at most 64 bits belongs here
  shuffle(exec, made<Array<Value<32>>>(), 1.5);
  // refused: riffle: argument seed: a whole number of at most 64 bits belongs here
  sample(exec, 100, made<Indices>(), 1.5F);
  // refused: riffle: argument n: a whole number of at most 64 bits belongs here
  sample(exec, 1e6, p, 1);
  // refused: riffle: argument offsets is missing
  partition_by_label(exec, made<Array<Value<33>>>(), p, made<Array<Value<33>>>());
  // refused: riffle: argument op is missing
  inclusive_scan(exec, 100, IsPositive{}, IsPositive{});
  // refused: riffle: argument init is missing
  exclusive_scan(exec, 100, IsPositive{}, IsPositive{}, Sum<int>{});
  // refused: riffle: argument n: a whole number of at most 64 bits belongs here
  exclusive_scan(exec, 1e2F, IsPositive{}, IsPositive{}, Sum<int>{}, 0);
  // refused: riffle: argument init: an integer belongs here, since the scan combines integers
  exclusive_scan(exec, made<Array<int>>(), made<Array<int>>(), 0.5);
  // refused: riffle: argument init: an integer belongs here, since the scan combines integers
  inclusive_scan(exec, made<Array<short>>(), made<Array<short>>(), Sum<short>{}, 0.5F);
  // refused: riffle: argument values: an unmanaged Kokkos::View of this array or std::vector belongs here
  riffle::sort(exec, made<std::vector<double>>());
  // refused: riffle: argument out: an unmanaged Kokkos::View of this array or std::vector belongs here
  inclusive_scan(exec, x, made<double*>());
  // refused: riffle: argument data: .view_device() of this DualView belongs here, or .view_host()
  shuffle(exec, made<Kokkos::DualView<double*>>(), 1);
  // refused: riffle: argument values: the Kokkos::View belongs here, not its iterator
  riffle::sort(exec, Kokkos::Experimental::begin(x), Kokkos::Experimental::end(x));
  // refused: riffle: argument values: one Kokkos::View belongs here
  riffle::sort(exec, pack(x, y));
  // refused: riffle: a rule for ties belongs after ranks
  rank_unsorted(exec, made<Array<Value<34>>>(), p, Descending{});
  // refused: riffle: a rule for ties belongs after ranks
  riffle::rank(exec, made<Array<Value<35>>>(), p, RankOptions<Descending>{});
  // refused: riffle: the arguments of a Context are (exec), (exec, label), (exec, workspace) or
  static_cast<void>(Context("a label", exec));
  // refused: riffle: the arguments of a Context are (exec), (exec, label), (exec, workspace) or
  static_cast<void>(Context(exec, made<Workspace<Exec>>(), "a label"));
  // refused: riffle: argument values: this View has the trait Atomic
  riffle::sort(exec, made<Kokkos::View<int*, Kokkos::MemoryTraits<Kokkos::Atomic>>>());
  // refused: riffle: argument keys: this View has the trait Atomic
  sort_by_key(exec, made<Kokkos::View<long*, Kokkos::MemoryTraits<Kokkos::Atomic>>>(), x);
  // refused: riffle: argument keys: a View of trivially copyable values belongs here
  sort_by_key(exec, made<Array<Text>>(), x);
  // refused: riffle: the values have no operator <
  riffle::sort(exec, made<Array<Value<36>>>());
  // refused: riffle: the values have no operator + or no T(0)
  inclusive_scan(exec, made<Array<Value<37>>>(), made<Array<Value<37>>>());
  // refused: riffle: a View of trivially copyable values belongs here, since their bytes move: a scan
  inclusive_scan(exec, made<Array<std::string>>(), made<Array<std::string>>());
}

#endif

}  // namespace riffle::test
