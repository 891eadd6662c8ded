#include "support/device_bytes.hpp"

#include <Kokkos_Core.hpp>

namespace riffle::test {
namespace {

template <class Byte, class Space>
using Bytes = Kokkos::View<Byte*, Space, Kokkos::MemoryUnmanaged>;

using Device = Kokkos::DefaultExecutionSpace::memory_space;

template <class Space>
auto written(void* memory, std::size_t bytes) {
  return Bytes<unsigned char, Space>(static_cast<unsigned char*>(memory), bytes);
}

template <class Space>
auto read(void const* memory, std::size_t bytes) {
  return Bytes<unsigned char const, Space>(static_cast<unsigned char const*>(memory), bytes);
}

}  // namespace

void copy_to_device(void* device, void const* host, std::size_t bytes) {
  Kokkos::deep_copy(written<Device>(device, bytes), read<Kokkos::HostSpace>(host, bytes));
}

void copy_to_host(void* host, void const* device, std::size_t bytes) {
  Kokkos::deep_copy(written<Kokkos::HostSpace>(host, bytes), read<Device>(device, bytes));
}

}  // namespace riffle::test
