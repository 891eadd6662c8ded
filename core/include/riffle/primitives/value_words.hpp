#pragma once

// Values of 16 bytes whose type does not say that they lie as words of so many: one instruction of a GPU moves a word,
// where it takes two or more for the parts of such a value.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/detail/gpu/rows_by_warps.hpp>
#include <riffle/primitives/detail/row_copy.hpp>

namespace riffle::detail {

/// Whether values of In may lie so, and become those of Out by their bytes alone.
template <class Exec, class In, class Out>
inline constexpr bool may_be_words = !backend::is_cpu<Exec> && always_has_words<In, Out> &&
                                     sizeof(typename Out::value_type) == sizeof(Word16) &&
                                     alignof(typename Out::value_type) < alignof(Word16);

/// Calls use(from, to) with n values of `in` and `out` as Views of words if that is how they lie; else returns false.
template <class Exec, class In, class Out, class Use>
bool with_words(std::uint64_t n, In const& in, Out const& out, Use const& use) {
  RowBytes const values = row_bytes(in, out);
  if (values.word != sizeof(Word16) || values.from_pitch != sizeof(Word16) ||
      values.to_pitch != sizeof(Word16)) {
    return false;
  }
  using Space = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  use(Kokkos::View<Word16 const*, Space, Unmanaged>(reinterpret_cast<Word16 const*>(values.from),
                                                    n),
      Kokkos::View<Word16*, Space, Unmanaged>(reinterpret_cast<Word16*>(values.to), n));
  return true;
}

}  // namespace riffle::detail
