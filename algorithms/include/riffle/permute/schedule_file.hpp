#pragma once

// Saves plans to files. A file contains the destinations of all elements. load_schedule() builds the plan again from
// these destinations. Therefore a file that was written on one back end can be read on any other, although their tiles
// differ.
//
// The file consists of little-endian words of 64 bits:
//
//     word 0            the bytes 0x89 "Riffle" 0x0A
//     word 1            bits 0-31: the version, 2; bits 32-63: the bytes of an index, 4 if n <= 2^32, otherwise 8
//     word 2            n
//     next words        the n destinations, padded with zeros to a whole word
//     last word         the checksum of all words before it

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ios>
#include <istream>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::schedule {

// --- the words of a file ---

static_assert(std::endian::native == std::endian::little, "riffle: words are stored as they are");

inline constexpr std::uint64_t file_version = 2;
/// The bytes 0x89 "Riffle" 0x0A. If a file is copied in text mode, the first or the last of these bytes changes, so the
/// damage is detected.
inline constexpr std::uint64_t file_mark = 0x0A656C6666695289u;
/// The number of bytes that are read or written at a time.
inline constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;

inline std::uint64_t index_bytes_for(std::uint64_t n) {
  return n <= std::uint64_t{1} << 32 ? 4 : 8;
}

/// A checksum of a sequence of words. Each step is a bijection of the word and a bijection of the state, so a change of
/// a single word is always detected. Any other change remains undetected with a probability of about 2^-64.
class Checksum {
 public:
  /// Adds whole words. Requires: count is a multiple of 8.
  void add(char const* bytes, std::uint64_t count) {
    for (std::uint64_t at = 0; at < count; at += sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, bytes + at, sizeof(word));
      state_ = std::rotl(state_ ^ word, 29) * factor;
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  // 2^64 divided by the golden ratio, rounded to an odd number, as in D. E. Knuth, "The Art of Computer Programming" 3,
  // section 6.4.
  static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  std::uint64_t state_ = factor;
};

class PlanWriter {
 public:
  PlanWriter(char const* function, std::ostream& stream) : function_(function), stream_(stream) {}

  void write_header(std::uint64_t n) {
    for (std::uint64_t const word : {file_mark, file_version | index_bytes_for(n) << 32, n}) {
      write(&word, sizeof(word));
    }
  }

  template <class Index>
  void write_indices(Index const* indices, std::uint64_t n) {
    std::uint64_t const rest = n * sizeof(Index) % sizeof(std::uint64_t) / sizeof(Index);
    write(indices, (n - rest) * sizeof(Index));
    std::uint64_t const last = rest > 0 ? indices[n - 1] : 0;
    if (rest > 0) write(&last, sizeof(last));
  }

  /// Writes the checksum and flushes the stream. Throws if either fails.
  void finish() {
    std::uint64_t const sum = checksum_.value();
    write(&sum, sizeof(sum));
    stream_.flush();
    check_stream();
  }

 private:
  /// Writes whole words.
  void write(void const* words, std::uint64_t bytes) {
    auto const* const from = static_cast<char const*>(words);
    checksum_.add(from, bytes);
    for (std::uint64_t at = 0; at < bytes; at += piece_bytes) {
      std::uint64_t const size = std::min(piece_bytes, bytes - at);
      stream_.write(from + at, static_cast<std::streamsize>(size));
      check_stream();
      written_ += size;
    }
  }

  void check_stream() const {
    check<std::runtime_error>(!stream_.fail(), function_, "the stream failed, having taken ",
                              written_, " bytes");
  }

  char const* function_;
  std::ostream& stream_;
  std::uint64_t written_ = 0;
  Checksum checksum_;
};

/// Reads a file from a stream, and no byte after the end of the file.
class PlanReader {
 public:
  PlanReader(char const* function, std::istream& stream) : function_(function), stream_(stream) {}

  /// Returns n.
  std::uint64_t read_header() {
    std::uint64_t const mark = read_word();
    check<std::runtime_error>(mark == file_mark, function_,
                              "this is no file of a plan: it begins with ", std::hex, std::showbase,
                              mark, ", one of a plan with ", file_mark);
    std::uint64_t form_and_n[2];
    needed_ += sizeof(form_and_n);
    read(form_and_n, sizeof(form_and_n));
    auto const [form, n] = form_and_n;
    std::uint64_t const version = form & 0xFFFFFFFFu;
    check<std::runtime_error>(version == file_version, function_, "the file is of version ",
                              version, ", this can read ", file_version);
    // For larger n the number of bytes would overflow.
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 8;
    check<std::runtime_error>(n <= most && form >> 32 == index_bytes_for(n), function_, "n = ", n,
                              " with indices of ", form >> 32, " bytes: must be at most ", most,
                              ", and 4 bytes where n <= 2^32, else 8");
    return n;
  }

  /// Reads n indices. It allocates at most twice the size of the stream, even if n is wrong.
  template <class Index>
  std::vector<Index> read_indices(std::uint64_t n) {
    constexpr std::uint64_t per_word = sizeof(std::uint64_t) / sizeof(Index);
    std::uint64_t const count = (n + per_word - 1) / per_word * per_word;
    needed_ += count * sizeof(Index);
    std::vector<Index> indices;
    while (indices.size() < count) {
      std::uint64_t const begin = indices.size();
      std::uint64_t const end =
          std::min(count, std::max<std::uint64_t>(2 * begin, piece_bytes / sizeof(Index)));
      indices.reserve(end);  // exactly `end`; resize() alone might reserve twice this number
      indices.resize(end);
      read(indices.data() + begin, (end - begin) * sizeof(Index));
    }
    indices.resize(n);
    return indices;
  }

  /// Reads the last word. Throws unless it is the checksum of all words before it.
  void check_checksum() {
    std::uint64_t const computed = checksum_.value();
    std::uint64_t const stored = read_word();
    check<std::runtime_error>(stored == computed, function_, "the checksum of the file is ",
                              std::hex, std::showbase, computed, ", stored is ", stored,
                              ": the file has been altered");
  }

 private:
  std::uint64_t read_word() {
    needed_ += sizeof(std::uint64_t);
    std::uint64_t word = 0;
    read(&word, sizeof(word));
    return word;
  }

  /// Reads whole words.
  void read(void* words, std::uint64_t bytes) {
    auto* const to = static_cast<char*>(words);
    stream_.read(to, static_cast<std::streamsize>(bytes));
    taken_ += static_cast<std::uint64_t>(stream_.gcount());
    check<std::runtime_error>(!stream_.fail(), function_, "the stream ",
                              stream_.bad() ? "failed" : "ends", " after ", taken_, " bytes, and ",
                              needed_, " are needed");
    checksum_.add(to, bytes);
  }

  char const* function_;
  std::istream& stream_;
  std::uint64_t taken_ = 0;
  std::uint64_t needed_ = 0;
  Checksum checksum_;
};

}  // namespace riffle::detail::schedule

namespace riffle {

namespace detail::schedule {

template <class Index, class Exec>
using IndexArray = Kokkos::View<Index*, typename Exec::memory_space>;

template <class Index, class Exec>
ScheduledPermutation<Exec> read_destinations(char const* function, Context<Exec> const& context,
                                             std::uint64_t n, PlanReader& file) {
  std::vector<Index> indices = file.read_indices<Index>(n);
  file.check_checksum();
  try {
    using Indices = IndexArray<Index, Exec>;
    if constexpr (is_host_accessible<Indices>) {
      return ScheduledPermutation<Exec>(context, Indices(indices.data(), n));
    } else {
      Scope scope(context);
      Indices const destinations(scope.template take<Index>(n), n);
      Kokkos::deep_copy(context.exec(), destinations,
                        Kokkos::View<Index*, Kokkos::HostSpace>(indices.data(), n));
      return ScheduledPermutation<Exec>(context, destinations);
    }
  } catch (std::invalid_argument const& error) {
    // A wrong index comes from the file, not from the caller's arguments, so the exception must not be
    // std::invalid_argument.
    throw std::runtime_error(concatenate("riffle::", function, ": ", error.what()));
  }
}

}  // namespace detail::schedule

/// Writes a plan (or the inverse() of one) to a binary stream, such as a std::ofstream opened with std::ios::binary.
/// The bytes are the same on every back end.
///
/// - exec: an execution space instance, or a Context of one. Two arrays of n indices are taken from the workspace of
///   the Context.
///
/// Throws std::runtime_error if the stream fails before all bytes are written; the bytes written so far are not a valid
/// file. (A stream with std::ios::exceptions throws std::ios::failure itself.) Afterwards the stream is flushed, or
/// failed. Blocking: fences. Memory: 4 bytes for each element (8 if n > 2^32). On a GPU the call allocates this both on
/// the device and on the host. The size of the file is 4 bytes (8) for each element and 32 to 36 bytes more.
template <detail::InstanceOrContext Exec>
void save_schedule(Exec const& exec, ScheduledPermutation<detail::SpaceOf<Exec>> const& plan,
                   std::ostream& stream) {
  detail::Call const context(exec, "riffle::save_schedule");
  constexpr char const* function = "save_schedule";
  detail::schedule::PlanWriter file(function, stream);
  std::uint64_t const n = plan.size();
  file.write_header(n);
  detail::with_index_type(n, [&]<class Index>(Index) {
    detail::Scope scope(context);
    detail::schedule::IndexArray<Index, detail::SpaceOf<Exec>> const destinations(
        scope.template take<Index>(n), n);
    plan.destinations(context, destinations);
    file.write_indices(detail::copy_view_to_host(context, destinations).data(), n);
  });
  file.finish();
}

/// Reads the plan that save_schedule() wrote to a stream.
///
/// - exec: an execution space instance, or a Context of one, as for the constructor of ScheduledPermutation.
///
/// Throws std::runtime_error if the stream fails or ends before the file does; if the file does not contain a plan, or
/// has another version; if the checksum is wrong; or if the indices are not a permutation. The message says what was
/// read. (A stream with std::ios::exceptions throws std::ios::failure itself.) Afterwards the position of the stream is
/// after the last byte that was read. On success this is the end of the file, so another file can follow in the same
/// stream. Blocking: fences. Memory: as for building a plan, and up to 8 bytes for each element on the host (16 if
/// n > 2^32), on a GPU also 4 bytes (8) on the device. Host memory is allocated as bytes are read, so a wrong n in the
/// file does not cause a large allocation.
template <detail::InstanceOrContext Exec>
ScheduledPermutation<detail::SpaceOf<Exec>> load_schedule(Exec const& exec, std::istream& stream) {
  detail::Call const context(exec, "riffle::load_schedule");
  constexpr char const* function = "load_schedule";
  detail::schedule::PlanReader file(function, stream);
  std::uint64_t const n = file.read_header();
  return detail::with_index_type(n, [&]<class Index>(Index) {
    return detail::schedule::read_destinations<Index>(function, context, n, file);
  });
}

RIFFLE_CALL_DIAGNOSTICS(save_schedule, plan<NoView>, stream<NoView>)
RIFFLE_CALL_DIAGNOSTICS(load_schedule, stream<NoView>)

}  // namespace riffle
