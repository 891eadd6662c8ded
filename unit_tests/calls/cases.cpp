// Functions that all files of cases use.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

#include "calls/case.hpp"

namespace riffle::test::calls {

std::vector<Case>& all_cases() {
  static std::vector<Case> cases;
  return cases;
}

namespace {

template <class MemorySpace>
using Bytes = Kokkos::View<unsigned char*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class MemorySpace>
using ConstBytes =
    Kokkos::View<unsigned char const*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace

template <class MemorySpace>
void copy_to_host(void* to, void const* from, std::size_t bytes) {
  Kokkos::fence("riffle::test::calls::copy_to_host");
  Kokkos::deep_copy(Bytes<Kokkos::HostSpace>(static_cast<unsigned char*>(to), bytes),
                    ConstBytes<MemorySpace>(static_cast<unsigned char const*>(from), bytes));
}

template <class MemorySpace>
void copy_from_host(void* to, void const* from, std::size_t bytes) {
  Kokkos::deep_copy(Bytes<MemorySpace>(static_cast<unsigned char*>(to), bytes),
                    ConstBytes<Kokkos::HostSpace>(static_cast<unsigned char const*>(from), bytes));
  Kokkos::fence("riffle::test::calls::copy_from_host");
}

template void copy_to_host<Kokkos::HostSpace>(void*, void const*, std::size_t);
template void copy_from_host<Kokkos::HostSpace>(void*, void const*, std::size_t);
#if defined(KOKKOS_ENABLE_CUDA)
template void copy_to_host<Kokkos::CudaSpace>(void*, void const*, std::size_t);
template void copy_from_host<Kokkos::CudaSpace>(void*, void const*, std::size_t);
#elif defined(KOKKOS_ENABLE_HIP)
template void copy_to_host<Kokkos::HIPSpace>(void*, void const*, std::size_t);
template void copy_from_host<Kokkos::HIPSpace>(void*, void const*, std::size_t);
#endif

}  // namespace riffle::test::calls
