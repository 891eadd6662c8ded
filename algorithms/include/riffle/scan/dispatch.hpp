#pragma once

// Chooses the scan for the back end and the data, using the thresholds of tuning.hpp, and launches it.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/is_instance_of.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/scan/detail/cpu/cpu_scans.hpp>
#include <riffle/scan/detail/gpu/by_central_prefixes.hpp>
#include <riffle/scan/detail/gpu/by_look_back.hpp>
#include <riffle/scan/detail/gpu/flags.hpp>
#include <riffle/scan/tuning.hpp>

namespace riffle {

namespace detail::scan {

inline constexpr std::uint64_t max_size =
    static_cast<std::uint64_t>(std::numeric_limits<int>::max()) * tile_size;

template <class Kernel>
std::uint64_t tile_count(std::uint64_t n) {
  return (n + Kernel::tile_size - 1) / Kernel::tile_size;
}

/// Returns the number of teams that run at a time.
template <class Kernel, class Exec>
std::uint64_t resident_teams(Exec const& exec) {
  return backend::processors(exec) * Kernel::teams_per_processor;
}

/// Launches a kernel. The messages between teams remain in the workspace after the call, and are not cleared before the
/// next launch. The next launch ignores them, because each message contains an epoch, which identifies its launch. A
/// call without a workspace creates a workspace for itself.
template <class Kernel, class Exec, class Source, class Sink, class Op>
void launch_scan(Context<Exec> const& context, std::uint64_t n, std::uint64_t teams,
                 Source const& source, Sink const& sink, Op const& op,
                 typename Op::value_type const& init) {
  std::uint64_t const tiles = tile_count<Kernel>(n);
  auto* const messages =
      context.workspace().messages(context.label(), context.exec(), LookBack<Op>::words(tiles));
  LookBack<Op> const look_back(messages, tiles, teams, op, init);
  launch_teams(context, teams, Kernel(n, source, sink, look_back));
}

/// Scans with tiles of type Tile. Uses central prefixes if there are many tiles, the types permit it, and the source
/// and the sink have quads; otherwise uses look-back. Functions have quads, and so do Views that are contiguous and
/// aligned to four elements or 16 bytes, whichever is less.
template <template <class, class, class, bool> class Tile, bool Inclusive, class Exec, class Source,
          class Sink, class Op>
void choose_and_launch(Context<Exec> const& context, std::uint64_t n, Source const& source,
                       Sink const& sink, Op const& op, typename Op::value_type const& init) {
  using OfTypes = Tile<Source, Sink, Op, Inclusive>;
  using ByLookBack = ScanByLookBack<OfTypes, Source, Sink, Op, Inclusive>;
  using ByCentralPrefixes = ScanByCentralPrefixes<OfTypes, Source, Sink, Op, Inclusive>;
  if constexpr (ByCentralPrefixes::is_possible) {
    std::uint64_t const resident = resident_teams<ByCentralPrefixes>(context.exec());
    bool const are_many =
        tile_count<ByCentralPrefixes>(n) > max_look_back_tiles_per_team * resident;
    if (are_many && source.has_quads() && sink.has_quads()) {
      launch_scan<ByCentralPrefixes>(context, n, resident, source, sink, op, init);
      return;
    }
  }
  std::uint64_t const teams =
      std::min(tile_count<ByLookBack>(n), resident_teams<ByLookBack>(context.exec()));
  launch_scan<ByLookBack>(context, n, teams, source, sink, op, init);
}

template <bool Inclusive, class Exec, class Source, class Sink, class Op>
void run_on_gpu(Context<Exec> const& context, std::uint64_t n, Source const& source,
                Sink const& sink, Op const& op, typename Op::value_type const& init) {
  if constexpr (is_instance_of<Op, Count>) {
    using Pipeline = PipelinedFlagScan<Source, Sink, Op, Inclusive>;
    using TeamPerTile = FlagScan<Source, Sink, Op, Inclusive>;
    std::uint64_t const tiles = tile_count<TeamPerTile>(n);
    if constexpr (Pipeline::is_possible) {
      if (tiles > resident_teams<TeamPerTile>(context.exec())) {
        launch_scan<Pipeline>(context, n, resident_teams<Pipeline>(context.exec()), source, sink,
                              op, init);
        return;
      }
    }
    launch_scan<TeamPerTile>(context, n, tiles, source, sink, op, init);
  } else {
    if constexpr (is_packed<Source, Sink, Op>) {
      if (can_pack(source, sink)) {
        choose_and_launch<PackedTile, Inclusive>(context, n, source, sink, op, init);
        return;
      }
    }
    choose_and_launch<ValueTile, Inclusive>(context, n, source, sink, op, init);
  }
}

/// Returns the number of tiles per unit. A unit has at most unit_bytes bytes, and is smaller if each thread would
/// otherwise receive fewer than units_per_thread units.
inline int tiles_per_unit(std::size_t bytes_per_tile, std::uint64_t tiles, std::uint64_t threads) {
  int size = bundle_tiles;
  while (size > 1 && (static_cast<std::size_t>(size) * bytes_per_tile > unit_bytes ||
                      static_cast<std::uint64_t>(size) * threads * units_per_thread > tiles)) {
    size /= 2;
  }
  return size;
}

template <class Exec, class Tiles, class Op>
void run_tiles_on_cpu(Context<Exec> const& context, Tiles const& tiles, std::size_t bytes_per_tile,
                      Op const& op, typename Op::value_type const& init) {
  auto const threads = static_cast<std::uint64_t>(context.exec().concurrency());
  std::uint64_t const count = tiles.count();
  if (threads == 1 || count * bytes_per_tile <= max_bytes_of_one_thread) {
    run_on_calling_thread(context, SequentialScan<Tiles, Op>{tiles, op, init});
    return;
  }
  int const per_unit = tiles_per_unit(bytes_per_tile, count, threads);
  std::uint64_t const workers = std::min(threads, (count + per_unit - 1) / per_unit);
  LookBack<Op> const look_back(
      context.workspace().messages(context.label(), context.exec(), LookBack<Op>::words(count)),
      count, workers, op, init);
  context.for_each(workers, PipelinedScan<Tiles, Op>(tiles, per_unit, look_back));
}

/// Scans a source that is expensive to evaluate. A thread takes one tile at a time, and stores its elements so that
/// each of them is evaluated only once.
template <class Exec, class Tiles, class Op>
void run_keeping_tiles(Context<Exec> const& context, Tiles const& tiles, Op const& op,
                       typename Op::value_type const& init) {
  std::uint64_t const count = tiles.count();
  if (context.exec().concurrency() == 1 || count == 1) {
    run_on_calling_thread(context, SequentialScan<Tiles, Op>{tiles, op, init});
    return;
  }
  LookBack<Op> const look_back(
      context.workspace().messages(context.label(), context.exec(), LookBack<Op>::words(count)),
      count, count, op, init);
  for_each_dynamic(context, count, [&](std::uint64_t) {
    Ticket const ticket = look_back.take_ticket();
    std::uint64_t const tile = ticket.number;
    int const size = tiles.size(tile);
    typename Tiles::Item items[tile_size];
    tiles.source().fill(tile * tile_size, static_cast<std::size_t>(size), items);
    auto const read = [&items](int i) { return items[i]; };
    auto prefix = tiles.total(size, read);
    look_back.send_tile_total(tile, ticket.epoch, prefix);
    look_back.replace_totals_by_prefixes(tile, 1, ticket.epoch, &prefix);
    look_back.finish(ticket.epoch);
    tiles.write(tile, size, prefix, read);
  });
}

/// Scans from contiguous memory into contiguous memory.
template <bool Inclusive, class Exec, class Item, class Element, class Op>
void run_contiguous(Context<Exec> const& context, std::uint64_t n, Item const* in, Element* out,
                    Op const& op, typename Op::value_type const& init) {
  using Value = typename Op::value_type;
  constexpr std::size_t bytes_per_tile = tile_size * sizeof(Item);
  if constexpr (is_vector_sum<Op> && std::is_same_v<Item, Value> &&
                std::is_same_v<Element, Value>) {
    bool const streams = in != out && streams_past_caches(n * sizeof(Value));
    VectorTiles<Value, Inclusive> const tiles(n, in, out, streams);
    run_tiles_on_cpu(context, tiles, bytes_per_tile, op, init);
  } else {
    using Source = PointerSource<Item>;
    using Sink = PointerSink<Element>;
    ScalarTiles<Source, Sink, Op, Inclusive> const tiles(n, Source{in}, Sink{out}, op);
    run_tiles_on_cpu(context, tiles, bytes_per_tile, op, init);
  }
}

template <bool Inclusive, class Exec, class Source, class Sink, class Op>
void run_on_cpu(Context<Exec> const& context, std::uint64_t n, Source const& source,
                Sink const& sink, Op const& op, typename Op::value_type const& init) {
  // The kernels access the data by address, which does not keep the View alive. This is safe because the kernels have
  // ended when their launch returns.
  if constexpr (is_instance_of<Source, ViewSource> && is_instance_of<Sink, ViewSink>) {
    if (source.view.stride(0) == 1 && sink.view.stride(0) == 1) {
      run_contiguous<Inclusive>(context, n, source.view.data(), sink.view.data(), op, init);
      return;
    }
  }
  ScalarTiles<Source, Sink, Op, Inclusive> const tiles(n, source, sink, op);
  constexpr std::size_t tile_bytes = tile_size * sizeof(typename Source::Item);
  if constexpr (!ExpensiveSource<Source> || tile_bytes > max_kept_bytes) {
    run_tiles_on_cpu(context, tiles, tile_bytes, op, init);
  } else {
    run_keeping_tiles(context, tiles, op, init);
  }
}

/// Allocates the messages that run() needs for n elements of Views, so that a later call need not allocate them.
template <class Op, class Exec>
void reserve_messages(Context<Exec> const& context, std::uint64_t n) {
  if (backend::is_cpu<Exec> && context.exec().concurrency() == 1) return;
  context.workspace().messages(context.label(), context.exec(),
                               LookBack<Op>::words((n + tile_size - 1) / tile_size));
}

/// Calls sink(i, prefix) for i < n. The prefix is the combination of init, source(0), ..., source(i - 1), and, if
/// Inclusive, source(i).
template <bool Inclusive, class Exec, QuadSource Source, class Sink, class Op>
void run(Context<Exec> const& context, std::uint64_t n, Source const& source, Sink const& sink,
         Op const& op, typename Op::value_type const& init) {
  static_assert(QuadSink<Sink, typename Op::value_type, typename Source::Item>);
  if (n == 0) return;
  if constexpr (backend::is_cpu<Exec>) {
    run_on_cpu<Inclusive>(context, n, source, sink, op, init);
  } else {
    run_on_gpu<Inclusive>(context, n, source, sink, op, init);
  }
}

}  // namespace detail::scan
}  // namespace riffle
