#pragma once

// An exchange by a grid of ranks (grid.hpp): two exchanges of larger messages among fewer ranks, before each of which a
// kernel brings the items into the order of those that they go to. So it is the same by any transport.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/direct_exchange.hpp>
#include <riffle/mpi/detail/grid_hops.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::mpi {

/// A BlockOrder where kernels read it.
struct BlockOrderOfKernels {
  std::uint64_t const* bounds;
  std::uint64_t const* sources;
  int blocks;
  std::uint64_t items;
};

template <class Exec>
BlockOrderOfKernels to_kernels(Context<Exec> const& context, Scope<Exec>& scope,
                               BlockOrder const& order) {
  return {to_kernels(context, scope, order.bounds), to_kernels(context, scope, order.sources),
          static_cast<int>(order.blocks()), order.items()};
}

/// Brings items of so many words into another order.
template <class Word>
struct CopyBlocks {
  BlockOrderOfKernels order;
  std::uint64_t item_words;
  Word const* from;
  Word* to;

  KOKKOS_FUNCTION void operator()(std::uint64_t w) const {
    std::uint64_t const item = w / item_words;
    int const block = owner_between(order.bounds, 0, order.blocks, item);
    std::uint64_t const source = order.sources[block] + (item - order.bounds[block]);
    to[w] = from[source * item_words + w % item_words];
  }
};

template <class Word, class Exec>
void copy_blocks_by(Context<Exec> const& context, BlockOrderOfKernels const& order,
                    std::size_t item_bytes, void const* from, void* to) {
  std::uint64_t const item_words = item_bytes / sizeof(Word);
  context.for_each(
      order.items * item_words,
      CopyBlocks<Word>{order, item_words, static_cast<Word const*>(from), static_cast<Word*>(to)});
}

/// In the longest words that items consist of and both arrays are aligned to.
template <class Exec>
void copy_blocks(Context<Exec> const& context, BlockOrderOfKernels const& order,
                 std::size_t item_bytes, void const* from, void* to) {
  if (order.items == 0) return;
  std::uint64_t const bits =
      item_bytes | reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  if (bits % 8 == 0) {
    copy_blocks_by<std::uint64_t>(context, order, item_bytes, from, to);
  } else if (bits % 4 == 0) {
    copy_blocks_by<std::uint32_t>(context, order, item_bytes, from, to);
  } else {
    copy_blocks_by<std::byte>(context, order, item_bytes, from, to);
  }
}

/// What exchanges of the same shares have in common, one after the other: lists, and items on their way.
template <class Exec>
struct GridMemory {
  BlockOrderOfKernels packed;
  BlockOrderOfKernels relayed;
  std::byte* leaving;
  std::byte* arrived;

  /// For items of so many bytes at most.
  GridMemory(Context<Exec> const& context, Scope<Exec>& scope, GridHops const& hops,
             std::size_t max_item_bytes)
      : packed(to_kernels(context, scope, hops.packed())),
        relayed(to_kernels(context, scope, hops.relayed())),
        leaving(
            scope.template take<std::byte>(max_item_bytes * std::max(packed.items, relayed.items))),
        arrived(scope.template take<std::byte>(max_item_bytes * relayed.items)) {}
};

/// A prepared exchange, of which `hops` say what goes where.
template <class Exec>
class GridExchange {
 public:
  GridExchange(Communicator const& comm, std::size_t item_bytes, GridHops const& hops,
               GridMemory<Exec> const& memory, Stages& stages)
      : item_bytes_(item_bytes),
        memory_(memory),
        to_relays_(comm, item_bytes, hops.to_relays().sent, hops.to_relays().received, stages),
        from_relays_(comm, item_bytes, hops.from_relays().sent, hops.from_relays().received,
                     stages) {}

  void run(Context<Exec> const& context, void const* from, void* to) const {
    copy_blocks(context.named("to_relays"), memory_.packed, item_bytes_, from, memory_.leaving);
    to_relays_.run(context, memory_.leaving, memory_.arrived);
    copy_blocks(context.named("from_relays"), memory_.relayed, item_bytes_, memory_.arrived,
                memory_.leaving);
    from_relays_.run(context, memory_.leaving, to);
  }

 private:
  std::size_t item_bytes_;
  GridMemory<Exec> memory_;
  DirectExchange<Exec> to_relays_;
  DirectExchange<Exec> from_relays_;
};

}  // namespace riffle::detail::mpi
