#pragma once

// What each rank sends of its sorted run, and awaits of the others'.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/all_to_all.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/shares.hpp>
#include <riffle/mpi/detail/sort/cuts.hpp>

namespace riffle::detail::mpi {

struct SharesOfRun {
  Shares sent;
  Shares received;

  /// Where the runs that are received begin, and the last one ends.
  std::vector<std::uint64_t> bounds() const {
    auto result = received.starts();
    result.push_back(received.total());
    return result;
  }
};

/// How many elements of one rank of a partition are those of another rank of another.
inline std::uint64_t common(Partition const& a, int rank_of_a, Partition const& b, int rank_of_b) {
  std::uint64_t const first = std::max(a.first(rank_of_a), b.first(rank_of_b));
  std::uint64_t const end = std::min(a.end(rank_of_a), b.end(rank_of_b));
  return end > first ? end - first : 0;
}

/// Where there are no cuts: elements stay at their places.
inline SharesOfRun shares_without_cuts(int rank, Partition const& input, Partition const& output) {
  SharesOfRun shares{Shares(input.ranks()), Shares(input.ranks())};
  for (int r = 0; r < input.ranks(); ++r) {
    shares.sent[r] = common(input, rank, output, r);
    shares.received[r] = common(input, r, output, rank);
  }
  return shares;
}

/// What lies between the cuts, of which each rank's is at one of these places of this rank's run. Collective. With a
/// comparison that is no order, places may be out of order: then there are no cuts.
inline SharesOfRun shares_between(riffle::mpi::Communicator const& comm,
                                  std::vector<std::uint64_t> places, Partition const& input,
                                  Partition const& output) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  places.push_back(input.count(comm.rank()));
  bool const is_order = std::is_sorted(places.begin(), places.end());
  std::vector<std::uint64_t> sent;
  for (std::size_t r = 0; r + 1 < places.size(); ++r) {
    sent.push_back(is_order ? places[r + 1] - places[r] : none);
  }
  std::vector<std::uint64_t> received(sent.size());
  all_to_all(comm, sent.data(), received.data(), sizeof(std::uint64_t));
  // Each rank hears from each, so that all find the same.
  if (std::find(received.begin(), received.end(), none) != received.end()) {
    return shares_without_cuts(comm.rank(), input, output);
  }
  return {Shares(sent), Shares(received)};
}

/// Collective.
template <class Exec, class Key, class Order>
SharesOfRun find_shares(riffle::mpi::Communicator const& comm, Cuts<Exec, Key>& cuts,
                        Partition const& input, Partition const& output, Order const& order) {
  if (!cuts.find(order)) return shares_without_cuts(comm.rank(), input, output);
  return shares_between(comm, cuts.places(), input, output);
}

}  // namespace riffle::detail::mpi
