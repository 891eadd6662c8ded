#pragma once

// Lanes of a GPU, played on a CPU. A part of riffle/backend/backend.hpp, which includes it.

#include <cstddef>
#include <cstdint>

namespace riffle::backend {

/// Plays all lanes of a GPU's warps on one thread of a CPU, so that kernels written for lanes can be
/// tested where there is no GPU. Each call returns when every lane of the caller's warp has made it.
class Emulator {
 public:
  /// `result` becomes the value, of `size` bytes, that lane `source` passes.
  virtual void exchange(void const* value, std::size_t size, int source, void* result) = 0;
  virtual std::uint32_t ballot(bool predicate) = 0;
  virtual void synchronize() = 0;

  /// Lets other lanes go on. This is the only call that does not wait for them.
  virtual void pause() = 0;

 protected:
  ~Emulator() = default;
};

/// The emulator of the calling thread's lanes; null unless a test sets one.
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

/// Without an emulator a CPU has warps of one lane.
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

}  // namespace riffle::backend
