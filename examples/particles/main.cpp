// A time loop of particles in the cells of a cube with periodic boundaries. Every few steps all fields of the particles are
// sorted by cell, and each cell then adds up the weights of its particles, without atomics. The order of the additions is
// fixed, so the density is the same on every back end. After the first sort no step allocates memory or waits for the device.

#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr int cells_per_side = 8;
constexpr int cell_count = cells_per_side * cells_per_side * cells_per_side;
constexpr int steps = 20;
constexpr int steps_per_sort = 4;

/// Thirty-three fields.
struct Particles {
  explicit Particles(int n)
      : id("id", n),
        cell("cell", n),
        weight("weight", n),
        position("position", n),
        velocity("velocity", n),
        moments("moments", n) {}

  Kokkos::View<int*> id;
  Kokkos::View<int*> cell;
  Kokkos::View<double*> weight;
  Kokkos::View<double* [3]> position;
  Kokkos::View<double* [3]> velocity;
  Kokkos::View<double* [24]> moments;
};

KOKKOS_FUNCTION std::uint32_t random_bits(int i, int d) {
  return ((8 * static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(d)) * 0x9E3779B9u) >> 12;
}

/// All numbers are fractions of a power of two, so that sums of weights are exact.
void fill(Exec const& exec, Particles const& particles) {
  auto const p = particles;
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy(exec, 0, p.id.extent(0)), KOKKOS_LAMBDA(int i) {
        p.id(i) = i;
        p.weight(i) = 1 + i % 8 / 8.0;
        for (int d = 0; d < 3; ++d) {
          p.position(i, d) = random_bits(i, d) / 1048576.0;
          p.velocity(i, d) = random_bits(i, 3 + d) / 1048576.0 - 0.5;
        }
        for (int m = 0; m < 24; ++m) p.moments(i, m) = i + m;
      });
}

/// Moves the particles and finds their cells.
void move(Exec const& exec, Particles const& particles, double dt) {
  auto const p = particles;
  Kokkos::parallel_for(
      "move", Kokkos::RangePolicy(exec, 0, p.id.extent(0)), KOKKOS_LAMBDA(int i) {
        int cell = 0;
        for (int d = 0; d < 3; ++d) {
          double const x = p.position(i, d) + dt * p.velocity(i, d);
          p.position(i, d) = x - Kokkos::floor(x);
          int const k = static_cast<int>(p.position(i, d) * cells_per_side);
          cell = cell * cells_per_side + Kokkos::min(k, cells_per_side - 1);
        }
        p.cell(i) = cell;
      });
}

/// density(c) = the weight of the particles in cell c. Requires that they are sorted by cell.
void deposit(Exec const& exec, Particles const& particles, Kokkos::View<int*> const& offsets,
             Kokkos::View<double*> const& density) {
  auto const weight = particles.weight;
  Kokkos::parallel_for(
      "deposit", Kokkos::RangePolicy(exec, 0, cell_count), KOKKOS_LAMBDA(int c) {
        double sum = 0;
        for (int i = offsets(c); i < offsets(c + 1); ++i) sum += weight(i);
        density(c) = sum;
      });
}

double sum_of(Exec const& exec, Kokkos::View<double*> const& values) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy(exec, 0, values.extent(0)),
      KOKKOS_LAMBDA(int i, double& partial) { partial += values(i); }, sum);
  return sum;
}

/// The particles whose fields do not belong to their id, or that are not in the cell of their place.
int count_misplaced(Exec const& exec, Particles const& particles,
                    Kokkos::View<int*> const& offsets) {
  auto const p = particles;
  int count = 0;
  Kokkos::parallel_reduce(
      "check", Kokkos::RangePolicy(exec, 0, p.id.extent(0)),
      KOKKOS_LAMBDA(int i, int& partial) {
        bool const is_in_place = offsets(p.cell(i)) <= i && i < offsets(p.cell(i) + 1);
        partial += !is_in_place || p.moments(i, 23) != p.id(i) + 23;
      },
      count);
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  Exec const exec;
  int const n = argc > 1 ? std::atoi(argv[1]) : 20'000;
  Particles const particles(n);
  Kokkos::View<int*> const offsets("offsets", cell_count + 1);
  Kokkos::View<double*> const density("density", cell_count);
  fill(exec, particles);

  riffle::Workspace workspace(exec);
  exec.fence();
  Kokkos::Timer const timer;
  for (int step = 1; step <= steps; ++step) {
    move(exec, particles, /*dt=*/1.0 / 64);
    if (step % steps_per_sort != 0) continue;
    riffle::sort_by_cell(riffle::Context(exec, "sort particles", workspace),
                         riffle::pack(particles.id, particles.cell, particles.weight,
                                      particles.position, particles.velocity, particles.moments),
                         particles.cell, offsets);
    deposit(exec, particles, offsets, density);
  }
  exec.fence();
  double const milliseconds = 1000 * timer.seconds() / steps;

  double const weight = sum_of(exec, particles.weight);
  double const deposited = sum_of(exec, density);
  int const misplaced = count_misplaced(exec, particles, offsets);
  std::printf("%d particles in %d cells, %d misplaced; weight %.3f, on the grid %.3f\n", n,
              cell_count, misplaced, weight, deposited);
  std::printf("%.2f ms per step, with a sort in every %d steps\n", milliseconds, steps_per_sort);
  return misplaced == 0 && weight == deposited ? 0 : 1;
}
