// A user's first program: shuffles an array on the default execution space.

#include <Kokkos_Core.hpp>

#include <iostream>
#include <vector>

#include <riffle/shuffle.hpp>
#include <riffle/version.hpp>

static_assert(RIFFLE_VERSION_MAJOR == 0 && RIFFLE_VERSION_MINOR >= 1);

namespace {

constexpr int size = 1000;

std::vector<int> shuffled_numbers() {
  Kokkos::DefaultExecutionSpace const exec;
  Kokkos::View<int*> const numbers("consumer::numbers", size);
  Kokkos::parallel_for(
      "consumer::fill", Kokkos::RangePolicy<>(exec, 0, size),
      KOKKOS_LAMBDA(int i) { numbers(i) = i; });
  riffle::shuffle(exec, numbers, 42);
  exec.fence("consumer::read");
  auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, numbers);
  return {on_host.data(), on_host.data() + on_host.size()};
}

bool is_permutation(std::vector<int> const& numbers) {
  std::vector<bool> seen(numbers.size(), false);
  for (int const number : numbers) {
    if (number < 0 || number >= size || seen[number]) return false;
    seen[number] = true;
  }
  return true;
}

bool is_identity(std::vector<int> const& numbers) {
  for (int i = 0; i < size; ++i) {
    if (numbers[i] != i) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  auto const numbers = shuffled_numbers();
  bool const ok = is_permutation(numbers) && !is_identity(numbers);
  std::cout << "Riffle " << RIFFLE_VERSION_STRING << " on " << Kokkos::DefaultExecutionSpace::name()
            << ": " << size << " numbers " << (ok ? "shuffled" : "not shuffled") << '\n';
  return ok ? 0 : 1;
}
