#pragma once

// Measures how long each method takes to move an array by a stored permutation. The times are measured because they are
// hard to predict. Random accesses depend on the cache that holds the array, on how often the permutation accesses the
// same cache line again, and on the load of the machine.

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

/// The expected time in seconds to build a schedule for n elements.
template <class Exec>
double schedule_build_time(Exec const& exec, std::uint64_t n) {
  ScheduleBuildCost const cost =
      backend::is_cpu<Exec> ? cpu_schedule_build_cost : gpu_schedule_build_cost;
  int const threads = backend::is_cpu<Exec> ? std::max(1, static_cast<int>(exec.concurrency())) : 1;
  return 1e-9 * (cost.once + static_cast<double>(n) * cost.element / threads);
}

/// The time in seconds that one call takes with each method.
struct MethodTimes {
  double scatter = std::numeric_limits<double>::infinity();
  double gather = std::numeric_limits<double>::infinity();
  double schedule = std::numeric_limits<double>::infinity();
};

/// If not null, these times replace the measured ones. For tests.
inline MethodTimes const* assumed_times = nullptr;

/// Times calls that move n words from one array to another. The caller's scope owns the arrays. Fences.
template <class Exec, class Word>
class Stopwatch {
 public:
  using Words =
      Kokkos::View<Word*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Stopwatch(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t n)
      : context_(context),
        in_(take_filled_words(context, n, Word{}, scope), n),
        out_(scope.template take<Word>(n), n) {
    Kokkos::deep_copy(context_.exec(), out_, in_);
  }

  /// Times move(in, out), and sets `seconds` to the time if it is less than `seconds`. The time is the minimum over
  /// three calls, or the time of one call if the arrays are probably larger than the caches.
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

/// Calls use(word), where the type of `word` has 4, 8 or 16 bytes. It is the smallest of these types with at least
/// `bytes` bytes, or the largest if none is large enough.
template <class Use>
void with_word_of_size(std::size_t bytes, Use const& use) {
  if (bytes <= 4) return use(std::uint32_t{});
  if (bytes <= 8) return use(std::uint64_t{});
  use(WideWord{});
}

}  // namespace riffle::detail::planning
