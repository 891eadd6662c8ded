#pragma once

// A permutation of the rows of all ranks, planned once and carried out many times.

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
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/digest.hpp>
#include <riffle/mpi/detail/exchange.hpp>
#include <riffle/mpi/detail/make_plan.hpp>
#include <riffle/mpi/detail/move_rows.hpp>
#include <riffle/mpi/detail/over_ranks.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/rows_of_rank.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::mpi {

/// Takes row i of all ranks to place p(i), for any permutation p of 0, ..., n - 1, where all ranks' rows follow each other
/// in the order of the ranks: the same bits as by riffle::PlannedPermutation on one device, for any number of ranks.
///
/// Who sends what to whom is found out once. Each call then sends each row once at most, and no index. A value: copies, and
/// inverse(), share its memory. It holds 4 bytes for each of this rank's rows of `in` and of `out` (8 where either are more
/// than 2^32); of one rank, a riffle::PlannedPermutation besides; and, once it has been applied by transfers
/// through host memory, that memory. Made by one execution space, it can be applied by all its instances on the same device.
template <class Exec = Kokkos::DefaultExecutionSpace>
class PlannedPermutation {
 public:
  using execution_space = Exec;

  /// - exec: an execution space instance, or a Context of one, whose workspace is for temporaries.
  /// - comm: the ranks. Collective.
  /// - p: the destinations of this rank's rows, as a rank-1 View of any integer type. Each rank may own any number of
  ///   them, none included; n is the sum.
  /// - out_rows: how many rows of `out` this rank owns, as many as of `in` if it is not given.
  ///
  /// Throws std::invalid_argument on all ranks where p is no permutation: with the first index that is out of range, or
  /// the first value that repeats an earlier one, of the lowest rank that finds such; where the sums of rows differ;
  /// std::runtime_error where a rank has too little memory. Nothing is kept then. Fences.
  ///
  /// Cost on each of P ranks: its indices are checked, partitioned by their owners, and sent there, as 4 bytes a row (8
  /// where a rank owns more than 2^32 rows of `out`) in P - 1 messages, where they are checked again.
  /// It takes memory for some 20 bytes a row.
  template <detail::StoredIndicesFrom<Exec> Permutation>
  PlannedPermutation(Context<Exec> const& exec, Communicator const& comm, Permutation const& p,
                     std::uint64_t out_rows)
      : rank_(comm.rank()) {
    detail::Call const context(exec, "riffle::mpi::PlannedPermutation");
    detail::mpi::RankCall<Exec> const call{function, context, comm};
    call.agree([&] { call.check_device("p", p); });
    partitions_.emplace(detail::mpi::gather_partitions(comm, p.extent(0), out_rows));
    auto const& [input, output] = *partitions_;
    // What all ranks know, they need not agree on.
    detail::check(input.n() == output.n(), function, "p has ", input.n(), " indices and out ",
                  output.n(), " rows, on all ranks: must be equal");
    plan_ = std::make_shared<Plan const>(detail::mpi::make_plan(call, input, output, p));
    if (comm.size() == 1) {
      call.agree([&] { alone_.emplace(context, p); });
    }
    find_number(call, p);
  }

  template <detail::StoredIndicesFrom<Exec> Permutation>
  PlannedPermutation(Context<Exec> const& exec, Communicator const& comm, Permutation const& p)
      : PlannedPermutation(exec, comm, p, p.extent(0)) {}

  template <class Permutation, detail::LoseAFraction Rows>
  PlannedPermutation(Context<Exec> const& exec, Communicator const& comm, Permutation const& p,
                     Rows out_rows) = delete;

  /// The number of rows of all ranks, n.
  std::uint64_t size() const { return partitions_->first.n(); }

  /// The numbers of rows that this rank owns of `in` and of `out`.
  std::uint64_t in_rows() const { return of_in().count(rank_); }
  std::uint64_t out_rows() const { return of_out().count(rank_); }

  /// The bytes of memory that the plan holds where kernels read it.
  std::size_t bytes() const {
    std::size_t const of_slots = std::visit(
        [](auto const& ends) {
          return (ends.sources.slots.span() + ends.destinations.slots.span()) *
                 sizeof(typename decltype(ends.sources.slots)::value_type);
        },
        *plan_);
    return of_slots + (alone_ ? alone_->bytes() : 0);
  }

  /// The plan that takes row p(i) to place i, by the same memory. Costs nothing, and sends nothing.
  PlannedPermutation inverse() const {
    PlannedPermutation other = *this;
    other.is_inverse_ = !is_inverse_;
    if (alone_) other.alone_.emplace(alone_->inverse());
    return other;
  }

  /// out(p(i)) = in(i) for all i < n.
  ///
  /// - exec: an execution space instance, or a Context of one, of whose workspace the call takes room for this rank's
  ///   rows of `in` and those that it receives, of the widest View. With a workspace that is kept, no call but the first allocates.
  /// - comm: the ranks that have made the plan, in the same order; perhaps by another transport. Collective.
  /// - in, out: this rank's rows: Views of rank 1, or of rank 2 whose rows move as one, of trivially copyable values and
  ///   any layouts; or packs of Views (riffle::pack(a, b)). out shares no element with in, and holds every value of in's.
  ///
  /// Throws std::invalid_argument on all ranks where extents are not the plan's, Views overlap, ranks apply different
  /// plans, or bytes of a row differ between ranks; std::runtime_error where a rank has too little memory; nothing is
  /// written then. Waits for `exec`, since the host sends what kernels have packed; what it enqueues last may still run
  /// when it returns. Reproducible.
  ///
  /// Cost on each of P ranks, beside one small reduction: rows are read one after the other and written to where they are
  /// sent from; those for other ranks are sent, in one message a View to each rank that gets some; and rows are read
  /// wherever they are, and written one after the other. Both passes read 4 bytes (or 8) a row of the plan: of 8-byte
  /// values in random order a GPU moves 20 bytes a row to pack, and 44 to unpack. Of the inverse it is the packing that
  /// writes wherever p says. Where all of a rank's rows stay, it is a gather or a scatter. Of one rank it costs what
  /// riffle::PlannedPermutation does, or that where Views are of rank 2 or convert values.
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

  /// A number by which ranks that apply different plans are told apart.
  template <class Permutation>
  void find_number(detail::mpi::RankCall<Exec> const& call, Permutation const& p) {
    detail::mpi::Digest own;
    own.add(static_cast<std::uint64_t>(rank_));
    call.agree([&] { own.add(detail::mpi::digest_of(call.context, p)); });
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
        detail::ValuesFrom<In, Exec> && detail::HaveOneType<In, Out>::value;
    bool const is_alone = moves_values && alone_;
    std::optional<Moves> moves;
    auto const prepare = [&] {
      check_own(call, in, out);
      if (is_alone) return;
      auto const direction =
          is_inverse_ ? detail::mpi::Direction::inverse : detail::mpi::Direction::forward;
      moves.emplace(call.comm, scope, ends, direction, out, *stages_);
    };
    detail::mpi::agree(call.comm, function, prepare,
                       {{"the bytes of a row", detail::mpi::row_bytes_of(out)},
                        {"the plan's number", number_},
                        {"whether it is the inverse", is_inverse_}});
    if constexpr (moves_values) {
      if (is_alone) {
        call.agree([&] { (*alone_)(call.context, in, out); });
        return;
      }
    }
    moves->run(call.context, in, out);
  }

  int rank_;
  /// Of the rows of `in` and of `out`, as the plan was made.
  std::optional<std::pair<Partition, Partition>> partitions_;
  std::shared_ptr<Plan const> plan_;
  /// One rank's.
  std::optional<riffle::PlannedPermutation<Exec>> alone_;
  /// Shared by all copies: a call is done with it when it returns, and all calls are made by one thread.
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
