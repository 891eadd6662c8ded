// reorder_matrix: permutes a sparse matrix and its vectors. The matrix is a Laplacian on a grid whose unknowns are numbered at
// random, as some mesh generators do. Reverse Cuthill-McKee gives each unknown a new place; a plan made from these places
// moves rows and vectors, and its inverse moves results back.

#include <Kokkos_Core.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <limits>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "command_line.hpp"
#include "cuthill_mckee.hpp"
#include "device_matrix.hpp"
#include "grid_laplacian.hpp"

namespace {

using namespace reorder;
using Plan = riffle::ScheduledPermutation<Exec>;
using Vector = Kokkos::View<double*>;

CsrMatrix randomly_numbered(Options const& options) {
  riffle::RandomPermutation const sigma(std::uint64_t{options.width} * options.height,
                                        options.seed);
  std::vector<std::uint32_t> numbers(sigma.size());
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(sigma(i));
  }
  return grid_laplacian(options.width, options.height, numbers);
}

/// The equations A x = b and an approximate solution x.
struct Equations {
  DeviceMatrix a;
  Vector x;
  Vector b;
};

Equations some_equations(CsrMatrix const& matrix) {
  std::vector<double> x(matrix.rows());
  std::vector<double> b(matrix.rows());
  for (std::uint32_t i = 0; i < matrix.rows(); ++i) {
    x[i] = std::sin(i);
    b[i] = std::cos(i);
  }
  return {to_device(matrix), to_device("x", x), to_device("b", b)};
}

void compute_residual(Exec const& exec, Equations const& equations, Vector const& r) {
  Kokkos::parallel_for("residual", Range(exec, 0, r.extent(0)),
                       Residual{equations.a, equations.x, equations.b, r});
}

struct CountDifferences {
  Vector a;
  Vector b;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    count += a(i) != b(i);
  }
};

/// The best time of a call, in milliseconds.
template <class Call>
double milliseconds(int repeats, Exec const& exec, Call const& call) {
  call();
  double best = std::numeric_limits<double>::max();
  for (int k = 0; k < repeats; ++k) {
    exec.fence();
    Kokkos::Timer const timer;
    call();
    exec.fence();
    best = std::min(best, 1e3 * timer.seconds());
  }
  return best;
}

void print_bandwidths(CsrMatrix const& matrix, std::vector<std::uint32_t> const& places) {
  std::vector<std::uint32_t> here(places.size());
  std::iota(here.begin(), here.end(), 0u);
  std::cout << "matrix     " << matrix.rows() << " rows, " << matrix.columns.size() << " entries\n"
            << "bandwidth  " << bandwidth(matrix, here) << " -> " << bandwidth(matrix, places)
            << '\n';
}

/// Whether the residuals in both orders are bitwise equal.
bool run(Options const& options) {
  CsrMatrix const host_matrix = randomly_numbered(options);
  std::vector<std::uint32_t> const host_places = reverse_cuthill_mckee(host_matrix);
  print_bandwidths(host_matrix, host_places);

  Exec const exec;
  Equations const old_order = some_equations(host_matrix);
  std::uint32_t const n = host_matrix.rows();

  // The plan is made once; the workspace holds the memory that each application needs.
  auto const places = to_device("places", host_places);
  riffle::Workspace<Exec> workspace(exec);
  riffle::Context const context(exec, workspace);
  Plan const plan(context, places);

  Equations const new_order{reordered(context, old_order.a, plan, places), Vector("new_x", n),
                            Vector("new_b", n)};
  auto const move_vectors = [&] {
    plan(context, riffle::pack(old_order.x, old_order.b), riffle::pack(new_order.x, new_order.b));
  };
  Vector const r("r", n);
  Vector const new_r("new_r", n);
  Vector const r_back("r_back", n);

  auto const time = [&](auto const& call) { return milliseconds(options.repeats, exec, call); };
  std::cout << "plan       " << time([&] { Plan const again(context, places); }) << " ms, "
            << plan.bytes() << " bytes\n";
  std::cout << "x and b    " << time(move_vectors) << " ms to move\n";
  std::cout << "b - A x    " << time([&] { compute_residual(exec, old_order, r); }) << " ms -> "
            << time([&] { compute_residual(exec, new_order, new_r); }) << " ms\n";
  std::cout << "residual   " << time([&] { plan.inverse()(context, new_r, r_back); })
            << " ms to bring back";

  std::uint64_t differences = 0;
  Kokkos::parallel_reduce("differences", Range(exec, 0, n), CountDifferences{r, r_back},
                          differences);
  std::cout << ", differs in " << differences << " elements\n";
  return differences == 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    auto const command = parse_command_line(argc, argv);
    if (auto const* exit = std::get_if<Exit>(&command)) return exit->code;
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run(std::get<Options>(command)) ? 0 : 1;
  } catch (std::exception const& error) {
    std::cerr << "reorder_matrix: " << error.what() << '\n';
    return 1;
  }
}
