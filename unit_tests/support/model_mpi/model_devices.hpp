#pragma once

// A second device for the model: a test declares ranges of memory that are on it. A program includes this header in all
// sources that instantiate calls over ranks, or in none.

#include <Kokkos_Core.hpp>

#include <riffle/backend/backend.hpp>

#include <set>

namespace riffle::test {

/// The memory from `begin` on is on device 1 during the lifetime of this object.
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
