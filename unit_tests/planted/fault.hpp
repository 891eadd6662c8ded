#pragma once

// Which planted fault acts, by RIFFLE_PLANTED_FAULT, and which of them a program reaches: their numbers are added, one a
// line, to the file that RIFFLE_REACHED_FAULTS names. Only tools/planted-faults includes this, in its copy of the sources.

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <type_traits>

namespace riffle::planted {

inline constexpr int max_faults = 1024;

/// The numbers of the faults that this process reaches, written when it ends.
class Reached {
 public:
  Reached() = default;
  Reached(Reached const&) = delete;
  Reached& operator=(Reached const&) = delete;

  ~Reached() {
    char const* const name = std::getenv("RIFFLE_REACHED_FAULTS");
    if (name == nullptr) return;
    std::ofstream file(name, std::ios::app);
    for (int number = 0; number < max_faults; ++number) {
      if (is_reached_[number].load(std::memory_order_relaxed)) file << number << '\n';
    }
  }

  void add(int number) {
    // Read first: threads that all write one line of a cache would take turns.
    if (is_reached_[number].load(std::memory_order_relaxed)) return;
    is_reached_[number].store(true, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_reached_[max_faults] = {};
};

inline Reached reached;

inline int chosen_fault() {
  char const* const number = std::getenv("RIFFLE_PLANTED_FAULT");
  return number == nullptr ? -1 : std::atoi(number);
}

inline int const chosen = chosen_fault();

/// Whether the fault of this number acts. What the compiler computes is as it was.
template <int number>
constexpr bool acts() {
  static_assert(number < max_faults);
  if (std::is_constant_evaluated()) return false;
  reached.add(number);
  return chosen == number;
}

}  // namespace riffle::planted
