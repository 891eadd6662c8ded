#pragma once

// Messages between each two ranks, in rounds of a limited size.
//
// What a rank has for another goes in pieces of one length, piece t in round t; both know how many there are, so that
// rounds need no agreement: a rank that has nothing more for others, and awaits nothing, is done. This ends, since who
// is in the earliest round waits only for messages that others have begun, or will begin as soon as they are there.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/check_mpi.hpp>

namespace riffle::detail::mpi {

inline constexpr int exchange_tag = 24;

inline MPI_Request begin_send(std::byte const* from, std::size_t bytes, int rank, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
#if MPI_VERSION >= 4
  check_mpi(MPI_Isend_c(from, static_cast<MPI_Count>(bytes), MPI_BYTE, rank, exchange_tag, comm,
                        &request),
            "MPI_Isend_c");
#else
  check_mpi(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, rank, exchange_tag, comm, &request),
            "MPI_Isend");
#endif
  return request;
}

inline MPI_Request begin_receive(std::byte* to, std::size_t bytes, int rank, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
#if MPI_VERSION >= 4
  check_mpi(
      MPI_Irecv_c(to, static_cast<MPI_Count>(bytes), MPI_BYTE, rank, exchange_tag, comm, &request),
      "MPI_Irecv_c");
#else
  check_mpi(MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, rank, exchange_tag, comm, &request),
            "MPI_Irecv");
#endif
  return request;
}

/// What is to go between this rank and another, in bytes. `begin` is where it begins in this rank's memory, `stage`
/// where its pieces begin in memory that holds one of each transfer.
struct Transfer {
  int rank;
  std::uint64_t begin;
  std::uint64_t bytes;
  std::uint64_t stage;

  std::uint64_t piece_bytes(std::uint64_t done, std::uint64_t piece) const {
    return done < bytes ? std::min(piece, bytes - done) : 0;
  }
};

/// The most bytes that go to one rank in a round.
inline std::uint64_t piece_bytes(riffle::mpi::Communicator const& comm) {
  auto const others = static_cast<std::uint64_t>(std::max(1, comm.size() - 1));
  std::uint64_t piece =
      std::max<std::uint64_t>(1, std::uint64_t{comm.options().max_round_bytes} / others);
#if MPI_VERSION < 4
  piece = std::min<std::uint64_t>(piece, std::numeric_limits<int>::max());
#endif
  return piece;
}

/// The same through host memory. Pinning takes as long as sending: a stage is no larger than what a bus moves meanwhile.
inline std::uint64_t staged_piece_bytes(riffle::mpi::Communicator const& comm) {
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  auto const others = static_cast<std::uint64_t>(std::max(1, comm.size() - 1));
  return std::min(piece_bytes(comm), std::max<std::uint64_t>(1, most / others));
}

inline std::uint64_t longest(std::vector<Transfer> const& transfers) {
  std::uint64_t most = 0;
  for (auto const& transfer : transfers) most = std::max(most, transfer.bytes);
  return most;
}

/// Sends and receives one piece of each transfer, from `done` on. from(transfer) and to(transfer) are their addresses.
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

/// All pieces, between memory that MPI can address.
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

}  // namespace riffle::detail::mpi
