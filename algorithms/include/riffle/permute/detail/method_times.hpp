#pragma once

// How long each way of moving an array along a stored permutation takes. Random accesses depend on which caches hold the
// array, on how the permutation uses their lines again, and on who else uses them, so that calls are measured, not
// predicted.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::planning {

/// The seconds that building a schedule for n elements is expected to take.
template <class Exec>
double plan_time(Exec const& exec, std::uint64_t n) {
  PlanCost const cost = backend::is_cpu<Exec> ? cpu_plan_cost : gpu_plan_cost;
  int const threads = backend::is_cpu<Exec> ? std::max(1, static_cast<int>(exec.concurrency())) : 1;
  return 1e-9 * (cost.once + static_cast<double>(n) * cost.element / threads);
}

/// Seconds of a call.
struct MethodTimes {
  double scatter = std::numeric_limits<double>::infinity();
  double gather = std::numeric_limits<double>::infinity();
  double schedule = std::numeric_limits<double>::infinity();
};

/// Tests set what is taken for measured.
inline MethodTimes const* assumed_times = nullptr;

/// Times calls that move n words from one array to the other, which lie in the scope. Fences.
template <class Exec, class Word>
class Stopwatch {
 public:
  using Words =
      Kokkos::View<Word*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Stopwatch(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t n)
      : context_(context),
        in_(filled_words(context, n, Word{}, scope), n),
        out_(scope.template take<Word>(n), n) {
    Kokkos::deep_copy(context_.exec(), out_, in_);
  }

  /// Lowers `seconds` to the least time of three calls of move(in, out). Arrays that no cache is expected to hold are
  /// moved once.
  template <class Move>
  void measure(Move const& move, double& seconds) const {
    auto const threads = static_cast<std::uint64_t>(context_.exec().concurrency());
    std::uint64_t const max_cached =
        backend::is_cpu<Exec> ? threads * cached_elements_of_thread : cached_elements_of_gpu;
    int const calls = in_.extent(0) < max_cached ? 3 : 1;
    for (int k = 0; k < calls; ++k) {
      context_.exec().fence(context_.label());
      Kokkos::Timer const timer;
      move(in_, out_);
      context_.exec().fence(context_.label());
      seconds = std::min(seconds, timer.seconds());
    }
  }

 private:
  Context<Exec> context_;
  Words in_;
  Words out_;
};

struct WideWord {
  std::uint64_t halves[2];
};

/// Calls use(word), with a word of as many bytes as elements have, or of the next number that there is.
template <class Use>
void with_word_of_size(std::size_t bytes, Use const& use) {
  if (bytes <= 4) return use(std::uint32_t{});
  if (bytes <= 8) return use(std::uint64_t{});
  use(WideWord{});
}

}  // namespace riffle::detail::planning
