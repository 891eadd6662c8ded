#pragma once

// BucketShuffle on a GPU. First the digits of all levels are counted, and scans of the counts compute where each part
// starts. Then these passes move the elements, for a tree of one level:
//
//     pass         reads               writes
//     leaves       the input           a temporary copy
//     riffle 0     the temporary       the output
//
// and for a tree of two levels:
//
//     leaves       the input           the output
//     riffle 1     the output          a temporary copy
//     riffle 0     the temporary       the output
//
// If the tree has one level, rows (but not the values of a View of rank 1) are gathered instead of moved by these passes
// (gather_tiles.hpp).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/gpu/digit_tiles.hpp>
#include <riffle/shuffle/detail/gpu/gather_tiles.hpp>
#include <riffle/shuffle/detail/gpu/leaves_gpu.hpp>
#include <riffle/shuffle/detail/gpu/riffle_gpu.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// The layout of a call's temporary memory: first the elements (none if T is void), then the counts for each level,
/// then the keys of the leaves.
template <class T, class Index>
class GpuLayout {
 public:
  static constexpr int max_depth = 4;  // 2^22 * 256^4 elements

  /// The layout for n > 0 elements, `depth` > 0 levels of split nodes, and a GPU with `processors` multiprocessors.
  GpuLayout(std::uint64_t n, int depth, std::uint64_t processors) : n_(n), depth_(depth) {
    if constexpr (!std::is_void_v<T>) skip(n * sizeof(T));
    std::uint64_t nodes = 1;
    for (int level = 0; level < depth; ++level) {
      chunks_[level] = chunks_for(n, nodes, processors);
      counts_at_[level] = skip(nodes * buckets * chunks_[level] * sizeof(Index));
      nodes *= buckets;
    }
    leaves_ = nodes;
    keys_at_ = skip(leaves_ * sizeof(LeafKeys));
  }

  std::size_t bytes() const { return bytes_; }
  int depth() const { return depth_; }
  std::uint64_t leaves() const { return leaves_; }

  /// The temporary copy of n elements.
  T* elements(void* buffer) const { return at<T>(buffer, 0); }
  LeafKeys* keys(void* buffer) const { return at<LeafKeys>(buffer, keys_at_); }

  Level<Index> level(int number, void* buffer, std::uint64_t seed) const {
    Level<Index> level{n_,      seed, 1, chunks_[number], at<Index>(buffer, counts_at_[number]),
                       nullptr, 0};
    for (int above = 0; above < number; ++above) level.nodes *= buckets;
    if (number > 0) {
      level.starts = at<Index>(buffer, counts_at_[number - 1]);
      level.starts_stride = chunks_[number - 1];
    }
    return level;
  }

  /// leaf_starts(buffer)[k * leaf_stride()] is the index of the first element of leaf k.
  Index const* leaf_starts(void* buffer) const { return at<Index>(buffer, counts_at_[depth_ - 1]); }
  std::uint64_t leaf_stride() const { return chunks_[depth_ - 1]; }

 private:
  static std::uint64_t chunks_for(std::uint64_t n, std::uint64_t nodes, std::uint64_t processors) {
    std::uint64_t const tiles = (n / nodes + tile_places - 1) / tile_places;
    std::uint64_t const per_chunk = tiles_of_chunk(tiles * nodes, processors);
    return std::max<std::uint64_t>(1, (tiles + per_chunk - 1) / per_chunk);
  }

  std::size_t skip(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    std::size_t const begin = bytes_;
    bytes_ += (bytes + alignment - 1) / alignment * alignment;
    return begin;
  }

  template <class Item>
  static Item* at(void* buffer, std::size_t offset) {
    return reinterpret_cast<Item*>(static_cast<std::byte*>(buffer) + offset);
  }

  std::uint64_t n_;
  int depth_;
  std::uint64_t leaves_ = 0;
  std::uint64_t chunks_[max_depth] = {};
  std::size_t counts_at_[max_depth] = {};
  std::size_t keys_at_ = 0;
  std::size_t bytes_ = 0;
};

/// Counts the digits of chunks, one team for each chunk. If the children are leaves, the first team of a node also
/// draws their keys: the keys of the children of node s begin at keys + s * buckets.
template <class Index>
struct CountDigits {
  static constexpr int threads = team_threads;
  static constexpr int teams_per_processor = teams_that_count;
  static constexpr std::size_t scratch_bytes = buckets * sizeof(std::uint32_t) + 128;

  Level<Index> level;
  LeafKeys* keys;  // null if the children are split nodes
  std::uint64_t seed_of_leaves;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const histogram = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem_aligned(buckets * sizeof(std::uint32_t), 128));
    int const thread = team.team_rank();
    histogram[thread] = 0;
    team.team_barrier();
    Chunk const chunk = level.chunk(team.league_rank());
    count_chunk(level.seed, chunk, thread, histogram);
    if (keys != nullptr && chunk.begin == 0) draw_keys(chunk.node, thread);
    team.team_barrier();
    level.counts[chunk.column + static_cast<std::uint64_t>(thread) * level.chunks] =
        static_cast<Index>(histogram[thread]);
  }

 private:
  KOKKOS_FUNCTION void draw_keys(Node node, int digit) const {
    std::uint64_t const index =
        (node - level.number(0)) * buckets + static_cast<std::uint64_t>(digit);
    keys[index] = leaf_keys(seed_of_leaves, child(node, digit));
  }
};

/// to(j) = source(j) for j < n. One team copies each tile.
template <class Source, class To>
struct CopyTiles {
  static constexpr int threads = threads_of_copy;
  static constexpr int teams_per_processor = teams_of_copy;
  static constexpr std::size_t scratch_bytes = 0;
  static constexpr std::uint64_t tile_size = elements_of_copy;

  std::uint64_t n;
  Source source;
  To to;

  static int teams(std::uint64_t n) { return static_cast<int>((n + tile_size - 1) / tile_size); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint64_t const first = static_cast<std::uint64_t>(team.league_rank()) * tile_size;
    std::uint64_t const end = Kokkos::min(first + tile_size, n);
    auto const thread = static_cast<std::uint64_t>(team.team_rank());
    for (std::uint64_t j = first + thread; j < end; j += threads) to(j) = source(j);
  }
};

// --- the passes, in order ---

/// Launches the counting kernels and the scans for all levels. Also draws the keys of the leaves.
template <class T, class Index, class Launch, class Scan>
void count_digits(GpuLayout<T, Index> const& layout, void* buffer, std::uint64_t seed,
                  Launch const& launch, Scan const& scan) {
  for (int number = 0; number < layout.depth(); ++number) {
    bool const has_leaves = number + 1 == layout.depth();
    Level<Index> const level = layout.level(number, buffer, seed);
    CountDigits<Index> const kernel{level, has_leaves ? layout.keys(buffer) : nullptr,
                                    leaf_seed(seed)};
    launch("count", level.teams(), kernel);
    scan(level.counts, level.size());
  }
}

/// Launches the gather of rows for a tree with one level. `copies` is a pack of RowCopy for which are_copied_by_rows()
/// holds.
template <class Launch, class Scan, class Copies>
void gather_below_one_level(GpuLayout<void, std::uint32_t> const& layout, void* buffer,
                            std::uint64_t seed, Copies const& copies, Launch const& launch,
                            Scan const& scan) {
  count_digits(layout, buffer, seed, launch, scan);
  Level<std::uint32_t> const level = layout.level(0, buffer, seed);
  launch("gather", level.teams(), GatherTiles<Copies>(level, layout.keys(buffer), copies));
}

/// Launches the passes in order, through the functions launch(name, teams, kernel) and scan(counts, size). `Elements`
/// is the type of a View of the temporary copy.
template <class Elements, class Index, class Launch, class Scan>
class GpuPasses {
  using T = typename Elements::value_type;

 public:
  GpuPasses(GpuLayout<T, Index> const& layout, void* buffer, std::uint64_t n, std::uint64_t seed,
            Launch const& launch, Scan const& scan)
      : layout_(layout),
        buffer_(buffer),
        n_(n),
        seed_(seed),
        elements_(layout.elements(buffer), n),
        launch_(launch),
        scan_(scan) {}

  /// out(i) = source(sigma(i)). InPlace: `source` reads from `out`.
  template <bool InPlace, class Source, class Out>
  void run(Source const& source, Out const& out) const {
    count_digits(layout_, buffer_, seed_, launch_, scan_);
    // Each level moves all elements from the temporary copy to `out` or vice versa; level 0 moves them to `out`.
    if (layout_.depth() % 2 == 1) {
      shuffle_leaves_to_temporary(source);
    } else if constexpr (InPlace) {
      launch_("copy", CopyTiles<Source, Elements>::teams(n_),
              CopyTiles<Source, Elements>{n_, source, elements_});
      shuffle_leaves<ManyTeams>(ReadView<Elements, T>{elements_}, out);
    } else {
      shuffle_leaves<ManyTeams>(source, out);
    }
    for (int level = layout_.depth() - 1; level >= 0; --level) {
      if (level % 2 == 0) {
        riffle(level, ReadView<Elements, T>{elements_}, out);
      } else {
        riffle(level, ReadView<Out, T>{out}, elements_);
      }
    }
  }

 private:
  template <class Source>
  void shuffle_leaves_to_temporary(Source const& source) const {
    constexpr bool is_narrow =
        sizeof(Index) == sizeof(std::uint32_t);  // otherwise leaves are large
    if constexpr (Source::is_memory && is_narrow && OneTeam<T>::suits_elements) {
      if (OneTeam<T>::suits(mean_leaf())) return shuffle_leaves<OneTeam>(source, elements_);
    }
    shuffle_leaves<ManyTeams>(source, elements_);
  }

  double mean_leaf() const {
    return static_cast<double>(n_) / static_cast<double>(layout_.leaves());
  }

  template <template <class Value> class Teams, class Source, class To>
  void shuffle_leaves(Source const& source, To const& to) const {
    using Kernel = ShuffleLeaves<Source, To, Index, Teams>;
    Kernel const kernel{n_,
                        layout_.leaves(),
                        Teams<T>::teams_for(mean_leaf(), Kernel::step),
                        layout_.leaf_starts(buffer_),
                        layout_.leaf_stride(),
                        layout_.keys(buffer_),
                        leaf_seed(seed_),
                        source,
                        to};
    launch_("leaves", kernel.teams(), kernel);
  }

  template <class From, class To>
  void riffle(int number, From const& from, To const& to) const {
    Level<Index> const level = layout_.level(number, buffer_, seed_);
    launch_("riffle", level.teams(), RiffleTiles<From, To, Index>(level, from, to));
  }

  GpuLayout<T, Index> layout_;
  void* buffer_;
  std::uint64_t n_;
  std::uint64_t seed_;
  Elements elements_;
  Launch launch_;
  Scan scan_;
};

// --- launches of the passes ---

template <class T, class Exec>
using Elements =
    Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Returns the function scan(counts, size) that the passes call. It is an exclusive scan in place. Requires: the
/// context outlives the returned function.
template <class Index, class Exec>
auto count_scans_of(Context<Exec> const& context) {
  return [&context](Index* counts, std::uint64_t size) {
    Elements<Index, Exec> const view(counts, size);
    exclusive_scan(context.named("scan"), view, view, Sum<Index>{}, Index{0});
  };
}

/// Calls use(index), where the type of `index` can count n elements.
template <class Use>
void with_count_type(std::uint64_t n, Use const& use) {
  with_index_type(n + 1, use);
}

template <class T, class Exec>
std::size_t bytes_on_gpu(Exec const& exec, std::uint64_t n, int depth) {
  std::size_t bytes = 0;
  with_count_type(n, [&]<class Index>(Index) {
    bytes = GpuLayout<T, Index>(n, depth, backend::processors(exec)).bytes();
  });
  return bytes;
}

/// out(i) = source(sigma(i)) for i < n, with a tree of `depth` > 0 levels. InPlace: `source` reads from `out`.
template <bool InPlace, class Exec, class Source, class Out>
void shuffle_on_gpu(Context<Exec> const& context, std::uint64_t n, int depth, Source const& source,
                    Out const& out, std::uint64_t seed) {
  using T = typename Out::non_const_value_type;
  with_count_type(n, [&]<class Index>(Index) {
    GpuLayout<T, Index> const layout(n, depth, backend::processors(context.exec()));
    Scope scope(context);
    void* const buffer = scope.template take<std::byte>(layout.bytes());
    auto const launch = launcher_of(context);
    auto const scan = count_scans_of<Index>(context);
    GpuPasses<Elements<T, Exec>, Index, decltype(launch), decltype(scan)> const passes(
        layout, buffer, n, seed, launch, scan);
    passes.template run<InPlace>(source, out);
  });
}

/// The depth of trees with which rows are gathered without stored indices. With one level, elements can be counted in
/// 32 bits.
inline constexpr int depth_of_gather = 1;

template <class Exec>
GpuLayout<void, std::uint32_t> layout_of_gather(Exec const& exec, std::uint64_t n) {
  return {n, depth_of_gather, backend::processors(exec)};
}

/// Copies row sigma(i) to row i for i < n, for a tree with one level. `copies` is a pack of RowCopy for which
/// are_copied_by_rows() holds.
template <class Exec, class Copies>
void gather_on_gpu(Context<Exec> const& context, std::uint64_t n, Copies const& copies,
                   std::uint64_t seed) {
  auto const layout = layout_of_gather(context.exec(), n);
  Scope scope(context);
  void* const buffer = scope.template take<std::byte>(layout.bytes());
  gather_below_one_level(layout, buffer, seed, copies, launcher_of(context),
                         count_scans_of<std::uint32_t>(context));
}

}  // namespace riffle::detail::bucket_shuffle
