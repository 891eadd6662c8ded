#include "cuthill_mckee.hpp"

#include <algorithm>
#include <cstddef>

namespace reorder {

std::uint32_t bandwidth(CsrMatrix const& matrix, std::vector<std::uint32_t> const& places) {
  std::uint32_t largest = 0;
  for (std::uint32_t i = 0; i < matrix.rows(); ++i) {
    for (auto k = matrix.row_begins[i]; k < matrix.row_begins[i + 1]; ++k) {
      auto const [low, high] = std::minmax(places[i], places[matrix.columns[k]]);
      largest = std::max(largest, high - low);
    }
  }
  return largest;
}

namespace {

class Search {
 public:
  explicit Search(CsrMatrix const& matrix) : matrix_(matrix), level_(matrix.rows(), unseen) {}

  bool has_seen(std::uint32_t unknown) const { return level_[unknown] != unseen; }

  /// Visits all unknowns that can be reached from `root`, breadth first.
  std::vector<std::uint32_t> from(std::uint32_t root) {
    std::vector<std::uint32_t> order{root};
    level_[root] = 0;
    for (std::size_t next = 0; next < order.size(); ++next) {
      std::size_t const first = order.size();
      std::uint32_t const unknown = order[next];
      for (auto k = matrix_.row_begins[unknown]; k < matrix_.row_begins[unknown + 1]; ++k) {
        std::uint32_t const neighbour = matrix_.columns[k];
        if (has_seen(neighbour)) continue;
        level_[neighbour] = level_[unknown] + 1;
        order.push_back(neighbour);
      }
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                [this](std::uint32_t a, std::uint32_t b) { return degree(a) < degree(b); });
    }
    return order;
  }

  /// Visits them from a peripheral unknown: restarts from one of the farthest unknowns as long as the depth grows.
  std::vector<std::uint32_t> from_rim(std::uint32_t root) {
    auto order = from(root);
    for (std::uint32_t depth = 0; level_[order.back()] > depth;) {
      depth = level_[order.back()];
      std::uint32_t const furthest = min_neighbours_of_last_level(order);
      for (std::uint32_t const unknown : order) level_[unknown] = unseen;
      order = from(furthest);
    }
    return order;
  }

 private:
  static constexpr std::uint32_t unseen = ~std::uint32_t{0};

  std::uint64_t degree(std::uint32_t unknown) const {
    return matrix_.row_begins[unknown + 1] - matrix_.row_begins[unknown];
  }

  std::uint32_t min_neighbours_of_last_level(std::vector<std::uint32_t> const& order) const {
    std::uint32_t best = order.back();
    for (std::size_t k = order.size(); k-- > 0 && level_[order[k]] == level_[order.back()];) {
      if (degree(order[k]) < degree(best)) best = order[k];
    }
    return best;
  }

  CsrMatrix const& matrix_;
  std::vector<std::uint32_t> level_;
};

}  // namespace

std::vector<std::uint32_t> reverse_cuthill_mckee(CsrMatrix const& matrix) {
  std::uint32_t const n = matrix.rows();
  std::vector<std::uint32_t> places(n);
  Search search(matrix);
  std::uint32_t place = n;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (search.has_seen(root)) continue;
    for (std::uint32_t const unknown : search.from_rim(root)) places[unknown] = --place;
  }
  return places;
}

}  // namespace reorder
