#pragma once

// One pass of a plan on a CPU, forward and backward: a thread prefetches the memory of a tile, in order, and then
// gathers or scatters within it.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/pass.hpp>
#include <riffle/primitives/source_sink.hpp>

namespace riffle::detail::schedule {

/// Calls use(first position, one behind the last, place of the first position) for each run of a tile. Host only.
template <class Memory, class Use>
void for_each_run(Pass<Memory> const& pass, std::uint64_t tile, Use const& use) {
  std::uint32_t const count = pass.tiles.size_of(tile);
  if (!pass.has_runs()) {
    use(std::uint32_t{0}, count, pass.tiles.begin(tile));
    return;
  }
  std::uint64_t const* offset = pass.offsets.data() + tile * pass.runs_per_tile;
  Heads const* const heads = pass.heads.data() + tile * pass.heads_per_tile();
  std::uint32_t begin = 0;
  auto const end_at = [&](std::uint32_t end) {
    if (end > begin) use(begin, end, begin + *offset++);
    begin = end;
  };
  for (std::uint32_t w = 0; w * backend::width < count; ++w) {
    for (std::uint32_t mask = heads[w].mask; mask != 0; mask &= mask - 1) {
      end_at(w * backend::width + static_cast<std::uint32_t>(backend::lowest_one(mask)));
    }
  }
  end_at(count);
}

/// Calls use() with the elements of a source or sink from `begin` on, by their addresses where it has addresses.
template <class Elements, class Use>
void with_elements(Elements const& elements, std::uint64_t begin, Use const& use) {
  if constexpr (AddressableSource<Elements>) {
    if (elements.is_contiguous()) {
      auto* const address = elements.address(begin);
      use([address](std::uint64_t k) -> auto& { return address[k]; });
      return;
    }
  }
  use([&elements, begin](std::uint64_t k) -> decltype(auto) { return elements.at(begin + k); });
}

template <class Elements>
void ask_for(Elements const& elements, std::uint64_t begin, std::uint32_t count) {
  if constexpr (AddressableSource<Elements>) {
    if (!elements.is_contiguous()) return;
    auto const* const first = reinterpret_cast<std::byte const*>(elements.address(begin));
    auto const* const end = reinterpret_cast<std::byte const*>(elements.address(begin + count));
    for (auto const* line = first; line < end; line += backend::cache_line)
      backend::prefetch_line(line);
  }
}

template <class Source, class Sink, class Memory>
class MoveTileByThread {
 public:
  MoveTileByThread(Pass<Memory> const& pass, Source const& source, Sink const& sink,
                   bool is_forward)
      : pass_(pass), source_(source), sink_(sink), is_forward_(is_forward) {}

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t tile) const {
    KOKKOS_IF_ON_HOST((is_forward_ ? move_forward(tile) : move_backward(tile);))
  }

 private:
  void move_forward(std::uint64_t tile) const {
    std::uint64_t const begin = pass_.tiles.begin(tile);
    std::uint16_t const* const order = pass_.order.data() + begin;
    ask_for(source_, begin, pass_.tiles.size_of(tile));
    with_elements(source_, begin, [&](auto const& from) {
      for_each_run(pass_, tile, [&](std::uint32_t first, std::uint32_t end, std::uint64_t place) {
        with_elements(sink_, place, [&](auto const& to) {
          for (std::uint32_t k = first; k < end; ++k) to(k - first) = from(order[k]);
        });
      });
    });
  }

  void move_backward(std::uint64_t tile) const {
    std::uint64_t const begin = pass_.tiles.begin(tile);
    std::uint16_t const* const order = pass_.order.data() + begin;
    ask_for(sink_, begin, pass_.tiles.size_of(tile));
    with_elements(sink_, begin, [&](auto const& to) {
      for_each_run(pass_, tile, [&](std::uint32_t first, std::uint32_t end, std::uint64_t place) {
        with_elements(source_, place, [&](auto const& from) {
          for (std::uint32_t k = first; k < end; ++k) to(order[k]) = from(k - first);
        });
      });
    });
  }

  Pass<Memory> pass_;
  Source source_;
  Sink sink_;
  bool is_forward_;
};

}  // namespace riffle::detail::schedule
