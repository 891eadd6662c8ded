#pragma once

// Random shuffles of data that several ranks own.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/shuffle/run_shuffle.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle/bucket_tree.hpp>
#include <riffle/shuffle/shuffle.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

// --- the tree's levels by an algorithm's tag; none where it is RandomPermutation(n, seed) ---

inline int tree_levels(PermutationGather, std::uint64_t) { return 0; }
inline int tree_levels(BucketShuffle, std::uint64_t n) { return bucket_shuffle::levels(n); }
inline int tree_levels(DefaultShuffle, std::uint64_t n) {
  return n < DefaultShuffle::min_in_buckets ? 0 : bucket_shuffle::levels(n);
}

/// An algorithm whose permutation each rank can find its part of.
template <class T>
concept ShuffleOfRanks = requires(T algorithm) {
  tree_levels(algorithm, std::uint64_t{});
};

/// What both shuffles do once this rank's arguments are checked by `check_own`. shuffle_alone() is the call of one
/// device, which packs and unpacks nothing.
template <class Exec, class Check, class In, class Out, class Algorithm, class Alone>
void shuffle_checked(RankCall<Exec> const& call, Check const& check_own, In const& in,
                     Out const& out, std::uint64_t seed, Algorithm algorithm,
                     Alone const& shuffle_alone) {
  agree(call.comm, call.function, check_own,
        {{"seed", seed},
         {"the bytes of a row", row_bytes_of(out)},
         {"the algorithm's levels at n = 2^22",
          static_cast<std::uint64_t>(tree_levels(algorithm, std::uint64_t{1} << 22))},
         {"the algorithm's levels at n = 2^23",
          static_cast<std::uint64_t>(tree_levels(algorithm, std::uint64_t{1} << 23))}});
  auto const [input, output] = gather_partitions(call.comm, row_count(in), row_count(out));
  // What all ranks know, they need not agree on.
  check(input.n() == output.n(), call.function, "in has ", input.n(), " rows and out ", output.n(),
        ", on all ranks: must be equal");
  check(input.n() <= RandomPermutation::max_size, call.function, "n = ", input.n(),
        ": must be at most 2^63");
  if (call.comm.size() == 1) {
    call.agree(shuffle_alone);
  } else {
    shuffle_rows(call, input, output, in, out, seed, tree_levels(algorithm, input.n()));
  }
}

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// out(i) = in(sigma(i)) for i < n, where all ranks' rows follow each other in the order of the ranks, with the sigma
/// of riffle::shuffle_copy: the same bits as on one device, for any number of ranks.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - in, out: this rank's rows, Views or packs as for riffle::shuffle_copy, of trivially copyable values. Each rank may
///   own any number of them, none included, and of `out` another than of `in` (block_of says how many there are in equal
///   blocks); n is the sum.
/// - seed: the same on all ranks.
/// - algorithm: DefaultShuffle, BucketShuffle or PermutationGather.
///
/// Throws std::invalid_argument on all ranks, with the text of the first that finds it, where Views that are written
/// share an element with others, extents do not fit each other, the sums of rows differ, or seeds, algorithms or bytes
/// of a row differ between ranks; std::runtime_error where a rank has too little memory. Nothing is written then.
/// Waits for `exec`, since the host sends what kernels have packed; what it enqueues last may still run when it
/// returns. Reproducible.
///
/// Cost on each of P ranks: each row is packed, sent, received and written once, or (2^30 <= n) twice; n / P (1 - 1 / P)
/// rows go each way in P - 1 messages, beside 256 counters of 8 bytes for each rank (65536 above 2^30).
/// It takes memory of this rank's rows of `in` and `out`. Below 2^23, or with PermutationGather, each rank evaluates all n images.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void shuffle_copy(Exec const& exec, Communicator const& comm, In const& in, Out const& out,
                  std::uint64_t seed, Algorithm algorithm = {}) {
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
  detail::mpi::shuffle_checked(call, check_own, in, out, seed, algorithm, [&] {
    riffle::shuffle_copy(call.context, in, out, seed, algorithm);
  });
}

/// Shuffles in place: afterwards row i of all ranks' is what row sigma(i) was, with the sigma of shuffle_copy. Each rank
/// keeps as many rows as it has. All else is as for shuffle_copy.
template <detail::InstanceOrContext Exec, detail::WritableRowSet<Exec> Data,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void shuffle(Exec const& exec, Communicator const& comm, Data const& data, std::uint64_t seed,
             Algorithm algorithm = {}) {
  char const* const function = "mpi::shuffle";
  detail::Call const context(exec, "riffle::mpi::shuffle");
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const check_own = [&] {
    call.check_device("data", data);
    detail::mpi::check_rows_of_rank(function, data, data);
  };
  detail::mpi::shuffle_checked(call, check_own, data, data, seed, algorithm,
                               [&] { riffle::shuffle(call.context, data, seed, algorithm); });
}

/// This rank's part of the permutation: out(i) = sigma(first + i), where the ranks before this one have `first` elements,
/// and n is the sum of all out.extent(0); with the sigma of shuffle_copy. Counters alone go from rank to rank.
///
/// - out: a rank-1 View of an integer type that holds n - 1, else std::invalid_argument on all ranks.
///
/// Enqueued on `exec`; waits for it where there is a tree, from 2^23 on. Reproducible.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Out,
          detail::mpi::ShuffleOfRanks Algorithm = DefaultShuffle>
void random_permutation(Exec const& exec, Communicator const& comm, Out const& out,
                        std::uint64_t seed, Algorithm algorithm = {}) {
  namespace of_ranks = detail::mpi;
  char const* const function = "mpi::random_permutation";
  detail::Call const context(exec, "riffle::mpi::random_permutation");
  of_ranks::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const levels_at = [&](int log2_n) {
    return static_cast<std::uint64_t>(of_ranks::tree_levels(algorithm, std::uint64_t{1} << log2_n));
  };
  of_ranks::agree(comm, function, [&] { call.check_device("out", out); },
                  {{"seed", seed},
                   {"the algorithm's levels at n = 2^22", levels_at(22)},
                   {"the algorithm's levels at n = 2^23", levels_at(23)}});
  auto const [output, same] = of_ranks::gather_partitions(comm, out.extent(0), out.extent(0));
  detail::check(output.n() <= RandomPermutation::max_size, function, "n = ", output.n(),
                ": must be at most 2^63");
  of_ranks::agree(comm, function,
                  [&, n = output.n()] { detail::check_can_index(function, "out", out, n); });
  if (comm.size() == 1) {
    call.agree([&] { riffle::random_permutation(call.context, out, seed, algorithm); });
    return;
  }
  of_ranks::write_permutation(call, output, out, seed,
                              of_ranks::tree_levels(algorithm, output.n()));
}

RIFFLE_EXPLAIN_MISTAKES(shuffle_copy, Comm, in<Rows>, out<WrittenRows>, seed<WholeNumber>)
RIFFLE_EXPLAIN_MISTAKES(shuffle, Comm, data<WrittenRows>, seed<WholeNumber>)
RIFFLE_EXPLAIN_MISTAKES(random_permutation, Comm, out<WrittenArray>, seed<WholeNumber>)

}  // namespace riffle::mpi
