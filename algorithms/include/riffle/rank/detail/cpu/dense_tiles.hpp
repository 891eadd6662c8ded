#pragma once

// Dense ranks of sorted data on a CPU, by a scan (scan/detail/cpu/cpu_scans.hpp). The scan adds up, over the tiles, the
// number of runs that begin in each tile. Vector instructions compare neighbours and number the runs within a tile
// (run_block.hpp).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/rank/detail/cpu/run_block.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/scan/dispatch.hpp>

namespace riffle::detail::rank {

/// The tiles of n > 0 sorted elements, for scan::run_tiles_on_cpu. `Sink` is a DenseRankSink; `Count` is the integer
/// type in which runs are counted.
template <class Count, class Source, class Order, class Sink>
class DenseTiles {
 public:
  using Value = Count;

  /// The state that total() passes to write(). It is empty.
  struct RowTotals {};

  DenseTiles(std::uint64_t n, Source const& source, Order const& order, Sink const& sink)
      : n_(n), source_(source), order_(order), sink_(sink) {
    if constexpr (AddressableSink<Ranks>) {
      is_contiguous_ = !sink.ranker().excludes_missing() && sink.of_ranks().is_contiguous();
      streams_ = is_contiguous_ && streams_ranks<Rank>(sink.of_ranks(), n);
    }
  }

  std::uint64_t count() const { return (n_ + tile_size - 1) / tile_size; }

  /// Returns the number of runs that begin in a tile.
  Count total(std::uint64_t tile, RowTotals&) const {
    Count runs = 0;
    for_each_block(tile, [&](Elements& block) {
      std::uint32_t in_block = 0;
      backend::call_with_words(CountRuns{block, in_block});
      runs += in_block;
    });
    return runs;
  }

  /// Writes the ranks of a tile. `before` is the number of runs that begin before the tile. Meanwhile, prefetches tile
  /// `next`.
  void write(std::uint64_t tile, Count before, RowTotals const&, std::uint64_t next) const {
    write_blocks(tile, before, [&](std::uint64_t offset) { prefetch(next * tile_size + offset); });
  }

  /// Writes the ranks of a tile, and returns the number of runs that begin in it.
  Count advance(std::uint64_t tile, Count before) const {
    return write_blocks(tile, before, [](std::uint64_t) {});
  }

  void finish() const {
    if (streams_) backend::finish_streams();
  }

 private:
  // The index type does not matter, because start() and end() are not used.
  using Elements = RunBlock<Source, Order, std::int64_t>;
  using Ranks = std::decay_t<decltype(std::declval<Sink const&>().of_ranks())>;
  using Rank = typename Sink::Element;

  struct CountRuns {
    Elements& block;
    std::uint32_t& runs;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      runs = block.template count_runs<Words>();
    }
  };

  using Staged = StagedRanks<Rank, Elements::size>;

  struct WriteBlock {
    DenseTiles const& tiles;
    Elements& block;
    Staged& staged;
    Count before;
    std::uint32_t& runs;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      runs = block.template number_runs<Words>();
      tiles.write_ranks(block, before, staged);
    }
  };

  template <class Use>
  void for_each_block(std::uint64_t tile, Use const& use) const {
    Elements block(source_, order_, n_);
    std::uint64_t const begin = tile * tile_size;
    std::uint64_t const end = std::min(n_, begin + tile_size);
    for (std::uint64_t first = begin; first < end; first += Elements::size) {
      block.read(first,
                 static_cast<std::size_t>(std::min<std::uint64_t>(Elements::size, end - first)));
      use(block);
    }
  }

  /// Writes the ranks of a tile block by block, and calls ahead(offset) with each block's offset in the tile. Returns the
  /// number of runs that begin in the tile.
  template <class Ahead>
  Count write_blocks(std::uint64_t tile, Count before, Ahead const& ahead) const {
    Staged staged;
    Count runs = 0;
    for_each_block(tile, [&](Elements& block) {
      ahead(block.first() - tile * tile_size);
      std::uint32_t in_block = 0;
      backend::call_with_words(
          WriteBlock{*this, block, staged, static_cast<Count>(before + runs), in_block});
      runs += in_block;
    });
    return runs;
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_ranks(Elements const& block, Count before,
                                               Staged& staged) const {
    std::uint64_t const first = block.first();
    std::size_t const count = block.count();
    if constexpr (AddressableSink<Ranks>) {
      if (is_contiguous_) {
        // A copy, so that the compiler knows that no store of a rank changes it.
        auto const ranker = sink_.ranker();
        auto const rank_of = [&](std::size_t k) {
          return ranker.of_all(static_cast<Count>(before + block.runs(k)));
        };
        rank::write_ranks(sink_.of_ranks().address(first), count, rank_of, staged, streams_);
        return;
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      sink_(first + k, static_cast<std::uint64_t>(before) + block.runs(k));
    }
  }

  /// Prefetches the elements of the block at `first`, if it is whole and contiguous.
  void prefetch(std::uint64_t first) const {
    if constexpr (AddressableSource<Source>) {
      if (!source_.is_contiguous() || first + Elements::size > n_) return;
      auto const* const bytes = reinterpret_cast<std::byte const*>(source_.address(first));
      constexpr std::size_t count = Elements::size * sizeof(typename Source::Item);
      for (std::size_t k = 0; k < count; k += backend::cache_line)
        backend::prefetch_line(bytes + k);
    }
  }

  std::uint64_t n_;
  Source source_;
  Order order_;
  Sink sink_;
  bool is_contiguous_ = false;
  bool streams_ = false;
};

template <class Count, class Exec, class Source, class Order, class Sink>
void rank_by_dense_tiles(Context<Exec> const& context, std::uint64_t n, Source const& source,
                         Order const& order, Sink const& sink) {
  DenseTiles<Count, Source, Order, Sink> const tiles(n, source, order, sink);
  scan::run_tiles_on_cpu(context, tiles, tile_size * sizeof(typename Source::Item), Sum<Count>{},
                         Count{0});
}

}  // namespace riffle::detail::rank
