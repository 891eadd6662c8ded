#pragma once

// Images of consecutive points under a bijection, block by block, evaluated in vectors of a CPU or
// one at a time. Host only.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail {

/// A list of the positions in a block whose images are greater than the last point. These images
/// are replaced by their own images, until the list is empty. All functions are inlined into code
/// that is compiled for the vector instructions of this processor. Host only.
template <std::uint32_t block>
class ImagesBeyond {
 public:
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count() const { return count_; }
  KOKKOS_FORCEINLINE_FUNCTION void clear() { count_ = 0; }

  /// Returns element k of the list.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t place(std::uint32_t k) const { return places_[k]; }

  /// Appends the positions first + b for all set bits b of a mask, except positions >= `end`.
  /// Requires end > first. Always writes at least `few` positions, because a loop over the set bits
  /// alone would often end with a mispredicted branch. Most masks have fewer set bits; later calls
  /// overwrite the superfluous positions.
  KOKKOS_FORCEINLINE_FUNCTION void append(std::uint64_t mask, std::uint32_t first,
                                          std::uint32_t end) {
    if (end - first < 64) mask &= (std::uint64_t{1} << (end - first)) - 1;
    auto const bits = static_cast<std::uint32_t>(Kokkos::popcount(mask));
    std::uint32_t* const places = places_ + count_;
    for (std::uint32_t b = 0; b < few; ++b) append_lowest(places + b, first, mask);
    for (std::uint32_t b = few; b < bits; ++b) append_lowest(places + b, first, mask);
    count_ += bits;
  }

  /// Appends a position if is_beyond is true, without a branch.
  KOKKOS_FORCEINLINE_FUNCTION void append_if(bool is_beyond, std::uint32_t place) {
    places_[count_] = place;
    count_ += is_beyond ? 1 : 0;
  }

  /// Sets points[k] to the image at position k of the list.
  KOKKOS_FORCEINLINE_FUNCTION void read(std::uint32_t const* images, std::uint32_t* points) const {
    for (std::uint32_t k = 0; k < count_; ++k) points[k] = images[places_[k]];
  }

  /// Writes the new images to their positions in the block, and keeps the positions on the list
  /// whose new images are greater than `last`.
  KOKKOS_FORCEINLINE_FUNCTION void write(std::uint32_t const* points, std::uint32_t last,
                                         std::uint32_t* images) {
    std::uint32_t kept = 0;
    for (std::uint32_t k = 0; k < count_; ++k) {
      std::uint32_t const place = places_[k];
      images[place] = points[k];
      places_[kept] = place;
      kept += points[k] > last ? 1 : 0;
    }
    count_ = kept;
  }

 private:
  static constexpr std::uint32_t few = 4;

  KOKKOS_FORCEINLINE_FUNCTION static void append_lowest(std::uint32_t* place, std::uint32_t first,
                                                        std::uint64_t& mask) {
    *place = first + static_cast<std::uint32_t>(Kokkos::countr_zero(mask));
    mask &= mask - 1;
  }

  std::uint32_t count_ = 0;
  // Has space for `few` more positions than the longest list, because append() may write that many
  // after the end of the list.
  std::uint32_t places_[block + few];
};

/// Implements FeistelForm::visit_blocks for a sigma that evaluates one image at a time. Host only.
template <class Sigma, class Visit>
void visit_blocks_of_images(std::uint64_t first, std::size_t count, Sigma const& sigma,
                            Visit const& visit) {
  constexpr std::size_t block = 64;
  std::uint64_t images[block];
  for (std::size_t begin = 0; begin < count; begin += block) {
    std::size_t const size = std::min(block, count - begin);
    for (std::size_t k = 0; k < size; ++k) images[k] = sigma(first + begin + k);
    visit(first + begin, size, &images[0]);
  }
}

/// Calls visit for each image of a block.
template <class Visit>
struct VisitEach {
  Visit const& visit;

  template <class Image>
  void operator()(std::uint64_t begin, std::size_t size, Image const* images) const {
    for (std::size_t k = 0; k < size; ++k) visit(begin + k, std::uint64_t{images[k]});
  }
};

/// Implements images_block for a sigma that has visit_blocks: out[k] = sigma(first + k) for k <
/// count. Host only.
template <class Sigma, class Index>
void copy_blocks(Sigma const& sigma, std::uint64_t first, std::size_t count, Index* out) {
  sigma.visit_blocks(first, count, [&](std::uint64_t begin, std::size_t size, auto const* images) {
    std::transform(images, images + size, out + (begin - first),
                   [](auto image) { return static_cast<Index>(image); });
  });
}

/// Evaluates the images of up to `size` consecutive points under a bijection of 32-bit words, in
/// vectors of a CPU.
///
/// Form::apply_rounds(x) replaces words, or vectors of words, by their images. It is applied again
/// to images greater than form.last(), until no image is.
template <class Form>
class ImageBlock {
 public:
  static constexpr std::uint32_t size = 512;

  explicit ImageBlock(Form const& form) : form_(form) {}

  /// Returns the images of first, ..., first + count - 1, which are valid until the next call.
  /// Requires count <= size.
  std::uint32_t const* evaluate(std::uint32_t first, std::uint32_t count) {
    backend::call_with_words(Evaluate{*this, first, count});
    return images_;
  }

  /// See FeistelForm::visit_blocks.
  template <class Visit>
  void visit_blocks(std::uint32_t first, std::size_t count, Visit const& visit) {
    for (std::size_t done = 0; done < count; done += size) {
      std::uint32_t const begin = first + static_cast<std::uint32_t>(done);
      auto const here = std::min<std::size_t>(size, count - done);
      visit(begin, here, evaluate(begin, static_cast<std::uint32_t>(here)));
    }
  }

  /// Does the same as evaluate(), with the narrow vectors that every processor supports. For tests
  /// on processors with wide vectors.
  std::uint32_t const* evaluate_narrow(std::uint32_t first, std::uint32_t count) {
    backend::call_with_narrow_words(Evaluate{*this, first, count});
    return images_;
  }

 private:
  static constexpr int side_by_side = Form::vectors_side_by_side;

  struct Evaluate {
    ImageBlock& block;
    std::uint32_t first;
    std::uint32_t count;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      block.template apply_once<Words>(first, count);
      while (block.beyond_.count() > 0) block.template apply_again<Words>();
    }
  };

  // The number of vectors that are processed together when images are evaluated again.
  static constexpr int few_side_by_side = 2;

  template <class Words, int Vectors>
  static constexpr std::uint32_t step = Vectors* Words::width;
  static_assert(size % step<backend::Words<16>, side_by_side> == 0, "whole steps, also at the end");

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void apply_once(std::uint32_t first, std::uint32_t count) {
    constexpr std::uint32_t at_once = step<Words, side_by_side>;
    beyond_.clear();
    for (std::uint32_t i = 0; i < count; i += at_once) {
      Words x[side_by_side];
      RIFFLE_UNROLL
      for (int w = 0; w < side_by_side; ++w) {
        x[w] = Words::iota(first + i + static_cast<std::uint32_t>(w * Words::width));
      }
      bool const any_is_beyond = apply_and_store(x, images_ + i);
      if (any_is_beyond) list_beyond(i, Kokkos::min(i + at_once, count));
    }
  }

  // Evaluates the images on the list again, and keeps on the list those that are still greater than
  // the last point.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void apply_again() {
    std::uint32_t points[size];
    beyond_.read(images_, points);
    for (std::uint32_t k = 0; k < beyond_.count(); k += step<Words, few_side_by_side>) {
      Words x[few_side_by_side];
      RIFFLE_UNROLL
      for (int w = 0; w < few_side_by_side; ++w) x[w] = Words::load(points + k + w * Words::width);
      apply_and_store(x, points + k);
    }
    beyond_.write(points, form_.last(), images_);
  }

  // Applies the rounds and stores the images. Returns whether any image is greater than the last
  // point.
  template <class Words, int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION bool apply_and_store(Words (&x)[Vectors], std::uint32_t* to) const {
    form_.apply_rounds(x);
    bool any = false;
    RIFFLE_UNROLL
    for (int w = 0; w < Vectors; ++w) {
      x[w].store(to + w * Words::width);
      any |= any_above(x[w], form_.last());
    }
    return any;
  }

  KOKKOS_FORCEINLINE_FUNCTION void list_beyond(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) beyond_.append_if(images_[i] > form_.last(), i);
  }

  Form const& form_;
  ImagesBeyond<size> beyond_;
  std::uint32_t images_[size];
};

}  // namespace riffle::detail
