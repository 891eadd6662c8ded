#pragma once

namespace riffle::test {

/// A value that is larger than a word.
struct RowOfThree {
  float x[3];
  friend bool operator==(RowOfThree const& a, RowOfThree const& b) {
    return a.x[0] == b.x[0] && a.x[1] == b.x[1] && a.x[2] == b.x[2];
  }
};

}  // namespace riffle::test
