#pragma once

#include <ostream>

#include <riffle/permute/planned_permutation.hpp>

namespace riffle {

/// For messages of GoogleTest.
inline void PrintTo(PermutationMethod method, std::ostream* out) {
  char const* const names[] = {"scatter", "gather", "schedule"};
  *out << names[static_cast<int>(method)];
}

}  // namespace riffle
