#pragma once

// Plans in files. A file holds the destinations of all elements, from which a plan is built again when it is loaded, so
// that one written on any back end can be read on any other, whatever their tiles.
//
// The file consists of little-endian 64-bit words: the bytes 0x89 "Riffle" 0x0A; the version, 2, and from the 32nd bit
// on the bytes of an index; n; the destinations, 4 bytes each where n <= 2^32 and else 8, filled up with zeros to a
// word; the checksum of all words before it (riffle/permute/detail/schedule/plan_file.hpp).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/schedule/plan_file.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/mistakes.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

namespace detail::schedule {

template <class Index, class Exec>
using IndexArray = Kokkos::View<Index*, typename Exec::memory_space>;

template <class Index, class Exec>
void write_destinations(Context<Exec> const& context, ScheduledPermutation<Exec> const& plan,
                        PlanWriter& file) {
  Scope scope(context);
  IndexArray<Index, Exec> const destinations(scope.template take<Index>(plan.size()), plan.size());
  plan.destinations(context, destinations);
  auto const host = read_on_host(context, destinations);
  file.write_indices(host.data(), plan.size());
}

template <class Index, class Exec>
ScheduledPermutation<Exec> read_destinations(char const* function, Context<Exec> const& context,
                                             std::uint64_t n, PlanReader& file) {
  std::vector<Index> indices = file.read_indices<Index>(n);
  file.check_checksum();
  try {
    using Indices = IndexArray<Index, Exec>;
    if constexpr (is_for_host<Indices>) {
      return ScheduledPermutation<Exec>(context, Indices(indices.data(), n));
    } else {
      Scope scope(context);
      Indices const destinations(scope.template take<Index>(n), n);
      Kokkos::deep_copy(context.exec(), destinations,
                        Kokkos::View<Index*, Kokkos::HostSpace>(indices.data(), n));
      return ScheduledPermutation<Exec>(context, destinations);
    }
  } catch (std::invalid_argument const& error) {
    // The file is at fault here, not an argument of the caller.
    throw std::runtime_error(concatenate("riffle::", function, ": ", error.what()));
  }
}

}  // namespace detail::schedule

/// Writes a plan, or the inverse() of one, to a stream that takes any bytes, such as a std::ofstream opened with
/// std::ios::binary. The bytes are the same on every back end.
///
/// - exec: an execution space instance, or a Context of one, of whose workspace the call takes room for two arrays of n
///   indices. The host memory through which a GPU's indices go is allocated all the same.
///
/// Throws std::runtime_error where the stream cannot be written to, or not to its end: what it has taken is then no
/// plan. The stream is left as its last operation left it: flushed, or failed. (A stream that throws by itself,
/// std::ios::exceptions, throws its own std::ios::failure.) Fences. Takes 4 bytes an element (8 where n > 2^32), for a
/// GPU on the device and on the host; writes as many bytes, and 32 to 36 more.
template <detail::InstanceOrContext Exec>
void save_schedule(Exec const& exec, ScheduledPermutation<detail::SpaceOf<Exec>> const& plan,
                   std::ostream& stream) {
  detail::Call const context(exec, "riffle::save_schedule");
  constexpr char const* function = "save_schedule";
  detail::schedule::PlanWriter file(function, stream);
  std::uint64_t const n = plan.size();
  file.write_header(n);
  if (detail::schedule::index_bytes_for(n) == 4) {
    detail::schedule::write_destinations<std::uint32_t>(context, plan, file);
  } else {
    detail::schedule::write_destinations<std::uint64_t>(context, plan, file);
  }
  file.finish();
}

/// The plan that save_schedule() wrote to a stream.
///
/// - exec: an execution space instance, or a Context of one, as for the constructor of ScheduledPermutation.
///
/// Throws std::runtime_error, and says what was found, where the stream cannot be read or ends before the file does;
/// where the file is not a plan's, or of another version; where its checksum shows that it has been altered; and where its
/// indices are not a permutation all the same. Nothing is kept then. The stream is left behind the plan, so that others
/// may follow in it; where the file is refused, behind what has been read, and failed where it ended too soon. (A
/// stream that throws by itself, std::ios::exceptions, throws its own std::ios::failure.) Fences. Takes up to 8 bytes an
/// element on the host (16 where n > 2^32), on a GPU 4 (8) of its memory, too, and what building a plan does. Host memory
/// grows with the bytes that were read: an n that the stream does not hold takes none.
template <detail::InstanceOrContext Exec>
ScheduledPermutation<detail::SpaceOf<Exec>> load_schedule(Exec const& exec, std::istream& stream) {
  detail::Call const context(exec, "riffle::load_schedule");
  constexpr char const* function = "load_schedule";
  detail::schedule::PlanReader file(function, stream);
  std::uint64_t const n = file.read_header();
  if (detail::schedule::index_bytes_for(n) == 4) {
    return detail::schedule::read_destinations<std::uint32_t>(function, context, n, file);
  }
  return detail::schedule::read_destinations<std::uint64_t>(function, context, n, file);
}

RIFFLE_EXPLAIN_MISTAKES(save_schedule, plan<NoView>, stream<NoView>)
RIFFLE_EXPLAIN_MISTAKES(load_schedule, stream<NoView>)

}  // namespace riffle
