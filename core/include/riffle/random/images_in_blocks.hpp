#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace riffle::detail {

/// visit_blocks of a sigma that evaluates one image at a time: see FeistelForm::visit_blocks. Host only.
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

/// Visits the images of a block one by one.
template <class Visit>
struct VisitEach {
  Visit const& visit;

  template <class Image>
  void operator()(std::uint64_t begin, std::size_t size, Image const* images) const {
    for (std::size_t k = 0; k < size; ++k) visit(begin + k, std::uint64_t{images[k]});
  }
};

/// images_block of a sigma that visits blocks: out[k] = sigma(first + k) for k < count. Host only.
template <class Sigma, class Index>
void copy_blocks(Sigma const& sigma, std::uint64_t first, std::size_t count, Index* out) {
  sigma.visit_blocks(first, count, [&](std::uint64_t begin, std::size_t size, auto const* images) {
    std::transform(images, images + size, out + (begin - first),
                   [](auto image) { return static_cast<Index>(image); });
  });
}

}  // namespace riffle::detail
