// A seeded split of rows into training and test data, and batches. One permutation shuffles the rows and their labels, and the
// split is a subview. A batch is a sample without replacement; its cost depends on the batch size only. The same seed gives
// the same split on every back end, so the seed is enough to reproduce it.

#include <Kokkos_Core.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/shuffle.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  Kokkos::DefaultExecutionSpace exec;
  int const n = 10'000, features = 8, batch_size = 32;
  Kokkos::View<float**, Kokkos::LayoutRight> rows("rows", n, features);
  Kokkos::View<int*> labels("labels", n);
  Kokkos::parallel_for(
      "data", Kokkos::RangePolicy(exec, 0, n), KOKKOS_LAMBDA(int i) {
        labels(i) = i;
        for (int f = 0; f < features; ++f) rows(i, f) = static_cast<float>(i);
      });

  riffle::shuffle(exec, riffle::pack(rows, labels), /*seed=*/2026);
  int const tests = n / 5;
  auto const training_rows = Kokkos::subview(rows, Kokkos::pair(tests, n), Kokkos::ALL);
  auto const training_labels = Kokkos::subview(labels, Kokkos::pair(tests, n));

  Kokkos::View<int*> chosen("chosen", batch_size), batch_labels("batch labels", batch_size);
  Kokkos::View<float**, Kokkos::LayoutRight> batch("batch", batch_size, features);
  int wrong = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    riffle::sample(exec, training_rows.extent(0), chosen, 7 + epoch);
    riffle::gather(exec, riffle::pack(training_rows, training_labels), chosen,
                   riffle::pack(batch, batch_labels));
    int wrong_here = 0;
    Kokkos::parallel_reduce(
        "check", Kokkos::RangePolicy(exec, 0, batch_size),
        KOKKOS_LAMBDA(int i, int& count) {
          count += batch(i, 3) != static_cast<float>(batch_labels(i));
        },
        wrong_here);
    wrong += wrong_here;
  }
  std::printf("%d rows to train, %d to test, %d of 3 batches' rows without their label\n",
              n - tests, tests, wrong);
  return wrong == 0 ? 0 : 1;
}
