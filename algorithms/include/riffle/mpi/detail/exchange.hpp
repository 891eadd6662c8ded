#pragma once

// Sends items from each rank to each: the verbs of riffle::mpi move their data by this.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/direct_exchange.hpp>
#include <riffle/mpi/detail/grid_exchange.hpp>
#include <riffle/mpi/detail/grid_hops.hpp>
#include <riffle/mpi/detail/route.hpp>
#include <riffle/mpi/detail/shares.hpp>

namespace riffle::detail::mpi {

/// An exchange that is prepared, by the route that it is told to take (agree_on_exchanges.hpp). Its arguments are those of a
/// DirectExchange.
template <class Exec>
class Exchange {
 public:
  Exchange(Communicator const& comm, std::size_t item_bytes, Shares const& sent,
           Shares const& received)
      : Exchange(comm, item_bytes, sent, received, nullptr) {}

  /// `stages` outlive it.
  Exchange(Communicator const& comm, std::size_t item_bytes, Shares const& sent,
           Shares const& received, Stages& stages)
      : Exchange(comm, item_bytes, sent, received, &stages) {}

  Exchange(Exchange const&) = delete;
  Exchange& operator=(Exchange const&) = delete;

  Shares const& sent() const { return sent_; }
  Shares const& received() const { return received_; }
  std::size_t item_bytes() const { return item_bytes_; }

  /// What this rank has to do, if all go directly.
  Load load() const {
    std::uint64_t messages = 0;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      messages += rank != comm_.rank() && sent_[rank] > 0 ? 1 : 0;
    }
    return {messages, item_bytes_ * std::max(sent_.total(), received_.total())};
  }

  /// Takes memory for transfers; `memory` is enough for its items. Of shares without gaps.
  void go_by_grid(GridHops const& hops, GridMemory<Exec> const& memory) {
    direct_.reset();
    by_grid_.emplace(comm_, item_bytes_, hops, memory, stages());
  }

  /// What others have for each other goes by a rank that neither sends nor receives, too: it runs this, at least.
  void relay(Context<Exec> const& context) const {
    if (by_grid_) by_grid_->run(context, nullptr, nullptr);
  }

  /// As of a DirectExchange.
  void run(Context<Exec> const& context, void const* from, void* to) const {
    if (by_grid_) {
      by_grid_->run(context, from, to);
    } else {
      direct_.value().run(context, from, to);
    }
  }

  /// The same where this rank's share for itself is in `to` already. Its place in `from` is written where it goes by the
  /// grid as all do.
  void run_beside_own(Context<Exec> const& context, void* from, void* to) const {
    if (!by_grid_) {
      direct_.value().run(context, from, to, OwnShare::is_there);
      return;
    }
    auto const own = static_cast<std::size_t>(comm_.rank());
    using Space = typename Exec::memory_space;
    std::size_t const bytes = sent_[comm_.rank()] * item_bytes_;
    Kokkos::deep_copy(
        context.exec(),
        Bytes<Space>(static_cast<std::byte*>(from) + sent_.starts()[own] * item_bytes_, bytes),
        ConstBytes<Space>(static_cast<std::byte*>(to) + received_.starts()[own] * item_bytes_,
                          bytes));
    by_grid_->run(context, from, to);
  }

  /// A part of what run_beside_own() moves; for an exchange that goes directly.
  void run_part(Context<Exec> const& context, SharesPart const& sent, SharesPart const& received,
                void const* from, void* to) const {
    direct_.value().run_part(context, sent, received, from, to);
  }

  /// Whether run() enqueues all, and waits for nothing.
  bool is_enqueued() const { return direct_ && direct_->is_enqueued(); }

 private:
  Exchange(Communicator const& comm, std::size_t item_bytes, Shares const& sent,
           Shares const& received, Stages* stages_of_caller)
      : comm_(comm),
        item_bytes_(item_bytes),
        sent_(sent),
        received_(received),
        stages_of_caller_(stages_of_caller) {
    if (may_go_directly(comm)) direct_.emplace(comm, item_bytes, sent, received, stages());
  }

  Stages& stages() { return stages_of_caller_ != nullptr ? *stages_of_caller_ : own_stages_; }

  Communicator const& comm_;
  std::size_t item_bytes_;
  Shares sent_;
  Shares received_;
  Stages* stages_of_caller_;
  Stages own_stages_;
  std::optional<DirectExchange<Exec>> direct_;
  std::optional<GridExchange<Exec>> by_grid_;
};

}  // namespace riffle::detail::mpi
