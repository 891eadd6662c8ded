#pragma once

// Loops over indices i < n: range policies, loops on the calling thread, and chunks for several threads.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>

namespace riffle::detail {

/// Divides n elements into `count` consecutive chunks, whose sizes differ by at most one.
struct Chunks {
  std::uint64_t n;
  std::uint64_t count;

  std::uint64_t begin(std::uint64_t chunk) const {
    return chunk * (n / count) + std::min(chunk, n % count);
  }
};

/// A range policy for the indices begin, ..., end - 1 on `exec`, with 64-bit indices.
template <class Exec>
auto range(Exec const& exec, std::uint64_t begin, std::uint64_t end) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, begin, end);
}

/// Calls f(i) for i < n. Indices are scheduled dynamically: each idle thread takes the next index.
template <class Exec, class Function>
void for_each_dynamic(Context<Exec> const& context, std::uint64_t n, Function const& f) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::uint64_t>>;
  Kokkos::parallel_for(context.label(), Policy(context.exec(), 0, n, Kokkos::ChunkSize(1)), f);
}

/// Calls work(0). On a CPU, the calling thread calls it, so that no other thread has to be woken;
/// the call is reported to Kokkos Tools as a kernel. On a GPU, launches a kernel with one index.
template <class Exec, class Work>
void run_on_calling_thread(Context<Exec> const& context, Work const& work) {
  if constexpr (backend::is_cpu<Exec>) {
    bool const is_watched = Kokkos::Tools::profileLibraryLoaded();
    std::uint64_t id = 0;
    if (is_watched) {
      Kokkos::Tools::beginParallelFor(context.label(),
                                      Kokkos::Tools::Experimental::device_id(context.exec()), &id);
    }
    work(std::uint64_t{0});
    if (is_watched) Kokkos::Tools::endParallelFor(id);
  } else {
    context.for_each(1, work);
  }
}

/// Sets out[i] = source(i). `source` is a View or another function of i.
template <class Source, class T>
struct StoreElements {
  Source source;
  T* out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out[i] = source(i); }
};

template <class View>
struct FillZero {
  View out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = 0; }
};

}  // namespace riffle::detail
