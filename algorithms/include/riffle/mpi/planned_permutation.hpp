#pragma once

// A plan for a permutation of rows that are distributed over the ranks. It is made once and applied
// many times.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/make_plan.hpp>
#include <riffle/mpi/detail/move_rows.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::mpi {

/// A plan that moves row i to row p(i), for a permutation p of 0, ..., n - 1, where rows are
/// numbered over all ranks in the order of the ranks. For any number of ranks, the result is
/// bitwise identical to the result of riffle::PlannedPermutation on one device.
///
/// The constructor finds which rank sends which rows to which rank. Each call then sends each row
/// at most once, and sends no indices. Copies of the plan and its inverse() share its memory.
///
/// Memory: 4 bytes for each of this rank's rows of `in` and of `out`, or 8 bytes if there are more
/// than 2^32 rows of either; with one rank, also a riffle::PlannedPermutation. If transfers go
/// through host memory, the plan keeps the staging buffers after the first call. All instances of
/// the execution space on the same device can apply the plan.
template <class Exec = Kokkos::DefaultExecutionSpace>
class PlannedPermutation {
 public:
  using execution_space = Exec;

  /// - exec: an execution space instance, or a Context of one. Temporary memory is taken from the
  ///   workspace of the Context.
  /// - comm: the ranks. Collective.
  /// - p: the destinations of this rank's rows, as a rank-1 View of any integer type. A rank may
  ///   own any number of rows, including 0; n is the sum.
  /// - out_rows: the number of rows of `out` that this rank owns; by default the number of its rows
  ///   of `in`.
  ///
  /// Throws on all ranks: std::invalid_argument if p is not a permutation, or if the sums of rows
  /// differ; std::runtime_error if a rank has too little memory. If p is not a permutation, the
  /// text contains the first index that is out of range, or the first value that repeats an earlier
  /// one, on the lowest rank that found one. No memory is kept after an exception. Blocking:
  /// fences.
  ///
  /// Complexity on each of P ranks: the indices are checked, partitioned by the ranks that own the
  /// destinations, and sent to these ranks in P - 1 messages, 4 bytes for each row (8 if a rank
  /// owns more than 2^32 rows of `out`). The receivers check them again. Temporary memory: about 20
  /// bytes for each row.
  template <detail::StoredIndicesFrom<Exec> Permutation>
  PlannedPermutation(Context<Exec> const& exec, Communicator const& comm, Permutation const& p,
                     std::uint64_t out_rows)
      : rank_(comm.rank()) {
    detail::Call const context(exec, "riffle::mpi::PlannedPermutation");
    detail::mpi::RankCall<Exec> const call{function, context, comm};
    call.run_collectively([&] { call.check_device("p", p); });
    partitions_.emplace(detail::mpi::gather_partitions(comm, p.extent(0), out_rows));
    auto const& [input, output] = *partitions_;
    // These numbers are equal on all ranks, so all ranks throw without further communication.
    detail::check(input.n() == output.n(), function, "p has ", input.n(), " indices and out ",
                  output.n(), " rows, on all ranks: must be equal");
    plan_ = std::make_shared<Plan const>(detail::mpi::make_plan(call, input, output, p));
    if (comm.size() == 1) {
      call.run_collectively([&] { alone_.emplace(context, p); });
    }
    find_number(call, p);
  }

  template <detail::StoredIndicesFrom<Exec> Permutation>
  PlannedPermutation(Context<Exec> const& exec, Communicator const& comm, Permutation const& p)
      : PlannedPermutation(exec, comm, p, p.extent(0)) {}

  template <class Permutation, detail::LoseAFraction Rows>
  PlannedPermutation(Context<Exec> const& exec, Communicator const& comm, Permutation const& p,
                     Rows out_rows) = delete;

  /// Returns n, the number of rows of all ranks.
  std::uint64_t size() const { return partitions_->first.n(); }

  /// The number of rows of `in`, and of `out`, that this rank owns.
  std::uint64_t in_rows() const { return of_in().count(rank_); }
  std::uint64_t out_rows() const { return of_out().count(rank_); }

  /// The number of bytes of kernel-accessible memory that the plan holds.
  std::size_t bytes() const {
    std::size_t const of_slots = std::visit(
        [](auto const& ends) {
          return (ends.sources.slots.span() + ends.destinations.slots.span()) *
                 sizeof(typename decltype(ends.sources.slots)::value_type);
        },
        *plan_);
    return of_slots + (alone_ ? alone_->bytes() : 0);
  }

  /// Returns the plan of the inverse permutation, which moves row p(i) to row i. It shares the
  /// memory of this plan. Constant time, no communication.
  PlannedPermutation inverse() const {
    PlannedPermutation other = *this;
    other.is_inverse_ = !is_inverse_;
    if (alone_) other.alone_.emplace(alone_->inverse());
    return other;
  }

  /// Sets out(p(i)) = in(i) for 0 <= i < n.
  ///
  /// - exec: an execution space instance, or a Context of one. The workspace stores one
  ///   buffer for this rank's rows of `in` and the rows that it receives. All Views use the buffer
  ///   in turn, so the View with the longest rows determines its size. If the workspace is kept,
  ///   only the first call allocates memory.
  /// - comm: the ranks that made the plan, in the same order; the transport may differ. Collective.
  /// - in, out: this rank's rows: Views of rank 1, or of rank 2 with rows as elements, with
  ///   trivially copyable values and any layout; or packs of Views (riffle::pack(a, b)). out shares
  ///   no element with in, and the value type of out can represent every value of in.
  ///
  /// Throws on all ranks: std::invalid_argument if extents differ from the plan, Views overlap,
  /// ranks apply different plans, or the number of bytes in a row differs between ranks;
  /// std::runtime_error if a rank has too little memory. Nothing is written then. Blocking: waits
  /// for `exec`, because the host sends the rows that kernels have packed; the last kernels may
  /// still run when the call returns. Reproducible.
  ///
  /// Complexity on each of P ranks: one small reduction, and three steps:
  ///
  ///     pack     reads rows in their order and writes them to the send buffer, which is ordered by destination rank
  ///     send     sends one message for each View and each rank that receives rows
  ///     unpack   reads rows at random from the receive buffer and writes them in their order
  ///
  /// Packing and unpacking also read 4 (or 8) bytes of the plan per row. For example, for 8-byte
  /// values in random order, a GPU moves 20 bytes of memory to pack a row and 44 bytes to unpack
  /// it. With inverse(), packing writes at random, and unpacking reads in order. If all rows of a
  /// rank stay on the rank, the call is a gather or a scatter. With one rank, the call applies a
  /// riffle::PlannedPermutation instead if all Views have rank 1 and no value type differs between
  /// `in` and `out`.
  template <detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out>
  void operator()(Context<Exec> const& exec, Communicator const& comm, In const& in,
                  Out const& out) const {
    detail::Call const context(exec, "riffle::mpi::PlannedPermutation");
    detail::mpi::RankCall<Exec> const call{function, context, comm};
    std::visit([&](auto const& ends) { move(call, ends, in, out); }, *plan_);
  }

 private:
  using Plan = detail::mpi::CommunicationPlan<Exec>;
  using Partition = detail::mpi::Partition;
  static constexpr char const* function = "mpi::PlannedPermutation";

  Partition const& of_in() const { return is_inverse_ ? partitions_->second : partitions_->first; }
  Partition const& of_out() const { return is_inverse_ ? partitions_->first : partitions_->second; }

  /// Computes a number for the plan. Different plans very probably have different numbers.
  template <class Permutation>
  void find_number(detail::mpi::RankCall<Exec> const& call, Permutation const& p) {
    detail::mpi::Digest own;
    own.add(static_cast<std::uint64_t>(rank_));
    call.run_collectively([&] { own.add(detail::mpi::digest_of(call.context, p)); });
    std::vector<std::uint64_t> sum{own.value()};
    detail::mpi::sum_over_ranks(call.comm, sum);
    detail::mpi::Digest all;
    all.add(sum[0]);
    all.add(partitions_->first.bounds());
    all.add(partitions_->second.bounds());
    number_ = all.value();
  }

  template <class In, class Out>
  void check_own(detail::mpi::RankCall<Exec> const& call, In const& in, Out const& out) const {
    call.check_device("in", in);
    call.check_device("out", out);
    detail::check(call.comm.size() == of_in().ranks() && call.comm.rank() == rank_, function,
                  "comm has rank ", call.comm.rank(), " of ", call.comm.size(),
                  " here, and the plan was made by rank ", rank_, " of ", of_in().ranks());
    detail::mpi::check_rows_of_rank(function, in, out);
    detail::for_each_view(out, [&](auto const& target) {
      detail::check_rows_disjoint(function, "in", in, "out", target);
    });
    detail::check(detail::row_count(in) == in_rows(), function,
                  "in.extent(0) = ", detail::row_count(in), " and the plan takes ", in_rows(),
                  " rows of this rank: must be equal");
    detail::check(detail::row_count(out) == out_rows(), function,
                  "out.extent(0) = ", detail::row_count(out), " and the plan brings ", out_rows(),
                  " rows to this rank: must be equal");
  }

  template <class Ends, class In, class Out>
  void move(detail::mpi::RankCall<Exec> const& call, Ends const& ends, In const& in,
            Out const& out) const {
    using Moves = detail::mpi::RowMoves<Exec, typename Ends::Index>;
    detail::Scope scope(call.context);
    constexpr bool moves_values =
        detail::ValuesFrom<In, Exec> && detail::HaveSameTypes<In, Out>::value;
    bool const is_alone = moves_values && alone_;
    std::optional<Moves> moves;
    auto const prepare = [&] {
      check_own(call, in, out);
      if (is_alone) return;
      auto const direction =
          is_inverse_ ? detail::mpi::Direction::inverse : detail::mpi::Direction::forward;
      moves.emplace(call.comm, scope, ends, direction, out, *stages_);
    };
    detail::mpi::run_collectively(call.comm, function, prepare,
                                  {{"the bytes of a row", detail::mpi::row_bytes_of(out)},
                                   {"the plan's number", number_},
                                   {"whether it is the inverse", is_inverse_}});
    if constexpr (moves_values) {
      if (is_alone) {
        call.run_collectively([&] { (*alone_)(call.context, in, out); });
        return;
      }
    }
    moves->run(call.context, in, out);
  }

  int rank_;
  /// The distributions, over the ranks, of the rows of `in` and `out` for which the plan was made.
  std::optional<std::pair<Partition, Partition>> partitions_;
  std::shared_ptr<Plan const> plan_;
  /// The plan for one device, if there is only one rank.
  std::optional<riffle::PlannedPermutation<Exec>> alone_;
  /// Staging buffers, which all copies of the plan share. They can be shared because a call does
  /// not use them after it returns, and one thread makes all calls.
  std::shared_ptr<detail::mpi::Stages> stages_ = std::make_shared<detail::mpi::Stages>();
  std::uint64_t number_ = 0;
  bool is_inverse_ = false;
};

template <detail::InstanceOrContext On, class Permutation>
PlannedPermutation(On const&, Communicator const&, Permutation const&)
    -> PlannedPermutation<detail::SpaceOf<On>>;
template <detail::InstanceOrContext On, class Permutation>
PlannedPermutation(On const&, Communicator const&, Permutation const&, std::uint64_t)
    -> PlannedPermutation<detail::SpaceOf<On>>;

}  // namespace riffle::mpi
