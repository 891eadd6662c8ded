#pragma once

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/random/image_blocks.hpp>

#include "support/bijections.hpp"
#include "support/kernels.hpp"

namespace riffle::test {

/// Expects that images computed in blocks, from any first element on, equal f's images one by one.
template <class Index, class Bijection>
void expect_blocks_from(Bijection const& f, std::uint64_t first) {
  for (std::size_t const count : {0, 1, 7, 8, 9, 63, 64, 65, 511, 512, 513, 1300}) {
    if (count > f.size() - first) break;
    std::vector<Index> block(count + 1, Index{77});
    f.images_block(first, count, block.data());
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_EQ(block[k], static_cast<Index>(f(first + k)))
          << "image of " << first << " + " << k << " of " << f.size() << ", " << count
          << " asked for";
    }
    ASSERT_EQ(block[count], Index{77}) << "written beyond the end";
  }
}

/// Expects the same images from each vector width that the build supports.
struct ExpectSameInNarrowWords {
  template <class Form>
  void operator()(Form const& form) const {
    if constexpr (requires { requires std::same_as<decltype(form.last()), std::uint32_t>; }) {
      using Block = detail::ImageBlock<Form>;
      std::uint32_t const count = std::min(form.last(), Block::size - 3);
      Block wide(form), narrow(form);
      auto const* const expected = wide.evaluate(0, count);
      auto const* const actual = narrow.evaluate_narrow(0, count);
      EXPECT_TRUE(std::equal(expected, expected + count, actual)) << "last = " << form.last();
    }
  }
};

template <class Bijection>
void expect_blocks(Bijection const& f) {
  f.specialize(ExpectSameInNarrowWords{});
  std::uint64_t const n = f.size();
  for (std::uint64_t const first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{13}, n / 3,
                                    n - n % 64, n < 1300 ? 0 : n - 1300, n - 1}) {
    if (first >= n) continue;
    expect_blocks_from<std::uint64_t>(f, first);
    if (n - 1 <= 0xFFFFFFFFu) expect_blocks_from<std::uint32_t>(f, first);
  }
}

/// Expects that a form that specialize() chose equals f in a kernel of Exec, for single images and for blocks.
template <class Exec, class Bijection>
struct ExpectSameForm {
  Bijection const& f;
  std::vector<std::uint64_t> const& points;

  template <class Form>
  void operator()(Form const& form) const {
    auto const expected = map_on_host(f, points);
    EXPECT_EQ(map_in_kernel<Exec>(form, points), expected) << "n = " << f.size();
    if constexpr (requires(std::uint64_t(&x)[4]) { form.replace_by_images(x); }) {
      EXPECT_EQ(map_in_kernel<Exec>(ThirdOfFour<Form>{form}, points), expected);
    }
  }

  template <class Form>
  struct ThirdOfFour {
    Form form;

    KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t point) const {
      std::uint64_t images[4] = {0, 0, point, 0};
      form.replace_by_images(images);
      return images[2];
    }
  };
};

template <class Exec, class Bijection>
void expect_same_forms(Bijection const& f, std::vector<std::uint64_t> const& points) {
  f.specialize(ExpectSameForm<Exec, Bijection>{f, points});
}

}  // namespace riffle::test
