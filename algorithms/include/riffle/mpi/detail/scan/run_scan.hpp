#pragma once

// A scan over several ranks. It combines in the same order as a scan on one device
// (riffle/primitives/tile_tree.hpp): the prefixes in a bundle depend only on the elements of this
// bundle and on G, the combination of all earlier bundles from left to right.
//
//     bundles    |---- 0 ----|---- 1 ----|---- 2 ----|---- 3 ----|
//     owner      |  rank 0   |  rank 0   |  rank 1   |  rank 2   |
//     elements   |----- rank 0 -----|-- rank 1 --|---- rank 2 ---|
//                                   ^^^^^        ^^^^^
//               head of rank 1 = tail of rank 0; head of rank 2 = tail of rank 1
//
// 1. The rank that owns the first element of a bundle owns the bundle. The other ranks that own
//    elements of the bundle send these elements to the bundle's owner. They are the head of the
//    sender, and belong to the tail of the receiver.
// 2. Each rank computes the totals of its bundles. All ranks gather all totals, and each rank
//    combines the totals of the bundles before its own bundles.
// 3. Each rank scans its bundles as one device does. It returns the prefixes of its tail to the
//    ranks from which it received the elements of the tail.

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/mpi/detail/scan/totals.hpp>
#include <riffle/mpi/detail/transfers.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/dispatch.hpp>

namespace riffle::detail::mpi {

// --- which rank owns which bundle of the tile tree ---

inline constexpr std::uint64_t bundle_size = std::uint64_t{tile_size} * bundle_tiles;

/// The bundles that one rank owns: a rank owns a bundle if it owns the bundle's first element. The
/// head of the rank consists of the rank's elements before its first bundle; a lower rank owns
/// their bundle. The tail of the rank consists of those elements of its last bundle that higher
/// ranks own.
class OwnBundles {
 public:
  OwnBundles(Partition const& elements, int rank) : elements_(elements), rank_(rank) {}

  std::uint64_t first_element() const { return elements_.first(rank_); }
  std::uint64_t end_of_elements() const { return elements_.end(rank_); }

  /// The index of the rank's first bundle, and the number of bundles that the rank owns.
  std::uint64_t first() const { return bundles_before(first_element()); }
  std::uint64_t count() const { return bundles_before(end_of_elements()) - first(); }

  /// The number of elements in the rank's head.
  std::uint64_t head() const {
    return std::min(first() * bundle_size, end_of_elements()) - first_element();
  }

  /// The owner of the bundle that contains the head. Requires head() > 0.
  int owner_of_head() const { return elements_.owner(first_element() / bundle_size * bundle_size); }

  /// last() is the index of the rank's last bundle, end_of_last() is one past that bundle's last
  /// element. Both require count() > 0.
  std::uint64_t last() const { return first() + count() - 1; }
  std::uint64_t end_of_last() const { return std::min((last() + 1) * bundle_size, elements_.n()); }

  /// Whether the rank's last bundle contains elements of other ranks.
  bool has_tail() const { return count() > 0 && end_of_last() > end_of_elements(); }
  std::uint64_t tail() const { return has_tail() ? end_of_last() - end_of_elements() : 0; }

  /// The end of the body. The body consists of the elements in all bundles of this rank that
  /// contain no elements of other ranks.
  std::uint64_t end_of_body() const {
    return has_tail() ? last() * bundle_size : end_of_elements();
  }

  /// Shares for sending the head to the owner of its bundle.
  Shares heads() const {
    Shares shares(elements_.ranks());
    if (head() > 0) shares[owner_of_head()] = head();
    return shares;
  }

  /// Shares for receiving the tail: for each rank, the number of elements that it sends.
  Shares tails() const {
    Shares shares(elements_.ranks());
    for (int r = rank_ + 1; r < elements_.ranks() && has_tail(); ++r) {
      OwnBundles const other(elements_, r);
      if (other.first_element() >= end_of_last()) break;
      if (other.head() > 0 && other.owner_of_head() == rank_) shares[r] = other.head();
    }
    return shares;
  }

 private:
  /// The number of bundles that begin before element i.
  static std::uint64_t bundles_before(std::uint64_t i) {
    return i / bundle_size + (i % bundle_size == 0 ? 0 : 1);
  }

  Partition const& elements_;
  int rank_;
};

// --- the scan ---

/// The elements of a rank's View starting at index `begin`, followed by the rank's tail: element i
/// is in(begin + i) for i < own, and tail[i - own] for i >= own.
template <class In, class Op>
struct JointElements {
  using Value = typename Op::value_type;

  In in;
  std::uint64_t begin;
  std::uint64_t own;
  Value const* tail;

  KOKKOS_FUNCTION Value operator()(std::uint64_t i) const {
    return i < own ? scan::to_value<Op>(in(begin + i)) : tail[i - own];
  }
};

template <class In, class Op>
struct PackElements {
  In in;
  typename Op::value_type* to;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { to[i] = scan::to_value<Op>(in(i)); }
};

template <class Value, class Out>
struct StorePrefixes {
  Value const* from;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    out(i) = static_cast<typename Out::value_type>(from[i]);
  }
};

/// An element of a std::vector on the host. The wrapper is needed for bool: std::vector<bool> has
/// no data(), but std::vector<ListEntry<bool>> does.
template <class Value>
struct ListEntry {
  Value value;
};

/// Gathers the totals of all ranks' bundles. Rank r owns counts[r] bundles.
template <class Value>
std::vector<ListEntry<Value>> gather_totals(riffle::mpi::Communicator const& comm,
                                            std::vector<ListEntry<Value>> const& own,
                                            std::vector<int> const& counts) {
  std::vector<int> begins;
  int all = 0;
  for (int const count : counts) {
    begins.push_back(all);
    all += count;
  }
  std::vector<ListEntry<Value>> totals(static_cast<std::size_t>(all));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(sizeof(Value)), MPI_BYTE, &type),
            "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
  int const code = MPI_Allgatherv(own.data(), counts[static_cast<std::size_t>(comm.rank())], type,
                                  totals.data(), counts.data(), begins.data(), type, comm.get());
  MPI_Type_free(&type);
  check_mpi(code, "MPI_Allgatherv");
  return totals;
}

/// Computes one rank's part of a scan.
template <bool Inclusive, class Exec, class In, class Out, class Op>
class ScanOfRank {
 public:
  using Value = typename Op::value_type;

  ScanOfRank(RankCall<Exec> const& call, Scope<Exec>& scope, Partition const& elements,
             In const& in, Out const& out, Op const& op, Value const& init)
      : call_(call),
        scope_(scope),
        elements_(elements),
        bundles_(elements, call.comm.rank()),
        in_(in),
        out_(out),
        op_(op),
        init_(init) {}

  void run() {
    call_.run_collectively([&] { prepare(); });
    send_heads();
    call_.run_collectively([&] { find_totals(); });
    combine_totals();
    scan_body();
    scan_tail();
    receive_heads();
  }

 private:
  /// Allocates all memory before anything is written, so that no rank has written anything if an
  /// allocation fails on some rank.
  void prepare() {
    head_ = scope_.template take<Value>(bundles_.head());
    shared_ = scope_.template take<Value>(shared_own() + bundles_.tail());
    tail_ = shared_ + shared_own();
    tiles_ = scope_.template take<Value>(bundles_.count() * bundle_tiles);
    totals_ = scope_.template take<Value>(bundles_.count());
    all_totals_ = scope_.template take<Value>(all_bundles());
    before_ = scope_.template take<Value>(2);
    scan::reserve_messages<Op>(call_.context, elements_.count(call_.comm.rank()) + bundles_.tail());
    to_owners_.emplace(call_.comm, sizeof(Value), bundles_.heads(), bundles_.tails());
    from_owners_.emplace(call_.comm, sizeof(Value), bundles_.tails(), bundles_.heads());
  }

  std::uint64_t all_bundles() const { return (elements_.n() + bundle_size - 1) / bundle_size; }

  /// The number of this rank's own elements in the bundle that contains its tail.
  std::uint64_t shared_own() const { return bundles_.end_of_elements() - bundles_.end_of_body(); }

  void send_heads() {
    if (bundles_.head() > 0) {
      call_.context.named("pack").for_each(bundles_.head(), PackElements<In, Op>{in_, head_});
    }
    to_owners_->run(call_.context, head_, tail_);
  }

  JointElements<In, Op> elements_from(std::uint64_t begin) const {
    return {in_, begin - bundles_.first_element(), bundles_.end_of_elements() - begin, tail_};
  }

  /// Computes the totals of the complete bundles. Only the last bundle of the whole sequence can be
  /// incomplete. Its total is not needed, because no bundle follows it.
  void find_totals() {
    std::uint64_t const complete = bundles_.count() > 0 && bundles_.end_of_last() % bundle_size != 0
                                       ? bundles_.count() - 1
                                       : bundles_.count();
    if (complete == 0) return;
    total_bundles(call_.context.named("totals"), complete,
                  elements_from(bundles_.first() * bundle_size), op_, tiles_, totals_);
  }

  void combine_totals() {
    std::vector<int> counts;
    for (int r = 0; r < call_.comm.size(); ++r) {
      counts.push_back(static_cast<int>(OwnBundles(elements_, r).count()));
    }
    auto const own =
        to_host<ListEntry<Value>>(call_.context, list_entries(totals_), bundles_.count());
    auto const all = gather_totals(call_.comm, own, counts);
    if (bundles_.count() == 0) return;
    copy_to_kernels(call_.context, all, list_entries(all_totals_));
    combine_bundles(
        call_.context.named("combine"),
        CombineBundles<Op>{op_, init_, bundles_.first(), bundles_.last(), all_totals_, before_});
  }

  void scan_body() {
    std::uint64_t const begin = bundles_.first() * bundle_size;
    if (bundles_.count() == 0 || begin == bundles_.end_of_body()) return;
    std::pair<std::uint64_t, std::uint64_t> const places(
        begin - bundles_.first_element(), bundles_.end_of_body() - bundles_.first_element());
    auto const in = Kokkos::subview(in_, places);
    auto const out = Kokkos::subview(out_, places);
    scan::run<Inclusive>(call_.context, places.second - places.first,
                         ViewSource<std::decay_t<decltype(in)>>(in),
                         ViewSink<std::decay_t<decltype(out)>>(out), op_, before(0));
  }

  /// Scans, in a separate array, the bundle that also contains elements of other ranks.
  void scan_tail() {
    if (!bundles_.has_tail()) return;
    std::uint64_t const own = shared_own();
    std::pair<std::uint64_t, std::uint64_t> const places(
        bundles_.end_of_body() - bundles_.first_element(),
        bundles_.end_of_elements() - bundles_.first_element());
    auto const in = Kokkos::subview(in_, places);
    auto const out = Kokkos::subview(out_, places);
    using OwnIn = std::decay_t<decltype(in)>;
    using OwnOut = std::decay_t<decltype(out)>;
    call_.context.named("pack").for_each(own, PackElements<OwnIn, Op>{in, shared_});
    using Shared =
        Kokkos::View<Value*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Shared const shared(shared_, own + bundles_.tail());
    scan::run<Inclusive>(call_.context, shared.extent(0), ViewSource<Shared>(shared),
                         ViewSink<Shared>(shared), op_, before(1));
    call_.context.named("store").for_each(own, StorePrefixes<Value, OwnOut>{shared_, out});
  }

  void receive_heads() {
    from_owners_->run(call_.context, tail_, head_);
    if (bundles_.head() == 0) return;
    call_.context.named("store").for_each(bundles_.head(), StorePrefixes<Value, Out>{head_, out_});
  }

  static ListEntry<Value>* list_entries(Value* values) {
    return reinterpret_cast<ListEntry<Value>*>(values);
  }

  /// Returns the combination of init and all elements before this rank's first bundle (which = 0),
  /// or before its last bundle (which = 1).
  Value before(int which) const {
    return to_host<ListEntry<Value>>(call_.context, list_entries(before_) + which, 1)[0].value;
  }

  RankCall<Exec> const& call_;
  Scope<Exec>& scope_;
  Partition const& elements_;
  OwnBundles bundles_;
  In in_;
  Out out_;
  Op op_;
  Value init_;
  Value* head_ = nullptr;
  Value* shared_ = nullptr;
  Value* tail_ = nullptr;
  Value* tiles_ = nullptr;
  Value* totals_ = nullptr;
  Value* all_totals_ = nullptr;
  Value* before_ = nullptr;
  std::optional<Redistribution<Exec>> to_owners_;
  std::optional<Redistribution<Exec>> from_owners_;
};

}  // namespace riffle::detail::mpi
