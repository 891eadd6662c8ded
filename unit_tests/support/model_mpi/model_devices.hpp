#pragma once

// A second device, as the memory of a machine with several GPUs may be on: memory that a test says to be there. To be
// included where a program instantiates calls over ranks, or nowhere.

#include <Kokkos_Core.hpp>

#include <riffle/backend/backend.hpp>

#include <set>

namespace riffle::test {

/// Memory that is on device 1 while this lives, from its first byte's address.
class MemoryOnAnotherDevice {
 public:
  explicit MemoryOnAnotherDevice(void const* data) : data_(data) { all().insert(data); }
  ~MemoryOnAnotherDevice() { all().erase(data_); }
  MemoryOnAnotherDevice(MemoryOnAnotherDevice const&) = delete;
  MemoryOnAnotherDevice& operator=(MemoryOnAnotherDevice const&) = delete;

  static bool has(void const* data) { return all().count(data) > 0; }

 private:
  static std::set<void const*>& all() {
    static std::set<void const*> data;
    return data;
  }

  void const* data_;
};

}  // namespace riffle::test

template <>
inline int riffle::backend::device_of_memory(Kokkos::DefaultHostExecutionSpace const&,
                                             void const* data) {
  return riffle::test::MemoryOnAnotherDevice::has(data) ? 1 : 0;
}
