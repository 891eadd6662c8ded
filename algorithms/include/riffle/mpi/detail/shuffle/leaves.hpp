#pragma once

// The leaves of BucketShuffle's tree, and the one permutation that has no tree, whose only leaf it is.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/mpi/detail/shuffle/place_tree.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle/bucket_tree.hpp>

namespace riffle::detail::mpi {

/// A bijection that is evaluated image by image.
template <class Sigma>
struct OneByOne {
  Sigma sigma;

  template <int count>
  KOKKOS_FUNCTION void replace_by_images(std::uint64_t (&x)[count]) const {
    for (int k = 0; k < count; ++k) x[k] = sigma(x[k]);
  }
};

/// leaf_keys of each leaf.
struct DrawLeafKeys {
  std::uint64_t seed_of_leaves;
  bucket_shuffle::Node first;
  bucket_shuffle::LeafKeys* keys;

  KOKKOS_FUNCTION void operator()(std::uint64_t leaf) const {
    keys[leaf] = bucket_shuffle::leaf_keys(seed_of_leaves, first + leaf);
  }
};

/// The bijections of a tree's leaves.
struct TreeLeaves {
  std::uint64_t seed_of_leaves;
  bucket_shuffle::Node first;            // the number of the first leaf: there are as many leaves
  bucket_shuffle::LeafKeys const* keys;  // of a GPU's forms

  /// Those of a tree of the seed. Their keys are in memory of the scope.
  template <class Exec>
  static TreeLeaves make(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t seed,
                         OwnPlaces const& places) {
    std::uint64_t const leaves = places.nodes();
    TreeLeaves result{bucket_shuffle::leaf_seed(seed), leaves, nullptr};
    if constexpr (!backend::is_cpu<Exec>) {
      auto* const keys = scope.template take<bucket_shuffle::LeafKeys>(leaves);
      context.named("keys").for_each(leaves,
                                     DrawLeafKeys{result.seed_of_leaves, result.first, keys});
      result.keys = keys;
    }
    return result;
  }

  KOKKOS_FUNCTION MixedRadixFeistel sigma(std::uint64_t leaf, std::uint64_t size) const {
    return bucket_shuffle::leaf(size, seed_of_leaves, first + leaf);
  }

  /// use(form): it replaces points of the leaf by their images. For GPUs.
  template <class Use>
  KOKKOS_FUNCTION void with_form(std::uint64_t leaf, std::uint64_t size, Use const& use) const {
    if (size > 2 && size <= std::uint64_t{1} << 32) {
      use(bucket_shuffle::leaf_form<std::uint32_t>(size, keys[leaf]));
    } else {
      use(OneByOne<MixedRadixFeistel>{sigma(leaf, size)});
    }
  }
};

/// RandomPermutation(n, seed).
struct OneLeaf {
  RandomPermutation permutation;

  template <class Exec>
  static OneLeaf make(Context<Exec> const&, Scope<Exec>&, std::uint64_t seed,
                      OwnPlaces const& places) {
    return {RandomPermutation(places.total[0], seed)};
  }

  KOKKOS_FUNCTION RandomPermutation const& sigma(std::uint64_t, std::uint64_t) const {
    return permutation;
  }

  template <class Use>
  KOKKOS_FUNCTION void with_form(std::uint64_t, std::uint64_t, Use const& use) const {
    use(OneByOne<RandomPermutation>{permutation});
  }
};

}  // namespace riffle::detail::mpi
