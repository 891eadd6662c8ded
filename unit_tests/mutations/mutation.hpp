#pragma once

// The mutations that tools/mutation-tests adds to its copy of the sources; nothing else includes this file. RIFFLE_MUTATION
// holds the number of the active mutation. When a program ends, it appends the numbers of the mutations that it reached, one
// a line, to the file named by RIFFLE_REACHED_MUTATIONS.

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <type_traits>

namespace riffle::mutations {

inline constexpr int max_mutations = 1024;

/// The numbers of the mutations that this process reaches; the destructor writes them to the file.
class Reached {
 public:
  Reached() = default;
  Reached(Reached const&) = delete;
  Reached& operator=(Reached const&) = delete;

  ~Reached() {
    char const* const name = std::getenv("RIFFLE_REACHED_MUTATIONS");
    if (name == nullptr) return;
    std::ofstream file(name, std::ios::app);
    for (int number = 0; number < max_mutations; ++number) {
      if (is_reached_[number].load(std::memory_order_relaxed)) file << number << '\n';
    }
  }

  void add(int number) {
    // Reading first avoids writes by all threads to one cache line.
    if (is_reached_[number].load(std::memory_order_relaxed)) return;
    is_reached_[number].store(true, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_reached_[max_mutations] = {};
};

inline Reached reached;

inline int chosen_mutation() {
  char const* const number = std::getenv("RIFFLE_MUTATION");
  return number == nullptr ? -1 : std::atoi(number);
}

inline int const chosen = chosen_mutation();

/// Whether this mutation is active. Constant expressions are never mutated.
template <int number>
constexpr bool is_active() {
  static_assert(number < max_mutations);
  if (std::is_constant_evaluated()) return false;
  reached.add(number);
  return chosen == number;
}

}  // namespace riffle::mutations
