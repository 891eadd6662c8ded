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

/// Of parts of the buffer that begin as the header does.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + header_bytes - 1) / header_bytes * header_bytes;
}

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

/// Keeps the rank of the last element that has one.
template <class Sink>
struct KeepLastRank {
  Sink sink;
  std::uint64_t n;
  MissingCounts const* missing;
  Header* header;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    std::uint64_t const after = missing == nullptr ? 0 : missing->after;
    header->last_rank = after < n ? static_cast<double>(sink.read(n - 1 - after)) : 1.0;
  }
};

/// Divides dense ranks, the first of which is `first`, by their number.
template <class Sink>
struct DivideByLast {
  Sink sink;
  double first;
  Header const* header;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    double const count = header->last_rank - first + 1.0;
    sink(i, static_cast<double>(sink.read(i)) / count);
  }
};

template <class Exec, class Sink>
void divide_by_last(std::string const& label, Exec const& exec, std::uint64_t n, Sink const& sink,
                    std::int64_t first, MissingCounts const* missing, Workspace<Exec>& workspace) {
  Header* const header = header_in(workspace, label, exec);
  Kokkos::parallel_for(label + "::count", range(exec, 0, 1),
                       KeepLastRank<Sink>{sink, n, missing, header});
  Kokkos::parallel_for(label + "::divide", range(exec, 0, n),
                       DivideByLast<Sink>{sink, static_cast<double>(first), header});
}

}  // namespace riffle::detail::rank
