#pragma once

// The words of a plan file; riffle/permute/schedule_file.hpp says what they mean.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <limits>
#include <stdexcept>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/schedule/word_file.hpp>
#include <riffle/primitives/host_views.hpp>

namespace riffle::detail::schedule {

inline constexpr std::uint64_t file_version = 2;
/// The bytes 0x89 "Riffle" 0x0A: a copy that takes the file for text changes the first or the last.
inline constexpr std::uint64_t file_mark = 0x0A656C6666695289u;

inline std::uint64_t index_bytes_for(std::uint64_t n) {
  return n <= std::uint64_t{1} << 32 ? 4 : 8;
}

inline void write_header(WordWriter& file, std::uint64_t n) {
  file.write(file_mark);
  file.write(file_version | index_bytes_for(n) << 32);
  file.write(n);
}

/// Reads the checksum at the end of the file, and throws unless it is the checksum of the words before it.
inline void check_checksum(char const* function, WordReader& file) {
  file.expect(1);
  std::uint64_t const computed = file.checksum();
  std::uint64_t const stored = file.read();
  check<std::runtime_error>(stored == computed, function, "the checksum of the file is ", std::hex,
                            std::showbase, computed, ", stored is ", stored,
                            ": the file has been altered");
}

/// Reads the header, and returns n.
inline std::uint64_t read_header(char const* function, WordReader& file) {
  file.expect(1);
  std::uint64_t const mark = file.read();
  check<std::runtime_error>(mark == file_mark, function,
                            "this is no file of a plan: it begins with ", std::hex, std::showbase,
                            mark, ", one of a plan with ", file_mark);
  file.expect(2);
  std::uint64_t const form = file.read();
  std::uint64_t const version = form & 0xFFFFFFFFu;
  check<std::runtime_error>(version == file_version, function, "the file is of version ", version,
                            ", this can read ", file_version);
  std::uint64_t const n = file.read();
  // A larger n is more indices than there are addresses: sizes would wrap around.
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 8;
  check<std::runtime_error>(n <= most && form >> 32 == index_bytes_for(n), function, "n = ", n,
                            " with indices of ", form >> 32, " bytes: must be at most ", most,
                            ", and 4 bytes where n <= 2^32, else 8");
  return n;
}

/// The words that n indices take.
template <class Index>
constexpr std::uint64_t words_of(std::uint64_t n) {
  constexpr std::uint64_t per_word = word_bytes / sizeof(Index);
  return n / per_word + (n % per_word != 0);
}

template <class Host>
void write_words(Host const& indices, WordWriter& file) {
  using Index = typename Host::non_const_value_type;
  constexpr std::uint64_t per_word = word_bytes / sizeof(Index);
  std::uint64_t const n = indices.extent(0);
  for (std::uint64_t i = 0; i < n; i += per_word) {
    std::uint64_t word = indices(i);
    if constexpr (per_word == 2) {
      if (i + 1 < n) word |= std::uint64_t{indices(i + 1)} << 32;
    }
    file.write(word);
  }
}

/// Writes indices. Those of a GPU pass through a host buffer of 4 MiB.
template <class Exec, class Indices>
void write_indices(Context<Exec> const& context, Indices const& indices, WordWriter& file) {
  using Index = typename Indices::non_const_value_type;
  if constexpr (is_for_host<Indices>) {
    context.exec().fence(context.label());
    write_words(indices, file);
  } else {
    constexpr std::uint64_t max_at_once = (std::uint64_t{4} << 20) / sizeof(Index);
    std::uint64_t const n = indices.extent(0);
    // A GPU copies to pinned memory at once.
    Kokkos::View<Index*, Kokkos::SharedHostPinnedSpace> const buffer(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, context.label() + "::host"),
        std::min(n, max_at_once));
    using Range = Kokkos::pair<std::uint64_t, std::uint64_t>;
    for (std::uint64_t begin = 0; begin < n; begin += max_at_once) {
      std::uint64_t const count = std::min(max_at_once, n - begin);
      auto const host = Kokkos::subview(buffer, Range(0, count));
      Kokkos::deep_copy(context.exec(), host,
                        Kokkos::subview(indices, Range(begin, begin + count)));
      context.exec().fence(context.label());
      write_words(host, file);
    }
  }
}

/// Reads n indices. Memory grows with what the file holds, at most to twice as much: a forged n takes none.
template <class Index>
std::vector<Index> read_indices(WordReader& file, std::uint64_t n) {
  constexpr std::uint64_t per_word = word_bytes / sizeof(Index);
  file.expect(words_of<Index>(n));
  std::vector<Index> indices;
  while (indices.size() < n) {
    std::uint64_t const begin = indices.size();
    std::uint64_t const end =
        std::min(n, std::max<std::uint64_t>(2 * begin, file_buffer_bytes / sizeof(Index)));
    indices.reserve(end);  // else twice as much
    indices.resize(end);
    for (std::uint64_t i = begin; i < end; i += per_word) {
      std::uint64_t const word = file.read();
      indices[i] = static_cast<Index>(word);
      if constexpr (per_word == 2) {
        if (i + 1 < end) indices[i + 1] = static_cast<Index>(word >> 32);
      }
    }
  }
  return indices;
}

}  // namespace riffle::detail::schedule
