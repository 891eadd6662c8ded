#pragma once

#include <cstddef>

namespace riffle::test {

// Copies between the host and the memory of the default execution space, as bytes. Kokkos::deep_copy would compile several
// kernels for each pair of types of Views. Both functions fence before and after the copy.

void copy_to_device(void* device, void const* host, std::size_t bytes);
void copy_to_host(void* host, void const* device, std::size_t bytes);

}  // namespace riffle::test
