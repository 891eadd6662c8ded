#pragma once

// What goes where in the two hops over a grid, as one rank sees it. Each hop is an exchange of its own, before which
// items are brought into the order of those that they go to.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/mpi/detail/grid.hpp>
#include <riffle/mpi/detail/shares.hpp>

namespace riffle::detail::mpi {

/// Blocks of items that are brought into another order, in which they follow each other. None is empty.
struct BlockOrder {
  std::vector<std::uint64_t> bounds{0};  // where they begin then, and the last one ends
  std::vector<std::uint64_t> sources;    // where they began

  void add(std::uint64_t source, std::uint64_t count) {
    if (count == 0) return;
    sources.push_back(source);
    bounds.push_back(bounds.back() + count);
  }

  std::size_t blocks() const { return sources.size(); }
  std::uint64_t items() const { return bounds.back(); }
};

/// How many items each rank of a row has for each of those to whom one rank of the row relays.
class RelayCounts {
 public:
  /// Those of one sender stand after those of another.
  RelayCounts(std::size_t destinations, std::vector<std::uint64_t> counts)
      : destinations_(destinations), counts_(std::move(counts)) {}

  std::uint64_t operator()(std::size_t sender, std::size_t destination) const {
    return counts_[sender * destinations_ + destination];
  }

 private:
  std::size_t destinations_;
  std::vector<std::uint64_t> counts_;
};

struct Hop {
  Shares sent;
  Shares received;
};

/// Both hops of what a rank sends and awaits, and relays.
class GridHops {
 public:
  GridHops(Grid const& grid, int rank, Shares const& sent, Shares const& received,
           RelayCounts const& counts)
      : to_relays_{Shares(grid.ranks()), Shares(grid.ranks())},
        from_relays_{Shares(grid.ranks()), Shares(grid.ranks())} {
    int const row = grid.row_of(rank);
    auto const destinations = grid.destinations_of(row);
    pack(grid.first_of(row), destinations, sent);
    relay(grid.first_of(row), destinations[static_cast<std::size_t>(grid.column_of(rank))],
          static_cast<std::size_t>(grid.size_of(row)), counts);
    for (int from = 0; from < grid.ranks(); ++from) {
      from_relays_.received[grid.relay(from, rank)] += received[from];
    }
  }

  Hop const& to_relays() const { return to_relays_; }
  Hop const& from_relays() const { return from_relays_; }

  /// From where items of the caller's lie to how they are sent to relays.
  BlockOrder const& packed() const { return packed_; }
  /// From how relays get items to how they send them.
  BlockOrder const& relayed() const { return relayed_; }

 private:
  void pack(int first_relay, std::vector<std::vector<int>> const& destinations,
            Shares const& sent) {
    auto const starts = sent.starts();
    int relay = first_relay;
    for (auto const& of_relay : destinations) {
      for (int const to : of_relay) {
        packed_.add(starts[static_cast<std::size_t>(to)], sent[to]);
        to_relays_.sent[relay] += sent[to];
      }
      ++relay;
    }
  }

  void relay(int first_sender, std::vector<int> const& destinations, std::size_t senders,
             RelayCounts const& counts) {
    // Where the items of each sender for each destination arrive.
    std::vector<std::uint64_t> starts;
    std::uint64_t start = 0;
    for (std::size_t s = 0; s < senders; ++s) {
      for (std::size_t d = 0; d < destinations.size(); ++d) {
        starts.push_back(start);
        start += counts(s, d);
        to_relays_.received[first_sender + static_cast<int>(s)] += counts(s, d);
      }
    }
    for (std::size_t d = 0; d < destinations.size(); ++d) {
      for (std::size_t s = 0; s < senders; ++s) {
        relayed_.add(starts[s * destinations.size() + d], counts(s, d));
        from_relays_.sent[destinations[d]] += counts(s, d);
      }
    }
  }

  Hop to_relays_;
  Hop from_relays_;
  BlockOrder packed_;
  BlockOrder relayed_;
};

}  // namespace riffle::detail::mpi
