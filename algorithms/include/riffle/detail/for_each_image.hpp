#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/detail/range.hpp>
#include <riffle/lanes.hpp>

namespace riffle::detail {

/// Sigma can evaluate several images side by side.
template <class Sigma, int Width>
concept EvaluatesSideBySide = requires(Sigma const& sigma, std::uint64_t (&images)[Width]) {
  sigma.images(std::uint64_t{}, images);
};

template <int Width, class Sigma, class Visit>
struct VisitImages {
  std::uint64_t n;
  Sigma sigma;
  Visit visit;

  KOKKOS_FUNCTION void operator()(std::uint64_t chunk) const {
    std::uint64_t const first = chunk * Width;
    if constexpr (Width > 1) {
      if (n - first >= Width) {
        std::uint64_t images[Width];
        sigma.images(first, images);
        for (int w = 0; w < Width; ++w) visit(first + static_cast<std::uint64_t>(w), images[w]);
        return;
      }
    }
    for (std::uint64_t i = first; i < n && i < first + Width; ++i) visit(i, sigma(i));
  }
};

/// Calls visit(i, sigma(i)) for i < n, in one kernel.
template <class Exec, class Sigma, class Visit>
void for_each_image(std::string const& label, Exec const& exec, std::uint64_t n, Sigma const& sigma,
                    Visit const& visit) {
  constexpr int most = lanes::problems_per_thread<Exec>;
  constexpr int width = EvaluatesSideBySide<Sigma, most> ? most : 1;
  Kokkos::parallel_for(label, range(exec, 0, (n + width - 1) / width),
                       VisitImages<width, Sigma, Visit>{n, sigma, visit});
}

}  // namespace riffle::detail
