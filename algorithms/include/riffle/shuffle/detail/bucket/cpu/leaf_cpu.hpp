#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/shuffle/detail/bucket/cpu/array.hpp>
#include <riffle/shuffle/detail/bucket/cpu/images.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>

namespace riffle::detail::bucket_shuffle {

/// A part of the input, and of the arrays.
struct Part {
  std::uint64_t start;
  std::uint64_t size;
};

/// The gathers of leaves, a block of places at a time: to(start + r) = source(start + F(r)). A block's elements are
/// fetched while the images of the next block are evaluated, since vector arithmetic and memory accesses use different
/// units of the processor. A leaf has fewer than 2^32 places.
template <class Source, class T>
class LeafGather {
 public:
  LeafGather(Source const& source, Array<T> const& to)
      : source_(source), writer_(to), part_(part_of(source, 0)) {}

  ~LeafGather() { finish_block(); }

  LeafGather(LeafGather const&) = delete;
  LeafGather& operator=(LeafGather const&) = delete;

  /// Permutes all places of a leaf, the last block of which is written by the next call or the destructor. Where
  /// `another` leaf comes next, as much of the input that follows is prefetched meanwhile.
  void permute(std::uint64_t seed_of_leaves, Node node, Part const& leaf_part, bool another) {
    if (leaf_part.size <= 2) {
      return permute_few(leaf(leaf_part.size, seed_of_leaves, node), leaf_part);
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

  /// Fetches `Count` more elements of the block that is under way.
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

  void permute_few(MixedRadixFeistel const& sigma, Part const& leaf_part) {
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

  // The block under way: elements first_, ..., first_ + count_ - 1 of the output.
  SourcePart part_;
  std::uint32_t following_ = 0;
  std::uint32_t const* indices_ = nullptr;
  T* values_ = nullptr;
  std::uint64_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t done_ = 0;
};

}  // namespace riffle::detail::bucket_shuffle
