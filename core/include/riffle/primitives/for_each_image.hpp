#pragma once

// Calls a function with (i, sigma(i)) for all i, where sigma is a permutation or another function of an index. If sigma
// can evaluate blocks of consecutive images, or has specialized forms, these are used.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/is_instance_of.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/random/image_blocks.hpp>

namespace riffle::detail {

struct IgnoreBlock {
  template <class Image>
  void operator()(std::uint64_t, std::size_t, Image const*) const {}
};

/// Sigma can evaluate sigma(i) for consecutive i in the vector registers of a CPU.
template <class Sigma>
concept VisitsBlocks = requires(Sigma const& sigma) {
  sigma.visit_blocks(std::uint64_t{}, std::size_t{}, IgnoreBlock{});
};

/// Sigma can replace `Width` points by their images in one call.
template <class Sigma, int Width>
concept ReplacesByImages = requires(Sigma const& sigma, std::uint64_t (&points)[Width]) {
  sigma.replace_by_images(points);
};

struct IgnoreForm {
  template <class Form>
  void operator()(Form const&) const {}
};

/// Whether sigma has specialized forms, which are faster. sigma.specialize(f) calls f(form) with the form for the size
/// of sigma.
template <class Sigma>
concept Specializes = requires(Sigma const& sigma) {
  sigma.specialize(IgnoreForm{});
};

/// A permutation for which n < 2^31 is known at compile time. GPU kernels for more points are then not compiled.
template <class Sigma>
class NarrowPermutation : public Sigma {
 public:
  explicit NarrowPermutation(Sigma const& sigma) : Sigma(sigma) {}

  template <class Visit>
  void specialize(Visit const& visit) const {
    this->specialize_narrow(visit);
  }
};

/// Visits images in chunks of `size` consecutive points. Each chunk is visited by one CPU thread.
template <class Sigma, class Visit>
struct VisitChunk {
  /// The chunks are large, because sigma may compute tables for each chunk, which takes as long as evaluating some
  /// thousand images.
  static constexpr std::uint64_t max_size = std::uint64_t{1} << 14;
  /// For up to this number of images, one thread is faster than several threads, which need to synchronize.
  static constexpr std::uint64_t max_on_calling_thread = VisitsBlocks<Sigma> ? 4096 : 1024;

  std::uint64_t n;
  std::uint64_t size;
  Sigma sigma;
  Visit visit;

  /// Returns a chunk size with which each of `threads` threads visits the same number of chunks, rounded up to a
  /// multiple of full vectors.
  static std::uint64_t size_for(std::uint64_t n, std::uint64_t threads) {
    constexpr std::uint64_t vector_multiple = 64;
    if (n == 0) return vector_multiple;
    auto const quotient = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
    std::uint64_t const of_thread = quotient(n, threads);
    std::uint64_t const chunks = quotient(of_thread, max_size);
    return quotient(quotient(of_thread, chunks), vector_multiple) * vector_multiple;
  }
  std::uint64_t count() const { return (n + size - 1) / size; }

  void operator()(std::uint64_t chunk) const {
    std::uint64_t const first = chunk * size;
    std::uint64_t const count = n - first < size ? n - first : size;
    if constexpr (VisitsBlocks<Sigma>) {
      sigma.visit_blocks(first, count, VisitEach<Visit>{visit});
    } else {
      for (std::uint64_t i = first; i < first + count; ++i) visit(i, sigma(i));
    }
  }
};

/// Visits one image on a GPU.
template <class Sigma, class Visit>
struct VisitImage {
  Sigma sigma;
  Visit visit;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    if constexpr (ReplacesByImages<Sigma, 1>) {
      std::uint64_t image[1] = {i};
      sigma.replace_by_images(image);
      visit(i, image[0]);
    } else {
      visit(i, sigma(i));
    }
  }
};

/// `IsNarrow` says whether n < 2^31 is known at compile time.
template <bool IsNarrow, class Exec, class Sigma, class Visit>
void for_each_image_on_gpu(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma,
                           Visit const& visit) {
  VisitImage<Sigma, Visit> const kernel{sigma, visit};
  if constexpr (!IsNarrow) {
    if (n >= std::uint64_t{1} << 31) {
      context.for_each(n, kernel);
      return;
    }
  }
  // 32-bit indices are faster (perf/notes/shuffle.md).
  context.template for_each<std::uint32_t>(n, kernel);
}

/// Calls visit(i, sigma(i)) for i < n, in one kernel.
template <class Exec, class Sigma, class Visit>
void for_each_image(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma,
                    Visit const& visit) {
  if constexpr (backend::is_cpu<Exec>) {
    using Kernel = VisitChunk<Sigma, Visit>;
    if (n <= Kernel::max_on_calling_thread) {
      run_on_calling_thread(context, Kernel{n, n, sigma, visit});
      return;
    }
    auto const threads = static_cast<std::uint64_t>(context.exec().concurrency());
    Kernel const kernel{n, Kernel::size_for(n, threads), sigma, visit};
    context.for_each(kernel.count(), kernel);
  } else if constexpr (Specializes<Sigma>) {
    sigma.specialize([&](auto const& form) {
      for_each_image_on_gpu<is_instance_of<Sigma, NarrowPermutation>>(context, n, form, visit);
    });
  } else {
    for_each_image_on_gpu<is_instance_of<Sigma, NarrowPermutation>>(context, n, sigma, visit);
  }
}

}  // namespace riffle::detail
