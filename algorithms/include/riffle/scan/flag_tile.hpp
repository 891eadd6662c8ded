#pragma once

// One tile of elements that count 0 or 1, on a GPU: ballots in place of sums, and neighbouring lanes on
// neighbouring elements, whatever the source and the sink do with them.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/sink.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::scan {

/// The sink separates its loads from its stores, so that several loads can be under way.
template <class Sink, class Item>
concept SplitsSink = requires(Sink const& sink, Item const& item) {
  sink.f.store(std::uint32_t{}, sink.f.load(item));
};

struct NothingLoaded {};

/// What one lane of a team does with its elements of a tile. A warp has 512 neighbouring elements, a lane
/// every 32nd of them, in batches of four, of which `SideBySide` are evaluated at a time: with more, fewer
/// warps keep a processor busy, but each needs more registers. Bit s of a lane's flags is that of its element s.
template <class Source, class Sink, class Value, bool Inclusive, int SideBySide = 2>
class FlagTile {
 public:
  using Item = typename Source::Item;

  static constexpr int warps = 8;
  static constexpr int steps = 16;
  static constexpr int threads = warps * backend::width;
  static constexpr int warp_size = steps * backend::width;
  static constexpr int tile_size = warps * warp_size;
  static constexpr int batch = 4;
  static constexpr int batches = steps / batch;

  using Items = Kokkos::Array<Item, batch>;

  /// The type of what a batch of the sink's loads returns.
  static constexpr auto loaded_type() {
    if constexpr (SplitsSink<Sink, Item>) {
      using Element = decltype(std::declval<Sink const&>().f.load(std::declval<Item const&>()));
      return Kokkos::Array<Element, batch>{};
    } else {
      return NothingLoaded{};
    }
  }
  using Loaded = decltype(loaded_type());

  KOKKOS_FUNCTION FlagTile(std::uint64_t n, std::uint64_t tile, int thread)
      : n_(n),
        begin_(tile * tile_size + static_cast<std::uint64_t>(thread / backend::width * warp_size +
                                                             thread % backend::width)),
        lower_lanes_((1u << thread % backend::width) - 1) {}

  /// Evaluates a batch of elements, from step `first` on; returns their flags.
  KOKKOS_FUNCTION std::uint32_t evaluate(Source const& source, int first, Items& items) const {
    std::uint32_t flags = 0;
    RIFFLE_UNROLL
    for (int k = 0; k < batch; k += SideBySide) {
      // There is no branch between the evaluations, so that the compiler does mix them.
      if (has(first + k + SideBySide - 1)) {
        RIFFLE_UNROLL
        for (int j = k; j < k + SideBySide; ++j) items[j] = source(element(first + j));
        RIFFLE_UNROLL
        for (int j = k; j < k + SideBySide; ++j) flags |= flag(items[j]) << j;
      } else {
        RIFFLE_UNROLL
        for (int j = k; j < k + SideBySide; ++j) {
          if (!has(first + j)) break;
          items[j] = source(element(first + j));
          flags |= flag(items[j]) << j;
        }
      }
    }
    return flags << first;
  }

  /// Evaluates all of the lane's elements; returns their flags.
  KOKKOS_FUNCTION std::uint32_t evaluate(Source const& source, Items (&items)[batches]) const {
    std::uint32_t flags = 0;
    RIFFLE_NO_UNROLL
    for (int b = 0; b < batches; ++b) flags |= evaluate(source, b * batch, items[b]);
    return flags;
  }

  /// How many of the warp's elements count, from the flags of its lanes.
  KOKKOS_FUNCTION static Value count(std::uint32_t flags) {
    std::uint32_t count = 0;
    for (int step = 0; step < steps; ++step) count += ones(votes(flags, step));
    return static_cast<Value>(count);
  }

  KOKKOS_FUNCTION Loaded load(Sink const& sink, std::uint32_t flags, int first,
                              Items const& items) const {
    Loaded loaded;
    if constexpr (SplitsSink<Sink, Item>) {
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (flags >> (first + k) & 1) loaded[k] = sink.f.load(items[k]);
      }
    }
    return loaded;
  }

  /// Writes a batch, from step `first` on. `before` is the count before the warp's elements of that step, and becomes
  /// that before the next batch.
  KOKKOS_FUNCTION void write(Sink const& sink, std::uint32_t flags, int first, Items const& items,
                             Loaded const& loaded, Value& before) const {
    RIFFLE_UNROLL
    for (int k = 0; k < batch; ++k) {
      std::uint32_t const all = votes(flags, first + k);
      std::uint32_t const own = flags >> (first + k) & 1;
      auto const prefix =
          static_cast<Value>(before + ones(all & lower_lanes_) + (Inclusive ? own : 0));
      before += static_cast<Value>(ones(all));
      if constexpr (SplitsSink<Sink, Item>) {
        if (own != 0) sink.f.store(prefix, loaded[k]);
      } else {
        if (has(first + k)) write_value(sink, element(first + k), prefix, items[k]);
      }
    }
  }

  /// Writes all of the lane's elements. `before` is the count before the warp's elements.
  KOKKOS_FUNCTION void write(Sink const& sink, std::uint32_t flags, Items const (&items)[batches],
                             Value before) const {
    RIFFLE_NO_UNROLL
    for (int b = 0; b < batches; ++b) {
      auto const loaded = load(sink, flags, b * batch, items[b]);
      write(sink, flags, b * batch, items[b], loaded, before);
    }
  }

 private:
  KOKKOS_FUNCTION std::uint64_t element(int step) const {
    return begin_ + static_cast<std::uint64_t>(step * backend::width);
  }

  KOKKOS_FUNCTION bool has(int step) const { return element(step) < n_; }

  KOKKOS_FUNCTION static std::uint32_t flag(Item const& item) {
    return static_cast<std::uint32_t>(static_cast<bool>(item));
  }

  KOKKOS_FUNCTION static std::uint32_t votes(std::uint32_t flags, int step) {
    return backend::ballot((flags >> step & 1) != 0);
  }

  KOKKOS_FUNCTION static std::uint32_t ones(std::uint32_t bits) {
    return static_cast<std::uint32_t>(backend::count_ones(bits));
  }

  std::uint64_t n_;
  std::uint64_t begin_;
  std::uint32_t lower_lanes_;
};

/// The counts before each warp of a tile, and the tile's total, from the counts of the warps.
template <class Value>
class WarpCounts {
 public:
  template <class Op>
  KOKKOS_FUNCTION WarpCounts(Op const& op, Value const* counts, int warps, int lane)
      : up_to_(scan_lanes(op, lane, lane < warps ? counts[lane] : op.identity())) {}

  KOKKOS_FUNCTION Value total() const { return backend::from_lane(up_to_, backend::width - 1); }

  KOKKOS_FUNCTION Value before(int warp) const {
    Value const lower = backend::from_lane(up_to_, warp == 0 ? 0 : warp - 1);
    return warp == 0 ? Value(0) : lower;
  }

 private:
  Value up_to_;
};

}  // namespace riffle::detail::scan
