// A bootstrap of a mean. Each thread draws a sample with replacement and adds it up. The random words come from Philox4x32 and
// are selected by a counter, so no thread keeps the state of a generator, and the result is the same on every back end and
// with any number of threads. Use this for random numbers of your own in kernels.

#include <Kokkos_Core.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/sort.hpp>

#include <cstdint>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  Kokkos::DefaultExecutionSpace exec;
  std::uint32_t const n = 200;
  std::uint32_t const replicates = 9999;
  Kokkos::View<double*> x("x", n), means("means", replicates);
  Kokkos::parallel_for(
      "data", Kokkos::RangePolicy(exec, 0, n),
      KOKKOS_LAMBDA(std::uint32_t i) { x(i) = 0.25 * (i * 37 % 101); });

  riffle::Philox4x32 const philox(/*seed=*/42);
  Kokkos::parallel_for(
      "resample", Kokkos::RangePolicy(exec, 0, replicates), KOKKOS_LAMBDA(std::uint32_t r) {
        double sum = 0;
        for (std::uint32_t i = 0; i < n; i += 4) {
          auto const words = philox({i, r, 0, 0});  // four words of 32 bits
          for (std::uint32_t j = 0; j < 4 && i + j < n; ++j) {
            sum += x((std::uint64_t{words[j]} * n) >> 32);
          }
        }
        means(r) = sum / n;
      });
  riffle::sort(exec, means);

  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), means);
  std::printf("95%% of the resampled means lie between %.3f and %.3f\n", host(replicates / 40),
              host(replicates - replicates / 40));
}
