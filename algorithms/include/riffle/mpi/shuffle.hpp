#pragma once

// Random shuffles of distributed data.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/detail/shuffle/run_shuffle.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/shuffle/shuffle.hpp>
#include <riffle/shuffle/tree_for_mpi.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

// --- the number of levels of the tree, which depends on the type of the algorithm; 0 if the
// permutation is RandomPermutation(n, seed, stream) ---

inline int tree_levels(PermutationGather, std::uint64_t) { return 0; }
inline int tree_levels(BucketShuffle, std::uint64_t n) { return bucket_shuffle::level_count(n); }
inline int tree_levels(DefaultShuffle, std::uint64_t n) {
  return n < DefaultShuffle::min_in_buckets ? 0 : bucket_shuffle::level_count(n);
}

/// An algorithm for which each rank can compute its part of the permutation.
template <class T>
concept ShuffleOfRanks = requires(T algorithm) {
  tree_levels(algorithm, std::uint64_t{});
};

/// Checks the arguments of both kinds of shuffle, then shuffles. check_own() checks this rank's arguments. If there is
/// only one rank, shuffle_alone() shuffles on one device, without packing.
template <class Exec, class Check, class In, class Out, class Algorithm, class Alone>
void shuffle_checked(RankCall<Exec> const& call, Check const& check_own, In const& in,
                     Out const& out, SeedAndStream random, Algorithm algorithm,
                     Alone const& shuffle_alone) {
  run_collectively(call.comm, call.function, check_own,
                   {{"seed", random.seed},
                    {"stream", random.stream},
                    {"the bytes of a row", row_bytes_of(out)},
                    {"the algorithm's levels at n = 2^22",
                     static_cast<std::uint64_t>(tree_levels(algorithm, std::uint64_t{1} << 22))},
                    {"the algorithm's levels at n = 2^23",
                     static_cast<std::uint64_t>(tree_levels(algorithm, std::uint64_t{1} << 23))}});
  auto const [input, output] = gather_partitions(call.comm, row_count(in), row_count(out));
  // These numbers are equal on all ranks, so all ranks throw without further communication.
  check(input.n() == output.n(), call.function, "in has ", input.n(), " rows and out ", output.n(),
        ", on all ranks: must be equal");
  check(input.n() <= RandomPermutation::max_size, call.function, "n = ", input.n(),
        ": must be at most 2^63");
  if (call.comm.size() == 1) {
    call.run_collectively(shuffle_alone);
  } else {
    shuffle_rows(call, input, output, in, out, random, tree_levels(algorithm, input.n()));
  }
}

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// Sets out(i) = in(sigma(i)) for 0 <= i < n, where in and out are the concatenations of all ranks'
/// rows in the order of the ranks, and sigma is the permutation of riffle::shuffle_copy. For any
/// number of ranks, the result is bitwise identical to the result on one device.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - in, out: this rank's rows, as Views or packs as for riffle::shuffle_copy, with trivially
///   copyable values. A rank may own any number of rows, including 0, and different numbers of rows
///   of `in` and of `out`; block_of computes the numbers for equal blocks. n is the sum over the
///   ranks.
/// - seed, stream: the same on all ranks.
/// - algorithm: DefaultShuffle, BucketShuffle or PermutationGather.
///
/// Throws on all ranks, with the text of the lowest rank that found the error:
/// std::invalid_argument if Views that are written share an element with others, if extents do not
/// match, if the sums of rows differ, or if seeds, streams, algorithms or the number of bytes in a
/// row differ between ranks; std::runtime_error if a rank has too little memory. Nothing is written
/// then. Blocking: waits for `exec`, because the host sends the rows that kernels have packed; the
/// last kernels may still run when the call returns. Reproducible.
///
/// Complexity on each of P ranks, if each owns n / P rows:
///
///     n < 2^23, or PermutationGather   evaluates all n values of the permutation
///     2^23 <= n < 2^30                 packs, sends, receives and writes each row once; stores 256 counters of 8 bytes
///     2^30 <= n                        writes each row twice; stores 65536 counters
///
/// Each rank sends n / P (1 - 1 / P) rows, in P - 1 messages, and receives the same number. Memory:
/// the size of this rank's rows of `in` and of `out` together.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void shuffle_copy(Exec const& exec, Communicator const& comm, In const& in, Out const& out,
                  std::uint64_t seed, std::uint64_t stream, Algorithm algorithm = {}) {
  char const* const function = "mpi::shuffle_copy";
  detail::Call const context(exec, "riffle::mpi::shuffle_copy");
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const check_own = [&] {
    call.check_device("in", in);
    call.check_device("out", out);
    detail::mpi::check_rows_of_rank(function, in, out);
    detail::for_each_view(out, [&](auto const& target) {
      detail::check_rows_disjoint(function, "in", in, "out", target);
    });
  };
  detail::mpi::shuffle_checked(call, check_own, in, out, {seed, stream}, algorithm, [&] {
    riffle::shuffle_copy(call.context, in, out, seed, stream, algorithm);
  });
}

/// Overload for stream 0.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void shuffle_copy(Exec const& exec, Communicator const& comm, In const& in, Out const& out,
                  std::uint64_t seed, Algorithm algorithm = {}) {
  mpi::shuffle_copy(exec, comm, in, out, seed, 0, algorithm);
}

/// Shuffles in place: row i becomes the previous row sigma(i), where rows are numbered over all
/// ranks, and sigma is the permutation of shuffle_copy. The number of rows of each rank does not
/// change. The contract is otherwise the same as for shuffle_copy.
template <detail::InstanceOrContext Exec, detail::WritableRowSet<Exec> Data,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void shuffle(Exec const& exec, Communicator const& comm, Data const& data, std::uint64_t seed,
             std::uint64_t stream, Algorithm algorithm = {}) {
  char const* const function = "mpi::shuffle";
  detail::Call const context(exec, "riffle::mpi::shuffle");
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const check_own = [&] {
    call.check_device("data", data);
    detail::mpi::check_rows_of_rank(function, data, data);
  };
  detail::mpi::shuffle_checked(call, check_own, data, data, {seed, stream}, algorithm, [&] {
    riffle::shuffle(call.context, data, seed, stream, algorithm);
  });
}

/// Overload for stream 0.
template <detail::InstanceOrContext Exec, detail::WritableRowSet<Exec> Data,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void shuffle(Exec const& exec, Communicator const& comm, Data const& data, std::uint64_t seed,
             Algorithm algorithm = {}) {
  mpi::shuffle(exec, comm, data, seed, 0, algorithm);
}

/// Writes this rank's part of sigma, the permutation of shuffle_copy: out(i) = sigma(first + i).
/// Here `first` is the number of elements that lower ranks own, and n is the sum of out.extent(0)
/// over all ranks. The ranks send each other only counters.
///
/// - out: a rank-1 View of an integer type.
///
/// Throws std::invalid_argument on all ranks if the value type of `out` cannot represent n - 1.
/// Blocking: enqueued on `exec`. The call waits for `exec` only if the permutation is defined by a
/// tree (with the default algorithm, for n >= 2^23). Reproducible.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Out,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void random_permutation(Exec const& exec, Communicator const& comm, Out const& out,
                        std::uint64_t seed, std::uint64_t stream, Algorithm algorithm = {}) {
  namespace of_ranks = detail::mpi;
  char const* const function = "mpi::random_permutation";
  detail::Call const context(exec, "riffle::mpi::random_permutation");
  of_ranks::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const levels_at = [&](int log2_n) {
    return static_cast<std::uint64_t>(of_ranks::tree_levels(algorithm, std::uint64_t{1} << log2_n));
  };
  of_ranks::run_collectively(comm, function, [&] { call.check_device("out", out); },
                             {{"seed", seed},
                              {"stream", stream},
                              {"the algorithm's levels at n = 2^22", levels_at(22)},
                              {"the algorithm's levels at n = 2^23", levels_at(23)}});
  auto const [output, same] = of_ranks::gather_partitions(comm, out.extent(0), out.extent(0));
  detail::check(output.n() <= RandomPermutation::max_size, function, "n = ", output.n(),
                ": must be at most 2^63");
  of_ranks::run_collectively(
      comm, function, [&, n = output.n()] { detail::check_can_index(function, "out", out, n); });
  if (comm.size() == 1) {
    call.run_collectively(
        [&] { riffle::random_permutation(call.context, out, seed, stream, algorithm); });
    return;
  }
  of_ranks::write_permutation(call, output, out, SeedAndStream(seed, stream),
                              of_ranks::tree_levels(algorithm, output.n()));
}

/// Overload for stream 0.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Out,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void random_permutation(Exec const& exec, Communicator const& comm, Out const& out,
                        std::uint64_t seed, Algorithm algorithm = {}) {
  mpi::random_permutation(exec, comm, out, seed, 0, algorithm);
}

RIFFLE_CALL_DIAGNOSTICS(shuffle_copy, Comm, in<Rows>, out<WrittenRows>, seed<WholeNumber>,
                        OrNumber<algorithm<Optional<NoView>>, stream<WholeNumber>>)
RIFFLE_CALL_DIAGNOSTICS(shuffle, Comm, data<WrittenRows>, seed<WholeNumber>,
                        OrNumber<algorithm<Optional<NoView>>, stream<WholeNumber>>)
RIFFLE_CALL_DIAGNOSTICS(random_permutation, Comm, out<WrittenArray>, seed<WholeNumber>,
                        OrNumber<algorithm<Optional<NoView>>, stream<WholeNumber>>)

}  // namespace riffle::mpi
