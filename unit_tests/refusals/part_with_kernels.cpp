// A part of a program that links riffle::kernels.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/variables/products.hpp>

int main() {}
