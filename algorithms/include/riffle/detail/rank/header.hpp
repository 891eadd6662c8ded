#pragma once

// The few words that kernels of one ranking leave for the next, at the beginning of the workspace's buffer.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include <riffle/detail/range.hpp>
#include <riffle/detail/rank/ranker.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::rank {

struct Header {
  MissingCounts missing;
  double last_rank;
};

/// What a buffer has before all else.
inline constexpr std::size_t header_bytes = 64;
static_assert(sizeof(Header) <= header_bytes);

/// The header, in a buffer that has `more` bytes behind it, so that who asks for these later finds the
/// buffer as large as that already.
template <class Exec>
Header* header_in(Workspace<Exec>& workspace, std::string const& label, Exec const& exec,
                  std::size_t more = 0) {
  return static_cast<Header*>(workspace.buffer(label, exec, header_bytes + more));
}

/// The `bytes` behind the header.
template <class T, class Exec>
T* bytes_in(Workspace<Exec>& workspace, std::string const& label, Exec const& exec,
            std::size_t bytes) {
  auto* const header = reinterpret_cast<std::byte*>(header_in(workspace, label, exec, bytes));
  return reinterpret_cast<T*>(header + header_bytes);
}

/// Bounds of tiles.
inline std::size_t bounds_bytes(std::uint64_t tiles) { return 2 * tiles * sizeof(std::uint64_t); }

/// Keeps the rank of the last element that has one.
template <class Ranks>
struct KeepLastRank {
  Ranks ranks;
  std::uint64_t n;
  bool excludes_missing;
  Header* header;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    std::uint64_t const after = excludes_missing ? header->missing.after : 0;
    header->last_rank = after < n ? static_cast<double>(ranks(n - 1 - after)) : 1.0;
  }
};

/// Divides dense ranks, the first of which is `first`, by their number.
template <class Ranks>
struct DivideByLast {
  Ranks ranks;
  double first;
  Header const* header;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    double const count = header->last_rank - first + 1.0;
    ranks(i) = static_cast<typename Ranks::value_type>(static_cast<double>(ranks(i)) / count);
  }
};

template <class Exec, class Ranks>
void divide_by_last(std::string const& label, Exec const& exec, Ranks const& ranks, int first,
                    bool excludes_missing, Workspace<Exec>& workspace) {
  std::uint64_t const n = ranks.extent(0);
  Header* const header = header_in(workspace, label, exec);
  Kokkos::parallel_for(label + "::count", range(exec, 0, 1),
                       KeepLastRank<Ranks>{ranks, n, excludes_missing, header});
  Kokkos::parallel_for(label + "::divide", range(exec, 0, n),
                       DivideByLast<Ranks>{ranks, static_cast<double>(first), header});
}

}  // namespace riffle::detail::rank
