#pragma once

// Messages between pairs of ranks, in rounds of limited size.
//
// The data from one rank to another is sent in pieces of equal length, piece t in round t. Both
// ranks know the number of pieces, so rounds need no synchronisation, and a rank is finished when
// it has nothing more to send or to receive. The transfers cannot deadlock: consider a rank in the
// earliest round. It waits only for messages from ranks that are in the same round or have already
// passed it.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/tuning.hpp>

namespace riffle::detail::mpi {

inline constexpr int message_tag = 24;

inline MPI_Request begin_send(std::byte const* from, std::size_t bytes, int rank, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
#if MPI_VERSION >= 4
  check_mpi(
      MPI_Isend_c(from, static_cast<MPI_Count>(bytes), MPI_BYTE, rank, message_tag, comm, &request),
      "MPI_Isend_c");
#else
  check_mpi(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, rank, message_tag, comm, &request),
            "MPI_Isend");
#endif
  return request;
}

inline MPI_Request begin_receive(std::byte* to, std::size_t bytes, int rank, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
#if MPI_VERSION >= 4
  check_mpi(
      MPI_Irecv_c(to, static_cast<MPI_Count>(bytes), MPI_BYTE, rank, message_tag, comm, &request),
      "MPI_Irecv_c");
#else
  check_mpi(MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, rank, message_tag, comm, &request),
            "MPI_Irecv");
#endif
  return request;
}

/// The data that is sent to, or received from, another rank: `bytes` bytes, starting at byte
/// `begin` of this rank's buffer. If transfers are staged, `stage` is the offset of the transfer's
/// current piece in the staging buffer, which holds one piece per transfer.
struct Transfer {
  int rank;
  std::uint64_t begin;
  std::uint64_t bytes;
  std::uint64_t stage;

  std::uint64_t piece_bytes(std::uint64_t done, std::uint64_t piece) const {
    return done < bytes ? std::min(piece, bytes - done) : 0;
  }
};

/// The maximum number of bytes that a rank sends to another rank in one round.
inline std::uint64_t piece_bytes(riffle::mpi::Communicator const& comm) {
  auto const others = static_cast<std::uint64_t>(std::max(1, comm.size() - 1));
  std::uint64_t piece =
      std::max<std::uint64_t>(1, std::uint64_t{comm.options().max_round_bytes} / others);
#if MPI_VERSION < 4
  piece = std::min<std::uint64_t>(piece, std::numeric_limits<int>::max());
#endif
  return piece;
}

/// The maximum number of bytes that a rank sends to another rank in one round, if the data is
/// staged.
inline std::uint64_t staged_piece_bytes(riffle::mpi::Communicator const& comm) {
  auto const others = static_cast<std::uint64_t>(std::max(1, comm.size() - 1));
  return std::min(piece_bytes(comm), std::max<std::uint64_t>(1, max_stage_bytes / others));
}

inline std::uint64_t longest(std::vector<Transfer> const& transfers) {
  std::uint64_t most = 0;
  for (auto const& transfer : transfers) most = std::max(most, transfer.bytes);
  return most;
}

/// Sends and receives one piece of each transfer. The piece starts at byte `done` of the transfer's
/// data. from(transfer) and to(transfer) return the addresses of the piece.
template <class From, class To>
void transfer_round(riffle::mpi::Communicator const& comm, std::vector<Transfer> const& sends,
                    std::vector<Transfer> const& receives, std::uint64_t done, std::uint64_t piece,
                    From const& from, To const& to) {
  std::vector<MPI_Request> requests;
  for (auto const& receive : receives) {
    std::uint64_t const bytes = receive.piece_bytes(done, piece);
    if (bytes > 0) requests.push_back(begin_receive(to(receive), bytes, receive.rank, comm.get()));
  }
  for (auto const& send : sends) {
    std::uint64_t const bytes = send.piece_bytes(done, piece);
    if (bytes > 0) requests.push_back(begin_send(from(send), bytes, send.rank, comm.get()));
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

/// Transfers all pieces between memory that MPI can address.
inline void transfer_directly(riffle::mpi::Communicator const& comm,
                              std::vector<Transfer> const& sends,
                              std::vector<Transfer> const& receives, std::byte const* from,
                              std::byte* to) {
  std::uint64_t const piece = piece_bytes(comm);
  std::uint64_t const end = std::max(longest(sends), longest(receives));
  for (std::uint64_t done = 0; done < end; done += piece) {
    transfer_round(
        comm, sends, receives, done, piece,
        [&](Transfer const& send) { return from + send.begin + done; },
        [&](Transfer const& receive) { return to + receive.begin + done; });
  }
}

/// Returns the smallest multiple of `granule` that is at least `count`.
inline std::uint64_t round_up(std::uint64_t count, std::uint64_t granule) {
  return (count + granule - 1) / granule * granule;
}

/// The number of items for each rank, or from each rank. Items are sorted by rank. The items for a
/// rank begin at the next multiple of `granule`, or at a given position.
class Shares {
 public:
  explicit Shares(int ranks, std::uint64_t granule = 1)
      : counts_(static_cast<std::size_t>(ranks)), granule_(granule) {}
  explicit Shares(std::vector<std::uint64_t> counts, std::uint64_t granule = 1)
      : counts_(std::move(counts)), granule_(granule) {}
  Shares(std::vector<std::uint64_t> counts, std::vector<std::uint64_t> starts)
      : counts_(std::move(counts)), starts_(std::move(starts)) {}

  std::uint64_t& operator[](int rank) { return counts_[static_cast<std::size_t>(rank)]; }
  std::uint64_t operator[](int rank) const { return counts_[static_cast<std::size_t>(rank)]; }

  std::uint64_t granule() const { return granule_; }

  /// Returns the position at which the items of each rank begin.
  std::vector<std::uint64_t> starts() const {
    if (!starts_.empty()) return starts_;
    std::vector<std::uint64_t> result;
    result.reserve(counts_.size());
    std::uint64_t end = 0;
    for (std::uint64_t const count : counts_) {
      result.push_back(round_up(end, granule_));
      end = result.back() + count;
    }
    return result;
  }

  /// Returns the position after the items of the last rank.
  std::uint64_t end() const { return counts_.empty() ? 0 : starts().back() + counts_.back(); }

  int ranks() const { return static_cast<int>(counts_.size()); }

  std::uint64_t total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t granule_ = 1;
  std::vector<std::uint64_t> starts_ = {};
};

/// A part of every share: for rank r, count[r] items starting at item first[r] of the share of rank
/// r.
struct SharesPart {
  Shares first;
  Shares count;
};

/// Returns the granule for n items in total. Shares begin at multiples of this number of items. The
/// granule is the same on all ranks.
inline std::uint64_t granule_for(riffle::mpi::Communicator const& comm, std::uint64_t n) {
  auto const ranks = static_cast<std::uint64_t>(comm.size());
  if (ranks == 1) return 1;
  return n / ranks / ranks >= min_granules * share_granule ? share_granule : 1;
}

/// Returns the non-empty transfers to, or from, the other ranks. The list begins with a neighbour
/// of this rank, so that not all ranks send to the same rank first.
inline std::vector<Transfer> transfers_of(riffle::mpi::Communicator const& comm,
                                          Shares const& shares, std::size_t item_bytes, int step) {
  std::vector<Transfer> transfers;
  auto const starts = shares.starts();
  std::uint64_t stage = 0;
  for (int d = 1; d < comm.size(); ++d) {
    int const rank = (comm.rank() + (step > 0 ? d : comm.size() - d)) % comm.size();
    std::uint64_t const bytes = shares[rank] * item_bytes;
    if (bytes == 0) continue;
    transfers.push_back({rank, starts[static_cast<std::size_t>(rank)] * item_bytes, bytes, stage});
    stage += std::min(bytes, staged_piece_bytes(comm));
  }
  return transfers;
}

}  // namespace riffle::detail::mpi
