#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/kernel/run_by_caller.hpp>
#include <riffle/lanes/lanes.hpp>

namespace riffle::detail {

/// Sigma can evaluate consecutive images in vectors of a CPU.
template <class Sigma>
concept EvaluatesBlocks = requires(Sigma const& sigma, std::uint64_t* images) {
  sigma.images_block(std::uint64_t{}, std::size_t{}, images);
};

/// Sigma can replace points by their images, side by side.
template <class Sigma, int Width>
concept ReplacesByImages = requires(Sigma const& sigma, std::uint64_t (&points)[Width]) {
  sigma.replace_by_images(points);
};

struct IgnoreForm {
  template <class Form>
  void operator()(Form const&) const {}
};

/// Sigma has faster forms than itself, and calls a function with the one that suits.
template <class Sigma>
concept Specializes = requires(Sigma const& sigma) {
  sigma.specialize(IgnoreForm{});
};

/// Visit is store(i, load(image)): all loads of a thread can be under way before its first store.
template <class Visit>
concept LoadsAndStores = requires(Visit const& visit) {
  visit.store(std::uint64_t{}, visit.load(std::uint64_t{}));
};

/// Visits consecutive images, a block by one thread of a CPU.
template <class Sigma, class Visit>
struct VisitBlock {
  static constexpr std::uint64_t max_size = 512;
  /// Several threads would take longer to meet than one takes for so few images.
  static constexpr std::uint64_t most_by_caller = 2 * max_size;

  std::uint64_t n;
  std::uint64_t size;
  Sigma sigma;
  Visit visit;

  /// The block size with which each of `threads` threads has equally many blocks, as far as blocks fill vectors.
  static std::uint64_t size_for(std::uint64_t n, std::uint64_t threads) {
    constexpr std::uint64_t fullest_vectors = 64;
    if (n == 0) return fullest_vectors;
    auto const quotient = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
    std::uint64_t const of_thread = quotient(n, threads);
    std::uint64_t const blocks = quotient(of_thread, max_size);
    return quotient(quotient(of_thread, blocks), fullest_vectors) * fullest_vectors;
  }
  std::uint64_t count() const { return (n + size - 1) / size; }

  /// Visits all images, by one thread.
  void run() const {
    for (std::uint64_t first = 0; first < n; first += max_size) {
      visit_images(first, n - first < max_size ? n - first : max_size);
    }
  }

  KOKKOS_FUNCTION void operator()(std::uint64_t block) const {
    [[maybe_unused]] std::uint64_t const first = block * size;
    KOKKOS_IF_ON_HOST((visit_images(first, n - first < size ? n - first : size);))
  }

 private:
  void visit_images(std::uint64_t first, std::uint64_t count) const {
    if constexpr (EvaluatesBlocks<Sigma>) {
      std::uint64_t images[max_size];
      sigma.images_block(first, count, images);
      for (std::uint64_t k = 0; k < count; ++k) visit(first + k, images[k]);
    } else {
      for (std::uint64_t i = first; i < first + count; ++i) visit(i, sigma(i));
    }
  }
};

/// Visits one lane's images on a GPU. A warp has a chunk of images; those of one lane are a warp's width apart in it,
/// so that neighbouring lanes visit neighbouring i.
template <class Sigma, class Visit>
struct VisitImagesOfLane {
  static constexpr std::uint64_t stride = lanes::width;
  static constexpr int images_per_lane = 4;
  static constexpr std::uint64_t chunk = stride * images_per_lane;

  std::uint64_t n;
  Sigma sigma;
  Visit visit;

  static std::uint64_t lanes_needed(std::uint64_t n) { return (n + chunk - 1) / chunk * stride; }

  KOKKOS_FUNCTION void operator()(std::uint64_t thread) const {
    std::uint64_t const first_of_chunk = thread / stride * chunk;
    std::uint64_t const first = first_of_chunk + thread % stride;
    bool const is_whole = n - first_of_chunk >= chunk;
    std::uint64_t images[images_per_lane];
    RIFFLE_UNROLL
    for (int k = 0; k < images_per_lane; ++k) images[k] = place(first, k);
    if (!is_whole) {
      // Lanes beyond the end evaluate the last image again, and do not visit it.
      RIFFLE_UNROLL
      for (int k = 0; k < images_per_lane; ++k) images[k] = Kokkos::min(images[k], n - 1);
    }
    replace_by_images(images);
    visit_all(first, is_whole ? ~std::uint64_t{0} : n, images);
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t place(std::uint64_t first, int k) {
    return first + static_cast<std::uint64_t>(k) * stride;
  }

  KOKKOS_FUNCTION void replace_by_images(std::uint64_t (&points)[images_per_lane]) const {
    if constexpr (ReplacesByImages<Sigma, images_per_lane>) {
      sigma.replace_by_images(points);
    } else {
      RIFFLE_UNROLL
      for (int k = 0; k < images_per_lane; ++k) points[k] = sigma(points[k]);
    }
  }

  KOKKOS_FUNCTION void visit_all(std::uint64_t first, std::uint64_t end,
                                 std::uint64_t const (&images)[images_per_lane]) const {
    if constexpr (LoadsAndStores<Visit>) {
      decltype(visit.load(first)) values[images_per_lane];
      RIFFLE_UNROLL
      for (int k = 0; k < images_per_lane; ++k) values[k] = visit.load(images[k]);
      RIFFLE_UNROLL
      for (int k = 0; k < images_per_lane; ++k) {
        if (place(first, k) < end) visit.store(place(first, k), values[k]);
      }
    } else {
      RIFFLE_UNROLL
      for (int k = 0; k < images_per_lane; ++k) {
        if (place(first, k) < end) visit(place(first, k), images[k]);
      }
    }
  }
};

template <class Exec, class Sigma, class Visit>
void for_each_image_by_lanes(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma,
                             Visit const& visit) {
  using Kernel = VisitImagesOfLane<Sigma, Visit>;
  context.for_each(Kernel::lanes_needed(n), Kernel{n, sigma, visit});
}

/// Calls visit(i, sigma(i)) for i < n, in one kernel.
template <class Exec, class Sigma, class Visit>
void for_each_image(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma,
                    Visit const& visit) {
  if constexpr (lanes::is_cpu<Exec>) {
    using Kernel = VisitBlock<Sigma, Visit>;
    if (n <= Kernel::most_by_caller) {
      run_by_caller(context, Kernel{n, Kernel::max_size, sigma, visit});
      return;
    }
    auto const threads = static_cast<std::uint64_t>(context.exec().concurrency());
    Kernel const kernel{n, Kernel::size_for(n, threads), sigma, visit};
    context.for_each(kernel.count(), kernel);
  } else if constexpr (Specializes<Sigma>) {
    sigma.specialize([&](auto const& form) { for_each_image_by_lanes(context, n, form, visit); });
  } else {
    for_each_image_by_lanes(context, n, sigma, visit);
  }
}

}  // namespace riffle::detail
