#pragma once

// The default shuffle over several ranks. Its result is bitwise identical to that on one device.
//
// Output place i takes input element s(l) + F(l, r). Here l is the leaf that place i belongs to, r
// the index of the place within the leaf, F(l, .) the leaf's bijection, and s(l) the index of the
// first element in the leaf's part of the input (riffle/shuffle/tree_for_mpi.hpp).
//
//     1. tree     each rank counts the digits of the places that it owns; one prefix sum over the ranks for each level
//                 gives r and s (place_tree.hpp)
//     2. demand   each rank tells the owners of a leaf's input how many places it owns in the leaf (leaf_parts.hpp)
//     3. pack     the owners evaluate F for these places, which are consecutive, and pack the elements in their order
//                 (sends.hpp)
//     4. send     each rank receives its elements leaf by leaf, without indices (receives.hpp)
//     5. riffle   each rank merges its leaves in the order that the digits of its places give
//
// A permutation without a tree (for small n) is treated as one leaf that all ranks share.
//
// The split by random digits is due to Rao and to Sandelius (cited in
// riffle/shuffle/shuffle.hpp), and between processors to
//   P. Sanders, "Random permutations on distributed, external and hierarchical memory", Inf. Process. Lett. 67 (1998).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/shuffle/leaf_images.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>
#include <riffle/mpi/detail/shuffle/place_tree.hpp>
#include <riffle/mpi/detail/shuffle/receives.hpp>
#include <riffle/mpi/detail/shuffle/sends.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

// --- batches: one batch is packed while the previous batch is being sent ---

/// Two arrays of equal size: one is read and the other is written.
struct TwoBuffers {
  std::byte* front;
  std::byte* back;

  void swap() { std::swap(front, back); }
};

/// The sends, the receives and the buffers with which a rank moves the rows of one View.
template <class Exec, class Leaves>
struct Batches {
  Sends<Exec, Leaves> const& sends;
  Receives<Exec> const& receives;
  Redistribution<Exec> const& redistribution;
  TwoBuffers buffers;  // front: received rows; back: packed rows

  int count() const { return sends.shares().batches(); }

  void send(Context<Exec> const& context, int batch) const {
    redistribution.run_part(context, sends.shares().part(batch), receives.shares().part(batch),
                            buffers.back, buffers.front);
  }
};

/// Packs all rows into `rows` and sends them. If there are several batches, kernels on the instance
/// `packing_exec` pack the next batch while the instance of `context` sends the current one.
template <class Exec, class Leaves, class In, class Rows>
void send_batches(Context<Exec> const& context, Exec const& packing_exec,
                  Batches<Exec, Leaves> const& batches, In const& in, Rows const& rows) {
  int const count = batches.count();
  if (count == 1) {
    batches.sends.pack(context, 0, in, rows);
    batches.redistribution.run(context, batches.buffers.back, batches.buffers.front,
                               OwnShare::is_there);
    return;
  }
  Context<Exec> const packing(packing_exec, context.label());
  context.exec().fence("riffle::mpi: rows are ready to be packed");
  for (int next = 0; next <= count; ++next) {
    // Transfers that are enqueued (with NCCL) need multiprocessors, so they are enqueued before
    // packing kernels occupy all multiprocessors. Transfers for which the host waits need no
    // multiprocessors, so the packing kernels are launched first and run during the transfer.
    bool const sends_first = batches.redistribution.is_enqueued();
    if (next > 0 && sends_first) batches.send(context, next - 1);
    if (next < count) batches.sends.pack(packing, next, in, rows);
    if (next > 0 && !sends_first) batches.send(context, next - 1);
    packing_exec.fence("riffle::mpi: rows are packed");
  }
}

// --- the shuffle ---

/// Splits the root into `levels` levels.
template <class Exec>
void split_tree(RankCall<Exec> const& call, Scope<Exec>& scope, PlaceTree<Exec>& tree, int levels) {
  while (tree.levels() < levels) {
    call.run_collectively([&] { tree.count_digits(call.context, scope); });
    tree.find_first_places(call.comm);
  }
}

/// A function move(i, j) that sets to(i) = from(j).
template <class From, class To>
struct MoveRow {
  static constexpr bool riffles_values = bucket_shuffle::riffles_values<From, To>;

  From from;
  To to;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t j) const {
    copy_row(from, j, to, i);
  }
};

/// Riffles rows to the output. On entry buffers.front contains the rows leaf by leaf.
template <class Exec, class Out>
void riffle_up(Context<Exec> const& context, PlaceTree<Exec> const& tree, std::uint64_t count,
               TwoBuffers buffers, Out const& out) {
  using Buffer = RowBuffer<Out>;
  using Rows = typename Buffer::Rows;
  Context<Exec> const named = context.named("riffle");
  for (int level = tree.levels() - 1; level > 0; --level, buffers.swap()) {
    tree.riffle(named, level,
                MoveRow<Rows, Rows>{Buffer::in(buffers.front, count, out),
                                    Buffer::in(buffers.back, count, out)});
  }
  tree.riffle(named, 0, MoveRow<Rows, Out>{Buffer::in(buffers.front, count, out), out});
}

/// Moves the received rows from buffers.front to the output. Each buffer can hold `count` rows.
template <class Exec, class Out>
void riffle_received(Context<Exec> const& context, PlaceTree<Exec> const& tree,
                     Receives<Exec> const& receives, std::uint64_t count, TwoBuffers const& buffers,
                     Out const& out) {
  using Buffer = RowBuffer<Out>;
  using Rows = typename Buffer::Rows;
  Rows const received = Buffer::in(buffers.front, count, out);
  if (tree.levels() > 0) {
    Rows const other = Buffer::in(buffers.back, count, out);
    receives.take_slots(context, received, other);
    receives.take_places(context, other, received);
    riffle_up(context, tree, count, buffers, out);
  } else if (receives.are_in_order()) {
    context.named("copy").for_each(out.extent(0), CopyRows<Rows, Out>{received, out});
  } else {
    // There is only one leaf, which several ranks share.
    receives.take_slots(context, received, out);
  }
}

/// The lengths, in rows, of two consecutive arrays: first the received rows, then the packed rows.
struct RowsOnTheWay {
  std::uint64_t received;
  std::uint64_t sent;

  std::uint64_t count() const { return received + sent; }
};

/// Sends the rows of all Views according to one permutation. In memory, the array of packed rows
/// follows the array of received rows. Therefore a rank can pack the rows that it keeps directly to
/// their positions in the received array.
template <class Leaves, class Exec, class In, class Out>
void move_rows(RankCall<Exec> const& call, Scope<Exec>& scope, SeedAndStream random,
               PlaceTree<Exec>& tree, Partition const& input, Partition const& output, In const& in,
               Out const& out) {
  auto const& comm = call.comm;
  auto const& context = call.context;
  LeafParts const parts(tree.places(), input);
  Batching const batching = batching_of(comm, output.n(), most_row_bytes(out), tree.levels());
  Demand const demand(comm, tree.places(), parts);
  std::optional<Sends<Exec, Leaves>> sends;
  std::optional<Receives<Exec>> receives;
  RedistributionsOfViews<Exec> redistributions;
  std::optional<Exec> packing_exec;
  RowsOnTheWay rows{};
  std::byte* memory = nullptr;
  // Both arrays begin at multiples of 128 bytes, the alignment of a Scope.
  constexpr std::uint64_t alignment = 128;
  auto const prepare = [&] {
    auto const leaves = Leaves::make(context, scope, random, tree.places());
    receives.emplace(context, scope, leaves, tree.places(), parts, batching);
    if (batching.granule > 1) tree.put_leaves(context, receives->leaf_starts());
    Shares const& received = receives->shares().total();
    rows.received = round_up(received.end(), alignment);
    auto const own = static_cast<std::size_t>(comm.rank());
    sends.emplace(context, scope, leaves, comm.rank(), parts, demand,
                  PackLayout{received.starts()[own], rows.received}, batching);
    rows.sent = std::max(rows.received, sends->shares().total().end());
    prepare_redistributions(redistributions, comm, out, sends->shares().total(), received);
    memory = scope.template take<std::byte>(most_row_bytes(out) * rows.count());
    packing_exec = batching.batches > 1 ? context.workspace().concurrent_instance(context.exec())
                                        : context.exec();
  };
  call.run_collectively(prepare);
  auto redistribution = redistributions.begin();
  for_each_pair(in, out, [&](auto const& from, auto const& to) {
    using Buffer = RowBuffer<std::decay_t<decltype(to)>>;
    TwoBuffers const buffers{memory, memory + Buffer::row_bytes(to) * rows.received};
    send_batches(context, *packing_exec,
                 Batches<Exec, Leaves>{*sends, *receives, *redistribution++, buffers}, from,
                 Buffer::in(memory, rows.count(), to));
    riffle_received(context, tree, *receives, rows.received, buffers, to);
  });
}

/// Sets out(i) = in(sigma(i)), where rows are numbered over all ranks. sigma is defined by a tree
/// with `levels` levels, or is RandomPermutation(n, seed, stream) if levels = 0.
template <class Exec, class In, class Out>
void shuffle_rows(RankCall<Exec> const& call, Partition const& input, Partition const& output,
                  In const& in, Out const& out, SeedAndStream random, int levels) {
  std::uint64_t const n = output.n();
  if (n == 0) return;
  int const rank = call.comm.rank();
  Scope scope(call.context);
  PlaceTree<Exec> tree(random, n, output.first(rank), output.count(rank));
  split_tree(call, scope, tree, levels);
  if (levels == 0) {
    move_rows<OneLeaf>(call, scope, random, tree, input, output, in, out);
  } else {
    move_rows<TreeLeaves>(call, scope, random, tree, input, output, in, out);
  }
}

/// Functor that writes, for chunks of leaves, the values of the leaves' bijections.
template <class Leaves, class Out>
struct WriteImages {
  Leaves leaves;
  LeafChunks chunks;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    LeafChunk const chunk = chunks[c];
    visit_images(leaves, chunk, [&](std::uint64_t t, std::uint64_t i) { write(chunk.at + t, i); });
  }

  template <std::uint64_t stride>
  KOKKOS_FUNCTION void take(LeafChunk const& chunk, std::uint64_t t,
                            ImagesOfThread<stride> const& images) const {
    RIFFLE_UNROLL
    for (std::uint64_t k = 0; k < images.count; ++k) {
      if (t + k * stride < chunk.count) write(chunk.at + t + k * stride, images.elements[k]);
    }
  }

 private:
  KOKKOS_FUNCTION void write(std::uint64_t place, std::uint64_t i) const {
    out(place) = static_cast<typename Out::value_type>(i);
  }
};

/// Returns the places that the rank owns in each leaf.
inline std::vector<LeafChunk> places_of_leaves(OwnPlaces const& places) {
  std::vector<LeafChunk> list;
  list.reserve(places.nodes());
  std::uint64_t start = 0;
  std::uint64_t at = 0;
  for (std::size_t leaf = 0; leaf < places.nodes(); ++leaf) {
    list.push_back({leaf, start, places.total[leaf], places.first[leaf], places.count[leaf], at});
    start += places.total[leaf];
    at += places.count[leaf];
  }
  return list;
}

/// Sets out(i) = sigma(i) for the indices i that this rank owns. Ranks send no elements.
template <class Exec, class Out>
void write_permutation(RankCall<Exec> const& call, Partition const& output, Out const& out,
                       SeedAndStream random, int levels) {
  std::uint64_t const n = output.n();
  if (n == 0) return;
  int const rank = call.comm.rank();
  std::uint64_t const count = output.count(rank);
  auto const& context = call.context;
  using Value = typename Out::non_const_value_type;
  using Buffer = RowBuffer<Out>;
  using Rows = typename Buffer::Rows;
  Scope scope(context);
  PlaceTree<Exec> tree(random, n, output.first(rank), count);
  split_tree(call, scope, tree, levels);
  LeafChunks chunks{};
  std::optional<TreeLeaves> leaves;
  TwoBuffers buffers{};
  call.run_collectively([&] {
    chunks = chunks_of(context, scope, places_of_leaves(tree.places()));
    if (levels > 0) {
      leaves = TreeLeaves::make(context, scope, random, tree.places());
      buffers.front = scope.template take<std::byte>(count * sizeof(Value));
    }
    if (levels > 1) buffers.back = scope.template take<std::byte>(count * sizeof(Value));
  });
  Context<Exec> const named = context.named("images");
  if (levels == 0) {
    take_all(named, WriteImages<OneLeaf, Out>{OneLeaf::make(context, scope, random, tree.places()),
                                              chunks, out});
    return;
  }
  take_all(named,
           WriteImages<TreeLeaves, Rows>{*leaves, chunks, Buffer::in(buffers.front, count, out)});
  riffle_up(context, tree, count, buffers, out);
}

}  // namespace riffle::detail::mpi
