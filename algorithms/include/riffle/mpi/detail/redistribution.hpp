#pragma once

// Redistribution: sends items from each rank to each other rank. All functions of riffle::mpi that
// move data use it.

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/nccl.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/detail/transfers.hpp>

// Open MPI declares in <mpi-ext.h> whether it can read a GPU's memory.
#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

namespace riffle::detail::mpi {

// --- how data is sent ---

/// Whether MPI declares that it accepts addresses in GPU memory. An MPI without this declaration
/// may accept them, too; the user then passes Transport::direct.
inline bool is_gpu_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// Whether addresses in the memory space of Exec are passed to MPI.
template <class Exec>
bool is_direct(riffle::mpi::Communicator const& comm) {
  using riffle::mpi::Transport;
  constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  switch (comm.options().transport) {
    case Transport::direct: return true;
    case Transport::staged: return false;
    default: return is_on_host || is_gpu_aware();
  }
}

/// Whether data in the memory of Exec is transferred by NCCL, on the stream of the instance.
template <class Exec>
bool is_by_nccl([[maybe_unused]] riffle::mpi::Communicator const& comm) {
#if defined(RIFFLE_ENABLE_NCCL)
  return HasStream<Exec> && comm.options().transport == riffle::mpi::Transport::nccl;
#else
  return false;
#endif
}

/// Returns the path on which data in the memory of Exec are sent. The path must be the same on all
/// ranks, because message sizes and the gathering of blocks depend on it.
template <class Exec>
DataPath data_path_of(riffle::mpi::Communicator const& comm) {
  if (is_by_nccl<Exec>(comm)) return DataPath::nccl;
  return is_direct<Exec>(comm) ? DataPath::direct : DataPath::staged;
}

// --- redistribution ---

using riffle::mpi::Communicator;

template <class Space>
using Bytes = Kokkos::View<std::byte*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Space>
using ConstBytes = Kokkos::View<std::byte const*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Host memory that a device can copy to and from at full speed (pinned memory), if Kokkos offers
/// it.
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using StagingSpace = Kokkos::SharedHostPinnedSpace;
#else
using StagingSpace = Kokkos::HostSpace;
#endif

using Stage = Kokkos::View<std::byte*, StagingSpace>;

/// Staging buffers in host memory. Several redistributions can share them, because a redistribution
/// does not use them after its run() has returned. They are shared because pinning n bytes takes as
/// long as sending n bytes.
struct Stages {
  Stage sent;
  Stage received;
};

/// How run() treats the items that stay on this rank. is_copied: run() copies them from the source
/// to the destination. is_there: they are already at the destination.
enum class OwnShare { is_copied, is_there };

/// A redistribution whose memory is allocated.
///
///     rank r:  from [ items for rank 0 | for rank 1 | ... ]    counts: sent[0], sent[1], ...
///                          |   one transfer for each pair of ranks, in rounds (transfers.hpp)
///     rank s:  to   [ items of rank 0 | of rank 1 | ... ]      counts: received[0], received[1], ...
///
/// Requires: sent[s] on rank r equals received[r] on rank s. Transfers through host memory use
/// `stages`; the constructor enlarges `stages` if necessary.
template <class Exec>
class Redistribution {
 public:
  Redistribution(Communicator const& comm, std::size_t item_bytes, Shares const& sent,
                 Shares const& received, Stages&& stages = Stages())
      : Redistribution(comm, item_bytes, sent, received, stages) {}

  Redistribution(Communicator const& comm, std::size_t item_bytes, Shares const& sent,
                 Shares const& received, Stages& stages)
      : comm_(comm),
        item_bytes_(item_bytes),
        sends_(transfers_of(comm, sent, item_bytes, 1)),
        receives_(transfers_of(comm, received, item_bytes, -1)),
        own_bytes_(sent[comm.rank()] * item_bytes),
        own_from_(sent.starts()[static_cast<std::size_t>(comm.rank())] * item_bytes),
        own_to_(received.starts()[static_cast<std::size_t>(comm.rank())] * item_bytes),
        is_direct_(is_direct<Exec>(comm)),
        sent_stage_(grown("riffle::mpi::sent", stages.sent, sends_)),
        received_stage_(grown("riffle::mpi::received", stages.received, receives_)) {}

  Redistribution(Redistribution const&) = delete;
  Redistribution& operator=(Redistribution const&) = delete;

  /// Copies the items from `from` to `to`, which are in memory of Exec and do not overlap. The copy
  /// starts after all work that was enqueued on the instance before; work that is enqueued on it
  /// afterwards can read the items. With OwnShare::is_there, the items that stay on this rank are
  /// already at `to`, and are not read from `from`.
  void run(Context<Exec> const& context, void const* from_items, void* to_items,
           OwnShare own = OwnShare::is_copied) const {
    auto const* const from = static_cast<std::byte const*>(from_items);
    auto* const to = static_cast<std::byte*>(to_items);
    using Space = typename Exec::memory_space;
    if (own_bytes_ > 0 && own == OwnShare::is_copied) {
      Kokkos::deep_copy(context.exec(), Bytes<Space>(to + own_to_, own_bytes_),
                        ConstBytes<Space>(from + own_from_, own_bytes_));
    }
    transfer(context, sends_, receives_, from, to);
  }

  /// Transfers only a part of the items that are sent to, and received from, other ranks.
  void run_part(Context<Exec> const& context, SharesPart const& sent, SharesPart const& received,
                void const* from, void* to) const {
    transfer(context, part_of(sends_, sent), part_of(receives_, received),
             static_cast<std::byte const*>(from), static_cast<std::byte*>(to));
  }

  /// Whether run() only enqueues work and does not wait.
  bool is_enqueued() const { return is_by_nccl<Exec>(comm_); }

 private:
  std::vector<Transfer> part_of(std::vector<Transfer> transfers, SharesPart const& part) const {
    for (auto& transfer : transfers) {
      transfer.begin += part.first[transfer.rank] * item_bytes_;
      transfer.bytes = part.count[transfer.rank] * item_bytes_;
    }
    return transfers;
  }

  void transfer(Context<Exec> const& context, std::vector<Transfer> const& sends,
                std::vector<Transfer> const& receives, std::byte const* from, std::byte* to) const {
    if (comm_.size() == 1) return;
#if defined(RIFFLE_ENABLE_NCCL)
    if constexpr (HasStream<Exec>) {
      if (is_enqueued()) {
        transfer_by_nccl(context.exec(), comm_, sends, receives, from, to);
        return;
      }
    }
#endif
    if (is_direct_) {
      context.exec().fence("riffle::mpi: data are ready to be sent");
      transfer_directly(comm_, sends, receives, from, to);
    } else {
      transfer_by_host(context.exec(), sends, receives, from, to);
    }
  }

  Stage grown(std::string const& label, Stage& stage,
              std::vector<Transfer> const& transfers) const {
    if (is_direct_ || is_enqueued() || transfers.empty()) return {};
    std::uint64_t const bytes =
        transfers.back().stage + std::min(transfers.back().bytes, staged_piece_bytes(comm_));
    if (stage.extent(0) < bytes) {
      stage = Stage(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), bytes);
    }
    return stage;
  }

  /// Transfers through host memory, one round after the other.
  void transfer_by_host(Exec const& exec, std::vector<Transfer> const& sends,
                        std::vector<Transfer> const& receives, std::byte const* from,
                        std::byte* to) const {
    using Space = typename Exec::memory_space;
    std::uint64_t const piece = staged_piece_bytes(comm_);
    std::uint64_t const end = std::max(longest(sends), longest(receives));
    for (std::uint64_t done = 0; done < end; done += piece) {
      for (auto const& send : sends) {
        std::uint64_t const bytes = send.piece_bytes(done, piece);
        if (bytes == 0) continue;
        Kokkos::deep_copy(exec, Bytes<StagingSpace>(sent_stage_.data() + send.stage, bytes),
                          ConstBytes<Space>(from + send.begin + done, bytes));
      }
      exec.fence("riffle::mpi: pieces are in host memory");
      transfer_round(
          comm_, sends, receives, done, piece,
          [&](Transfer const& send) { return sent_stage_.data() + send.stage; },
          [&](Transfer const& receive) { return received_stage_.data() + receive.stage; });
      for (auto const& receive : receives) {
        std::uint64_t const bytes = receive.piece_bytes(done, piece);
        if (bytes == 0) continue;
        Kokkos::deep_copy(exec, Bytes<Space>(to + receive.begin + done, bytes),
                          ConstBytes<StagingSpace>(received_stage_.data() + receive.stage, bytes));
      }
      exec.fence("riffle::mpi: pieces are out of host memory");
    }
  }

  Communicator const& comm_;
  std::size_t item_bytes_;
  std::vector<Transfer> sends_;
  std::vector<Transfer> receives_;
  std::uint64_t own_bytes_;
  std::uint64_t own_from_;
  std::uint64_t own_to_;
  bool is_direct_;
  Stage sent_stage_;
  Stage received_stage_;
};

/// One redistribution per View of a pack. All of them send the same numbers of items; the size of
/// an item depends on the View.
template <class Exec>
using RedistributionsOfViews = std::deque<Redistribution<Exec>>;

}  // namespace riffle::detail::mpi
