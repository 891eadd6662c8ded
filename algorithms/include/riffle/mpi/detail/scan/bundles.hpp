#pragma once

// Which bundles of the tile tree (riffle/primitives/tile_tree.hpp) are whose.

#include <algorithm>
#include <cstdint>

#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/shares.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::mpi {

inline constexpr std::uint64_t bundle_size = std::uint64_t{tile_size} * bundle_tiles;

/// The bundles of one rank: those whose first element it owns. Elements before its first bundle, its head, are of a
/// bundle of a rank before; its last bundle may have elements of ranks behind, its tail.
class OwnBundles {
 public:
  OwnBundles(Partition const& elements, int rank) : elements_(elements), rank_(rank) {}

  std::uint64_t first_element() const { return elements_.first(rank_); }
  std::uint64_t end_of_elements() const { return elements_.end(rank_); }

  /// The number of its first bundle, and how many it has.
  std::uint64_t first() const { return bundles_before(first_element()); }
  std::uint64_t count() const { return bundles_before(end_of_elements()) - first(); }

  /// How many elements are in its head.
  std::uint64_t head() const {
    return std::min(first() * bundle_size, end_of_elements()) - first_element();
  }

  /// Whose bundle its head is of, where it has one.
  int owner_of_head() const { return elements_.owner(first_element() / bundle_size * bundle_size); }

  /// The number of its last bundle, where it has one, and where that ends.
  std::uint64_t last() const { return first() + count() - 1; }
  std::uint64_t end_of_last() const { return std::min((last() + 1) * bundle_size, elements_.n()); }

  /// Whether its last bundle has elements of other ranks.
  bool has_tail() const { return count() > 0 && end_of_last() > end_of_elements(); }
  std::uint64_t tail() const { return has_tail() ? end_of_last() - end_of_elements() : 0; }

  /// Where the elements end that are of its bundles and in no shared one.
  std::uint64_t end_of_body() const {
    return has_tail() ? last() * bundle_size : end_of_elements();
  }

  /// What it sends of its head: all to the owner.
  Shares heads() const {
    Shares shares(elements_.ranks());
    if (head() > 0) shares[owner_of_head()] = head();
    return shares;
  }

  /// What it receives of other ranks' heads, which are its tail.
  Shares tails() const {
    Shares shares(elements_.ranks());
    for (int r = rank_ + 1; r < elements_.ranks() && has_tail(); ++r) {
      OwnBundles const other(elements_, r);
      if (other.first_element() >= end_of_last()) break;
      if (other.head() > 0 && other.owner_of_head() == rank_) shares[r] = other.head();
    }
    return shares;
  }

 private:
  /// How many bundles begin before element i.
  static std::uint64_t bundles_before(std::uint64_t i) {
    return i / bundle_size + (i % bundle_size == 0 ? 0 : 1);
  }

  Partition const& elements_;
  int rank_;
};

}  // namespace riffle::detail::mpi
