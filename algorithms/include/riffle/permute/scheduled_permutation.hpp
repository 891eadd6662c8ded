#pragma once

// Permutations known beforehand, carried out many times: planned once, then applied in passes that read and write
// contiguous memory, whatever the permutation. The task, and the finding that a schedule beats scattered accesses, are
// from
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010.
// The paper's own schedule (sec. 7) is riffle/published/offline_permutation/coloured_permutation.hpp: rows, columns and rows again, for which
// the edges of a graph are coloured so that each pass stays within rows of fixed length. The schedule here distributes
// as a radix sort does, by digits of the destination. Its runs are as long as they come, which a bit for each element
// tells, and so it needs neither colours nor transposes.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/schedule/build_schedule.hpp>
#include <riffle/permute/detail/schedule/move_by_schedule.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/view_pack.hpp>

namespace riffle {

namespace detail {

template <class View, class Exec>
concept ValueViewFrom = AccessibleFrom<View, Exec> && has_rank<View, 1>;

template <class T, class Exec>
inline constexpr bool are_values = ValueViewFrom<T, Exec>;
template <class... Views, class Exec>
inline constexpr bool are_values<ViewPack<Views...>, Exec> = (ValueViewFrom<Views, Exec> && ...);

/// A View of rank 1, or a pack of such.
template <class T, class Exec>
concept ValuesFrom = are_values<T, Exec>;

}  // namespace detail

namespace detail {
/// Marks a permutation as checked.
struct Checked {};
}  // namespace detail

/// A plan that takes element i of an array to place p(i), for any permutation p of 0, ..., n - 1.
///
/// A plan is a value: copies, and inverse(), share its memory, which nothing changes once it is built. Per element it
/// holds 2 bytes for each pass and a quarter to three quarters of a byte for each but the last: 2 passes up to n = 2^22
/// on a GPU (2^28 on a CPU), 3 up to 2^31 (2^40), 4 beyond; one where n <= 2^13 (2^16). Made by one execution space, it
/// can be applied by all its instances on the same device.
template <class Exec = Kokkos::DefaultExecutionSpace>
class ScheduledPermutation {
 public:
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;

  /// - exec: an execution space instance, or a Context of one, whose workspace is for the check of p, for destinations
  ///   and for counts.
  /// - p: a rank-1 View of the destinations, of any integer type.
  ///
  /// Throws std::invalid_argument where p is no permutation, with the first index that is out of range or repeats an
  /// earlier one. Fences. Each level reads destinations twice and moves them once; beside the plan this takes 8 bytes
  /// an element (16 where n > 2^32) and at most one for counts.
  template <detail::StoredIndicesFrom<Exec> Permutation>
  ScheduledPermutation(Context<Exec> const& exec, Permutation const& p) : size_(p.extent(0)) {
    detail::Call const context(exec, "riffle::ScheduledPermutation");
    detail::check_permutation("ScheduledPermutation", "p", context, p);
    build(context, p);
  }

  /// The same of a p that has been checked.
  template <detail::StoredIndicesFrom<Exec> Permutation>
  ScheduledPermutation(detail::Checked, Context<Exec> const& exec, Permutation const& p)
      : size_(p.extent(0)) {
    build(exec, p);
  }

  /// The number of elements, n.
  std::uint64_t size() const { return size_; }

  /// The bytes of memory that the plan holds.
  std::size_t bytes() const { return plan_ == nullptr ? 0 : plan_->bytes(); }

  /// How often the elements are read and written.
  int passes() const { return plan_ == nullptr ? 0 : static_cast<int>(plan_->passes.size()); }

  /// The plan that takes element p(i) to place i. Costs nothing.
  ScheduledPermutation inverse() const {
    ScheduledPermutation other = *this;
    other.is_forward_ = !is_forward_;
    return other;
  }

  /// out(p(i)) = in(i) for all i.
  ///
  /// - exec: an execution space instance, or a Context of one, of whose workspace the call takes room for the largest
  ///   array, where there is more than one pass.
  /// - in, out: Views of rank 1, or of rank 2 whose rows move as one, of n elements or rows of one type, of any layouts;
  ///   or packs of Views (riffle::pack(a, b)). out shares no element with in.
  ///
  /// Throws std::invalid_argument where extents are not n or Views overlap; nothing is written then. Enqueued on
  /// `exec`, does not fence. Each pass reads and writes every element once, in runs, and reads 2 bytes of the plan; on
  /// a GPU elements of more than 32 bytes are moved once, to where reads of the plan say. Rows, packs that have some, and
  /// values that are not trivially copyable are gathered, along the plan's indices in the workspace: 4 bytes a row (8
  /// where n > 2^32). Reproducible.
  template <detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out>
  void operator()(Context<Exec> const& exec, In const& in, Out const& out) const {
    detail::Call const context(exec, "riffle::ScheduledPermutation");
    constexpr char const* function = "ScheduledPermutation";
    static_assert(detail::HaveSameTypes<In, Out>::value, "riffle: in and out have one value type");
    std::uint64_t const n = detail::check_row_sets(function, in, out);
    detail::check(n == size_, function, "in.extent(0) = ", n, " and the plan is of ", size_,
                  " elements: must be equal");
    if (n == 0) return;
    if constexpr (detail::ValuesFrom<In, Exec> && detail::AreTriviallyCopyable<In>::value) {
      Mover(context, *plan_, is_forward_).move(in, out);
    } else {
      gather(context, in, out);
    }
  }

  /// out(i) = p(i), the place that this plan takes element i to.
  ///
  /// Throws std::invalid_argument where the extent is not n, or the value type holds no index of n. Enqueued on `exec`,
  /// does not fence. Costs what moving an array of indices the other way does.
  template <detail::WritableArrayFrom<Exec> Destinations>
  void destinations(Context<Exec> const& exec, Destinations const& out) const;

 private:
  using Plan = detail::schedule::Plan<memory_space>;
  using Mover = detail::schedule::Mover<Exec>;

  template <class Permutation>
  void build(Context<Exec> const& context, Permutation const& p) {
    if (size_ == 0) return;
    detail::schedule::Builder<Exec> const builder(context);
    plan_ = std::make_shared<Plan const>(builder.build(p));
    // Temporaries are freed here, and other instances might be given their memory.
    context.exec().fence(context.label());
  }

  /// Row i of out is the row of in that the plan takes there.
  template <class In, class Out>
  void gather(Context<Exec> const& context, In const& in, Out const& out) const {
    detail::with_index_type(size_, [&]<class Index>(Index) {
      using Indices = Kokkos::View<Index*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      detail::Scope scope(context);
      Indices const sources(scope.template take<Index>(size_), size_);
      inverse().destinations(context.named("sources"), sources);
      detail::gather_rows(context.named("gather"), size_,
                          detail::StoredPermutation<Indices>{sources}, in, out);
    });
  }

  std::uint64_t size_ = 0;
  std::shared_ptr<Plan const> plan_;
  bool is_forward_ = true;
};

template <detail::InstanceOrContext On, class Permutation>
ScheduledPermutation(On const&, Permutation const&) -> ScheduledPermutation<detail::SpaceOf<On>>;

template <class Exec>
template <detail::WritableArrayFrom<Exec> Destinations>
void ScheduledPermutation<Exec>::destinations(Context<Exec> const& exec,
                                              Destinations const& out) const {
  detail::Call const context(exec, "riffle::ScheduledPermutation::destinations");
  constexpr char const* function = "ScheduledPermutation::destinations";
  detail::check(out.extent(0) == size_, function, "out.extent(0) = ", out.extent(0),
                " and the plan is of ", size_, " elements: must be equal");
  detail::check_can_index(function, "out", out, size_);
  if (size_ == 0) return;
  // The plan moves places the other way: the place that comes to i is p(i).
  Mover const mover(context, *plan_, !is_forward_);
  mover.move_from(detail::schedule::IdentitySource<typename Destinations::value_type>{}, out);
}

}  // namespace riffle
