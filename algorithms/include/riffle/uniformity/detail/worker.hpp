#pragma once

// A worker examines one permutation after the other. It is a single thread, or the threads of a
// team. The same code serves both: it runs on size() threads, and rank() is the index of the
// calling thread.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::uniformity {

struct Alone {
  KOKKOS_FUNCTION static constexpr std::uint64_t rank() { return 0; }
  KOKKOS_FUNCTION static constexpr std::uint64_t size() { return 1; }
  KOKKOS_FUNCTION void barrier() const {}
  KOKKOS_FUNCTION std::int64_t sum(std::int64_t x) const { return x; }
};

template <class Member>
class Together {
 public:
  KOKKOS_FUNCTION explicit Together(Member const& member) : member_(member) {}

  KOKKOS_FUNCTION std::uint64_t rank() const {
    return static_cast<std::uint64_t>(member_.team_rank());
  }
  KOKKOS_FUNCTION std::uint64_t size() const {
    return static_cast<std::uint64_t>(member_.team_size());
  }
  KOKKOS_FUNCTION void barrier() const { member_.team_barrier(); }

  /// Returns, in all threads, the sum of x over all threads.
  KOKKOS_FUNCTION std::int64_t sum(std::int64_t x) const {
    member_.team_reduce(Kokkos::Sum<std::int64_t>(x));
    return x;
  }

 private:
  Member const& member_;
};

/// Returns, in all threads, the sum of term(i) for first <= i < last. All threads of the worker
/// compute it together.
template <class Worker, class Term>
KOKKOS_INLINE_FUNCTION std::int64_t sum_over(Worker const& worker, std::uint64_t first,
                                             std::uint64_t last, Term const& term) {
  std::int64_t sum = 0;
  for (std::uint64_t i = first + worker.rank(); i < last; i += worker.size()) sum += term(i);
  return worker.sum(sum);
}

/// An array of numbers less than 2^32 in a worker's memory, with a stride of `stride` words.
struct Row {
  std::uint32_t* first;
  std::uint64_t stride;

  KOKKOS_FUNCTION std::uint32_t& operator[](std::uint64_t i) const { return first[i * stride]; }
};

}  // namespace riffle::detail::uniformity
