#pragma once

// The words of a plan file; riffle/permute/schedule_file.hpp says what they mean.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <limits>
#include <stdexcept>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/schedule/word_file.hpp>

namespace riffle::detail::schedule {

inline constexpr std::uint64_t file_version = 1;
/// The bytes 0x89 "Riffle" 0x0A: a copy that takes the file for text changes the first or the last.
inline constexpr std::uint64_t file_mark = 0x0A656C6666695289u;

inline std::uint64_t index_bytes_for(std::uint64_t n) {
  return n <= std::uint64_t{1} << 32 ? 4 : 8;
}

inline void write_header(WordWriter& file, std::uint64_t n) {
  file.write(file_mark);
  file.write(file_version | index_bytes_for(n) << 32);
  file.write(n);
  file.write(file.checksum());
}

/// Reads a checksum, and throws unless it is that of the words before it.
inline void check_checksum(char const* function, char const* part, WordReader& file) {
  std::uint64_t const computed = file.checksum();
  std::uint64_t const stored = file.read();
  check<std::runtime_error>(stored == computed, function, "the checksum of the ", part, " is ",
                            std::hex, std::showbase, computed, ", stored is ", stored,
                            ": the file has been altered");
}

/// Reads the header, and returns n.
inline std::uint64_t read_header(char const* function, WordReader& file) {
  file.expect(1);
  std::uint64_t const mark = file.read();
  check<std::runtime_error>(mark == file_mark, function,
                            "this is no file of a plan: it begins with ", std::hex, std::showbase,
                            mark, ", one of a plan with ", file_mark);
  file.expect(3);
  std::uint64_t const form = file.read();
  std::uint64_t const version = form & 0xFFFFFFFFu;
  check<std::runtime_error>(version == file_version, function, "the file is of version ", version,
                            ", this can read ", file_version);
  std::uint64_t const n = file.read();
  check_checksum(function, "header", file);
  // A larger n is more indices than there are addresses: sizes would wrap around.
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 8;
  check<std::runtime_error>(n <= most && form >> 32 == index_bytes_for(n), function, "n = ", n,
                            " with indices of ", form >> 32, " bytes: must be at most ", most,
                            ", and 4 bytes where n <= 2^32, else 8");
  return n;
}

/// Passes indices to and from files; a GPU's indices go through a host buffer of 4 MiB.
template <class Exec, class Index>
class IndexFile {
 public:
  using Memory = typename Exec::memory_space;
  using Indices = Kokkos::View<Index*, Memory>;

  IndexFile(Context<Exec> const& context, Indices const& indices)
      : context_(context), indices_(indices) {
    if constexpr (!is_on_host) {
      buffer_ = Buffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, context.label() + "::host"),
                       std::min<std::uint64_t>(indices.extent(0), max_at_once));
    }
  }

  static std::uint64_t words(std::uint64_t n) { return n / per_word + (n % per_word != 0); }

  void write(WordWriter& file) const {
    for_each_part([&](auto const& part, auto const& host) {
      if constexpr (!is_on_host) Kokkos::deep_copy(context_.exec(), host, part);
      context_.exec().fence(context_.label());
      for (std::uint64_t i = 0; i < host.extent(0); i += per_word) file.write(word_at(host, i));
    });
  }

  void read(WordReader& file) const {
    for_each_part([&](auto const& part, auto const& host) {
      for (std::uint64_t i = 0; i < host.extent(0); i += per_word)
        set_word_at(host, i, file.read());
      if constexpr (!is_on_host) {
        Kokkos::deep_copy(context_.exec(), part, host);
        // The buffer is filled again next.
        context_.exec().fence(context_.label());
      }
    });
  }

 private:
  using Range = Kokkos::pair<std::uint64_t, std::uint64_t>;
  // A GPU copies from pinned memory at once.
  using Buffer = Kokkos::View<Index*, Kokkos::SharedHostPinnedSpace>;
  static constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;
  static constexpr std::uint64_t per_word = word_bytes / sizeof(Index);
  static constexpr std::uint64_t max_at_once = (std::uint64_t{4} << 20) / sizeof(Index);

  /// Calls use(part, host) for each part of the indices, where `host` is host memory for as many indices.
  template <class Use>
  void for_each_part(Use const& use) const {
    std::uint64_t const n = indices_.extent(0);
    for (std::uint64_t begin = 0; begin < n; begin += max_at_once) {
      std::uint64_t const count = std::min(max_at_once, n - begin);
      auto const part = Kokkos::subview(indices_, Range(begin, begin + count));
      if constexpr (is_on_host) {
        use(part, part);
      } else {
        use(part, Kokkos::subview(buffer_, Range(0, count)));
      }
    }
  }

  template <class Host>
  static std::uint64_t word_at(Host const& host, std::uint64_t i) {
    std::uint64_t word = host(i);
    if constexpr (per_word == 2) {
      if (i + 1 < host.extent(0)) word |= std::uint64_t{host(i + 1)} << 32;
    }
    return word;
  }

  template <class Host>
  static void set_word_at(Host const& host, std::uint64_t i, std::uint64_t word) {
    host(i) = static_cast<Index>(word);
    if constexpr (per_word == 2) {
      if (i + 1 < host.extent(0)) host(i + 1) = static_cast<Index>(word >> 32);
    }
  }

  Context<Exec> context_;
  Indices indices_;
  Buffer buffer_;
};

}  // namespace riffle::detail::schedule
