#pragma once

// A random permutation that is not stored: any thread can evaluate any value sigma(i) or its
// inverse. For n <= 20 it is the permutation whose rank is a uniform number less than n!
// (lehmer.hpp), otherwise a keyed bijection on n points (mixed_radix_feistel.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/errors.hpp>
#include <riffle/random/image_blocks.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/lehmer.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>

namespace riffle {

/// A permutation sigma of {0, ..., n-1} that is a function of (n, seed, stream), the same on every
/// back end.
///
/// For n <= 20 it is exactly uniform over seeds (if Philox bits are uniform), otherwise
/// pseudo-random. `stream` selects one of many independent permutations with the same seed, for
/// example one per replicate of a permutation test. Trivially copyable, 208 bytes, callable in any
/// kernel.
///
/// Complexity: O(1) operations for each value. Memory: none.
class RandomPermutation {
 public:
  static constexpr std::uint64_t max_size = MixedRadixFeistel::max_size;

  /// Throws std::invalid_argument on the host if n > 2^63.
  KOKKOS_FUNCTION RandomPermutation(std::uint64_t n, std::uint64_t seed, std::uint64_t stream = 0)
      : RandomPermutation(check_size("RandomPermutation", n), seed, stream,
                          n <= max_ranked_size ? 0 : MixedRadixFeistel::default_rounds(n)) {
    if (is_ranked()) {
      auto const size = static_cast<int>(n);
      ranked_ = LehmerPermutation(size, uniform_below(factorial(size), seed, stream));
    }
  }

  template <class... Numbers>
  requires detail::LoseAFraction<Numbers...> RandomPermutation(Numbers const&...)
  = delete;

  /// Returns the identity of n elements. Throws like the constructor.
  KOKKOS_FUNCTION static RandomPermutation identity(std::uint64_t n) {
    RandomPermutation sigma(check_size("RandomPermutation::identity", n), 0, 0, 0);
    if (sigma.is_ranked()) sigma.ranked_ = LehmerPermutation(static_cast<int>(n), 0);
    return sigma;
  }

  /// Returns the permutation of n <= 20 elements whose rank in lexicographic order is `rank` < n!.
  /// Throws std::invalid_argument on the host if n or rank is out of range.
  KOKKOS_FUNCTION static RandomPermutation from_rank(std::uint64_t n, std::uint64_t rank) {
    KOKKOS_IF_ON_HOST(
        (detail::check(n <= max_ranked_size, "RandomPermutation::from_rank", "n = ", n,
                       ": must be at most ", max_ranked_size);
         detail::check(rank < factorial(static_cast<int>(n)), "RandomPermutation::from_rank",
                       "rank = ", rank, ": must be less than n! with n = ", n);))
    RandomPermutation sigma(n, 0, 0, 0);
    sigma.ranked_ = LehmerPermutation(static_cast<int>(n), rank);
    return sigma;
  }

  KOKKOS_FUNCTION std::uint64_t size() const { return network_.size(); }

  /// Returns sigma(i). Requires i < n.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return is_ranked() ? ranked_(i) : network_(i);
  }

  /// Sets out[w] = sigma(first + w) for w < Width. Requires first + Width <= n. On a CPU, one call
  /// is several times faster than Width calls of operator().
  template <int Width>
  KOKKOS_FUNCTION void images(std::uint64_t first, std::uint64_t (&out)[Width]) const {
    if (is_ranked()) {
      for (int w = 0; w < Width; ++w) out[w] = ranked_(first + static_cast<std::uint64_t>(w));
    } else {
      network_.images(first, out);
    }
  }

  /// Sets out[k] = sigma(first + k) for k < count, in vectors of a CPU. Requires first + count <=
  /// n. Index is std::uint32_t, for n <= 2^32, or std::uint64_t. Host only.
  template <class Index>
  void images_block(std::uint64_t first, std::size_t count, Index* out) const {
    detail::copy_blocks(*this, first, count, out);
  }

  /// Visits sigma(first), ..., sigma(first + count - 1) without storing all of them. Calls
  /// visit(begin, size, images) for consecutive blocks of these points; images[k] = sigma(begin +
  /// k) for k < size, as std::uint32_t or std::uint64_t, valid until visit returns. Host only.
  template <class Visit>
  void visit_blocks(std::uint64_t first, std::size_t count, Visit const& visit) const {
    if (is_ranked()) {
      detail::visit_blocks_of_images(first, count, ranked_, visit);
    } else {
      network_.visit_blocks(first, count, visit);
    }
  }

  /// Calls visit(i, sigma(i)) for i = first, ..., first + count - 1, in this order. Requires
  /// first + count <= n.
  ///
  /// Prefer this function if one thread needs many consecutive values. On a CPU, values are
  /// evaluated in vectors, about ten times as fast as by single calls. On a GPU, the evaluations of
  /// several values are interleaved, and for up to 64 points tables in registers are used.
  ///
  /// - visit: a functor with two parameters of type std::uint64_t. It must be callable on the
  ///   device if for_each_image is called there. It is called through a reference to const.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_image(std::uint64_t first, std::uint64_t count,
                                      Visit const& visit) const {
    KOKKOS_IF_ON_HOST(
        (visit_blocks(first, static_cast<std::size_t>(count), detail::VisitEach<Visit>{visit});))
    KOKKOS_IF_ON_DEVICE((visit_side_by_side(first, count, visit);))
  }

  /// Calls visit(form) on the host. form(i) = sigma(i), and form is the fastest implementation for
  /// this n. It is trivially copyable and callable in kernels.
  template <class Visit>
  void specialize(Visit const& visit) const {
    if (is_ranked()) {
      visit(ranked_);
    } else {
      network_.specialize(visit);
    }
  }

  /// Overload of specialize() for n <= 2^31. `visit` is instantiated only for the forms that such n
  /// need.
  template <class Visit>
  void specialize_narrow(Visit const& visit) const {
    if (is_ranked()) {
      visit(ranked_);
    } else {
      network_.specialize_narrow(visit);
    }
  }

  /// Returns the i with sigma(i) = j. Requires j < n.
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t j) const {
    return is_ranked() ? ranked_.inverse(j) : network_.inverse(j);
  }

 private:
  KOKKOS_FUNCTION RandomPermutation(std::uint64_t n, std::uint64_t seed, std::uint64_t stream,
                                    int rounds)
      : network_(n, seed, stream, rounds) {}

  KOKKOS_FUNCTION static std::uint64_t check_size([[maybe_unused]] char const* function,
                                                  std::uint64_t n) {
    KOKKOS_IF_ON_HOST(
        (detail::check(n <= max_size, function, "n = ", n, ": must be at most 2^63");))
    return n;
  }

  template <class Visit>
  KOKKOS_FUNCTION void visit_side_by_side(std::uint64_t first, std::uint64_t count,
                                          Visit const& visit) const {
    if (is_ranked()) {
      for (std::uint64_t i = first; i < first + count; ++i) visit(i, ranked_(i));
    } else {
      network_.visit_side_by_side(first, count, visit);
    }
  }

  KOKKOS_FUNCTION bool is_ranked() const { return network_.size() <= max_ranked_size; }

  MixedRadixFeistel network_;
  LehmerPermutation ranked_;
};

}  // namespace riffle
