#pragma once

// Look-ups in byte tables by the byte permutation instructions of a CPU. One instruction looks up
// one index for each byte of a vector. Host only.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/backend/detail/words.hpp>

// Disabled under nvcc, which lacks the compilers' builtins. <immintrin.h> is not used instead,
// because it would add half a second to the compilation of every file that includes this one.
#if defined(RIFFLE_VECTORS_OF_WORDS) && defined(RIFFLE_AVX2)
#define RIFFLE_BYTE_VECTORS
#define RIFFLE_AVX512_BYTES __attribute__((target("avx512f,avx512dq,avx512bw,avx512vbmi")))
#endif

#if defined(RIFFLE_BYTE_VECTORS) && !defined(__clang__)
// With this option g++ knows the builtins.
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512dq,avx512bw,avx512vbmi")
#pragma GCC pop_options
#endif

namespace riffle::backend {

/// A function from bytes less than `entries` to bytes less than `modulus`; both are at most 256.
/// values[k] is unspecified for k >= entries.
struct ByteTable {
  static constexpr int max_entries = 256;

  alignas(64) std::uint8_t values[max_entries];
  int entries;
  int modulus;
};

/// The number of bytes after an array that a look-up may overwrite.
inline constexpr std::size_t overwritten_bytes = std::size_t{4} * 64;

#if defined(RIFFLE_BYTE_VECTORS)
namespace detail {

inline bool has_avx512_bytes() {
  static bool const has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vbmi");
  return has;
}

// The ABI for returning a wide vector depends on the processor, but the header is compiled for any
// processor. So no function returns a vector.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

/// Sets x = (x + value) modulo `modulus`, byte by byte. Requires x < modulus and value < modulus.
template <class Bytes>
KOKKOS_FORCEINLINE_FUNCTION void add_modulo(Bytes& x, Bytes const& value, int modulus) {
  Bytes const moduli = Bytes{} + static_cast<std::uint8_t>(modulus);
  if (modulus <= 128) {
    // If sum < modulus, then sum - modulus wraps around and is greater than the sum.
    Bytes const sum = x + value;
    Bytes const less = sum - moduli;
    x = sum < less ? sum : less;
  } else {
    // If the modulus is greater than 128, a sum may not fit in a byte. So x is compared with
    // modulus - value, and the modulus is subtracted where x is at least this difference. The
    // modulus 256 is stored as 0, which is correct because sums of bytes wrap around at 256.
    Bytes const least_that_wraps = moduli - value;
    x = x + value - (x >= least_that_wraps ? moduli : Bytes{});
  }
}

/// Looks up 64 bytes at once by AVX-512 VBMI, whose instruction selects from the 128 bytes of two
/// vectors.
struct Avx512Bytes {
  typedef std::uint8_t Bytes __attribute__((vector_size(64)));
  typedef signed char SignedBytes __attribute__((vector_size(64)));
  typedef char Chars __attribute__((vector_size(64)));

  template <int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION RIFFLE_AVX512_BYTES static void look_up(
      ByteTable const& table, Bytes const (&arguments)[Vectors], Bytes (&values)[Vectors]) {
    Bytes parts[4];
    for (int p = 0; p < 4; ++p) {
      std::memcpy(&parts[p], table.values + static_cast<std::size_t>(p) * sizeof(Bytes),
                  sizeof(Bytes));
    }
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      look_up_in_half(parts[0], parts[1], arguments[v], values[v]);
    }
    if (table.entries <= 128) return;
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      Bytes in_upper_half;
      look_up_in_half(parts[2], parts[3], arguments[v], in_upper_half);
      values[v] = (SignedBytes)arguments[v] < 0 ? in_upper_half : values[v];
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION RIFFLE_AVX512_BYTES static void look_up_in_half(Bytes const& a,
                                                                              Bytes const& b,
                                                                              Bytes const& argument,
                                                                              Bytes& value) {
#if defined(__clang__)
    value = (Bytes)__builtin_ia32_vpermi2varqi512((Chars)a, (Chars)argument, (Chars)b);
#else
    value = (Bytes)__builtin_ia32_vpermt2varqi512_mask((Chars)argument, (Chars)a, (Chars)b,
                                                       ~std::uint64_t{0});
#endif
  }
};

/// Looks up 32 bytes at once by AVX2. An instruction selects from only 16 bytes, so the table is
/// divided into parts of 16 entries, and indices are looked up in each part.
struct Avx2Bytes {
  typedef std::uint8_t Bytes __attribute__((vector_size(32)));
  typedef char Chars __attribute__((vector_size(32)));
  typedef long long Halves __attribute__((vector_size(16)));

  template <int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION RIFFLE_AVX2 static void look_up(ByteTable const& table,
                                                              Bytes const (&arguments)[Vectors],
                                                              Bytes (&values)[Vectors]) {
    Bytes indices[Vectors];
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      values[v] = Bytes{};
      indices[v] = arguments[v];
    }
    for (int first = 0; first < table.entries; first += 16) {
      Halves half;
      std::memcpy(&half, table.values + first, sizeof half);
      Bytes const part = (Bytes)__builtin_shufflevector(half, half, 0, 1, 0, 1);
      RIFFLE_UNROLL
      for (int v = 0; v < Vectors; ++v) {
        look_up_in_part(part, indices[v], values[v]);
        indices[v] -= 16;
      }
    }
  }

 private:
  // Adds the values at indices less than 16 to `values`. Other indices add 0.
  KOKKOS_FORCEINLINE_FUNCTION RIFFLE_AVX2 static void look_up_in_part(Bytes const& part,
                                                                      Bytes const& indices,
                                                                      Bytes& values) {
    // The instruction returns 0 for an index of 128 or more. Indices of 16 or more are moved to
    // that range.
#if defined(__clang__)
    Bytes const moved = __builtin_elementwise_add_sat(indices, Bytes{} + 0x70);
#else
    Bytes const moved = (Bytes)__builtin_ia32_paddusb256((Chars)indices, (Chars)(Bytes{} + 0x70));
#endif
    values |= (Bytes)__builtin_ia32_pshufb256((Chars)part, (Chars)moved);
  }
};

// A macro, because the target attribute of a function cannot depend on a template parameter.
#define RIFFLE_DEFINE_BYTE_LOOKUP(NAME, BYTES, WORDS, TARGET)                                    \
  struct NAME {                                                                                  \
    using Words = backend::Words<WORDS>;                                                         \
                                                                                                 \
    TARGET static void add_alternately(ByteTable const* tables, int count, std::uint8_t* x,      \
                                       std::uint8_t* y, std::size_t n) {                         \
      constexpr std::size_t width = sizeof(BYTES::Bytes);                                        \
      /* Four or five vectors take hardly longer than one, which waits for each look-up. */      \
      std::size_t i = 0;                                                                         \
      for (; i + width < n && i + 5 * width != whole(n); i += 4 * width) {                       \
        add_to<4>(tables, count, x + i, y + i);                                                  \
      }                                                                                          \
      if (i >= n) return;                                                                        \
      if (i + width < n) {                                                                       \
        add_to<5>(tables, count, x + i, y + i);                                                  \
      } else {                                                                                   \
        add_to<1>(tables, count, x + i, y + i);                                                  \
      }                                                                                          \
    }                                                                                            \
                                                                                                 \
   private:                                                                                      \
    /* Returns n, rounded up to a multiple of the vector size. */                                \
    KOKKOS_FORCEINLINE_FUNCTION static std::size_t whole(std::size_t n) {                        \
      return (n + sizeof(BYTES::Bytes) - 1) / sizeof(BYTES::Bytes) * sizeof(BYTES::Bytes);       \
    }                                                                                            \
                                                                                                 \
    template <int Vectors>                                                                       \
    KOKKOS_FORCEINLINE_FUNCTION TARGET static void add_to(ByteTable const* tables, int count,    \
                                                          std::uint8_t* x_bytes,                 \
                                                          std::uint8_t* y_bytes) {               \
      BYTES::Bytes x[Vectors];                                                                   \
      BYTES::Bytes y[Vectors];                                                                   \
      std::memcpy(x, x_bytes, sizeof x);                                                         \
      std::memcpy(y, y_bytes, sizeof y);                                                         \
      for (int t = 0; t + 1 < count; t += 2) {                                                   \
        add(tables[t], y, x);                                                                    \
        add(tables[t + 1], x, y);                                                                \
      }                                                                                          \
      if (count % 2 == 1) add(tables[count - 1], y, x);                                          \
      std::memcpy(x_bytes, x, sizeof x);                                                         \
      std::memcpy(y_bytes, y, sizeof y);                                                         \
    }                                                                                            \
                                                                                                 \
    template <int Vectors>                                                                       \
    KOKKOS_FORCEINLINE_FUNCTION TARGET static void add(ByteTable const& table,                   \
                                                       BYTES::Bytes const (&arguments)[Vectors], \
                                                       BYTES::Bytes (&sums)[Vectors]) {          \
      BYTES::Bytes values[Vectors];                                                              \
      BYTES::look_up(table, arguments, values);                                                  \
      RIFFLE_UNROLL                                                                              \
      for (int v = 0; v < Vectors; ++v) add_modulo(sums[v], values[v], table.modulus);           \
    }                                                                                            \
  };

RIFFLE_DEFINE_BYTE_LOOKUP(LookupByAvx512, Avx512Bytes, 16, RIFFLE_AVX512_BYTES)
RIFFLE_DEFINE_BYTE_LOOKUP(LookupByAvx2, Avx2Bytes, 8, RIFFLE_AVX2)
#undef RIFFLE_DEFINE_BYTE_LOOKUP
#pragma GCC diagnostic pop

template <class Body>
RIFFLE_AVX512_BYTES void call_with_avx512_bytes(Body const& body) {
  body.template call<LookupByAvx512>();
}

template <class Body>
RIFFLE_AVX2 void call_with_avx2_bytes(Body const& body) {
  body.template call<LookupByAvx2>();
}

}  // namespace detail
#endif

/// The maximum number of table entries for which call_with_byte_lookup is faster on this processor
/// than arithmetic on word vectors (measured). 0 if the processor has no byte permutation.
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

/// Calls body.call<Lookup>() if most_entries_looked_up() > 0; otherwise does nothing. `call` and
/// all functions that it calls must be inlined: KOKKOS_FORCEINLINE_FUNCTION. Lookup has two
/// members:
///
/// - add_alternately(tables, count, x, y, n), where x and y are arrays of n bytes. It applies
///   tables 0, ..., count - 1 in turn, alternately to x and to y. For i < n:
///       x[i] = (x[i] + tables[0].values[y[i]]) % tables[0].modulus,
///       y[i] = (y[i] + tables[1].values[x[i]]) % tables[1].modulus, and so on.
///   Up to `overwritten_bytes` bytes after each array are overwritten.
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
