#pragma once

// Computes the counts for min-P p-values (min_p.hpp), for all variables or for a contiguous range of the variables
// sorted by significance.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/permutation_scheme/plan.hpp>
#include <riffle/monte_carlo/detail/variables/host_copies.hpp>
#include <riffle/monte_carlo/detail/variables/min_p.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_counter.hpp>

namespace riffle::detail::variables {

/// All replicates of the tests.
template <class Memory>
struct AllReplicates {
  SchemePlan<Memory> const& plan;
  Numbering numbering;
  std::uint64_t count;
  std::uint64_t batch;

  /// Returns the number of arrangements including the observed one, which comes last if it is not among the replicates.
  std::uint64_t arrangements() const { return count + (numbering.is_exact() ? 0 : 1); }
  std::uint64_t observed() const { return numbering.is_exact() ? 0 : count; }
};

/// Computes the min-P counts of consecutive variables, where all variables are sorted from the least to the most
/// significant one.
template <class Exec>
class MinPCounter {
 public:
  using Memory = typename Exec::memory_space;

  /// `variables` contains the indices of these variables, in this order.
  MinPCounter(Context<Exec> const& context, ReplicateCounter<Exec>& counting,
              AllReplicates<Memory> const& replicates, std::vector<std::uint64_t> variables)
      : context_(context),
        counting_(counting),
        replicates_(replicates),
        variables_(std::move(variables)) {}

  /// Returns the counts of this object's variables, without single_step. On entry, `least` contains for each
  /// arrangement the minimum of ranks over the preceding variables; on return, the minimum also includes this object's
  /// variables. A second call is faster if the ranks of all variables of this object fit in memory. Fences.
  MinPCounts count(std::vector<std::uint32_t>& least) {
    auto const running = upload(context_, least);
    MinPCounts counts;
    std::uint64_t const at_a_time = counting_.variables_at_a_time(replicates_.arrangements());
    for (std::uint64_t first = 0; first < variables_.size(); first += at_a_time) {
      std::uint64_t const end = std::min<std::uint64_t>(first + at_a_time, variables_.size());
      Part const part = kept_ ? *kept_ : rank(first, end);
      count_part(part, running, counts);
      if (end - first == variables_.size()) kept_ = part;
    }
    least = to_std_vector<std::uint32_t>(context_, running);
    return counts;
  }

 private:
  using Minima = Kokkos::View<std::uint32_t*, Memory>;

  struct Part {
    Ranks<Memory> ranks;
    Minima bounds;
  };

  auto allocate(char const* name) const {
    return Kokkos::view_alloc(context_.exec(), Kokkos::WithoutInitializing,
                              context_.label() + name);
  }

  Part rank(std::uint64_t first, std::uint64_t end) {
    auto const begin = variables_.begin();
    std::vector<std::uint64_t> const own(begin + static_cast<std::ptrdiff_t>(first),
                                         begin + static_cast<std::ptrdiff_t>(end));
    auto const ranks =
        counting_.rank_replicates(replicates_.plan, replicates_.numbering, replicates_.count,
                                  upload(context_, own), replicates_.batch);
    Minima const bounds(allocate("::bounds"), own.size());
    context_.named("bounds").for_each(own.size(),
                                      CopyColumn<Memory>{ranks, replicates_.observed(), bounds});
    return {ranks, bounds};
  }

  /// Replaces the ranks in `part` by their running minima, and counts. `part` can be counted again with a smaller
  /// `running`, because taking running minima twice gives the same result.
  void count_part(Part const& part, Minima const& running, MinPCounts& counts) const {
    std::uint64_t const variables = part.bounds.extent(0);
    context_.named("minima").for_each(replicates_.arrangements(),
                                      RunningMinima<Memory>{part.ranks, running});
    Counts<Memory> const found(allocate("::counts"), variables);
    Kokkos::parallel_for(
        context_.label() + "::count_minima",
        Kokkos::TeamPolicy<Exec>(context_.exec(), static_cast<int>(variables), Kokkos::AUTO),
        CountAtMost<Memory>{part.ranks, part.bounds, found});
    append(to_std_vector<std::uint64_t>(context_, found), counts.step_down);
    append(to_std_vector<std::uint32_t>(context_, part.bounds), counts.bounds);
  }

  template <class T>
  static void append(std::vector<T> const& values, std::vector<T>& to) {
    to.insert(to.end(), values.begin(), values.end());
  }

  Context<Exec> const& context_;
  ReplicateCounter<Exec>& counting_;
  AllReplicates<Memory> replicates_;
  std::vector<std::uint64_t> variables_;
  std::optional<Part> kept_;
};

}  // namespace riffle::detail::variables
