// A loop in random order. RandomPermutation is not stored: each thread computes the element that it visits, so the order takes no
// memory and no extra pass. Use it if threads that run at the same time should not work on neighbours; here neighbours would
// add to the same cell at the same time.

#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  Kokkos::DefaultExecutionSpace exec;
  int const n = 1'000'000;
  int const cells = 1000;
  Kokkos::View<int*> particles_in("particles in", cells);

  riffle::RandomPermutation const sigma(n, /*seed=*/42);
  Kokkos::parallel_for(
      "deposit", Kokkos::RangePolicy(exec, 0, n), KOKKOS_LAMBDA(int k) {
        auto const particle = static_cast<int>(sigma(k));  // each of 0, ..., n - 1 once
        Kokkos::atomic_add(&particles_in(particle / (n / cells)), 1);
      });

  int even = 0;
  Kokkos::parallel_reduce(
      "check", Kokkos::RangePolicy(exec, 0, cells),
      KOKKOS_LAMBDA(int c, int& count) { count += particles_in(c) == n / cells; }, even);
  std::printf("%d of %d cells have %d particles; particle 0 came as number %d\n", even, cells,
              n / cells, static_cast<int>(sigma.inverse(0)));
  return even == cells ? 0 : 1;
}
