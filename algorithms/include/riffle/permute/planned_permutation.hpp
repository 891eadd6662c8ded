#pragma once

// A permutation known beforehand, carried out in the fastest of three ways: destination-designated, source-designated,
// or scheduled, which
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010
// compare in sec. 8.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/method_times.hpp>
#include <riffle/permute/permutation_algebra.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/view_pack.hpp>

namespace riffle {

/// scatter: out(p(i)) = in(i). gather: out(i) = in(q(i)) with the inverse q. schedule: a ScheduledPermutation.
enum class PermutationMethod { scatter, gather, schedule };

/// What a permutation is planned for.
struct PermutationUse {
  /// The size of an element, at least 1.
  std::size_t bytes = 8;
  /// About how often the plan will be applied, at least 0: a schedule must earn what building it costs.
  double calls = 100;
};

namespace detail::planning {

inline void check_use(char const* function, PermutationUse const& use) {
  check(use.bytes > 0 && use.bytes < std::size_t{1} << 63, function,
        "use.bytes = ", static_cast<std::int64_t>(use.bytes), ": must be at least 1");
  check(is_finite(use.calls) && use.calls >= 0, function, "use.calls = ", use.calls,
        ": must be a finite number, at least 0");
}

}  // namespace detail::planning

/// Takes element i of an array to place p(i), for any permutation p of 0, ..., n - 1, in the way that is found to be the
/// fastest on the back end at hand. All ways give the same result.
///
/// Up to n = 2^16 elements are gathered. Of more, each way is timed along p when the plan is made, by words of 4, 8 or 16
/// bytes: what it takes depends on the caches, on how p uses their lines again, and on who else uses them, so that two plans
/// of one p may differ in their method. Permutations that need no indices are faster by other headers
/// (riffle/permute/transpose.hpp, riffle/permute/bit_permutation.hpp).
///
/// A value: copies, and inverse(), share its memory, which nothing changes once it is built. It holds 4 bytes an
/// element (8 where n > 2^32), or what a ScheduledPermutation does. Made by one execution space, it can be applied by
/// all its instances on the same device.
template <class Exec = Kokkos::DefaultExecutionSpace>
class PlannedPermutation {
 public:
  using execution_space = Exec;

  /// - exec: an execution space instance, or a Context of one, whose workspace is for temporaries computed from p.
  /// - p: a rank-1 View of the destinations, of any integer type.
  ///
  /// Throws std::invalid_argument where p is no permutation, with the first index that is out of range or repeats an
  /// earlier one, or where use.bytes is 0 or use.calls is negative or not finite. Fences. Checks p and inverts
  /// it. Where n > 2^16, it carries out six gathers and six scatters (two and two where no cache holds the arrays), and builds
  /// and applies a schedule that may earn its cost; the workspace holds two arrays of n words for this.
  template <detail::StoredIndicesFrom<Exec> Permutation>
  PlannedPermutation(Context<Exec> const& exec, Permutation const& p,
                     PermutationUse const& use = {})
      : size_(p.extent(0)) {
    detail::Call const context(exec, "riffle::PlannedPermutation");
    detail::planning::check_use("PlannedPermutation", use);
    detail::check_permutation("PlannedPermutation", "p", context, p);
    if (size_ == 0) return;
    if (size_ <= std::uint64_t{1} << 32) {
      narrow_ = choose<std::uint32_t>(context, p, use);
    } else {
      wide_ = choose<std::uint64_t>(context, p, use);
    }
    context.exec().fence(context.label());
  }

  /// The number of elements, n.
  std::uint64_t size() const { return size_; }

  /// The way that was chosen.
  PermutationMethod method() const { return method_; }

  /// The bytes of memory that the plan holds.
  std::size_t bytes() const {
    return (schedule_ ? schedule_->bytes() : 0) + narrow_.span() * sizeof(std::uint32_t) +
           wide_.span() * sizeof(std::uint64_t);
  }

  /// The plan that takes element p(i) to place i, by the same indices or the same schedule: what scatters one way
  /// gathers the other. Costs nothing; nothing is chosen anew.
  PlannedPermutation inverse() const {
    PlannedPermutation other = *this;
    if (schedule_) other.schedule_ = schedule_->inverse();
    if (method_ == PermutationMethod::scatter) other.method_ = PermutationMethod::gather;
    if (method_ == PermutationMethod::gather) other.method_ = PermutationMethod::scatter;
    return other;
  }

  /// out(p(i)) = in(i) for all i.
  ///
  /// - exec: an execution space instance, or a Context of one, of whose workspace a schedule takes room
  ///   (riffle/permute/scheduled_permutation.hpp).
  /// - in, out: Views of rank 1, or of rank 2 whose rows move as one, of n elements or rows of one type, of any layouts;
  ///   or packs of Views (riffle::pack(a, b)). out shares no element with in.
  ///
  /// Throws std::invalid_argument where extents are not n or Views overlap; nothing is written then. Enqueued on
  /// `exec`, does not fence. Costs what scatter(), gather() or the schedule does. Reproducible.
  template <detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out>
  void operator()(Context<Exec> const& exec, In const& in, Out const& out) const {
    detail::Call const context(exec, "riffle::PlannedPermutation");
    constexpr char const* function = "PlannedPermutation";
    static_assert(detail::HaveSameTypes<In, Out>::value, "riffle: in and out have one value type");
    std::uint64_t const n = detail::check_row_sets(function, in, out);
    detail::check(n == size_, function, "in.extent(0) = ", n, " and the plan is of ", size_,
                  " elements: must be equal");
    if (n == 0) return;
    if (method_ == PermutationMethod::schedule) {
      (*schedule_)(context, in, out);
    } else if (narrow_.extent(0) == n) {
      move_along(context, narrow_, in, out);
    } else {
      move_along(context, wide_, in, out);
    }
  }

 private:
  template <class Index>
  using Indices = Kokkos::View<Index*, typename Exec::memory_space>;

  /// Sets the method and, where it is the schedule, builds that; returns the indices that the method needs.
  template <class Index, class Permutation>
  Indices<Index> choose(Context<Exec> const& context, Permutation const& p,
                        PermutationUse const& use) {
    Indices<Index> const indices(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                                    context.label() + "::indices"),
                                 size_);
    context.named("inverse").for_each(
        size_, detail::WriteInverse<Permutation, Indices<Index>>{p, indices});
    method_ = PermutationMethod::gather;
    if (size_ > detail::planning::max_gathered) measure(context, p, indices, use);
    if (method_ == PermutationMethod::gather) return indices;
    if (method_ == PermutationMethod::schedule) return {};
    detail::write_images(context.named("copy"), detail::StoredIndices<Permutation>{p}, indices);
    return indices;
  }

  /// Sets the method by the times that each takes. A schedule is built where it may earn what that costs: it
  /// takes at least as long as two copies.
  template <class Permutation, class Inverse>
  void measure(Context<Exec> const& context, Permutation const& p, Inverse const& inverse,
               PermutationUse const& use) {
    namespace planning = detail::planning;
    planning::with_word_of_size(use.bytes, [&]<class Word>(Word) {
      Context<Exec> const part = context.named("measure");
      detail::Scope<Exec> scope(part);
      planning::Stopwatch<Exec, Word> const watch(part, scope, size_);
      planning::MethodTimes times;
      for (int round = 0; round < planning::timing_rounds; ++round) {
        watch.measure(
            [&](auto const& in, auto const& out) { gather_along(part, inverse, in, out); },
            times.gather);
        watch.measure(
            [&](auto const& in, auto const& out) { detail::scatter_rows(part, in, p, out); },
            times.scatter);
      }
      double copy = std::numeric_limits<double>::infinity();
      watch.measure(
          [&](auto const& in, auto const& out) { Kokkos::deep_copy(part.exec(), out, in); }, copy);
      // Words have at most 16 bytes.
      double const wide = std::max(1.0, static_cast<double>(use.bytes) / sizeof(Word));
      times.schedule = planning::min_schedule_copies * wide * copy;
      if (planning::assumed_times != nullptr) times = *planning::assumed_times;
      method_ =
          times.gather <= times.scatter ? PermutationMethod::gather : PermutationMethod::scatter;

      double const least = std::min(times.gather, times.scatter);
      double const plan_time = planning::plan_time(context.exec(), size_);
      if (use.calls * (least - times.schedule) <= plan_time) return;
      ScheduledPermutation<Exec> const schedule(detail::Checked{}, part.named("schedule"), p);
      if (planning::assumed_times == nullptr) {
        double seconds = std::numeric_limits<double>::infinity();
        for (int round = 0; round < planning::timing_rounds; ++round) {
          watch.measure([&](auto const& in, auto const& out) { schedule(part, in, out); }, seconds);
        }
        times.schedule = wide * seconds;
      }
      if (use.calls * (least - planning::schedule_margin * times.schedule) <= plan_time) return;
      method_ = PermutationMethod::schedule;
      schedule_ = schedule;
    });
  }

  template <class Stored, class In, class Out>
  void gather_along(Context<Exec> const& context, Stored const& sources, In const& in,
                    Out const& out) const {
    detail::gather_rows(context, size_, detail::StoredIndices<Stored>{sources}, in, out);
  }

  template <class Stored, class In, class Out>
  void move_along(Context<Exec> const& context, Stored const& indices, In const& in,
                  Out const& out) const {
    if (method_ == PermutationMethod::scatter) {
      detail::scatter_rows(context, in, indices, out);
    } else {
      gather_along(context, indices, in, out);
    }
  }

  std::uint64_t size_ = 0;
  PermutationMethod method_ = PermutationMethod::scatter;
  Indices<std::uint32_t> narrow_;
  Indices<std::uint64_t> wide_;
  std::optional<ScheduledPermutation<Exec>> schedule_;
};

template <detail::InstanceOrContext On, class Permutation>
PlannedPermutation(On const&, Permutation const&) -> PlannedPermutation<detail::SpaceOf<On>>;
template <detail::InstanceOrContext On, class Permutation>
PlannedPermutation(On const&, Permutation const&, PermutationUse const&)
    -> PlannedPermutation<detail::SpaceOf<On>>;

}  // namespace riffle
