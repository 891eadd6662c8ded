#pragma once

// Makes a plan for a permutation of the rows on all ranks. Each rank stores all slots that it
// needs, so a later call sends only rows and no indices.
//
// A call moves the rows of a rank through one buffer. In the forward direction:
//
//     in       0 1 2 ...                                   rows in their order
//              | pack: write row i to sources.slots[i]
//     buffer   [ rows for other ranks | rows that stay | rows of other ranks ]
//                         | send                                   ^ receive
//              | unpack: read from destinations.slots[j]
//     out      0 1 2 ...                                   rows in their order
//
// The first and the last section of the buffer are sorted by the other rank. Rows that are sent to
// or received from the same rank are in the order of the sender's `in`. Both ranks know this order,
// so no indices are sent. Rows that stay have slots like all other rows.
//
// Packing writes one ascending stream per rank. The inverse direction swaps the two ends: packing
// writes row j to destinations.slots[j], and unpacking reads row i from sources.slots[i].

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/transfers.hpp>
#include <riffle/partition.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

template <class Exec, class Index>
struct PlanEnd {
  using Slots = Kokkos::View<Index*, typename Exec::memory_space>;

  /// slots(i) is the slot of row i of `in` (or of `out`): the row's index in the buffer.
  Slots slots;
  /// For each other rank, the number of rows that are sent to it or received from it; 0 for this
  /// rank.
  Shares others;
};

template <class Exec, class IndexType>
struct PlanEnds {
  using Index = IndexType;

  /// The slots for `in`, relative to the start of the buffer.
  PlanEnd<Exec, Index> sources;
  /// The slots for `out`, relative to the first row in the buffer that stays on this rank.
  PlanEnd<Exec, Index> destinations;
  /// The number of rows that stay on this rank.
  std::uint64_t staying;
};

/// Slots have 32 bits if this rank owns fewer than about 2^32 rows at each end.
template <class Exec>
using CommunicationPlan =
    std::variant<PlanEnds<Exec, std::uint32_t>, PlanEnds<Exec, std::uint64_t>>;

// --- making a plan ---
//
// Each rank partitions its rows by the rank that owns their destinations, and sends each owner the
// destinations of these rows. This happens once. Later calls send the rows in the order of these
// destinations, which both ranks store. Each owner checks that each row of its `out` is the
// destination of exactly one row. If this holds on every rank, p is a permutation.

/// Functor that stores, for row i, the owner of p(i), the index of p(i) among the owner's rows, and
/// i itself.
template <class P, class Index, class Place>
struct LabelRow {
  P p;
  std::uint64_t const* bounds;
  int ranks;
  std::uint32_t* owners;
  Place* places;
  Index* rows;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const place = static_cast<std::uint64_t>(p(i));
    int const owner = owner_between(bounds, 0, ranks, place);
    owners[i] = static_cast<std::uint32_t>(owner);
    places[i] = static_cast<Place>(place - bounds[owner]);
    rows[i] = static_cast<Index>(i);
  }
};

/// The position of this rank's items in a list of items that is sorted by rank: they are items
/// begin, ..., begin + count - 1 of the list.
struct OwnItems {
  std::uint64_t begin;
  std::uint64_t count;
};

/// Maps index k in a list of items to a slot in the buffer. This rank's own items have slots
/// of_own, of_own + 1, ...; all other items have slots of_others, of_others + 1, ...
struct ItemSlots {
  OwnItems own;
  std::uint64_t of_own;
  std::uint64_t of_others;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t k) const {
    if (k < own.begin) return of_others + k;
    if (k < own.begin + own.count) return of_own + (k - own.begin);
    return of_others + (k - own.count);
  }
};

/// Sets slots(rows[k]) to the slot of item k.
template <class Row, class Slots>
struct WriteSlot {
  Row const* rows;
  ItemSlots slot_of;
  Slots slots;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    slots(static_cast<std::uint64_t>(rows[k])) =
        static_cast<typename Slots::value_type>(slot_of(k));
  }
};

/// Throws unless all indices in p, which is this rank's part, are less than n.
template <class Exec, class P>
void check_indices(RankCall<Exec> const& call, P const& p, std::uint64_t n) {
  auto const bad = first_index_where(call.context.named("check"), p, IsOutOfRange{n});
  check(bad.place == p.extent(0), call.function, "p(", bad.place, ") = ", +bad.index,
        ": must be at least 0 and less than n = ", n);
}

/// Makes this rank's plan. The type Index can represent every slot, the type Place the index of a
/// row on any rank.
template <class Exec, class Index, class Place>
class PlanMaker {
 public:
  PlanMaker(RankCall<Exec> const& call, Partition const& input, Partition const& output)
      : call_(call),
        context_(call.context),
        scope_(call.context),
        input_(input),
        output_(output),
        sent_(call.comm.size()),
        received_(call.comm.size()) {}

  template <class P>
  PlanEnds<Exec, Index> make(P const& p) {
    call_.run_collectively([&] {
      check_indices(call_, p, output_.n());
      partition_by_owner(p);
    });
    send_counts();
    std::optional<Redistribution<Exec>> redistribution;
    call_.run_collectively([&] {
      received_places_ = scope_.template take<Place>(received_.total());
      redistribution.emplace(call_.comm, sizeof(Place), sent_, received_);
    });
    redistribution->run(context_, places_, received_places_);
    std::optional<PlanEnds<Exec, Index>> ends;
    call_.run_collectively([&] {
      check_each_place_is_taken_once();
      ends.emplace(write_slots());
      // After this fence the temporary memory can be freed, and other instances can apply the plan.
      context_.exec().fence(context_.label());
    });
    return *ends;
  }

 private:
  template <class T>
  using List = ArrayInMemory<T, Exec>;

  int rank() const { return call_.comm.rank(); }

  /// Sorts the rows and their destinations by destination rank.
  template <class P>
  void partition_by_owner(P const& p) {
    std::uint64_t const count = p.extent(0);
    auto const ranks = static_cast<std::uint64_t>(call_.comm.size());
    rows_ = scope_.template take<Index>(count);
    places_ = scope_.template take<Place>(count);
    Scope inner(context_);
    auto* const bounds = to_kernels(context_, inner, output_.bounds());
    auto* const owners = inner.template take<std::uint32_t>(count);
    auto* const places = inner.template take<Place>(count);
    auto* const rows = inner.template take<Index>(count);
    auto* const begins = inner.template take<std::uint64_t>(ranks + 1);
    context_.named("owners").for_each(
        count, LabelRow<P, Index, Place>{p, bounds, call_.comm.size(), owners, places, rows});
    riffle::partition_by_label(context_.named("by_owner"),
                               pack(List<Index>(rows, count), List<Place>(places, count)),
                               List<std::uint32_t>(owners, count),
                               pack(List<Index>(rows_, count), List<Place>(places_, count)),
                               List<std::uint64_t>(begins, ranks + 1));
    auto const ends = to_host(context_, begins + 1, ranks);
    std::uint64_t begin = 0;
    for (int r = 0; r < call_.comm.size(); ++r) {
      std::uint64_t const end = ends[static_cast<std::size_t>(r)];
      sent_[r] = end - begin;
      begin = end;
    }
  }

  void send_counts() {
    auto const ranks = static_cast<std::size_t>(call_.comm.size());
    std::vector<std::uint64_t> sent_counts(ranks);
    std::vector<std::uint64_t> received_counts(ranks);
    for (int r = 0; r < call_.comm.size(); ++r) sent_counts[static_cast<std::size_t>(r)] = sent_[r];
    all_to_all(call_.comm, sent_counts.data(), received_counts.data(), sizeof(std::uint64_t));
    received_ = Shares(received_counts);
  }

  /// A rank needs to check only if the number of destinations that it receives is at least the
  /// number of rows that it owns. Suppose that p is not a permutation. All ranks together receive n
  /// destinations for n rows. If the two numbers are equal on every rank, all ranks check.
  /// Otherwise some rank receives more destinations than it owns rows; it receives a destination
  /// twice, and it checks.
  void check_each_place_is_taken_once() const {
    std::uint64_t const count = received_.total();
    if (count < output_.count(rank())) return;
    auto const violation =
        first_violation(context_.named("check"), List<Place>(received_places_, count));
    if (violation.kind == PermutationFault::none) return;
    std::uint64_t const value = output_.first(rank()) + violation.value;
    check(false, call_.function, "p has the value ", value, " once more on rank ",
          sender_of(violation.index), ": must be a permutation, each value once");
  }

  /// Returns the rank that sent an item.
  int sender_of(std::uint64_t item) const {
    int sender = 0;
    for (std::uint64_t end = received_[0]; end <= item; end += received_[sender]) ++sender;
    return sender;
  }

  OwnItems own_of(Shares const& shares) const {
    return {shares.starts()[static_cast<std::size_t>(rank())], shares[rank()]};
  }

  /// Returns `shares` with the share of this rank set to 0.
  Shares others_of(Shares shares) const {
    shares[rank()] = 0;
    return shares;
  }

  PlanEnds<Exec, Index> write_slots() const {
    OwnItems const sent = own_of(sent_);
    OwnItems const received = own_of(received_);
    std::uint64_t const leaving = sent_.total() - sent.count;
    return {
        end_of(input_.count(rank()), sent_, rows_, {sent, leaving, 0}),
        end_of(output_.count(rank()), received_, received_places_, {received, 0, received.count}),
        sent.count};
  }

  template <class Row>
  PlanEnd<Exec, Index> end_of(std::uint64_t count, Shares const& shares, Row const* rows,
                              ItemSlots const& slot_of) const {
    using Slots = typename PlanEnd<Exec, Index>::Slots;
    Slots const slots(Kokkos::view_alloc(context_.exec(), Kokkos::WithoutInitializing,
                                         context_.label() + "::slots"),
                      count);
    // There may be fewer items than rows: another rank may have found that p is not a permutation.
    context_.named("slots").for_each(shares.total(), WriteSlot<Row, Slots>{rows, slot_of, slots});
    return {slots, others_of(shares)};
  }

  RankCall<Exec> const& call_;
  Context<Exec> const& context_;
  Scope<Exec> scope_;
  Partition const& input_;
  Partition const& output_;
  Shares sent_;
  Shares received_;
  /// This rank's rows, in the order in which they are sent.
  Index* rows_ = nullptr;
  /// places_[k] is the destination of row rows_[k], as an index among the owner's rows.
  Place* places_ = nullptr;
  /// The destinations that this rank has received, as indices of its rows of `out`.
  Place* received_places_ = nullptr;
};

/// Makes the plan for the permutation that moves row i to row p(i), where rows are numbered over
/// all ranks. Collective. Throws std::invalid_argument on all ranks if p is not a permutation.
/// Slots, and the destinations that are sent, are 32-bit integers if they are less than `narrow`.
template <class Exec, class P>
CommunicationPlan<Exec> make_plan(RankCall<Exec> const& call, Partition const& input,
                                  Partition const& output, P const& p,
                                  std::uint64_t narrow = std::uint64_t{1} << 32) {
  int const rank = call.comm.rank();
  std::uint64_t most_places = 0;
  for (int r = 0; r < output.ranks(); ++r) most_places = std::max(most_places, output.count(r));
  auto const type_for = [narrow](std::uint64_t n, auto const& use) {
    constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    with_index_type(n <= narrow ? n : never, use);
  };
  std::optional<CommunicationPlan<Exec>> plan;
  type_for(std::max(input.count(rank), output.count(rank)), [&]<class Index>(Index) {
    type_for(most_places, [&]<class Place>(Place) {
      plan.emplace(PlanMaker<Exec, Index, Place>(call, input, output).make(p));
    });
  });
  return *plan;
}

}  // namespace riffle::detail::mpi
