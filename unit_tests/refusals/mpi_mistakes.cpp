// As mistakes.cpp, for calls over ranks. <mpi.h> is the model's, so that no MPI is needed.
// nothing else is said

#include <mpi.h>

#include <cstdint>

#include <riffle/mpi.hpp>

#include "mistaken_arguments.hpp"

namespace riffle::test {

auto const& comm = made<mpi::Communicator>();

#if RIFFLE_REFUSED_CALLS & 1

// Each with an output of another type.
// each is refused: this View is written, and its values are const
#define REFUSED(CALL)                                       \
  {                                                         \
    auto const& out = made<Array<Value<__LINE__> const>>(); \
    CALL;                                                   \
  }

void outputs() {
  REFUSED(mpi::shuffle_copy(exec, comm, x, out, 1))
  REFUSED(mpi::shuffle_copy(exec, comm, pack(x, a), pack(y, out), 1))
  REFUSED(mpi::shuffle(exec, comm, out, 1))
  REFUSED(mpi::shuffle(Context(exec, "a label"), comm, out, 1, DefaultShuffle{}))
  REFUSED(mpi::random_permutation(exec, comm, out, 1))
  REFUSED(mpi::sample(exec, comm, 100, out, 1))
  REFUSED(mpi::inclusive_scan(exec, comm, x, out, Sum<double>{}))
  REFUSED(mpi::exclusive_scan(exec, comm, x, out, Sum<double>{}, 1))
  REFUSED(mpi::sort(exec, comm, out))
  REFUSED(mpi::sort(exec, comm, out, Descending{}))
  REFUSED(mpi::sort_copy(exec, comm, x, out))
  REFUSED(mpi::sort_by_key(exec, comm, out, x))
  REFUSED(mpi::sort_by_key(exec, comm, x, pack(a, out)))
  REFUSED(mpi::rank(exec, comm, x, out))
  REFUSED(mpi::rank_unsorted(exec, comm, x, out, ties::Dense{}))
  REFUSED(mpi::permute(exec, comm, x, p, out))
  REFUSED(mpi::permute(exec, comm, x, made<mpi::PlannedPermutation<Exec>>(), out))
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
  REFUSED(mpi::shuffle_copy(in, x, 1))
  REFUSED(mpi::shuffle(in, comm, 1))
  REFUSED(mpi::random_permutation(in, 1))
  REFUSED(mpi::sample(in, comm, 100, 1))
  REFUSED(mpi::inclusive_scan(in, comm, x))
  REFUSED(mpi::exclusive_scan(in, comm, x))
  REFUSED(mpi::sort(in))
  REFUSED(mpi::sort_copy(in, comm, x))
  REFUSED(mpi::sort_by_key(in, comm, x))
  REFUSED(mpi::rank(in, comm, x))
  REFUSED(mpi::rank_unsorted(in, x))
  REFUSED(mpi::permute(in, comm, p, x))
  REFUSED(mpi::permutation_test(in, comm, x, DifferenceOfMeans{}))
  REFUSED(mpi::permutation_tests(in, comm, StudentT{}, x))
}

#undef REFUSED

#endif

#if RIFFLE_REFUSED_CALLS & 4

// Each with an array that is passed where the ranks belong.
// each is refused: riffle: a riffle::mpi::Communicator belongs second
#define REFUSED(CALL)                                \
  {                                                  \
    auto const& in = made<Array<Value<__LINE__>>>(); \
    CALL;                                            \
  }

void communicators() {
  REFUSED(mpi::shuffle_copy(exec, in, x, 1))
  REFUSED(mpi::shuffle(exec, in, 1))
  REFUSED(mpi::shuffle(exec, in, comm, 1))
  REFUSED(mpi::random_permutation(exec, in, 1))
  REFUSED(mpi::sample(exec, in, 100, 1))
  REFUSED(mpi::inclusive_scan(exec, in, x))
  REFUSED(mpi::exclusive_scan(exec, in, x))
  REFUSED(mpi::sort(exec, in))
  REFUSED(mpi::sort(Context(exec, "a label"), in, Descending{}))
  REFUSED(mpi::sort_copy(exec, in, x))
  REFUSED(mpi::sort_by_key(exec, in, x))
  REFUSED(mpi::rank(exec, in, x))
  REFUSED(mpi::rank_unsorted(exec, in, x))
  REFUSED(mpi::permute(exec, in, p, x))
  REFUSED(mpi::permutation_test(exec, in, x, DifferenceOfMeans{}))
  REFUSED(mpi::permutation_tests(exec, in, comm, StudentT{}, x))
}

#undef REFUSED

#endif

#if RIFFLE_REFUSED_CALLS & 8

void others() {
  // refused: this View is written, and its values are const
  mpi::inclusive_scan(exec, comm, made<Array<float>>(), made<Array<float const>>());
  // refused: this View is written, and its values are const
  mpi::exclusive_scan(exec, comm, made<Array<int>>(), made<Array<int const>>());
  // refused: riffle: a riffle::mpi::Communicator belongs second
  mpi::sort(exec, MPI_COMM_WORLD, x);
  // refused: riffle: a riffle::mpi::Communicator belongs second
  mpi::sample(exec, std::uint64_t{100}, comm, p, 1);
  // refused: riffle: a riffle::mpi::Communicator belongs second
  mpi::permutation_test(exec, DifferenceOfMeans{}, comm, x, y);
  // refused: riffle: an execution space instance belongs first
  mpi::sort(comm, exec, x);
  // refused: riffle: an execution space instance belongs first
  mpi::sort(MPI_COMM_WORLD, exec, x);
  // refused: riffle: a label comes with the instance
  mpi::sort("my sort", exec, comm, x);
  // refused: riffle: a workspace comes with the instance
  mpi::sort(made<Workspace<Exec>>(), comm, x);
  // refused: kernels of this execution space cannot access this View's memory
  mpi::sort(exec, comm, made<ArrayElsewhere<Value<1>>>());
  // refused: kernels of this execution space cannot access this View's memory
  mpi::shuffle(exec, comm, pack(x, made<ArrayElsewhere<Value<2>>>()), 1);
  // refused: kernels of this execution space cannot access this View's memory
  mpi::inclusive_scan(exec, comm, made<ArrayElsewhere<double>>(), x);
  // refused: kernels of this execution space cannot access this View's memory
  mpi::exclusive_scan(exec, comm, x, made<ArrayElsewhere<double>>());
  // refused: kernels of this execution space cannot access this View's memory
  mpi::rank(exec, comm, made<ArrayElsewhere<Value<3>>>(), y);
  // refused: kernels of this execution space cannot access this View's memory
  mpi::permute(exec, comm, made<ArrayElsewhere<Value<4>>>(), p, x);
  // refused: kernels of this execution space cannot access this View's memory
  mpi::permutation_test(exec, comm, DifferenceOfMeans{}, x, made<ArrayElsewhere<Value<5>>>());
  // refused: a Kokkos::View belongs here
  mpi::sort(exec, comm, made<unsigned>());
  // refused: a Kokkos::View belongs here
  mpi::shuffle(exec, comm, made<long>(), 1);
  // refused: a Kokkos::View belongs here
  mpi::sample(exec, comm, 100, made<short>(), 1);
  // refused: a Kokkos::View belongs here
  mpi::inclusive_scan(exec, comm, x, made<unsigned char>());
  // refused: a Kokkos::View belongs here
  mpi::rank(exec, comm, x, made<char>());
  // refused: a Kokkos::View belongs here
  mpi::permute(exec, comm, x, made<float>(), y);
  // refused: a Kokkos::View belongs here
  mpi::permutation_test(exec, comm, DifferenceOfMeans{}, x, made<unsigned short>());
  // refused: an array, a View of rank 1, belongs here
  mpi::sort(exec, comm, made<Cube<Value<6>>>());
  // refused: an array, a View of rank 1, belongs here
  mpi::exclusive_scan(exec, comm, made<Cube<double>>(), x);
  // refused: an array, a View of rank 1, belongs here
  mpi::rank(exec, comm, x, made<Cube<Value<7>>>());
  // refused: an array, a View of rank 1, belongs here
  mpi::permutation_test(exec, comm, DifferenceOfMeans{}, made<Cube<Value<8>>>(), y);
  // refused: an array, a View of rank 1, belongs here
  mpi::permutation_tests(exec, comm, StudentT{}, a, made<Cube<Value<9>>>());
  // refused: a matrix, a View of rank 2, belongs here
  mpi::permutation_tests(exec, comm, StudentT{}, made<Array<Value<10>>>(), x);
  // refused: a matrix, a View of rank 2, belongs here
  mpi::permutation_tests(exec, comm, OneSampleT{}, made<Array<Value<11>>>());
  // refused: values or rows, a View of rank 1 or 2, belong here
  mpi::shuffle(exec, comm, made<Cube<Value<12>>>(), 1);
  // refused: values or rows, a View of rank 1 or 2, belong here
  mpi::sort_by_key(exec, comm, x, pack(y, made<Cube<Value<13>>>()));
  // refused: values or rows, a View of rank 1 or 2, belong here
  mpi::permute(exec, comm, made<Cube<Value<14>>>(), p, x);
  // refused: indices, a View of integers, belong here
  mpi::permute(exec, comm, x, made<Array<Value<15>>>(), y);
  // refused: no View belongs here
  mpi::sort(exec, comm, x, made<Array<Value<16>>>());
  // refused: no View belongs here
  mpi::shuffle(exec, comm, x, made<Array<Value<17>>>());
  // refused: no View belongs here
  mpi::sample(exec, comm, made<Array<Value<18>>>(), 100, 1);
  // refused: no View belongs here
  mpi::inclusive_scan(exec, comm, x, y, made<Array<Value<19>>>());
  // refused: no View belongs here
  mpi::rank(exec, comm, x, y, made<Array<Value<20>>>());
  // refused: no View belongs here
  mpi::permutation_test(exec, comm, made<Array<Value<21>>>(), y, DifferenceOfMeans{});
  // refused: no View belongs here
  mpi::permutation_tests(exec, comm, made<Array<Value<22>>>(), a, StudentT{});
  // refused: a View of trivially copyable values belongs here
  mpi::sort(exec, comm, made<Array<Text>>());
  // refused: a View of trivially copyable values belongs here
  mpi::sort_copy(exec, comm, x, made<Array<Text>>());
}

#endif

}  // namespace riffle::test
