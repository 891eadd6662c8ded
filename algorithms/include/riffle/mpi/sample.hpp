#pragma once

// Samples without replacement. The sample is distributed over the ranks.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/random_permutation.hpp>

namespace riffle::detail::mpi {

/// The function i -> sigma(first + i), evaluated in the fastest way that sigma offers.
template <class Sigma>
struct ImagesFrom {
  Sigma sigma;
  std::uint64_t first;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return sigma(first + i); }

  template <class Visit>
  void visit_blocks(std::uint64_t begin, std::size_t count,
                    Visit const& visit) const requires VisitsBlocks<Sigma> {
    sigma.visit_blocks(first + begin, count,
                       [&](std::uint64_t from, std::size_t size, auto const* images) {
                         visit(from - first, size, images);
                       });
  }

  template <int Width>
  KOKKOS_FUNCTION void replace_by_images(std::uint64_t (&points)[Width]) const requires
      ReplacesByImages<Sigma, Width> {
    for (int k = 0; k < Width; ++k) points[k] += first;
    sigma.replace_by_images(points);
  }

  template <class Visit>
  void specialize(Visit const& visit) const requires Specializes<Sigma> {
    sigma.specialize([&]<class Form>(Form const& form) { visit(ImagesFrom<Form>{form, first}); });
  }
};

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// Writes k distinct elements of {0, ..., n - 1} in random order, where k is the sum of
/// out.extent(0) over all ranks. The concatenation of all ranks' out, in the order of the ranks,
/// equals the result of riffle::sample, for any number of ranks.
///
/// - exec: an execution space instance, or a Context of one.
/// - comm: the ranks. Collective.
/// - n, seed, stream: the same on all ranks.
/// - out: this rank's part of the sample, a rank-1 View of an integer type. A rank may own any
///   number of elements, including 0; block_of computes the numbers for equal blocks.
///
/// Throws std::invalid_argument on all ranks if k > n, if n > 2^63, if the value type of `out` on
/// some rank cannot represent n - 1, or if n, seed or stream differs between ranks. Nothing is written
/// then. Blocking: does not fence; work is enqueued on `exec`. Reproducible.
///
/// Complexity: out.extent(0) evaluations of the permutation. Memory: none, for any n. Each rank
/// sends only its extent.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Out>
void sample(Exec const& exec, Communicator const& comm, std::uint64_t n, Out const& out,
            std::uint64_t seed, std::uint64_t stream = 0) {
  char const* const function = "mpi::sample";
  detail::Call const context(exec, "riffle::mpi::sample");
  detail::mpi::RankCall<detail::SpaceOf<Exec>> const call{function, context, comm};
  auto const check_own = [&] {
    call.check_device("out", out);
    detail::check(n <= RandomPermutation::max_size, function, "n = ", n, ": must be at most 2^63");
    detail::check_can_index(function, "out", out, n);
  };
  detail::mpi::run_collectively(comm, function, check_own,
                                {{"n", n}, {"seed", seed}, {"stream", stream}});
  auto const [output, same] = detail::mpi::gather_partitions(comm, out.extent(0), out.extent(0));
  detail::check(output.n() <= n, function, "out has ", output.n(),
                " elements, on all ranks: must not exceed n = ", n);
  using Images = detail::mpi::ImagesFrom<RandomPermutation>;
  detail::write_images(context,
                       Images{RandomPermutation(n, seed, stream), output.first(comm.rank())}, out);
}

RIFFLE_CALL_DIAGNOSTICS(sample, Comm, n<WholeNumber>, out<WrittenArray>, seed<WholeNumber>,
                        stream<Optional<WholeNumber>>)

}  // namespace riffle::mpi
