#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/images_beyond.hpp>

namespace riffle::detail {

/// Evaluates up to `size` consecutive images of a bijection of 32-bit words, in vectors of a CPU.
///
/// Form::apply_rounds(x) replaces words, or vectors of them, by their images, side by side; images
/// above form.last() are replaced again, until none is.
template <class Form>
class ImageBlock {
 public:
  static constexpr std::uint32_t size = 512;

  explicit ImageBlock(Form const& form) : form_(form) {}

  /// The images of first, ..., first + count - 1, with count <= size, valid until the next call.
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

  /// The same as on a processor without wide vectors: for tests, which run on one that has them.
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

  // Of the few that are evaluated again.
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

  // Sends on those on the list, and keeps those on it that are still beyond.
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

  // Whether any image is beyond the last point.
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
