#pragma once

// What each rank sends of its sorted run, and awaits of the others'.
//
// A run may be cut anywhere. So that transfers begin at multiples of a granule on both sides, a rank sends each part from
// the last multiple before it on, with a few elements that belong to others; they come to stand in a gap before it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/all_to_all.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/shares.hpp>
#include <riffle/mpi/detail/sort/cuts.hpp>
#include <riffle/sort/merge_runs.hpp>

namespace riffle::detail::mpi {

struct SharesOfRun {
  Shares sent;
  Shares received;
  std::vector<sort::Run> runs;  // what is received of each rank, without what comes along
};

/// How many elements of one rank of a partition are those of another rank of another.
inline std::uint64_t common(Partition const& a, int rank_of_a, Partition const& b, int rank_of_b) {
  std::uint64_t const first = std::max(a.first(rank_of_a), b.first(rank_of_b));
  std::uint64_t const end = std::min(a.end(rank_of_a), b.end(rank_of_b));
  return end > first ? end - first : 0;
}

/// Where there are no cuts: elements stay at their places.
inline SharesOfRun shares_without_cuts(int rank, Partition const& input, Partition const& output) {
  SharesOfRun shares{Shares(input.ranks()), Shares(input.ranks()), {}};
  for (int r = 0; r < input.ranks(); ++r) {
    shares.sent[r] = common(input, rank, output, r);
    shares.received[r] = common(input, r, output, rank);
  }
  auto bounds = shares.received.starts();
  bounds.push_back(shares.received.total());
  shares.runs = sort::runs_between(bounds);
  return shares;
}

/// A part of a sorted run on its way.
struct PartOfRun {
  std::uint64_t count;  // of all elements that are sent
  std::uint64_t lead;   // of those before the part
};

/// From the last multiple of `granule` before `first` on.
inline PartOfRun part_of_run(std::uint64_t first, std::uint64_t last, std::uint64_t granule) {
  if (first == last) return {0, 0};
  std::uint64_t const lead = first % granule;
  return {last - first + lead, lead};
}

/// Where parts of this rank's run lie that are cut at these places, in order.
inline Shares shares_of_parts(std::vector<std::uint64_t> const& places,
                              std::vector<PartOfRun> const& parts) {
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> starts;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    counts.push_back(parts[r].count);
    starts.push_back(places[r] - parts[r].lead);
  }
  return {std::move(counts), std::move(starts)};
}

inline SharesOfRun shares_of_parts(std::vector<std::uint64_t> const& places,
                                   std::vector<PartOfRun> const& sent,
                                   std::vector<PartOfRun> const& received, std::uint64_t granule) {
  std::vector<std::uint64_t> counts;
  for (auto const& part : received) counts.push_back(part.count);
  SharesOfRun shares{shares_of_parts(places, sent), Shares(std::move(counts), granule), {}};
  auto const starts = shares.received.starts();
  for (std::size_t r = 0; r < received.size(); ++r) {
    shares.runs.push_back({starts[r] + received[r].lead, starts[r] + received[r].count});
  }
  return shares;
}

/// What lies between the cuts, of which each rank's is at one of these places of this rank's run. Collective. With a
/// comparison that is no order, places may be out of order: then there are no cuts.
inline SharesOfRun shares_between(riffle::mpi::Communicator const& comm,
                                  std::vector<std::uint64_t> places, Partition const& input,
                                  Partition const& output, std::uint64_t granule) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  places.push_back(input.count(comm.rank()));
  bool const is_order = std::is_sorted(places.begin(), places.end());
  std::vector<PartOfRun> sent;
  for (std::size_t r = 0; r + 1 < places.size(); ++r) {
    sent.push_back(is_order ? part_of_run(places[r], places[r + 1], granule) : PartOfRun{none, 0});
  }
  std::vector<PartOfRun> received(sent.size());
  all_to_all(comm, sent.data(), received.data(), sizeof(PartOfRun));
  // Each rank hears from each, so that all find the same.
  bool const there_are_cuts = std::none_of(
      received.begin(), received.end(), [](PartOfRun const& part) { return part.count == none; });
  return there_are_cuts ? shares_of_parts(places, sent, received, granule)
                        : shares_without_cuts(comm.rank(), input, output);
}

/// Collective. Transfers begin at multiples of `granule` elements (granules.hpp).
template <class Exec, class Key, class Order>
SharesOfRun find_shares(riffle::mpi::Communicator const& comm, Cuts<Exec, Key>& cuts,
                        Partition const& input, Partition const& output, Order const& order,
                        std::uint64_t granule) {
  if (!cuts.find(order)) return shares_without_cuts(comm.rank(), input, output);
  return shares_between(comm, cuts.places(), input, output, granule);
}

}  // namespace riffle::detail::mpi
