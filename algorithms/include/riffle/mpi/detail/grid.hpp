#pragma once

// Ranks in rows and columns, so that what each has for each takes two hops, in few messages: within the row of the sender
// to a relay, and from there, mostly within a column, to where it belongs.
//
// P ranks have C = ceil(sqrt(P)) columns and R = ceil(P / C) rows. Ranks of a row follow each other. Where P < R C, no row
// lacks many ranks, but some rows lack the last: the first P - R (C - 1) rows have C ranks each, the others C - 1.
//
// Rank s sends what it has for rank d to the rank of its own row that is in d's column. A short row has none in the last
// column: for d there, it is the rank whose column has the number of d's row. There is one, since at most R - 1 <= C - 1
// rows are long where one is short; and so each rank of a short row stands in for at most one long row's last rank.
//
// So a rank sends at most C - 1 messages in its row, and then R: R - 1 in its column, and from a short row one more. It
// receives at most C - 1, and then R - 1, as each other row has one relay to it. Since the ranks of a row follow each
// other, what the relays bring is in the order of the senders. With complete rows and columns this is the mesh of
//   L. V. Kale, S. Kumar, K. Varadarajan, "A framework for collective personalized communication", Proc. IPDPS (2003).

#include <cstddef>
#include <vector>

namespace riffle::detail::mpi {

class Grid {
 public:
  explicit Grid(int ranks) : ranks_(ranks) {
    while (static_cast<long long>(columns_) * columns_ < ranks) ++columns_;
    rows_ = (ranks + columns_ - 1) / columns_;
    long_rows_ = ranks - rows_ * (columns_ - 1);
  }

  int ranks() const { return ranks_; }
  int rows() const { return rows_; }
  /// Of a long row.
  int columns() const { return columns_; }

  int row_of(int rank) const {
    int const in_long_rows = long_rows_ * columns_;
    if (rank < in_long_rows) return rank / columns_;
    return long_rows_ + (rank - in_long_rows) / (columns_ - 1);
  }
  int column_of(int rank) const { return rank - first_of(row_of(rank)); }

  /// The first rank of a row, and how many it has.
  int first_of(int row) const {
    return row < long_rows_ ? row * columns_ : row * (columns_ - 1) + long_rows_;
  }
  int size_of(int row) const { return row < long_rows_ ? columns_ : columns_ - 1; }

  /// Through whom `from` sends to `to`. It may be either of them.
  int relay(int from, int to) const {
    int const row = row_of(from);
    return first_of(row) + column_of_relay(row, to);
  }

  /// To whom each rank of a row relays, by its column, in the order of the ranks.
  std::vector<std::vector<int>> destinations_of(int row) const {
    std::vector<std::vector<int>> result(static_cast<std::size_t>(size_of(row)));
    for (int to = 0; to < ranks_; ++to) {
      result[static_cast<std::size_t>(column_of_relay(row, to))].push_back(to);
    }
    return result;
  }

 private:
  int column_of_relay(int row, int to) const {
    int const column = column_of(to);
    return column < size_of(row) ? column : row_of(to);
  }

  int ranks_;
  int columns_ = 1;
  int rows_;
  int long_rows_;
};

}  // namespace riffle::detail::mpi
