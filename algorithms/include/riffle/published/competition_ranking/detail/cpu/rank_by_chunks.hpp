#pragma once

// The CPU form of the hybrid algorithm (riffle/rank/detail/gpu/rank_by_warps.hpp). One thread does
// the work of all lanes of a warp.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/detail/run_search.hpp>

namespace riffle::detail::rank {

/// Ranks n > 0 sorted elements, chunk by chunk.
template <class Source, class Order, class Ranker, class Sink, class Index>
class RankByChunks {
 public:
  RankByChunks(std::uint64_t n, Source const& source, Order const& order, Ranker const& ranker,
               Sink const& sink)
      : n_(n), source_(source), order_(order), ranker_(ranker), sink_(sink) {}

  std::uint64_t chunks() const { return (n_ + chunk_size - 1) / chunk_size; }

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((rank(chunk * chunk_size, std::min(n_, (chunk + 1) * chunk_size));))
  }

 private:
  static constexpr std::uint64_t chunk_size = 1024;  // as in the paper
  static constexpr std::uint64_t warp = backend::width;

  void rank(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t start = 0;
    std::uint64_t run_end = 0;
    if (Ranker::needs_start) {
      start = begin - run_length(begin, [&](std::uint64_t k) { return is_tied(begin - k, begin); });
    }
    for (std::uint64_t first = begin; first < end; first += warp) {
      std::uint64_t const count = std::min(warp, end - first);
      std::uint32_t const heads = heads_of(first, count);
      if (Ranker::needs_end && run_end < first + count) {
        std::uint64_t const last = first + count - 1;
        run_end = last + 1 + run_length(n_ - 1 - last, [&](std::uint64_t k) {
                    return is_tied(last, last + k);
                  });
      }
      for (std::uint64_t lane = 0; lane < count; ++lane) {
        std::uint32_t const here = heads & (~std::uint32_t{0} >> (warp - 1 - lane));
        std::uint32_t const behind = lane + 1 < warp ? heads >> (lane + 1) << (lane + 1) : 0;
        auto const top = static_cast<std::uint64_t>(here == 0 ? 0 : backend::highest_one(here));
        auto const next = static_cast<std::uint64_t>(behind == 0 ? 0 : backend::lowest_one(behind));
        write(first + lane, here == 0 ? start : first + top, behind == 0 ? run_end : first + next);
      }
      if (heads != 0) start = first + static_cast<std::uint64_t>(backend::highest_one(heads));
    }
  }

  // Returns a mask in which bit l is set if a run starts at element first + l.
  std::uint32_t heads_of(std::uint64_t first, std::uint64_t count) const {
    bool is_head[warp] = {};
    for (std::uint64_t lane = first == 0 ? 1 : 0; lane < count; ++lane) {
      is_head[lane] = !is_tied(first + lane - 1, first + lane);
    }
    return backend::ballot(is_head);
  }

  bool is_tied(std::uint64_t i, std::uint64_t j) const {
    return !differ(order_, source_(i), source_(j));
  }

  void write(std::uint64_t i, std::uint64_t start, std::uint64_t end) const {
    sink_(i, ranker_(static_cast<Index>(i), static_cast<Index>(start), static_cast<Index>(end)));
  }

  std::uint64_t n_;
  Source source_;
  Order order_;
  Ranker ranker_;
  Sink sink_;
};

template <class Index, class Exec, class Source, class Order, class Ranker, class Sink>
void rank_by_chunks(Context<Exec> const& context, std::uint64_t n, Source const& source,
                    Order const& order, Ranker const& ranker, Sink const& sink) {
  using Kernel = RankByChunks<Source, Order, Ranker, Sink, Index>;
  Kernel const kernel(n, source, order, ranker, sink);
  context.for_each(kernel.chunks(), kernel);
}

}  // namespace riffle::detail::rank
