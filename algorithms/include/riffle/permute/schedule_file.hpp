#pragma once

// Plans in files. A file holds the destinations of all elements, from which a plan is built again when it is loaded, so
// that one written on any back end can be read on any other, whatever their tiles.
//
// The file consists of little-endian 64-bit words: the bytes 0x89 "Riffle" 0x0A; the version, 1, and from the 32nd bit
// on the bytes of an index; n; the checksum of these three; the destinations, 4 bytes each where n <= 2^32 and else 8,
// filled up with zeros to a word; the checksum of all before it (riffle/permute/detail/schedule/word_file.hpp).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <stdexcept>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/kernel/call.hpp>
#include <riffle/kernel/mistakes.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/kernel/views.hpp>
#include <riffle/permute/detail/schedule/index_file.hpp>
#include <riffle/permute/detail/schedule/word_file.hpp>
#include <riffle/permute/scheduled_permutation.hpp>

namespace riffle {

namespace detail::schedule {

/// Calls use(indices) with an uninitialised array of n indices in temporary memory.
template <class Index, class Exec, class Use>
void with_index_array(Context<Exec> const& context, std::uint64_t n, Use const& use) {
  Scope scope(context);
  use(typename IndexFile<Exec, Index>::Indices(scope.template take<Index>(n), n));
}

template <class Index, class Exec>
void write_destinations(Context<Exec> const& context, ScheduledPermutation<Exec> const& plan,
                        WordWriter& file) {
  with_index_array<Index>(context, plan.size(), [&](auto const& destinations) {
    plan.destinations(context, destinations);
    IndexFile<Exec, Index>(context, destinations).write(file);
  });
}

template <class Index, class Exec>
ScheduledPermutation<Exec> read_destinations(char const* function, Context<Exec> const& context,
                                             std::uint64_t n, WordReader& file) {
  file.expect(IndexFile<Exec, Index>::words(n) + 1);
  std::optional<ScheduledPermutation<Exec>> plan;
  with_index_array<Index>(context, n, [&](auto const& destinations) {
    IndexFile<Exec, Index>(context, destinations).read(file);
    check_checksum(function, "file", file);
    try {
      plan.emplace(context, destinations);
    } catch (std::invalid_argument const& error) {
      // The file is at fault here, not an argument of the caller.
      throw std::runtime_error(concatenate("riffle::", function, ": ", error.what()));
    }
  });
  return *plan;
}

}  // namespace detail::schedule

/// Writes a plan, or the inverse() of one, to a stream that takes any bytes, such as a std::ofstream opened with
/// std::ios::binary. The bytes are the same on every back end.
///
/// - exec: an execution space instance, or a Context of one, of whose workspace the call takes room for two arrays of n
///   indices. The 4 MiB of host memory through which a GPU's indices go are allocated all the same.
///
/// Throws std::runtime_error where the stream cannot be written to, or not to its end: what it has taken is then no
/// plan. The stream is left as its last operation left it: flushed, or failed. (A stream that throws by itself,
/// std::ios::exceptions, throws its own std::ios::failure.) Fences. Takes 4 bytes an element (8 where n > 2^32) on the
/// device and up to 5 MiB on the host; writes as many bytes as on the device, and 40 to 44 more.
template <detail::InstanceOrContext Exec>
void save_schedule(Exec const& exec, ScheduledPermutation<detail::SpaceOf<Exec>> const& plan,
                   std::ostream& stream) {
  detail::Call const context(exec, "riffle::save_schedule");
  constexpr char const* function = "save_schedule";
  detail::schedule::WordWriter file(function, stream);
  std::uint64_t const n = plan.size();
  detail::schedule::write_header(file, n);
  if (detail::schedule::index_bytes_for(n) == 4) {
    detail::schedule::write_destinations<std::uint32_t>(context, plan, file);
  } else {
    detail::schedule::write_destinations<std::uint64_t>(context, plan, file);
  }
  file.write(file.checksum());
  file.finish();
}

/// The plan that save_schedule() wrote to a stream.
///
/// - exec: an execution space instance, or a Context of one, as for the constructor of ScheduledPermutation.
///
/// Throws std::runtime_error, and says what was found, where the stream cannot be read or ends before the file does;
/// where the file is no plan's, or of another version; where its checksums show that it has been altered; and where its
/// indices are no permutation all the same. Nothing is kept then. The stream is left behind the plan, so that others
/// may follow in it; where the file is refused, behind what has been read, and failed where it ended too soon. (A
/// stream that throws by itself, std::ios::exceptions, throws its own std::ios::failure.) Fences. Takes 4 bytes an
/// element (8 where n > 2^32) on the device and up to 5 MiB on the host, and what building a plan does.
template <detail::InstanceOrContext Exec>
ScheduledPermutation<detail::SpaceOf<Exec>> load_schedule(Exec const& exec, std::istream& stream) {
  detail::Call const context(exec, "riffle::load_schedule");
  constexpr char const* function = "load_schedule";
  detail::schedule::WordReader file(function, stream);
  std::uint64_t const n = detail::schedule::read_header(function, file);
  if (detail::schedule::index_bytes_for(n) == 4) {
    return detail::schedule::read_destinations<std::uint32_t>(function, context, n, file);
  }
  return detail::schedule::read_destinations<std::uint64_t>(function, context, n, file);
}

RIFFLE_EXPLAIN_MISTAKES(save_schedule, NoView)
RIFFLE_EXPLAIN_MISTAKES(load_schedule, NoView)

}  // namespace riffle
