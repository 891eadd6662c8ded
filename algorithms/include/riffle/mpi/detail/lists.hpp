#pragma once

// Lists of numbers of each rank for each, in memory of the host, such as counts that an exchange is prepared by.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/rounds.hpp>
#include <riffle/mpi/detail/shares.hpp>
#include <riffle/mpi/detail/transfers.hpp>

namespace riffle::detail::mpi {

/// Collective: sends `told` of the numbers to each rank, and receives `heard` from each.
inline std::vector<std::uint64_t> exchange_lists(riffle::mpi::Communicator const& comm,
                                                 Shares const& told, Shares const& heard,
                                                 std::vector<std::uint64_t> const& numbers) {
  std::vector<std::uint64_t> received(heard.total());
  auto const own = static_cast<std::size_t>(comm.rank());
  std::copy_n(numbers.data() + told.starts()[own], told[comm.rank()],
              received.data() + heard.starts()[own]);
  constexpr std::size_t bytes = sizeof(std::uint64_t);
  transfer_directly(comm, transfers_of(comm, told, bytes, 1), transfers_of(comm, heard, bytes, -1),
                    reinterpret_cast<std::byte const*>(numbers.data()),
                    reinterpret_cast<std::byte*>(received.data()));
  return received;
}

}  // namespace riffle::detail::mpi
