#pragma once

// The prefix before the next of up to 32 members, which come one after the other, in the order of
// riffle/primitives/tile_tree.hpp.

namespace riffle::detail::scan {

/// The exclusive scan of up to 32 members. It keeps the totals of the complete blocks before the next member: one of
/// 2^k members for each bit k that is set in the number of members.
template <class Op>
class RunningPrefix {
 public:
  using Value = typename Op::value_type;

  explicit RunningPrefix(Op const& op) : op_(op) {}

  bool is_empty() const { return count_ == 0; }

  /// The combination of the members so far, of which there is at least one.
  Value prefix() const {
    int level = 0;
    while ((count_ >> level & 1) == 0) ++level;
    Value result = blocks_[level];
    for (++level; count_ >> level != 0; ++level) {
      if (count_ >> level & 1) result = op_(blocks_[level], result);
    }
    return result;
  }

  /// The combination of `before` and the members so far.
  Value after(Value const& before) const { return is_empty() ? before : op_(before, prefix()); }

  void push(Value value) {
    int level = 0;
    for (; count_ >> level & 1; ++level) value = op_(blocks_[level], value);
    blocks_[level] = value;
    ++count_;
  }

 private:
  static constexpr int levels = 6;

  Op op_;
  unsigned count_ = 0;
  Value blocks_[levels];
};

}  // namespace riffle::detail::scan
