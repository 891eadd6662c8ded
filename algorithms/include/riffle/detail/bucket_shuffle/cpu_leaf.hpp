#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/detail/bucket_shuffle/cpu_array.hpp>
#include <riffle/detail/bucket_shuffle/cpu_images.hpp>
#include <riffle/detail/bucket_shuffle/definition.hpp>
#include <riffle/mixed_radix_feistel.hpp>

namespace riffle::detail::bucket_shuffle {

/// A part of the input, and of the arrays.
struct Part {
  std::uint64_t start;
  std::uint64_t size;
};

/// A leaf's gather, a block at a time: to(start + r) = source(start + F(r)). A block's elements are
/// fetched while the next block's images are evaluated: either leaves the other's units of the
/// processor idle.
template <class Source, class T>
class LeafGather {
  using SourcePart = decltype(part_of(std::declval<Source const&>(), std::uint64_t{}));
  static constexpr std::uint32_t block = LeafImages::block;

 public:
  LeafGather(Source const& source, Array<T> const& to)
      : source_(source), to_(to), writer_(to), part_(part_of(source, 0)) {}

  ~LeafGather() { finish_block(); }

  LeafGather(LeafGather const&) = delete;
  LeafGather& operator=(LeafGather const&) = delete;

  /// All places of a leaf, while the input of the `next` is brought nearer. The last block is written by
  /// the next call or the destructor.
  void permute(std::uint64_t seed_of_leaves, Node node, Part const& here, Part const& next) {
    if (here.size <= 2) return permute_few(leaf(here.size, seed_of_leaves, node), here);
    auto const size = static_cast<std::uint32_t>(here.size);
    LeafRounds const rounds(here.size, seed_of_leaves, node);
    for (std::uint32_t r = 0; r < size;) {
      std::uint64_t const first = here.start + r;
      // Blocks end where cache lines of the output do.
      std::uint32_t const count =
          std::min(block - static_cast<std::uint32_t>(first % block), size - r);
      LeafImages& images = images_[turn_];
      images.evaluate(rounds, size, r, count, *this);
      finish_block();
      begin_block(images.images(), first, count);
      part_ = part_of(source_, here.start);
      next_ = next.size == 0 ? r : size + r;
      turn_ = 1 - turn_;
      r += count;
    }
  }

  /// Fetches so many more elements of the block that is under way.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void advance() {
    if (done_ + Count > count_) return;
    RIFFLE_UNROLL
    for (int k = 0; k < Count; ++k) {
      part_.prefetch(indices_[done_ + k + LeafImages::ahead]);
      values_[done_ + k] = part_(indices_[done_ + k]);
    }
    part_.template prefetch_some<Count>(next_ + done_);
    prefetch_elements<Count>(to_, first_ + block + done_);
    done_ += Count;
  }

 private:
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

  void permute_few(MixedRadixFeistel const& images, Part const& here) {
    finish_block();
    auto const part = part_of(source_, here.start);
    for (std::uint64_t r = 0; r < here.size; ++r) {
      *writer_.begin(here.start + r) = part(static_cast<std::uint32_t>(images(r)));
      writer_.end(here.start + r, 1);
    }
  }

  Source const& source_;
  Array<T> to_;
  BlockWriter<T, block> writer_;
  LeafImages images_[2];
  int turn_ = 0;

  // The block under way.
  SourcePart part_;
  std::uint32_t const* indices_ = nullptr;
  T* values_ = nullptr;
  std::uint64_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t done_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace riffle::detail::bucket_shuffle
