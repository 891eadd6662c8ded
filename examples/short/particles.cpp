// In each time step, particles are shuffled and then sorted by the cell that contains them. Shuffle if neighbours in memory must
// not be neighbours in the simulation (batches of samples, pairs that collide); sort by cell if they should be. One Workspace
// holds the memory of both, so that nothing is allocated after the first step.

#include <Kokkos_Core.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/sort/sort_by_key.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  Kokkos::DefaultExecutionSpace exec;
  int const n = 100'000;
  int const cells = 64;
  Kokkos::View<double*> x("x", n);
  Kokkos::View<double* [3]> velocity("velocity", n);
  Kokkos::View<int*> cell("cell", n);
  Kokkos::parallel_for(
      "place", Kokkos::RangePolicy(exec, 0, n), KOKKOS_LAMBDA(int i) {
        x(i) = (i + 0.5) / n;
        for (int d = 0; d < 3; ++d) velocity(i, d) = i % 7 - 3.0;
      });

  riffle::Workspace workspace(exec);
  for (int step = 0; step < 3; ++step) {
    riffle::shuffle(riffle::Context(exec, "mix", workspace), riffle::pack(x, velocity), 42 + step);
    Kokkos::parallel_for(
        "find cells", Kokkos::RangePolicy(exec, 0, n),
        KOKKOS_LAMBDA(int i) { cell(i) = static_cast<int>(x(i) * cells); });
    riffle::sort_by_key(riffle::Context(exec, "by cell", workspace), cell,
                        riffle::pack(x, velocity));
  }

  int misplaced = 0;
  Kokkos::parallel_reduce(
      "check", Kokkos::RangePolicy(exec, 1, n),
      KOKKOS_LAMBDA(int i, int& count) {
        count += cell(i) < cell(i - 1) || cell(i) != static_cast<int>(x(i) * cells);
      },
      misplaced);
  std::printf("%d particles in %d cells, %d misplaced\n", n, cells, misplaced);
  return misplaced == 0 ? 0 : 1;
}
