#pragma once

// Lanes of a GPU, played on a CPU. A part of riffle/lanes/lanes.hpp, which includes it.

#include <cstddef>
#include <cstdint>

namespace riffle::lanes {

/// Plays all lanes of a GPU's groups on one thread of a CPU, so that kernels written for lanes can be
/// tested where there is no GPU. Each call returns when every lane of the caller's group has made it.
class Emulator {
 public:
  /// `result` becomes the value, of `size` bytes, that lane `source` passes.
  virtual void exchange(void const* value, std::size_t size, int source, void* result) = 0;
  virtual std::uint32_t ballot(bool predicate) = 0;
  virtual void synchronize() = 0;

  /// The one call that waits for nobody: lets other lanes go on.
  virtual void pause() = 0;

 protected:
  ~Emulator() = default;
};

/// Who plays the lanes of the calling thread; none unless a test says so.
inline Emulator*& emulator() {
  thread_local Emulator* current = nullptr;
  return current;
}

namespace detail {

template <class T>
T from_emulated_lane(T const& value, int source) {
  T result = value;
  if (emulator() != nullptr) emulator()->exchange(&value, sizeof(T), source, &result);
  return result;
}

/// Without an emulator a CPU has groups of one lane.
inline std::uint32_t emulated_ballot(bool predicate) {
  if (emulator() == nullptr) return predicate ? 1 : 0;
  return emulator()->ballot(predicate);
}

inline bool all_emulated(bool predicate) {
  if (emulator() == nullptr) return predicate;
  return emulator()->ballot(predicate) == ~std::uint32_t{0};
}

inline void synchronize_emulated() {
  if (emulator() != nullptr) emulator()->synchronize();
}

}  // namespace detail

}  // namespace riffle::lanes
