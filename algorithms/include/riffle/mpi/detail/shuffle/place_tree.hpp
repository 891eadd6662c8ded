#pragma once

// The output places that a rank owns in each node of the BucketShuffle tree.
//
// A rank owns a contiguous range of the root's places. Consider its places with digit k. They map
// to a contiguous range of places in child k, which begins where the range of the next lower rank
// ends. By induction, a rank owns one contiguous range in every node and every leaf. One prefix sum
// over the ranks per level computes where this range begins in each node.
//
//     digits of the root     2 0 1 1 | 0 2 2 1        ranks 0 | 1
//     places of child 1      rank 0: 0, 1             rank 1: 2
//
// Each level has a buffer with the rank's places in all nodes of the level, node by node. The
// levels are processed bottom-up: the elements at a node's places are taken from the buffer of its
// children, in the order that the node's digits give (a riffle).

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/tuning.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/shuffle/tree_for_mpi.hpp>

namespace riffle::detail::mpi {

// --- chunks of places ---

/// Consecutive places of a node. One CPU thread or one GPU team counts their digits and riffles
/// their elements.
struct PlaceChunk {
  bucket_shuffle::Node node;
  std::uint64_t children;  // index of its first child among the nodes of the next level
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t at;  // index of place `first` in the buffer of the node's level
};

// --- on a GPU: one team processes each chunk, as in a shuffle on one device
// (riffle/shuffle/tree_for_mpi.hpp) ---

/// The number of places per team, if a rank owns `places` places. A multiple of the tile size.
template <class Exec>
std::uint64_t places_of_team(Exec const& exec, std::uint64_t places) {
  constexpr std::uint64_t tile = bucket_shuffle::tile_places;
  return tile * bucket_shuffle::tiles_of_chunk(places / tile, backend::processors(exec));
}

/// Converts a PlaceChunk to the Chunk that teams process. The subtraction may wrap around, because
/// the node's place 0 may lie before the start of the buffer.
KOKKOS_INLINE_FUNCTION bucket_shuffle::Chunk for_team(PlaceChunk const& chunk) {
  return {chunk.node, chunk.at - chunk.first, chunk.first, chunk.last, 0};
}

/// Team kernel for GPUs that does the work of CountChunk.
struct CountByTeam {
  static constexpr int threads = bucket_shuffle::team_threads;
  static constexpr int teams_per_processor = 8;
  struct State {
    std::uint32_t counts[bucket_shuffle::buckets];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;
  static_assert(threads == bucket_shuffle::buckets);

  std::uint64_t seed;
  PlaceChunk const* chunks;
  std::uint64_t* counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    State& state = team_state<State>(team);
    int const thread = team.team_rank();
    auto const c = static_cast<std::uint64_t>(team.league_rank());
    state.counts[thread] = 0;
    team.team_barrier();
    bucket_shuffle::count_chunk(seed, for_team(chunks[c]), thread, state.counts);
    team.team_barrier();
    counts[c * threads + static_cast<std::uint64_t>(thread)] = state.counts[thread];
  }
};

/// Team kernel for GPUs that does the work of RiffleChunk. Copies elements from move.from to
/// move.to.
template <class Move>
class RiffleByTeam {
  using Riffle =
      bucket_shuffle::TeamRiffle<decltype(Move::from), decltype(Move::to), std::uint64_t>;

 public:
  static constexpr int threads = Riffle::threads;
  static constexpr int teams_per_processor = Riffle::teams_per_processor;
  static constexpr std::size_t scratch_bytes = Riffle::scratch_bytes;

  RiffleByTeam(std::uint64_t seed, PlaceChunk const* chunks, std::uint64_t const* before,
               std::uint64_t const* children_at, Move const& move)
      : riffle_(seed, move.from, move.to),
        chunks_(chunks),
        before_(before),
        children_at_(children_at) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const digit = static_cast<std::uint64_t>(team.team_rank());
    auto const c = static_cast<std::uint64_t>(team.league_rank());
    PlaceChunk const chunk = chunks_[c];
    riffle_(team, for_team(chunk),
            children_at_[chunk.children + digit] + before_[c * threads + digit]);
  }

 private:
  Riffle riffle_;
  PlaceChunk const* chunks_;
  std::uint64_t const* before_;
  std::uint64_t const* children_at_;
};

// --- the tree ---

using bucket_shuffle::buckets;
using bucket_shuffle::Node;

/// Sets counts[256 * c + k] to the number of places with digit k in chunk c.
struct CountChunk {
  std::uint64_t seed;
  PlaceChunk const* chunks;
  std::uint64_t* counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    PlaceChunk const chunk = chunks[c];
    bucket_shuffle::count_places(seed, chunk.node, chunk.first, chunk.last, counts + c * buckets);
  }
};

/// Functor for one digit of one node. Replaces the counts for the node's chunks by their exclusive
/// prefix sums. Stores the total over the chunks, because it is the number of places in the child
/// for this digit.
struct SumChunks {
  std::uint64_t const* chunks_before;  // first chunk of each node, then the number of chunks
  std::uint64_t* counts;
  std::uint64_t* of_children;

  KOKKOS_FUNCTION void operator()(std::uint64_t child) const {
    std::uint64_t const node = child / buckets;
    std::uint64_t const k = child % buckets;
    std::uint64_t sum = 0;
    for (std::uint64_t c = chunks_before[node]; c < chunks_before[node + 1]; ++c) {
      std::uint64_t const count = counts[c * buckets + k];
      counts[c * buckets + k] = sum;
      sum += count;
    }
    of_children[child] = sum;
  }
};

/// Functor that adds the total of the node's earlier segments to each prefix sum within a segment.
/// A segment consists of consecutive chunks of a node.
struct AddToChunks {
  std::uint64_t const* chunks_before;  // first chunk of each segment, then the number of chunks
  std::uint64_t const* before;         // prefix sums over the segments
  std::uint64_t* counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const segment = at / buckets;
    for (std::uint64_t c = chunks_before[segment]; c < chunks_before[segment + 1]; ++c) {
      counts[c * buckets + at % buckets] += before[at];
    }
  }
};

/// Calls move(i, j) for each place of a chunk. i is the index of the place in the buffer of the
/// chunk's level. The place takes its element from index j in the buffer of the level below.
/// Move::riffles_values says whether move.from and move.to are Views of values, for which the CPU
/// has faster loops.
template <class Move>
struct RiffleChunk {
  std::uint64_t seed;
  PlaceChunk const* chunks;
  std::uint64_t const* before;  // prefix sums that SumChunks has computed
  /// children_at[c] is the index of child c's first place in the buffer of the level below.
  std::uint64_t const* children_at;
  Move move;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    PlaceChunk const chunk = chunks[c];
    std::uint64_t next[buckets];
    for (std::uint64_t k = 0; k < buckets; ++k) {
      next[k] = children_at[chunk.children + k] + before[c * buckets + k];
    }
    KOKKOS_IF_ON_HOST((if (riffle_on_host(chunk, next)) return;))
    bucket_shuffle::visit_digits(seed, chunk.node, chunk.first, chunk.last,
                                 [&](std::uint64_t place, std::uint8_t digit) {
                                   move(chunk.at + (place - chunk.first), next[digit]++);
                                 });
  }

 private:
  /// Uses the CPU's faster loops. Returns false if these loops do not support this chunk.
  bool riffle_on_host([[maybe_unused]] PlaceChunk const& chunk,
                      [[maybe_unused]] std::uint64_t const* next) const {
    if constexpr (Move::riffles_values) {
      if (chunk.first % bucket_shuffle::places_per_unit != 0) return false;
      bucket_shuffle::riffle_values(seed, chunk.node, chunk.first, chunk.last, move.from, next,
                                    move.to, chunk.at - chunk.first);
      return true;
    } else {
      return false;
    }
  }
};

/// The places that a rank owns in the nodes of one level.
struct OwnPlaces {
  std::vector<std::uint64_t> first;  // for each node, the first place that this rank owns
  std::vector<std::uint64_t> count;  // for each node, the number of places that this rank owns
  std::vector<std::uint64_t> total;  // for each node, the number of its places

  std::size_t nodes() const { return count.size(); }

  /// Returns, for each node, the index of the rank's first place in the buffer of the level.
  std::vector<std::uint64_t> starts() const {
    std::vector<std::uint64_t> result(nodes());
    std::exclusive_scan(count.begin(), count.end(), result.begin(), std::uint64_t{0});
    return result;
  }
};

template <class Exec>
class PlaceTree {
 public:
  /// Makes a tree that consists only of the root, with n places. This rank owns the root's places
  /// first, ..., first + count - 1.
  PlaceTree(std::uint64_t seed, std::uint64_t n, std::uint64_t first, std::uint64_t count)
      : seed_(seed), places_{{first}, {count}, {n}} {}

  /// The places that the rank owns in the nodes of the lowest level so far. After all levels have
  /// been added, these nodes are the leaves.
  OwnPlaces const& places() const { return places_; }
  int levels() const { return static_cast<int>(levels_.size()); }

  /// Splits the nodes of the lowest level: counts the digits of their places. Does not call MPI.
  void count_digits(Context<Exec> const& context, Scope<Exec>& scope) {
    Level level;
    std::vector<PlaceChunk> chunks;
    std::vector<std::uint64_t> chunks_before;
    auto const starts = places_.starts();
    std::uint64_t const size = chunk_size(context.exec(), starts.back() + places_.count.back());
    for (std::size_t node = 0; node < places_.nodes(); ++node) {
      chunks_before.push_back(chunks.size());
      add_chunks(chunks, node, starts[node], size);
    }
    chunks_before.push_back(chunks.size());
    level.chunk_count = chunks.size();
    level.chunks = to_kernels(context, scope, chunks);
    level.before = scope.template take<std::uint64_t>(chunks.size() * buckets);
    std::uint64_t const children = places_.nodes() * buckets;
    auto* const of_children = scope.template take<std::uint64_t>(children);
    if constexpr (backend::is_cpu<Exec>) {
      context.named("count").for_each(chunks.size(), CountChunk{seed_, level.chunks, level.before});
    } else {
      launch_teams(context.named("count"), chunks.size(),
                   CountByTeam{seed_, level.chunks, level.before});
    }
    sum_chunks(context, scope, chunks_before, level.before, of_children);
    OwnPlaces below;
    below.count = to_host(context, of_children, children);
    below.first.resize(children);
    below.total.resize(children);
    level.children_at = to_kernels(context, scope, below.starts());
    levels_.push_back(level);
    places_ = below;
  }

  /// Computes this rank's first place in each child, by a prefix sum over the ranks. Requires:
  /// every rank has called count_digits() for this level.
  void find_first_places(riffle::mpi::Communicator const& comm) {
    in_pieces(places_.nodes(), [&](std::size_t begin, int size) {
      std::uint64_t const* const counts = places_.count.data() + begin;
      check_mpi(
          MPI_Exscan(counts, places_.first.data() + begin, size, MPI_UINT64_T, MPI_SUM, comm.get()),
          "MPI_Exscan");
      check_mpi(MPI_Allreduce(counts, places_.total.data() + begin, size, MPI_UINT64_T, MPI_SUM,
                              comm.get()),
                "MPI_Allreduce");
    });
    // MPI_Exscan leaves the result of rank 0 undefined.
    if (comm.rank() == 0) std::fill(places_.first.begin(), places_.first.end(), 0);
  }

  /// Sets the index, in the buffer of the leaves, at which this rank's places of each leaf begin.
  /// There may be gaps between leaves.
  void put_leaves(Context<Exec> const& context, std::vector<std::uint64_t> const& starts) {
    copy_to_kernels(context, starts, levels_.back().children_at);
  }

  /// For each index i in the buffer of level `level`, calls move(i, j), where index i takes its
  /// element from index j in the buffer of the level below. May instead copy the same elements
  /// directly from move.from to move.to.
  template <class Move>
  void riffle(Context<Exec> const& context, int level, Move const& move) const {
    Level const& l = levels_[static_cast<std::size_t>(level)];
    if constexpr (backend::is_cpu<Exec>) {
      context.for_each(l.chunk_count,
                       RiffleChunk<Move>{seed_, l.chunks, l.before, l.children_at, move});
    } else {
      launch_teams(context, l.chunk_count,
                   RiffleByTeam<Move>(seed_, l.chunks, l.before, l.children_at, move));
    }
  }

 private:
  struct Level {
    std::uint64_t chunk_count;
    PlaceChunk* chunks;
    std::uint64_t* before;
    std::uint64_t* children_at;
  };

  /// Replaces the counts of chunks by prefix sums, and writes the number of places of each child.
  /// If nodes have very many chunks, the chunks are summed in segments.
  void sum_chunks(Context<Exec> const& context, Scope<Exec>& scope,
                  std::vector<std::uint64_t> const& chunks_before, std::uint64_t* counts,
                  std::uint64_t* of_children) const {
    std::vector<std::uint64_t> segments;
    std::vector<std::uint64_t> segments_before;
    for (std::size_t node = 0; node + 1 < chunks_before.size(); ++node) {
      segments_before.push_back(segments.size());
      for (auto c = chunks_before[node]; c < chunks_before[node + 1]; c += chunks_per_sum<Exec>) {
        segments.push_back(c);
      }
    }
    segments_before.push_back(segments.size());
    std::uint64_t const count = segments.size();
    segments.push_back(chunks_before.back());
    auto const* const chunks = to_kernels(context, scope, segments);
    auto const* const before = to_kernels(context, scope, segments_before);
    auto* const sums = scope.template take<std::uint64_t>(count * buckets);
    Context<Exec> const named = context.named("sum");
    named.for_each(count * buckets, SumChunks{chunks, counts, sums});
    named.for_each(places_.nodes() * buckets, SumChunks{before, sums, of_children});
    named.for_each(count * buckets, AddToChunks{chunks, sums, counts});
  }

  /// The number of places in a chunk. On a GPU chunks consist of whole tiles.
  static std::uint64_t chunk_size(Exec const& exec, std::uint64_t places) {
    if constexpr (!backend::is_cpu<Exec>) return places_of_team(exec, places);
    auto const threads = static_cast<std::uint64_t>(exec.concurrency());
    std::uint64_t const wanted =
        std::clamp(places / (node_chunks_per_thread * threads), min_node_chunk, max_node_chunk);
    return wanted / bucket_shuffle::places_per_unit * bucket_shuffle::places_per_unit;
  }

  /// Cuts the rank's places of a node into chunks. Chunks end at multiples of the unit in which
  /// digits are drawn, so that no digit is drawn twice.
  void add_chunks(std::vector<PlaceChunk>& chunks, std::size_t node, std::uint64_t start,
                  std::uint64_t size) const {
    constexpr std::uint64_t unit = bucket_shuffle::places_per_unit;
    std::uint64_t const end = places_.first[node] + places_.count[node];
    for (std::uint64_t first = places_.first[node]; first < end;) {
      // The fast loops of the CPU start at a unit boundary, so the places before the first boundary
      // are a separate chunk. A GPU team can process an incomplete tile.
      std::uint64_t const step = first % unit == 0 || !backend::is_cpu<Exec> ? size : unit;
      std::uint64_t const last = std::min(end, (first / step + 1) * step);
      chunks.push_back({places_.nodes() + node, node * buckets, first, last,
                        start + (first - places_.first[node])});
      first = last;
    }
  }

  std::uint64_t seed_;
  OwnPlaces places_;
  std::vector<Level> levels_;
};

}  // namespace riffle::detail::mpi
