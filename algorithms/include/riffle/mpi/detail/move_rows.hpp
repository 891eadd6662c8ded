#pragma once

// Moves a rank's rows by a communication plan: packs them into a buffer, sends them to the other
// ranks, and unpacks the buffer to the output.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/make_plan.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::mpi {

/// Writes elements to their slots.
template <class Slots, class In, class Rows>
struct PackElement {
  Slots slots;
  In in;
  Rows buffer;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t column) const {
    element(buffer, static_cast<std::uint64_t>(slots(i)), column) = element(in, i, column);
  }
};

enum class Direction { forward, inverse };

/// Owns the buffer for rows, and one redistribution per View. The Views are moved one after
/// another, so they share the buffer.
template <class Exec, class Index>
class RowMoves {
 public:
  using Ends = PlanEnds<Exec, Index>;
  using End = PlanEnd<Exec, Index>;

  /// Allocates all memory that run() needs. `stages` are the staging buffers that the plan keeps
  /// for later calls.
  template <class Out>
  RowMoves(Communicator const& comm, Scope<Exec>& scope, Ends const& ends, Direction direction,
           Out const& out, Stages& stages)
      : ends_(ends),
        is_forward_(direction == Direction::forward),
        at_sources_(ends.sources.others.total()),
        at_destinations_(ends.destinations.others.total()) {
    for_each_view(out, [&]<class View>(View const& view) {
      redistributions_.emplace_back(comm, RowBuffer<View>::row_bytes(view), from().others,
                                    to().others, stages);
    });
    if (!all_stay()) buffer_ = scope.template take<std::byte>(most_row_bytes(out) * rows());
  }

  template <class In, class Out>
  void run(Context<Exec> const& context, In const& in, Out const& out) const {
    auto redistribution = redistributions_.begin();
    for_each_pair(in, out, [&](auto const& of_in, auto const& of_out) {
      move(context, *redistribution++, of_in, of_out);
    });
  }

 private:
  End const& from() const { return is_forward_ ? ends_.sources : ends_.destinations; }
  End const& to() const { return is_forward_ ? ends_.destinations : ends_.sources; }

  /// Whether all rows of this rank stay. They then need no buffer.
  bool all_stay() const { return at_sources_ == 0 && at_destinations_ == 0; }

  std::uint64_t rows() const { return at_sources_ + ends_.staying + at_destinations_; }

  template <class In, class Out>
  void move(Context<Exec> const& context, Redistribution<Exec> const& redistribution, In const& in,
            Out const& out) const {
    using Buffer = RowBuffer<Out>;
    using Rows = typename Buffer::Rows;
    using Slots = typename End::Slots;
    if (all_stay()) {
      move_within(context, in, out);
      return;
    }
    std::size_t const bytes = Buffer::row_bytes(out);
    std::byte* const at_sources = buffer_;
    std::byte* const staying = buffer_ + bytes * at_sources_;
    std::byte* const at_destinations = staying + bytes * ends_.staying;
    Rows const of_sources = Buffer::in(at_sources, at_sources_ + ends_.staying, out);
    Rows const of_destinations = Buffer::in(staying, ends_.staying + at_destinations_, out);
    Rows const& packed = is_forward_ ? of_sources : of_destinations;
    Rows const& arrived = is_forward_ ? of_destinations : of_sources;
    for_each_element(context.named("pack"), in,
                     PackElement<Slots, In, Rows>{from().slots, in, packed});
    if (is_forward_) {
      redistribution.run(context, at_sources, at_destinations);
    } else {
      redistribution.run(context, at_destinations, at_sources);
    }
    gather_rows(context.named("unpack"), out.extent(0), StoredIndices<Slots>{to().slots}, arrived,
                out);
  }

  template <class In, class Out>
  void move_within(Context<Exec> const& context, In const& in, Out const& out) const {
    using Slots = typename End::Slots;
    Slots const& slots = ends_.destinations.slots;
    if (is_forward_) {
      gather_rows(context.named("unpack"), out.extent(0), StoredIndices<Slots>{slots}, in, out);
    } else {
      for_each_element(context.named("pack"), in, PackElement<Slots, In, Out>{slots, in, out});
    }
  }

  Ends const& ends_;
  bool is_forward_;
  // The number of rows of `in`, and of `out`, that are exchanged with other ranks.
  std::uint64_t at_sources_;
  std::uint64_t at_destinations_;
  RedistributionsOfViews<Exec> redistributions_;
  std::byte* buffer_ = nullptr;
};

}  // namespace riffle::detail::mpi
