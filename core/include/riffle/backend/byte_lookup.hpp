#pragma once

// Look-ups in tables of bytes by the permutations of bytes that wide vectors of a CPU have: as many at once as a vector
// has bytes, where a loop takes one after the other. Host only.

#include <Kokkos_Core.hpp>

#include <riffle/backend/detail/byte_vectors.hpp>

namespace riffle::backend {

/// The largest number of entries that tables may have for call_with_byte_lookup to be of use on this processor: beyond
/// it arithmetic in vectors of words is as fast (measured). 0 where there is no such permutation.
inline int most_entries_looked_up() {
#if defined(RIFFLE_BYTE_VECTORS)
  static int const entries = [] {
    if (detail::has_avx512_bytes()) return ByteTable::max_entries;
    return __builtin_cpu_supports("avx2") ? 96 : 0;
  }();
  return entries;
#else
  return 0;
#endif
}

/// Calls body.call<Lookup>() where most_entries_looked_up() > 0; else nothing. `call` and everything that it calls must
/// be inlined: KOKKOS_FORCEINLINE_FUNCTION. Lookup has
///
/// - add_alternately(tables, count, x, y, n), for arrays x and y of n bytes: for i < n, x[i] becomes
///   (x[i] + tables[0].values[y[i]]) % tables[0].modulus, then y[i] the same of tables[1] and x[i], and so on in turn.
///   Up to `room_behind` bytes behind the arrays are overwritten;
/// - Words, the vectors of 32-bit lanes of the same processor.
template <class Body>
void call_with_byte_lookup([[maybe_unused]] Body const& body) {
#if defined(RIFFLE_BYTE_VECTORS)
  if (detail::has_avx512_bytes()) {
    detail::call_with_avx512_bytes(body);
  } else if (most_entries_looked_up() > 0) {
    detail::call_with_avx2_bytes(body);
  }
#endif
}

}  // namespace riffle::backend
