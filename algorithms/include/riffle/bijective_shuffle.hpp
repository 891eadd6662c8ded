#pragma once

// The bijective shuffle by compaction of
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287, section 4, algorithm 1:
// a bijection on the next power of two is evaluated everywhere, its values below n are kept in
// their order, and the data are gathered through them.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/detail/range.hpp>
#include <riffle/detail/wide_integer.hpp>
#include <riffle/linear_congruential.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/variable_philox.hpp>

namespace riffle {

namespace detail {

template <class Bijection, class Indices>
struct EvaluateBijection {
  Bijection bijection;
  Indices images;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { images(i) = bijection(i); }
};

/// Keeps the images below n, in their order.
template <class Indices>
struct CompactImages {
  Indices images;
  Indices kept;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& place, bool is_final) const {
    if (images(i) >= n) return;
    if (is_final) kept(place) = images(i);
    ++place;
  }
};

template <class Indices>
struct StoredPermutation {
  Indices images;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return images(i); }
};

}  // namespace detail

/// The paper's Bijective0: transformation, compaction and gather in separate passes, here with
/// Kokkos's own scan. A tag for shuffle_copy and shuffle.
///
/// Bijection(bits, seed) is any bijection on 2^bits points: VariablePhilox<>, LinearCongruential or
/// one of the user's own, callable with std::uint64_t. Allocates 2^bits + n indices of 8 bytes,
/// 2^bits < 2 n; freeing them may fence. With VariablePhilox at n = 2^k the permutation is always
/// even, as published, and for n <= 8 one of few (see riffle/variable_philox.hpp): PermutationGather
/// has no such faults.
template <class Bijection = VariablePhilox<>>
struct Bijective0 {
  template <class Exec, class In, class Out>
  void shuffle_rows(std::string const& label, Exec const& exec, std::uint64_t n, In const& in,
                    Out const& out, std::uint64_t seed) const {
    using Indices = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;
    if (n == 0) return;
    Bijection const bijection(detail::bit_width(n - 1), seed);
    std::uint64_t const padded = bijection.size();
    Indices const images(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label + "::images"),
                         padded);
    Indices const kept(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label + "::kept"), n);
    Kokkos::parallel_for(label + "::transform", detail::range(exec, 0, padded),
                         detail::EvaluateBijection<Bijection, Indices>{bijection, images});
    Kokkos::parallel_scan(label + "::compact", detail::range(exec, 0, padded),
                          detail::CompactImages<Indices>{images, kept, n});
    detail::gather_rows(label + "::gather", exec, n, detail::StoredPermutation<Indices>{kept}, in,
                        out);
  }
};

}  // namespace riffle
