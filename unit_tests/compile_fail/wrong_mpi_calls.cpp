// The same tests as in wrong_calls.cpp, for riffle::mpi. <mpi.h> is the model's, so that no MPI is needed.
// no-other-errors

#include <mpi.h>

#include <cstdint>

#include <riffle/mpi.hpp>

#include "wrong_arguments.hpp"

namespace riffle::test {

auto const& comm = made<mpi::Communicator>();

#if RIFFLE_WRONG_CALLS & 1

// Each call writes a View with const values.
// expected-error-of-each: this View is written, and its values are const
#define EXPECT_ERROR(CALL)                                  \
  {                                                         \
    auto const& out = made<Array<Value<__LINE__> const>>(); \
    CALL;                                                   \
  }

void outputs() {
  EXPECT_ERROR(mpi::shuffle_copy(exec, comm, x, out, 1))
  EXPECT_ERROR(mpi::shuffle_copy(exec, comm, pack(x, a), pack(y, out), 1))
  EXPECT_ERROR(mpi::shuffle(exec, comm, out, 1))
  EXPECT_ERROR(mpi::shuffle(Context(exec, "a label"), comm, out, 1, DefaultShuffle{}))
  EXPECT_ERROR(mpi::random_permutation(exec, comm, out, 1))
  EXPECT_ERROR(mpi::sample(exec, comm, 100, out, 1))
  EXPECT_ERROR(mpi::inclusive_scan(exec, comm, x, out, Sum<double>{}))
  EXPECT_ERROR(mpi::exclusive_scan(exec, comm, x, out, Sum<double>{}, 1))
  EXPECT_ERROR(mpi::sort(exec, comm, out))
  EXPECT_ERROR(mpi::sort(exec, comm, out, Descending{}))
  EXPECT_ERROR(mpi::sort_copy(exec, comm, x, out))
  EXPECT_ERROR(mpi::sort_by_key(exec, comm, out, x))
  EXPECT_ERROR(mpi::sort_by_key(exec, comm, x, pack(a, out)))
  EXPECT_ERROR(mpi::rank(exec, comm, x, out))
  EXPECT_ERROR(mpi::rank_unsorted(exec, comm, x, out, ties::Dense{}))
  EXPECT_ERROR(mpi::permute(exec, comm, x, p, out))
  EXPECT_ERROR(mpi::permute(exec, comm, x, made<mpi::PlannedPermutation<Exec>>(), out))
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
  EXPECT_ERROR(mpi::shuffle_copy(in, x, 1))
  EXPECT_ERROR(mpi::shuffle(in, comm, 1))
  EXPECT_ERROR(mpi::random_permutation(in, 1))
  EXPECT_ERROR(mpi::sample(in, comm, 100, 1))
  EXPECT_ERROR(mpi::inclusive_scan(in, comm, x))
  EXPECT_ERROR(mpi::exclusive_scan(in, comm, x))
  EXPECT_ERROR(mpi::sort(in))
  EXPECT_ERROR(mpi::sort_copy(in, comm, x))
  EXPECT_ERROR(mpi::sort_by_key(in, comm, x))
  EXPECT_ERROR(mpi::rank(in, comm, x))
  EXPECT_ERROR(mpi::rank_unsorted(in, x))
  EXPECT_ERROR(mpi::permute(in, comm, p, x))
  EXPECT_ERROR(mpi::permutation_test(in, comm, x, DifferenceOfMeans{}))
  EXPECT_ERROR(mpi::permutation_tests(in, comm, StudentT{}, x))
}

#undef EXPECT_ERROR

#endif

#if RIFFLE_WRONG_CALLS & 4

// Each call has a View as its second argument, in place of the communicator.
// expected-error-of-each: riffle: a riffle::mpi::Communicator belongs second
#define EXPECT_ERROR(CALL)                           \
  {                                                  \
    auto const& in = made<Array<Value<__LINE__>>>(); \
    CALL;                                            \
  }

void communicators() {
  EXPECT_ERROR(mpi::shuffle_copy(exec, in, x, 1))
  EXPECT_ERROR(mpi::shuffle(exec, in, 1))
  EXPECT_ERROR(mpi::shuffle(exec, in, comm, 1))
  EXPECT_ERROR(mpi::random_permutation(exec, in, 1))
  EXPECT_ERROR(mpi::sample(exec, in, 100, 1))
  EXPECT_ERROR(mpi::inclusive_scan(exec, in, x))
  EXPECT_ERROR(mpi::exclusive_scan(exec, in, x))
  EXPECT_ERROR(mpi::sort(exec, in))
  EXPECT_ERROR(mpi::sort(Context(exec, "a label"), in, Descending{}))
  EXPECT_ERROR(mpi::sort_copy(exec, in, x))
  EXPECT_ERROR(mpi::sort_by_key(exec, in, x))
  EXPECT_ERROR(mpi::rank(exec, in, x))
  EXPECT_ERROR(mpi::rank_unsorted(exec, in, x))
  EXPECT_ERROR(mpi::permute(exec, in, p, x))
  EXPECT_ERROR(mpi::permutation_test(exec, in, x, DifferenceOfMeans{}))
  EXPECT_ERROR(mpi::permutation_tests(exec, in, comm, StudentT{}, x))
}

#undef EXPECT_ERROR

#endif

#if RIFFLE_WRONG_CALLS & 8

void others() {
  // expected-error: this View is written, and its values are const
  mpi::inclusive_scan(exec, comm, made<Array<float>>(), made<Array<float const>>());
  // expected-error: this View is written, and its values are const
  mpi::exclusive_scan(exec, comm, made<Array<int>>(), made<Array<int const>>());
  // expected-error: riffle: a riffle::mpi::Communicator belongs second
  mpi::sort(exec, MPI_COMM_WORLD, x);
  // expected-error: riffle: a riffle::mpi::Communicator belongs second
  mpi::sample(exec, std::uint64_t{100}, comm, p, 1);
  // expected-error: riffle: a riffle::mpi::Communicator belongs second
  mpi::permutation_test(exec, DifferenceOfMeans{}, comm, x, y);
  // expected-error: riffle: an execution space instance belongs first
  mpi::sort(comm, exec, x);
  // expected-error: riffle: an execution space instance belongs first
  mpi::sort(MPI_COMM_WORLD, exec, x);
  // expected-error: riffle: a label comes with the instance
  mpi::sort("my sort", exec, comm, x);
  // expected-error: riffle: a workspace comes with the instance
  mpi::sort(made<Workspace<Exec>>(), comm, x);
  // expected-error: kernels of this execution space cannot access this View's memory
  mpi::sort(exec, comm, made<ArrayElsewhere<Value<1>>>());
  // expected-error: kernels of this execution space cannot access this View's memory
  mpi::shuffle(exec, comm, pack(x, made<ArrayElsewhere<Value<2>>>()), 1);
  // expected-error: kernels of this execution space cannot access this View's memory
  mpi::inclusive_scan(exec, comm, made<ArrayElsewhere<double>>(), x);
  // expected-error: kernels of this execution space cannot access this View's memory
  mpi::exclusive_scan(exec, comm, x, made<ArrayElsewhere<double>>());
  // expected-error: kernels of this execution space cannot access this View's memory
  mpi::rank(exec, comm, made<ArrayElsewhere<Value<3>>>(), y);
  // expected-error: kernels of this execution space cannot access this View's memory
  mpi::permute(exec, comm, made<ArrayElsewhere<Value<4>>>(), p, x);
  // expected-error: kernels of this execution space cannot access this View's memory
  mpi::permutation_test(exec, comm, DifferenceOfMeans{}, x, made<ArrayElsewhere<Value<5>>>());
  // expected-error: a Kokkos::View belongs here
  mpi::sort(exec, comm, made<unsigned>());
  // expected-error: a Kokkos::View belongs here
  mpi::shuffle(exec, comm, made<long>(), 1);
  // expected-error: a Kokkos::View belongs here
  mpi::sample(exec, comm, 100, made<short>(), 1);
  // expected-error: a Kokkos::View belongs here
  mpi::inclusive_scan(exec, comm, x, made<unsigned char>());
  // expected-error: a Kokkos::View belongs here
  mpi::rank(exec, comm, x, made<char>());
  // expected-error: a Kokkos::View belongs here
  mpi::permute(exec, comm, x, made<float>(), y);
  // expected-error: a Kokkos::View belongs here
  mpi::permutation_test(exec, comm, DifferenceOfMeans{}, x, made<unsigned short>());
  // expected-error: an array, a View of rank 1, belongs here
  mpi::sort(exec, comm, made<Cube<Value<6>>>());
  // expected-error: an array, a View of rank 1, belongs here
  mpi::exclusive_scan(exec, comm, made<Cube<double>>(), x);
  // expected-error: an array, a View of rank 1, belongs here
  mpi::rank(exec, comm, x, made<Cube<Value<7>>>());
  // expected-error: an array, a View of rank 1, belongs here
  mpi::permutation_test(exec, comm, DifferenceOfMeans{}, made<Cube<Value<8>>>(), y);
  // expected-error: an array, a View of rank 1, belongs here
  mpi::permutation_tests(exec, comm, StudentT{}, a, made<Cube<Value<9>>>());
  // expected-error: a matrix, a View of rank 2, belongs here
  mpi::permutation_tests(exec, comm, StudentT{}, made<Array<Value<10>>>(), x);
  // expected-error: a matrix, a View of rank 2, belongs here
  mpi::permutation_tests(exec, comm, OneSampleT{}, made<Array<Value<11>>>());
  // expected-error: values or rows, a View of rank 1 or 2, belong here
  mpi::shuffle(exec, comm, made<Cube<Value<12>>>(), 1);
  // expected-error: values or rows, a View of rank 1 or 2, belong here
  mpi::sort_by_key(exec, comm, x, pack(y, made<Cube<Value<13>>>()));
  // expected-error: values or rows, a View of rank 1 or 2, belong here
  mpi::permute(exec, comm, made<Cube<Value<14>>>(), p, x);
  // expected-error: indices, a View of integers, belong here
  mpi::permute(exec, comm, x, made<Array<Value<15>>>(), y);
  // expected-error: no View belongs here
  mpi::sort(exec, comm, x, made<Array<Value<16>>>());
  // expected-error: no View belongs here
  mpi::shuffle(exec, comm, x, made<Array<Value<17>>>());
  // expected-error: no View belongs here
  mpi::sample(exec, comm, made<Array<Value<18>>>(), 100, 1);
  // expected-error: no View belongs here
  mpi::inclusive_scan(exec, comm, x, y, made<Array<Value<19>>>());
  // expected-error: no View belongs here
  mpi::rank(exec, comm, x, y, made<Array<Value<20>>>());
  // expected-error: no View belongs here
  mpi::permutation_test(exec, comm, made<Array<Value<21>>>(), y, DifferenceOfMeans{});
  // expected-error: no View belongs here
  mpi::permutation_tests(exec, comm, made<Array<Value<22>>>(), a, StudentT{});
  // expected-error: a View of trivially copyable values belongs here
  mpi::sort(exec, comm, made<Array<Text>>());
  // expected-error: a View of trivially copyable values belongs here
  mpi::sort_copy(exec, comm, x, made<Array<Text>>());
}

#endif

}  // namespace riffle::test
