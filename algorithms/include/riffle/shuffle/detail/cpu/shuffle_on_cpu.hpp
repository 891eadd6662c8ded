#pragma once

// BucketShuffle on the threads of a CPU, for one level of split nodes (n <= 2^30):
//
//     count     counts the digits of the root's places, chunk by chunk
//     starts    computes by prefix sums over the counts, for each digit and chunk, where its elements begin
//     leaves    permutes each part of the input within a cache, and writes it to a second array
//     riffle    takes the elements for each chunk's places from the 256 parts of the second array
//
// If there are more levels, step `leaves` instead permutes each child of the root by the child's subtree, with one
// thread.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/cpu/leaves_cpu.hpp>
#include <riffle/shuffle/detail/cpu/riffle_cpu.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// The arrays of a call. The levels alternate between `temp` and `out`: a node at `height` levels above the leaves
/// reads the output of its children from one array and writes its own output to the other. The root writes to `out`.
template <class Source, class T>
struct ShuffleArrays {
  Source source;
  Array<T> temp;
  Array<T> out;
  int levels;
  std::uint64_t seed;
  std::uint64_t seed_of_leaves;

  Array<T> const& output_of(int height) const { return (levels - height) % 2 == 0 ? out : temp; }
};

/// Permutes the elements of a node by the node's subtree, with one thread.
template <class Source, class T>
void shuffle_node(ShuffleArrays<Source, T> const& data, Node node, int height, Part const& part) {
  if (part.size == 0) return;
  if (height == 0) {
    part_of(data.source, part.start).prefetch_all(part.size);
    LeafGather<Source, T> gather(data.source, data.output_of(0));
    gather.shuffle(data.seed_of_leaves, node, part, false);
    return;
  }
  std::uint64_t sizes[buckets] = {};
  count_digits(data.seed, node, 0, part.size, sizes);
  std::uint64_t starts[buckets];
  std::uint64_t start = part.start;
  for (int k = 0; k < buckets; ++k) {
    starts[k] = start;
    shuffle_node(data, child(node, k), height - 1, Part{start, sizes[k]});
    start += sizes[k];
  }
  Digits digits(data.seed, node);
  riffle_places(digits, 0, part.size, data.output_of(height - 1), starts, data.output_of(height),
                part.start);
}

/// The division of the root's places into chunks. Each thread processes several chunks, so that no thread waits long
/// for the last chunk.
struct Chunks {
  std::uint64_t n;
  std::uint64_t places;

  static Chunks of(std::uint64_t n, std::uint64_t threads) {
    std::uint64_t const wanted = std::max(+min_chunk_places, n / (chunks_per_thread * threads));
    return {n, (wanted + places_per_unit - 1) / places_per_unit * places_per_unit};
  }
  std::uint64_t count() const { return (n + places - 1) / places; }
  std::uint64_t first(std::uint64_t chunk) const { return chunk * places; }
  std::uint64_t last(std::uint64_t chunk) const { return std::min(n, (chunk + 1) * places); }
};

/// Replaces each size (for a digit and a chunk) by the index of the first element that the chunk's places with this
/// digit take. This is an exclusive prefix sum over all sizes, sorted by digit and then by chunk.
struct SizesToStarts {
  std::uint64_t chunks;
  std::uint64_t* sizes;

  void operator()(std::uint64_t) const {
    std::uint64_t totals[buckets] = {};
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
      for (int k = 0; k < buckets; ++k) {
        std::uint64_t& size = sizes[chunk * buckets + static_cast<std::uint64_t>(k)];
        std::uint64_t const before = totals[k];
        totals[k] += size;
        size = before;
      }
    }
    std::uint64_t start = 0;
    for (int k = 0; k < buckets; ++k) {
      std::uint64_t const total = totals[k];
      totals[k] = start;
      start += total;
    }
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
      for (int k = 0; k < buckets; ++k) {
        sizes[chunk * buckets + static_cast<std::uint64_t>(k)] += totals[k];
      }
    }
  }
};

/// Permutes the children of the root. A task processes a few consecutive children, so that the next leaf can be
/// prefetched while a leaf is permuted.
template <class Source, class T>
struct ShuffleChildren {
  ShuffleArrays<Source, T> data;
  std::uint64_t n;
  std::uint64_t const* starts;  // starts[k]: the first element of child k of the root
  std::uint64_t children_per_task;

  /// The number of children per task. It is small enough that each thread receives several tasks, so that no thread
  /// waits long for the last task.
  static std::uint64_t children_for(std::uint64_t threads) {
    std::uint64_t children = max_children_per_task;
    while (children > 1 && buckets / children < tasks_per_thread * threads) children /= 2;
    return children;
  }
  std::uint64_t tasks() const { return buckets / children_per_task; }

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t task) const {
    KOKKOS_IF_ON_HOST((shuffle(static_cast<int>(task * children_per_task),
                               static_cast<int>((task + 1) * children_per_task));))
  }

 private:
  Part part(int k) const {
    std::uint64_t const end = k + 1 < buckets ? starts[k + 1] : n;
    return {starts[k], end - starts[k]};
  }

  void shuffle(int begin, int end) const {
    if (data.levels > 1) {
      for (int k = begin; k < end; ++k) {
        shuffle_node(data, child(root, k), data.levels - 1, part(k));
      }
    } else {
      shuffle_leaves(begin, end);
    }
  }

  void shuffle_leaves(int begin, int end) const {
    LeafGather<Source, T> gather(data.source, data.output_of(0));
    Part const first = part(begin);
    part_of(data.source, first.start).prefetch_all(first.size);
    for (int k = begin; k < end; ++k) {
      gather.shuffle(data.seed_of_leaves, child(root, k), part(k), k + 1 < end);
    }
  }
};

/// Functor for a chunk of the root's places: copies the element of each place from the output of the root's children.
template <class T>
struct RiffleChunks {
  Chunks chunks;
  std::uint64_t seed;
  std::uint64_t const* starts;
  Array<T> from;
  Array<T> to;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((riffle(chunk);))
  }

 private:
  void riffle(std::uint64_t chunk) const {
    Digits digits(seed, root);
    riffle_places(digits, chunks.first(chunk), chunks.last(chunk), from, starts + chunk * buckets,
                  to, 0);
  }
};

template <class Exec>
Chunks chunks_of(Exec const& exec, std::uint64_t n) {
  return Chunks::of(n, static_cast<std::uint64_t>(exec.concurrency()));
}

/// The layout of the workspace: first the second array, then the starts (one entry per digit and chunk).
template <class T>
struct Layout {
  static std::size_t starts_at(std::uint64_t n) {
    return (n * sizeof(T) + backend::cache_line - 1) / backend::cache_line * backend::cache_line;
  }
  static std::size_t bytes(std::uint64_t n, Chunks const& chunks) {
    return starts_at(n) + chunks.count() * buckets * sizeof(std::uint64_t);
  }
};

/// The workspace, in bytes, for n values of type T.
template <class T, class Exec>
std::size_t bytes_on_cpu(Exec const& exec, std::uint64_t n) {
  return Layout<T>::bytes(n, chunks_of(exec, n));
}

template <class Exec, class Source, class T>
void run_on_cpu(Context<Exec> const& context, std::uint64_t n, ShuffleArrays<Source, T> const& data,
                std::uint64_t* starts) {
  Chunks const chunks = chunks_of(context.exec(), n);
  // starts[256 * chunk + k] is at first the number of places with digit k in the chunk.
  for_each_dynamic(context.named("count"), chunks.count(), [=](std::uint64_t chunk) {
    std::uint64_t* const counts = starts + chunk * buckets;
    std::fill_n(counts, buckets, 0);
    count_digits(data.seed, root, chunks.first(chunk), chunks.last(chunk), counts);
  });
  run_on_calling_thread(context.named("starts"), SizesToStarts{chunks.count(), starts});
  using Shuffle = ShuffleChildren<Source, T>;
  auto const threads = static_cast<std::uint64_t>(context.exec().concurrency());
  Shuffle const leaves{data, n, starts, Shuffle::children_for(threads)};
  for_each_dynamic(context.named("leaves"), leaves.tasks(), leaves);
  for_each_dynamic(context.named("riffle"), chunks.count(),
                   RiffleChunks<T>{chunks, data.seed, starts, data.output_of(data.levels - 1),
                                   data.output_of(data.levels)});
}

/// Sets out(i) = source(sigma(i)) for i < n = out.extent(0). Requires: n >= min_split. InPlace: `source` reads from
/// `out`. Tests pass larger `levels` than n needs, because otherwise a second level would need n > 2^30.
template <bool InPlace, class Exec, class Source, class Out>
void shuffle_on_cpu(Context<Exec> const& context, std::uint64_t n, int levels, Source const& source,
                    Out const& out, std::uint64_t seed) {
  using T = typename Out::non_const_value_type;
  std::size_t const bytes = bytes_on_cpu<T>(context.exec(), n);
  Scope scope(context);
  auto* const memory = scope.template take<std::byte>(bytes);
  auto* const starts = reinterpret_cast<std::uint64_t*>(memory + Layout<T>::starts_at(n));
  backend::prefer_huge_pages(memory, bytes);
  Array<T> const temp{reinterpret_cast<T*>(memory), 1};
  Array<T> const to{out.data(), static_cast<std::ptrdiff_t>(out.stride(0))};
  std::uint64_t const leaves = leaf_seed(seed);
  if constexpr (InPlace) {
    if (levels % 2 == 0) {
      // Without the copy, leaves would overwrite elements that other leaves have not read yet.
      context.named("copy").for_each(n, [=](std::uint64_t i) { *temp.at(i) = source(i); });
      run_on_cpu(context, n, ShuffleArrays<Array<T>, T>{temp, temp, to, levels, seed, leaves},
                 starts);
      return;
    }
  }
  run_on_cpu(context, n, ShuffleArrays<Source, T>{source, temp, to, levels, seed, leaves}, starts);
}

}  // namespace riffle::detail::bucket_shuffle
