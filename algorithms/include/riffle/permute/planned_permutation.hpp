#pragma once

// Plans that apply a permutation by the fastest of three methods: a scatter (destination-designated), a gather
// (source-designated), or a schedule. The paper compares the three in sec. 8.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010.

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

/// The method of a plan. scatter: out(p(i)) = in(i). gather: out(i) = in(q(i)) with the inverse q. schedule: a
/// ScheduledPermutation.
enum class PermutationMethod { scatter, gather, schedule };

/// The expected use of a plan, for which the fastest method is chosen.
struct PermutationUse {
  /// The size of an element in bytes, at least 1.
  std::size_t bytes = 8;
  /// The expected number of calls, at least 0. A schedule is chosen only if building it takes less time than it saves
  /// in these calls.
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

/// A plan that moves element i of an array to index p(i), for any permutation p of 0, ..., n - 1. It uses the method
/// that is measured to be the fastest for p. All methods give the same result.
///
/// If n <= 2^16, elements are gathered. Otherwise the constructor measures each method with p and with words of 4, 8 or
/// 16 bytes. The times depend on the caches, on how often p accesses the same cache line again, and on the load of the
/// machine. Therefore two plans for the same p may use different methods. If p is given by a formula, the functions of
/// riffle/permute/transpose.hpp and riffle/permute/bit_permutation.hpp are faster, and need no indices.
///
/// A plan is immutable. Its copies and its inverse() share its memory: 4 bytes for each element (8 if n > 2^32), or the
/// memory of the ScheduledPermutation. All instances of the execution space on the same device can apply the plan.
template <class Exec = Kokkos::DefaultExecutionSpace>
class PlannedPermutation {
 public:
  using execution_space = Exec;

  /// - exec: an execution space instance, or a Context of one. Temporary memory is taken from the workspace of the
  ///   Context.
  /// - p: a rank-1 View of the destinations, of any integer type. It is checked.
  ///
  /// Throws std::invalid_argument if p is not a permutation (the message contains the first index that is out of range
  /// or repeats an earlier one), if use.bytes is 0, or if use.calls is negative or not finite. Blocking: fences.
  ///
  /// Complexity: one check and one inversion of p. If n > 2^16, the constructor also times the methods: six gathers,
  /// six scatters and three copies (only two, two and one if the arrays are too large for the caches). It builds and
  /// times a schedule only if a schedule could be worth its cost. Memory: the temporary memory for the check and for
  /// building the schedule, and two arrays of n words for the timings.
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

  /// The method that was chosen.
  PermutationMethod method() const { return method_; }

  /// The bytes of memory that the plan holds.
  std::size_t bytes() const {
    return (schedule_ ? schedule_->bytes() : 0) + narrow_.span() * sizeof(std::uint32_t) +
           wide_.span() * sizeof(std::uint64_t);
  }

  /// Returns the plan of the inverse permutation, which moves element p(i) to index i. It shares the indices or the
  /// schedule; a scatter becomes a gather and vice versa. Constant time; nothing is measured.
  PlannedPermutation inverse() const {
    PlannedPermutation other = *this;
    if (schedule_) other.schedule_ = schedule_->inverse();
    if (method_ == PermutationMethod::scatter) other.method_ = PermutationMethod::gather;
    if (method_ == PermutationMethod::gather) other.method_ = PermutationMethod::scatter;
    return other;
  }

  /// Sets out(p(i)) = in(i) for 0 <= i < n.
  ///
  /// - exec: an execution space instance, or a Context of one. A schedule takes temporary memory from the workspace of
  ///   the Context (riffle/permute/scheduled_permutation.hpp).
  /// - in, out: rank-1 Views of n elements; or rank-2 Views of n rows, which are moved as a whole; or packs of such
  ///   Views (riffle::pack(a, b)). They may have any layouts. The value types of in and out are the same. out shares no
  ///   element with in.
  ///
  /// Throws std::invalid_argument if an extent is not n or Views overlap; nothing is written then. Blocking: does not
  /// fence; enqueued on `exec`. Complexity and memory: as for scatter(), gather() or the schedule. Reproducible.
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

  /// Chooses the method, and builds the schedule if the method is a schedule. Returns the indices that the method
  /// needs.
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

  /// Times the methods and chooses the fastest. A schedule takes at least as long as two copies. Therefore it is built
  /// only if the time that it could save in use.calls calls exceeds the time to build it.
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
      // Elements of more than 16 bytes are measured as words of 16 bytes.
      double const wide = std::max(1.0, static_cast<double>(use.bytes) / sizeof(Word));
      times.schedule = planning::min_schedule_copies * wide * copy;
      if (planning::assumed_times != nullptr) times = *planning::assumed_times;
      method_ =
          times.gather <= times.scatter ? PermutationMethod::gather : PermutationMethod::scatter;

      double const least = std::min(times.gather, times.scatter);
      double const build_time = planning::schedule_build_time(context.exec(), size_);
      if (use.calls * (least - times.schedule) <= build_time) return;
      ScheduledPermutation<Exec> const schedule(detail::Checked{}, part.named("schedule"), p);
      if (planning::assumed_times == nullptr) {
        double seconds = std::numeric_limits<double>::infinity();
        for (int round = 0; round < planning::timing_rounds; ++round) {
          watch.measure([&](auto const& in, auto const& out) { schedule(part, in, out); }, seconds);
        }
        times.schedule = wide * seconds;
      }
      if (use.calls * (least - planning::schedule_margin * times.schedule) <= build_time) return;
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
