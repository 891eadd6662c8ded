// A part of the same program that links riffle::riffle.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/variables/products.hpp>
