#pragma once

// Sends items from each rank to each, from where they are to where they belong: the verbs of riffle::mpi move their data by this.

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
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/nccl.hpp>
#include <riffle/mpi/detail/transfers.hpp>

// Where MPI tells whether it can read a GPU's memory, it is in a header of its own.
#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

namespace riffle::detail::mpi {

// --- the way of data ---
//
// How data go from the memory of an execution space to that of another rank.

/// Whether MPI says that it takes addresses of a GPU's memory. One that does not say so may still take them:
/// Transport::direct tells it to.
inline bool is_gpu_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// Whether MPI can be given addresses in the memory of Exec.
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

/// Whether NCCL transfers between memories of Exec, enqueued on the instance.
template <class Exec>
bool is_by_nccl([[maybe_unused]] riffle::mpi::Communicator const& comm) {
#if defined(RIFFLE_ENABLE_NCCL)
  return HasStream<Exec> && comm.options().transport == riffle::mpi::Transport::nccl;
#else
  return false;
#endif
}

/// That of Exec's. Ranks cut what they send into pieces, and gather blocks, by their way: all must have one.
template <class Exec>
Way way_of(riffle::mpi::Communicator const& comm) {
  if (is_by_nccl<Exec>(comm)) return Way::nccl;
  return is_direct<Exec>(comm) ? Way::direct : Way::staged;
}

// --- exchanges ---

using riffle::mpi::Communicator;

template <class Space>
using Bytes = Kokkos::View<std::byte*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Space>
using ConstBytes = Kokkos::View<std::byte const*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Host memory that is copied to and from a device's at full speed, where Kokkos has such.
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using StagingSpace = Kokkos::SharedHostPinnedSpace;
#else
using StagingSpace = Kokkos::HostSpace;
#endif

using Stage = Kokkos::View<std::byte*, StagingSpace>;

/// Host memory that pieces go through. An exchange is done with it when its run() returns, so that one who makes many may
/// keep it for all of them: pinning takes as long as sending.
struct Stages {
  Stage sent;
  Stage received;
};

/// Whether what a rank has for itself is copied with the rest, or is where it is to arrive.
enum class OwnShare { is_copied, is_there };

/// An exchange that is prepared: what it needs of memory is there.
///
/// `sent` says how many items this rank has for each, `received` how many it awaits; what a rank has for another, that
/// one awaits. It goes through `stages` where it has to, which grow where they are too small.
template <class Exec>
class Exchange {
 public:
  Exchange(Communicator const& comm, std::size_t item_bytes, Shares const& sent,
           Shares const& received, Stages&& stages = Stages())
      : Exchange(comm, item_bytes, sent, received, stages) {}

  Exchange(Communicator const& comm, std::size_t item_bytes, Shares const& sent,
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

  Exchange(Exchange const&) = delete;
  Exchange& operator=(Exchange const&) = delete;

  /// Moves the items from `from` to `to`, memory of Exec's that does not overlap, after what is enqueued on the
  /// instance. What is enqueued later finds them there. Where this rank's share for itself is there already, it is not
  /// looked for in `from`.
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

  /// Moves a part of what is for and from other ranks, as run() does all of it.
  void run_part(Context<Exec> const& context, SharesPart const& sent, SharesPart const& received,
                void const* from, void* to) const {
    transfer(context, part_of(sends_, sent), part_of(receives_, received),
             static_cast<std::byte const*>(from), static_cast<std::byte*>(to));
  }

  /// Whether run() enqueues all, and waits for nothing.
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

  /// Through host memory, a round at a time.
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

/// Those of a pack's Views, which have the same shares and items of other sizes.
template <class Exec>
using ExchangesOfViews = std::deque<Exchange<Exec>>;

}  // namespace riffle::detail::mpi
