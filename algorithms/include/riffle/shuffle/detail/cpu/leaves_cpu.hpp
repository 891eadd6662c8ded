#pragma once

// The leaves of the BucketShuffle tree on a CPU. One thread permutes a leaf: it evaluates the leaf's bijection with
// vector instructions, and gathers the leaf's elements.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/random/feistel_network.hpp>
#include <riffle/random/image_blocks.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/cpu/riffle_cpu.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// Evaluates the rounds of a leaf's network with vector instructions. Requires: the leaf has more than two elements.
class LeafRounds {
 public:
  LeafRounds(std::uint64_t size, std::uint64_t seed_of_leaves, Node node)
      : LeafRounds(MixedRadixFeistel::halves(size)) {
    random_keys(seed_of_leaves, node, leaf_rounds, keys_);
  }

  /// Replaces each point x by the network's value at x. The value is less than the product of the network's radices,
  /// but may exceed the size of the leaf. Calls aside.advance() after each round, to interleave a step of other work.
  template <class Words, int Vectors, class Aside>
  KOKKOS_FORCEINLINE_FUNCTION void apply(Words (&x)[Vectors], Aside& aside) const {
    network_.template apply<leaf_rounds>(
        x, keys_, leaf_rounds, AdvanceBetween<Aside, Vectors * Words::width / leaf_rounds>{aside});
  }

 private:
  template <class Aside, int Count>
  struct AdvanceBetween {
    Aside& aside;

    KOKKOS_FORCEINLINE_FUNCTION void operator()() const { aside.template advance<Count>(); }
  };

  explicit LeafRounds(MixedRadixFeistel::Halves halves) : network_(halves.radix, halves.low_bits) {}

  FeistelRounds<std::uint32_t, 1> network_;
  Kokkos::Array<std::uint32_t, leaf_rounds> keys_;
};

/// A type for `aside` that does no other work.
struct NothingAside {
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void advance() {}
};

/// Computes the values of a leaf's bijection for a block of consecutive places. The network permutes slightly more
/// points than the leaf has elements. Therefore the rounds are applied again to each value outside the leaf, until the
/// value is inside. Between rounds, the functor `aside` does other work. That work uses other execution units of the
/// processor, so both proceed at the same time.
class LeafImages {
 public:
  static constexpr std::uint32_t block = images_of_block;
  /// The number of words after the last value in images() that may also be read. The caller uses these words as indices
  /// of elements to prefetch.
  static constexpr std::uint32_t readable_beyond = images_prefetched;

  /// Evaluates the bijection at places first, ..., first + count - 1 of a leaf with `size` elements. Requires:
  /// count <= block.
  template <class Aside>
  void evaluate(LeafRounds const& rounds, std::uint32_t size, std::uint32_t first,
                std::uint32_t count, Aside& aside) {
    backend::call_with_words(Evaluate<Aside>{*this, rounds, size - 1, first, count, aside});
  }

  std::uint32_t const* images() const { return images_; }

 private:
  template <class Words>
  static constexpr int side_by_side = vectors_side_by_side(Words::width);

  template <class Aside>
  struct Evaluate {
    LeafImages& images;
    LeafRounds const& rounds;
    std::uint32_t last;
    std::uint32_t first;
    std::uint32_t count;
    Aside& aside;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      images.template apply_once<Words>(rounds, last, first, count, aside);
      while (images.beyond_.count() > 0) images.template apply_again<Words>(rounds, last);
    }
  };

  template <class Words, class Aside>
  KOKKOS_FORCEINLINE_FUNCTION void apply_once(LeafRounds const& rounds, std::uint32_t last,
                                              std::uint32_t first, std::uint32_t count,
                                              Aside& aside) {
    constexpr int vectors = side_by_side<Words>;
    constexpr std::uint32_t at_once = vectors * Words::width;
    static_assert(at_once <= 64 && block % at_once == 0);
    std::uint64_t beyond[block / at_once];
    for (std::uint32_t i = 0; i < count; i += at_once) {
      Words x[vectors];
      RIFFLE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        x[v] = Words::iota(first + i + static_cast<std::uint32_t>(v * Words::width));
      }
      rounds.apply(x, aside);
      std::uint64_t mask = 0;
      RIFFLE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        x[v].store(images_ + i + v * Words::width);
        mask |= std::uint64_t{lanes_above(x[v], last)} << v * Words::width;
      }
      beyond[i / at_once] = mask;
    }
    beyond_.clear();
    for (std::uint32_t i = 0; i < count; i += at_once)
      beyond_.append(beyond[i / at_once], i, count);
  }

  // Applies the rounds once more to the values in the list, and keeps only the values that are still outside the leaf.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void apply_again(LeafRounds const& rounds, std::uint32_t last) {
    std::uint32_t points[block];
    beyond_.read(images_, points);
    constexpr std::uint32_t at_once = few_side_by_side * Words::width;
    for (std::uint32_t k = 0; k < beyond_.count(); k += at_once) {
      Words x[few_side_by_side];
      RIFFLE_UNROLL
      for (int v = 0; v < few_side_by_side; ++v) x[v] = Words::load(points + k + v * Words::width);
      NothingAside nothing;
      rounds.apply(x, nothing);
      RIFFLE_UNROLL
      for (int v = 0; v < few_side_by_side; ++v) x[v].store(points + k + v * Words::width);
    }
    beyond_.write(points, last, images_);
  }

  ImagesBeyond<block> beyond_;
  alignas(backend::cache_line) std::uint32_t images_[block + readable_beyond] = {};
};

/// The elements of a node: start, ..., start + size - 1, in the input and in each array.
struct Part {
  std::uint64_t start;
  std::uint64_t size;
};

/// Gathers the elements of leaves, one block of places at a time: to(start + r) = source(start + F(r)) for a leaf that
/// starts at `start` and has bijection F. While the elements of one block are loaded, the values of F for the next
/// block are evaluated, because loads and vector arithmetic use different execution units. Requires: leaves have fewer
/// than 2^32 places.
template <class Source, class T>
class LeafGather {
 public:
  LeafGather(Source const& source, Array<T> const& to)
      : source_(source), writer_(to), part_(part_of(source, 0)) {}

  ~LeafGather() { finish_block(); }

  LeafGather(LeafGather const&) = delete;
  LeafGather& operator=(LeafGather const&) = delete;

  /// Permutes the elements of a leaf, except that its last block is written by the next call or by the destructor.
  /// `another` says whether another leaf follows in memory. If so, the call prefetches about leaf_part.size of the
  /// following elements.
  void shuffle(std::uint64_t seed_of_leaves, Node node, Part const& leaf_part, bool another) {
    if (leaf_part.size <= 2) {
      return shuffle_few(leaf(leaf_part.size, seed_of_leaves, node), leaf_part);
    }
    LeafRounds const rounds(leaf_part.size, seed_of_leaves, node);
    auto const size = static_cast<std::uint32_t>(leaf_part.size);
    for (std::uint32_t r = 0; r < size; r += block) {
      LeafImages& images = images_[turn_];
      turn_ = 1 - turn_;
      std::uint32_t const count = std::min(block, size - r);
      images.evaluate(rounds, size, r, count, *this);
      finish_block();
      part_ = part_of(source_, leaf_part.start);
      following_ = another ? size + r : r;
      begin_block(images.images(), leaf_part.start + r, count);
    }
  }

  /// Loads `Count` more elements of the current block.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void advance() {
    if (done_ + Count > count_) return;
    RIFFLE_UNROLL
    for (int k = 0; k < Count; ++k) {
      part_.prefetch_one(indices_[done_ + ahead + k]);
      values_[done_ + k] = part_(indices_[done_ + k]);
    }
    part_.template prefetch_some<Count>(following_ + done_);
    writer_.template prepare<Count>(first_ + block + done_);
    done_ += Count;
  }

 private:
  using SourcePart = decltype(part_of(std::declval<Source const&>(), std::uint64_t{}));
  static constexpr std::uint32_t block = LeafImages::block;
  static constexpr std::uint32_t ahead = LeafImages::readable_beyond;

  void begin_block(std::uint32_t const* indices, std::uint64_t first, std::uint32_t count) {
    indices_ = indices;
    values_ = writer_.begin(first);
    first_ = first;
    count_ = count;
    done_ = 0;
  }

  void finish_block() {
    for (; done_ < count_; ++done_) values_[done_] = part_(indices_[done_]);
    if (count_ > 0) writer_.end(first_, count_);
    count_ = done_ = 0;
  }

  void shuffle_few(MixedRadixFeistel const& sigma, Part const& leaf_part) {
    finish_block();
    auto const part = part_of(source_, leaf_part.start);
    T* const values = writer_.begin(leaf_part.start);
    for (std::uint64_t r = 0; r < leaf_part.size; ++r) {
      values[r] = part(static_cast<std::uint32_t>(sigma(r)));
    }
    writer_.end(leaf_part.start, leaf_part.size);
  }

  Source const& source_;
  BlockWriter<T, block> writer_;
  LeafImages images_[2];
  int turn_ = 0;

  // The current block: elements first_, ..., first_ + count_ - 1 of the output. The first `done_` elements of the block
  // have been loaded.
  SourcePart part_;
  std::uint32_t following_ = 0;
  std::uint32_t const* indices_ = nullptr;
  T* values_ = nullptr;
  std::uint64_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t done_ = 0;
};

}  // namespace riffle::detail::bucket_shuffle
