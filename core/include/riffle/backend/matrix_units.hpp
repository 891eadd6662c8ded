#pragma once

// Products of small matrices, computed by a warp. NVIDIA GPUs since Ampere have tensor cores for
// these products (PTX ISA, section "Matrix multiply-accumulate operation using mma instruction");
// they are called matrix units here.
//
// A warp multiplies A, a matrix with 16 rows, by B, a matrix with 8 columns, and adds the product
// to the 16 x 8 matrix C. In permutation tests, the rows of A are replicates, and the columns of B
// are variables. Let g = l / 4 and t = l % 4 for lane l. The lane stores
//
//   C   the elements (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1),
//   A   elements of the rows g and g + 8,
//   B   elements of the column g.
//
// Without matrix units, for example on an emulated GPU, lanes exchange their elements. The sums are
// the same, but the computation is slow.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::backend {

/// Whether the GPU for which Kokkos was built has matrix units for bytes and for doubles.
inline constexpr bool has_matrix_units =
#if !defined(RIFFLE_PORTABLE) &&                                           \
    (defined(KOKKOS_ARCH_AMPERE80) || defined(KOKKOS_ARCH_AMPERE86) ||     \
     defined(KOKKOS_ARCH_AMPERE87) || defined(KOKKOS_ARCH_ADA89) ||        \
     defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_BLACKWELL100) || \
     defined(KOKKOS_ARCH_BLACKWELL120))
    true;
#else
    false;
#endif

/// The lane's part of A, a 16 x 32 matrix of signed bytes. Each word contains 4 elements: words[0]
/// and words[1] are columns 4 t, ..., 4 t + 3 of rows g and g + 8; words[2] and words[3] are
/// columns 16 + 4 t, ..., 16 + 4 t + 3 of the same rows.
struct ByteRows {
  std::uint32_t words[4];
};

/// The lane's part of B, a 32 x 8 matrix of signed bytes: words[0] is rows 4 t, ..., 4 t + 3 of
/// column g, words[1] rows 16 + 4 t, ..., 16 + 4 t + 3.
struct ByteColumns {
  std::uint32_t words[2];
};

namespace detail {

/// Calls add(e, rows, columns), for e < 2, for all parts `rows` of A and `columns` of B whose
/// product contributes to elements e and e + 2 of the lane's part of C. The lane receives the other
/// lanes' elements of A and B by shuffles.
template <class Rows, class Columns, class Add>
KOKKOS_INLINE_FUNCTION void add_products_by_exchange(int lane, Rows const& rows,
                                                     Columns const& columns, Add const& add) {
  int const group = lane / 4;
  int const place = lane % 4;
  for (int k = 0; k < 4; ++k) {
    Rows const own = from_lane(rows, group * 4 + k);
    for (int e = 0; e < 2; ++e) {
      add(e, own, from_lane(columns, (2 * place + e) * 4 + k));
    }
  }
}

KOKKOS_INLINE_FUNCTION std::int32_t product_of_bytes(std::uint32_t a, std::uint32_t b) {
  std::int32_t sum = 0;
  for (int byte = 0; byte < 4; ++byte) {
    sum += static_cast<std::int8_t>(a >> (8 * byte) & 0xFF) *
           static_cast<std::int8_t>(b >> (8 * byte) & 0xFF);
  }
  return sum;
}

}  // namespace detail

/// c += A B for bytes, modulo 2^32.
KOKKOS_INLINE_FUNCTION void multiply_add([[maybe_unused]] int lane, std::int32_t (&c)[4],
                                         ByteRows const& a, ByteColumns const& b) {
#if defined(RIFFLE_HAS_PTX) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]),
        "r"(b.words[1]));
#else
  std::uint32_t sums[4] = {};
  detail::add_products_by_exchange(lane, a, b, [&](int e, ByteRows const& x, ByteColumns const& y) {
    for (int half = 0; half < 2; ++half) {
      for (int k = 0; k < 2; ++k) {
        sums[2 * half + e] +=
            static_cast<std::uint32_t>(detail::product_of_bytes(x.words[half + 2 * k], y.words[k]));
      }
    }
  });
  for (int i = 0; i < 4; ++i) {
    c[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c[i]) + sums[i]);
  }
#endif
}

/// c = A B + `begin` in each element for bytes, modulo 2^32.
KOKKOS_INLINE_FUNCTION void multiply([[maybe_unused]] int lane, std::int32_t (&c)[4],
                                     ByteRows const& a, ByteColumns const& b, std::int32_t begin) {
#if defined(RIFFLE_HAS_PTX) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %10, %10, %10};"
      : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
      : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]),
        "r"(b.words[1]), "r"(begin));
#else
  for (std::int32_t& sum : c) sum = begin;
  multiply_add(lane, c, a, b);
#endif
}

/// c += A B for doubles, where A is 16 x 4 and B is 4 x 8. Lane l holds a[0] = A(g, t),
/// a[1] = A(g + 8, t) and b = B(t, g). The products are added one after the other, and each sum is
/// rounded.
KOKKOS_INLINE_FUNCTION void multiply_add([[maybe_unused]] int lane, double (&c)[4],
                                         double const (&a)[2], double b) {
#if defined(RIFFLE_HAS_PTX) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#elif defined(RIFFLE_HAS_PTX) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a[0]), "d"(b));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[2]), "+d"(c[3])
      : "d"(a[1]), "d"(b));
#else
  struct Pair {
    double of[2];
  };
  detail::add_products_by_exchange(lane, Pair{{a[0], a[1]}}, b, [&](int e, Pair x, double y) {
    c[e] += x.of[0] * y;
    c[2 + e] += x.of[1] * y;
  });
#endif
}

}  // namespace riffle::backend
