#pragma once

// Rows of a rank by a communication plan: to a buffer, to the other ranks, and from a buffer to where they belong.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/kernel/for_each_image.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/kernel/stored_indices.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/exchange.hpp>
#include <riffle/mpi/detail/permute/communication_plan.hpp>
#include <riffle/mpi/detail/permute/row_elements.hpp>
#include <riffle/mpi/detail/row_buffer.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/rows/gather_rows.hpp>
#include <riffle/rows/row_sets.hpp>

namespace riffle::detail::mpi {

/// Writes elements for other ranks to their slots.
template <class Slots, class In, class Rows>
struct PackElement {
  Slots slots;
  std::uint64_t others;
  In in;
  Rows buffer;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t column) const {
    auto const slot = static_cast<std::uint64_t>(slots(i));
    if (slot < others) element(buffer, slot, column) = element(in, i, column);
  }
};

/// Reads elements from their slots, and those that stayed on this rank from where they were.
template <class Slots, class In, class Rows, class Out>
struct UnpackElement {
  Slots slots;
  std::uint64_t others;
  In in;
  Rows buffer;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t column) const {
    auto const slot = static_cast<std::uint64_t>(slots(i));
    if (slot < others) {
      element(out, i, column) = element(buffer, slot, column);
    } else {
      element(out, i, column) = element(in, slot - others, column);
    }
  }
};

/// The same of values, with loads separate from stores, so that a thread can have several loads under way.
template <class In, class Rows, class Out>
struct UnpackValue {
  using Value = typename Out::value_type;

  std::uint64_t others;
  In in;
  Rows buffer;
  Out out;

  KOKKOS_FUNCTION Value load(std::uint64_t slot) const {
    if (slot < others) return buffer(slot);
    return static_cast<Value>(in(slot - others));
  }
  KOKKOS_FUNCTION void store(std::uint64_t i, Value const& value) const { out(i) = value; }
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t slot) const {
    store(i, load(slot));
  }
};

/// The buffers and exchanges of the rows of all Views, one View after the other.
template <class Exec, class Index>
class RowMoves {
 public:
  using End = PlanEnd<Exec, Index>;

  /// Takes all memory. `stages` are kept by the plan, `from` is the end that `in` has, and `to` that of `out`.
  template <class Out>
  RowMoves(Communicator const& comm, Scope<Exec>& scope, End const& from, End const& to,
           Out const& out, Stages& stages)
      : from_(from), to_(to), sent_(from.others.total()), received_(to.others.total()) {
    std::size_t most = 0;
    for_each_view(out, [&]<class View>(View const& view) {
      std::size_t const bytes = RowBuffer<View>::row_bytes(view);
      most = std::max(most, bytes);
      exchanges_.push_back(
          std::make_unique<Exchange<Exec>>(comm, bytes, from.others, to.others, stages));
    });
    packed_ = scope.template take<std::byte>(most * sent_);
    arrived_ = scope.template take<std::byte>(most * received_);
  }

  template <class In, class Out>
  void run(Context<Exec> const& context, In const& in, Out const& out) const {
    auto exchange = exchanges_.begin();
    for_each_pair(in, out, [&](auto const& of_in, auto const& of_out) {
      pack(context.named("pack"), of_in, of_out);
      (**exchange++).run(context, packed_, arrived_);
      unpack(context.named("unpack"), of_in, of_out);
    });
  }

 private:
  template <class In, class Out>
  void pack(Context<Exec> const& context, In const& in, Out const& out) const {
    using Rows = typename RowBuffer<Out>::Rows;
    if (sent_ == 0) return;
    Rows const buffer = RowBuffer<Out>::in(packed_, sent_, out);
    for_each_element(context, in,
                     PackElement<typename End::Slots, In, Rows>{from_.slots, sent_, in, buffer});
  }

  template <class In, class Out>
  void unpack(Context<Exec> const& context, In const& in, Out const& out) const {
    using Slots = typename End::Slots;
    using Rows = typename RowBuffer<Out>::Rows;
    Rows const buffer = RowBuffer<Out>::in(arrived_, received_, out);
    if constexpr (holds_words<Out>) {
      for_each_image(context, out.extent(0), StoredIndices<Slots>{to_.slots},
                     UnpackValue<In, Rows, Out>{received_, in, buffer, out});
    } else {
      for_each_element(context, out,
                       UnpackElement<Slots, In, Rows, Out>{to_.slots, received_, in, buffer, out});
    }
  }

  End const& from_;
  End const& to_;
  std::uint64_t sent_;
  std::uint64_t received_;
  std::vector<std::unique_ptr<Exchange<Exec>>> exchanges_;
  std::byte* packed_ = nullptr;
  std::byte* arrived_ = nullptr;
};

}  // namespace riffle::detail::mpi
