#pragma once

// Plans for permutations that are applied many times. A plan is built once. It then moves arrays in a few passes; for
// any permutation, each pass reads and writes contiguous runs of memory. The problem, and the result that a schedule
// can be faster than scattered accesses, are from
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010.
// The schedule of the paper (sec. 7) is in riffle/published/offline_permutation/coloured_permutation.hpp. It permutes
// within rows, then within columns, then within rows again; an edge colouring makes this possible. The schedule here
// distributes elements by digits of their destinations, as a radix sort does. Because this gives runs of any length,
// the plan stores one bit per element, which says whether a run begins there. An edge colouring and transpositions are
// not needed.

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

/// A View of rank 1, or a pack of Views of rank 1.
template <class T, class Exec>
concept ValuesFrom = are_values<T, Exec>;

}  // namespace detail

namespace detail {
/// Tag: the permutation has already been checked.
struct Checked {};
}  // namespace detail

/// A plan that moves element i of an array to index p(i), for any permutation p of 0, ..., n - 1.
///
/// A plan is immutable. Its copies and its inverse() share its memory. Each pass takes 2 bytes per element; each pass
/// except the last takes an additional 1/4 to 3/4 of a byte per element. All instances of the execution space on the
/// same device can apply the plan.
///
/// | passes | n on a GPU | n on a CPU |
/// | --- | --- | --- |
/// | 1 | <= 2^13 | <= 2^16 |
/// | 2 | <= 2^22 | <= 2^28 |
/// | 3 | <= 2^31 | <= 2^40 |
/// | 4 | larger | larger |
template <class Exec = Kokkos::DefaultExecutionSpace>
class ScheduledPermutation {
 public:
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;

  /// - exec: an execution space instance, or a Context of one. Temporary memory is taken from the workspace of the
  ///   Context.
  /// - p: a rank-1 View of the destinations, of any integer type. It is checked.
  ///
  /// Throws std::invalid_argument if p is not a permutation; the message contains the first index that is out of range
  /// or repeats an earlier one. Blocking: fences. Complexity: each pass except the last reads the destinations twice
  /// and moves them once. Memory in addition to the plan: 8 bytes per element (16 if n > 2^32), and at most one more
  /// byte per element for counts.
  template <detail::StoredIndicesFrom<Exec> Permutation>
  ScheduledPermutation(Context<Exec> const& exec, Permutation const& p) : size_(p.extent(0)) {
    detail::Call const context(exec, "riffle::ScheduledPermutation");
    detail::check_permutation("ScheduledPermutation", "p", context, p);
    build(context, p);
  }

  /// Builds the plan of p. Requires: p has been checked.
  template <detail::StoredIndicesFrom<Exec> Permutation>
  ScheduledPermutation(detail::Checked, Context<Exec> const& exec, Permutation const& p)
      : size_(p.extent(0)) {
    build(exec, p);
  }

  /// The number of elements, n.
  std::uint64_t size() const { return size_; }

  /// The bytes of memory that the plan holds.
  std::size_t bytes() const { return plan_ == nullptr ? 0 : plan_->bytes(); }

  /// The number of passes, each of which reads and writes all elements once per call.
  int passes() const { return plan_ == nullptr ? 0 : static_cast<int>(plan_->passes.size()); }

  /// Returns the plan of the inverse permutation, which moves element p(i) to index i. Constant time.
  ScheduledPermutation inverse() const {
    ScheduledPermutation other = *this;
    other.is_forward_ = !is_forward_;
    return other;
  }

  /// Sets out(p(i)) = in(i) for 0 <= i < n.
  ///
  /// - exec: an execution space instance, or a Context of one. Temporary memory is taken from the workspace of the
  ///   Context.
  /// - in, out: rank-1 Views of n elements; or rank-2 Views of n rows, which are moved as a whole; or packs of such
  ///   Views (riffle::pack(a, b)). They may have any layouts. The value types of in and out are the same. out shares no
  ///   element with in.
  ///
  /// Throws std::invalid_argument if an extent is not n or Views overlap; nothing is written then. Blocking: does not
  /// fence; enqueued on `exec`. Reproducible. Complexity and memory:
  ///
  /// - Values of rank-1 Views that are trivially copyable: each pass reads and writes every element once, in contiguous
  ///   runs, and reads 2 bytes of the plan per element. If there are several passes, memory for a copy of the largest
  ///   array is taken from the workspace.
  /// - Such values with more than 32 bytes, on a GPU: reads each element once, and writes it directly to its
  ///   destination, which is computed from the plan. No memory.
  /// - Rows, packs with rows, and other types: one gather. Its indices are stored in the workspace: 4 bytes per row (8
  ///   if n > 2^32).
  template <detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out>
  void operator()(Context<Exec> const& exec, In const& in, Out const& out) const {
    detail::Call const context(exec, "riffle::ScheduledPermutation");
    constexpr char const* function = "ScheduledPermutation";
    static_assert(detail::HaveSameTypes<In, Out>::value, "riffle: in and out have one value type");
    std::uint64_t const n = detail::check_row_sets(function, in, out);
    detail::check(n == size_, function, "in.extent(0) = ", n, " and the plan is of ", size_,
                  " elements: must be equal");
    if (n == 0) return;
    if constexpr (detail::ValuesFrom<In, Exec> && detail::are_trivially_copyable<In>) {
      Mover(context, *plan_, is_forward_).move(in, out);
    } else {
      gather(context, in, out);
    }
  }

  /// Sets out(i) = p(i), the index to which this plan moves element i.
  ///
  /// Throws std::invalid_argument if the extent is not n, or if the value type cannot represent n - 1. Blocking: does
  /// not fence; enqueued on `exec`. Complexity: applies the inverse plan to an array of indices.
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
    // When the scope ends, the temporary memory is freed. Without the fence, another instance could receive it too
    // early.
    context.exec().fence(context.label());
  }

  /// Gathers rows. The indices of the gather are computed from the plan and written to the workspace.
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
  // The inverse plan moves the array 0, 1, ..., n - 1: out(i) becomes p(i).
  Mover const mover(context, *plan_, !is_forward_);
  mover.move_from(detail::schedule::IdentitySource<typename Destinations::value_type>{}, out);
}

}  // namespace riffle
