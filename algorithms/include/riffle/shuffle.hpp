#pragma once

// Random shuffles and samples of Views.
//
// The default is a gather through riffle::RandomPermutation, a bijection on exactly n points: no
// padding, no scan, no temporary. The shuffles of the paper
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287
// are in riffle/bijective_shuffle.hpp, callable by the tag that is the last argument here.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/detail/for_each_image.hpp>
#include <riffle/detail/row_sets.hpp>
#include <riffle/detail/views.hpp>
#include <riffle/detail/workspaces.hpp>
#include <riffle/errors.hpp>
#include <riffle/random_permutation.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

namespace riffle {

namespace detail {

template <class In, class Out>
struct GatherRow {
  In in;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    copy_row(in, image, out, i);
  }
};

/// The same for values: a thread can have several loads under way.
template <class In, class Out>
struct GatherValue {
  In in;
  Out out;

  KOKKOS_FUNCTION auto load(std::uint64_t image) const {
    return static_cast<typename Out::value_type>(in(image));
  }

  KOKKOS_FUNCTION void store(std::uint64_t i, typename Out::value_type const& value) const {
    out(i) = value;
  }

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    store(i, load(image));
  }
};

/// out(i) = in(sigma(i)) for i < n.
template <class Exec, class Sigma, class In, class Out>
void gather_rows(std::string const& label, Exec const& exec, std::uint64_t n, Sigma const& sigma,
                 In const& in, Out const& out) {
  if constexpr (holds_values<Out>) {
    for_each_image(label, exec, n, sigma, GatherValue<In, Out>{in, out});
  } else {
    for_each_image(label, exec, n, sigma, GatherRow<In, Out>{in, out});
  }
}

template <class Out>
struct WriteImage {
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t image) const {
    out(i) = static_cast<typename Out::value_type>(image);
  }
};

/// out(i) = sigma(i) for i < out.extent(0).
template <class Exec, class Sigma, class Out>
void write_images(std::string const& label, Exec const& exec, Sigma const& sigma, Out const& out) {
  for_each_image(label, exec, out.extent(0), sigma, WriteImage<Out>{out});
}

}  // namespace detail

namespace detail {

/// Algorithms of the user's own need not know of workspaces.
template <class Algorithm, class Exec, class In, class Out, class Memory>
void shuffle_by(Algorithm const& algorithm, std::string const& label, Exec const& exec,
                std::uint64_t n, In const& in, Out const& out, std::uint64_t seed,
                Memory&& memory) {
  if constexpr (requires { algorithm.shuffle_rows(label, exec, n, in, out, seed, memory); }) {
    algorithm.shuffle_rows(label, exec, n, in, out, seed, memory);
  } else {
    algorithm.shuffle_rows(label, exec, n, in, out, seed);
  }
}

}  // namespace detail

/// Shuffle by gathering through RandomPermutation(n, seed). One read of the input and one write of
/// the output, n evaluations of the permutation, no memory. The default of shuffle_copy and
/// shuffle.
struct PermutationGather {
  template <class Exec, class In, class Out, class Memory = NoWorkspace>
  void shuffle_rows(std::string const& label, Exec const& exec, std::uint64_t n, In const& in,
                    Out const& out, std::uint64_t seed, Memory&& = {}) const {
    detail::gather_rows(label, exec, n, RandomPermutation(n, seed), in, out);
  }
};

/// out(i) = in(sigma(i)) for i < n, with sigma a random permutation fixed by (algorithm, n, seed).
///
/// - in, out: Views of rank 1, or of rank 2 whose rows move as one, of equal extents, any layouts,
///   accessible to `exec`; or packs of Views (riffle::pack(a, b)) of one n, all moved by the one
///   sigma. Values of out are assignable from those of in.
/// - algorithm: PermutationGather, or Bijective0, Bijective1, Bijective2 (riffle/bijective_shuffle.hpp),
///   or a type of the user's own with their member function.
/// - memory: a Workspace of exec's device for algorithms that need memory; else these allocate and free
///   through `exec`.
///
/// Throws std::invalid_argument where extents differ, in and out share an element, n > 2^63, or the
/// workspace is on another device; nothing is written then. Enqueued on `exec`, does not fence. PermutationGather: one pass, no
/// memory. Reproducible: the same bits on every back end.
template <detail::ExecutionSpace Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          class Algorithm = PermutationGather, detail::WorkspaceFor<Exec> Memory = NoWorkspace>
void shuffle_copy(std::string const& label, Exec const& exec, In const& in, Out const& out,
                  std::uint64_t seed, Algorithm algorithm = {}, Memory&& memory = {}) {
  std::uint64_t const n = detail::check_row_sets("shuffle_copy", in, out);
  detail::check_workspace("shuffle_copy", exec, memory);
  detail::shuffle_by(algorithm, label, exec, n, in, out, seed, memory);
}

template <detail::ExecutionSpace Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          class Algorithm = PermutationGather, detail::WorkspaceFor<Exec> Memory = NoWorkspace>
void shuffle_copy(Exec const& exec, In const& in, Out const& out, std::uint64_t seed,
                  Algorithm algorithm = {}, Memory&& memory = {}) {
  shuffle_copy("riffle::shuffle_copy", exec, in, out, seed, algorithm, memory);
}

/// Shuffles in place: afterwards data(i) is what data(sigma(i)) was, with the sigma of shuffle_copy.
///
/// - data: a View or a pack of Views as for shuffle_copy.
///
/// Throws std::invalid_argument where the first extents of a pack differ or two of its Views share
/// an element. Allocates a copy of the data through `exec`; freeing it may fence, as Kokkos does.
template <detail::ExecutionSpace Exec, detail::WritableRowSet<Exec> Data,
          class Algorithm = PermutationGather>
void shuffle(std::string const& label, Exec const& exec, Data const& data, std::uint64_t seed,
             Algorithm algorithm = {}) {
  std::uint64_t const n = detail::check_row_set("shuffle", data);
  if (n < 2) return;
  auto const copy = detail::copy_rows(label + "::copy", exec, data);
  detail::shuffle_by(algorithm, label, exec, n, copy, data, seed, NoWorkspace{});
}

template <detail::ExecutionSpace Exec, detail::WritableRowSet<Exec> Data,
          class Algorithm = PermutationGather>
void shuffle(Exec const& exec, Data const& data, std::uint64_t seed, Algorithm algorithm = {}) {
  shuffle("riffle::shuffle", exec, data, seed, algorithm);
}

/// out(i) = sigma(i), with sigma = RandomPermutation(n, seed) and n = out.extent(0).
///
/// - out: a rank-1 View of an integer type that holds n - 1, else std::invalid_argument.
///
/// Enqueued on `exec`, does not fence. One write of the output. Reproducible.
template <detail::ExecutionSpace Exec, detail::IndicesFrom<Exec> Out>
void random_permutation(std::string const& label, Exec const& exec, Out const& out,
                        std::uint64_t seed) {
  std::uint64_t const n = out.extent(0);
  detail::check_can_index("random_permutation", out, n);
  detail::write_images(label, exec, RandomPermutation(n, seed), out);
}

template <detail::ExecutionSpace Exec, detail::IndicesFrom<Exec> Out>
void random_permutation(Exec const& exec, Out const& out, std::uint64_t seed) {
  random_permutation("riffle::random_permutation", exec, out, seed);
}

/// k distinct elements of {0, ..., n-1} in random order, k = out.extent(0): the first k images of
/// RandomPermutation(n, seed). O(k) work and no memory, however large n is.
///
/// - out: a rank-1 View of an integer type.
///
/// Throws std::invalid_argument where k > n, n > 2^63, or out's value type does not hold n - 1.
/// Enqueued on `exec`, does not fence. Reproducible.
template <detail::ExecutionSpace Exec, detail::IndicesFrom<Exec> Out>
void sample(std::string const& label, Exec const& exec, std::uint64_t n, Out const& out,
            std::uint64_t seed) {
  std::uint64_t const k = out.extent(0);
  detail::check(k <= n, "sample", "out.extent(0) = ", k, ": must not exceed n = ", n);
  detail::check(n <= RandomPermutation::max_size, "sample", "n = ", n, ": must be at most 2^63");
  detail::check_can_index("sample", out, n);
  detail::write_images(label, exec, RandomPermutation(n, seed), out);
}

template <detail::ExecutionSpace Exec, detail::IndicesFrom<Exec> Out>
void sample(Exec const& exec, std::uint64_t n, Out const& out, std::uint64_t seed) {
  sample("riffle::sample", exec, n, out, seed);
}

}  // namespace riffle
