#pragma once

// Finds the parts of elements.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_parts/arrays_by_parts.hpp>

namespace riffle::detail::sort::by_parts {

/// The splitters in scratch memory, as a search tree level by level, filled up with such as no element is above [1].
/// Elements of one code are told apart by their indices, but only where two splitters have one code.
///
/// [1] P. Sanders, S. Winkel, "Super scalar sample sort", ESA (2004), sec. 4.
template <class Code>
class SplitterTree {
 public:
  static constexpr std::size_t bytes = (sizeof(Code) + sizeof(Index)) << max_depth;

  KOKKOS_FUNCTION SplitterTree(void* memory, int depth)
      : codes_(static_cast<Code*>(memory)),
        indices_(reinterpret_cast<Index*>(codes_ + (std::size_t{1} << max_depth))),
        depth_(depth) {}

  /// All threads of a team call this, which meets afterwards. Index 0 has no node: it tells of ties.
  template <class Member>
  KOKKOS_FUNCTION void clear(Member const& team) const {
    if (team.team_rank() == 0) indices_[0] = 0;
  }
  template <class Member>
  KOKKOS_FUNCTION void fill(Member const& team, Code const* codes, Index const* indices,
                            Index count) const {
    for (int node = 1 + team.team_rank(); node < 1 << depth_; node += team.team_size()) {
      Index const i = place_of(node);
      bool const exists = i < count;
      codes_[node] = exists ? codes[i] : static_cast<Code>(~Code{0});
      indices_[node] = exists ? indices[i] : ~Index{0};
      if (exists && i > 0 && codes[i - 1] == codes[i]) indices_[0] = 1;
    }
  }

  /// Finds the part of each element. All search a level before the next, so that their reads overlap.
  template <int count>
  KOKKOS_FUNCTION void find(Code const (&codes)[count], Index const (&indices)[count],
                            Index (&parts)[count]) const {
    if (indices_[0] != 0) {
      search(parts, [&](int k, Index node) {
        return codes_[node] < codes[k] || (codes_[node] == codes[k] && indices_[node] < indices[k]);
      });
    } else {
      search(parts, [&](int k, Index node) { return codes_[node] < codes[k]; });
    }
  }

 private:
  /// Which of all splitters in order is at a node.
  KOKKOS_FUNCTION Index place_of(int node) const {
    int const level = backend::highest_one(static_cast<std::uint32_t>(node));
    return static_cast<Index>((2 * (node - (1 << level)) + 1) << (depth_ - 1 - level)) - 1;
  }

  template <int count, class IsBelow>
  KOKKOS_FUNCTION void search(Index (&parts)[count], IsBelow const& is_below) const {
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) parts[k] = 1;
    RIFFLE_NO_UNROLL
    for (int level = 0; level < depth_; ++level) {
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        parts[k] = 2 * parts[k] + static_cast<Index>(is_below(k, parts[k]));
      }
    }
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) parts[k] -= Index{1} << depth_;
  }

  Code* codes_;
  Index* indices_;
  int depth_;
};

}  // namespace riffle::detail::sort::by_parts
