#pragma once

// Writes past the caches of a CPU. A part of riffle/backend/backend.hpp, which includes it. Host only.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/backend/detail/register.hpp>

namespace riffle::backend {

/// Where places must begin that stream_copy() writes past the caches.
inline constexpr std::size_t stream_alignment = 16;

/// Whether stream_copy to `to` can bypass the caches.
inline bool can_stream_to([[maybe_unused]] void const* to) {
#if defined(__SSE2__)
  return reinterpret_cast<std::uintptr_t>(to) % stream_alignment == 0;
#else
  return false;
#endif
}

/// Copies data from a cache to a place for which can_stream_to() holds and that is not read soon. After its last such
/// copy, a thread calls finish_streams().
inline void stream_copy(void* to, void const* from, std::size_t bytes) {
#if defined(__SSE2__)
  using Register = IntegerRegister<4>;
  auto* const out = static_cast<char*>(to);
  auto const* const in = static_cast<char const*>(from);
  std::size_t const whole = bytes / 16 * 16;
  for (std::size_t k = 0; k < whole; k += 16) Register::load(in + k).stream(out + k);
  std::memcpy(out + whole, in + whole, bytes - whole);
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace riffle::backend
