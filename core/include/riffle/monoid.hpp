#pragma once

// Associative operations and their identity elements, for scans.

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/primitives/is_instance_of.hpp>

namespace riffle {

/// An operation with which a scan combines values. It has a trivially copyable `value_type`, a
/// function `identity()` with op(identity, x) = x = op(x, identity), and an associative function
/// `op(left, right)`, which need not be commutative. Both must be callable in kernels.
template <class M>
concept Monoid = requires(M const& op, typename M::value_type const& x) {
  requires std::is_trivially_copyable_v<typename M::value_type>;
  requires std::default_initializable<typename M::value_type>;
  { op.identity() } -> std::convertible_to<typename M::value_type>;
  { op(x, x) } -> std::convertible_to<typename M::value_type>;
};

namespace detail {

/// Whether T has operator+ and T(0). If not, one static_assert says so.
template <class T>
KOKKOS_FUNCTION constexpr bool has_sum() {
  constexpr bool has = requires(T const& left, T const& right) {
    static_cast<T>(left + right);
    T(0);
  };
  static_assert(
      has,
      "riffle: the values have no operator + or no T(0); another operation is an argument, "
      "such as riffle::inclusive_scan(exec, in, out, op)");
  return has;
}

}  // namespace detail

/// left + right. The identity is 0.
template <class T>
struct Sum {
  using value_type = T;
  KOKKOS_FUNCTION static constexpr T identity() {
    if constexpr (detail::has_sum<T>()) {
      return T(0);
    } else {
      return T{};
    }
  }
  KOKKOS_FUNCTION constexpr T operator()(T left, T right) const {
    if constexpr (detail::has_sum<T>()) {
      return static_cast<T>(left + right);
    } else {
      return left;
    }
  }
};

/// left * right. The identity is 1.
template <class T>
struct Product {
  using value_type = T;
  KOKKOS_FUNCTION static constexpr T identity() { return T(1); }
  KOKKOS_FUNCTION constexpr T operator()(T left, T right) const {
    // Small unsigned integers would be promoted to int, which may overflow.
    if constexpr (std::is_unsigned_v<T> && sizeof(T) < sizeof(unsigned)) {
      return static_cast<T>(unsigned{left} * unsigned{right});
    } else {
      return static_cast<T>(left * right);
    }
  }
};

namespace detail {

/// Returns whether the minimum or maximum of two values is `left` (otherwise it is `right`).
/// `is_best` is the result of the comparison left <= right or left >= right, which is false if a
/// value is a NaN. If exactly one value is a NaN, the result is the NaN; if both are NaNs, it is
/// the left one. With these rules the operation is associative.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool keeps_left(T const& left,
                                                      [[maybe_unused]] T const& right,
                                                      bool is_best) {
#if !defined(__FINITE_MATH_ONLY__) || __FINITE_MATH_ONLY__ != 0
  is_best = is_best && !detail::is_nan(right);  // needed if the compiler assumes finite values
#endif
  // No branch, so that loops are vectorised.
  return static_cast<bool>(static_cast<int>(detail::is_nan(left)) | static_cast<int>(is_best));
}

}  // namespace detail

/// The smaller of two values. If both are equal, such as 0 and -0, the left one is kept. NaNs
/// propagate: if either value is a NaN, the result is a NaN, and of two NaNs the left one is kept.
/// So after a NaN every element of a scan is that NaN, as in NumPy's minimum.accumulate. The
/// identity is infinity if T has an infinity, otherwise the largest T.
template <class T>
struct Min {
  using value_type = T;
  KOKKOS_FUNCTION static constexpr T identity() { return largest; }
  KOKKOS_FUNCTION constexpr T operator()(T left, T right) const {
    if constexpr (detail::is_floating_point<T>) {
      return detail::keeps_left(left, right, left <= right) ? left : right;
    } else {
      return right < left ? right : left;
    }
  }

 private:
  // This type is not local to identity(), because nvcc would treat the calls in the initialisers of
  // a local type as calls from a kernel.
  using Limits = std::numeric_limits<T>;
  static_assert(
      Limits::is_specialized,
      "riffle: Min: std::numeric_limits knows no largest T; CustomMonoid takes an identity");
  static constexpr T largest = Limits::has_infinity ? Limits::infinity() : Limits::max();
};

/// The larger of two values; equal values and NaNs are treated as by Min. The identity is minus
/// infinity if T has an infinity, otherwise the lowest T.
template <class T>
struct Max {
  using value_type = T;
  KOKKOS_FUNCTION static constexpr T identity() { return lowest; }
  KOKKOS_FUNCTION constexpr T operator()(T left, T right) const {
    if constexpr (detail::is_floating_point<T>) {
      return detail::keeps_left(left, right, left >= right) ? left : right;
    } else {
      return left < right ? right : left;
    }
  }

 private:
  using Limits = std::numeric_limits<T>;
  static_assert(
      Limits::is_specialized,
      "riffle: Max: std::numeric_limits knows no lowest T; CustomMonoid takes an identity");
  static constexpr T lowest =
      Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
};

/// left & right. The identity has all bits set.
template <class T>
struct BitAnd {
  using value_type = T;
  KOKKOS_FUNCTION static constexpr T identity() { return static_cast<T>(~T(0)); }
  KOKKOS_FUNCTION constexpr T operator()(T left, T right) const {
    return static_cast<T>(left & right);
  }
};

/// left | right. The identity is 0.
template <class T>
struct BitOr {
  using value_type = T;
  KOKKOS_FUNCTION static constexpr T identity() { return T(0); }
  KOKKOS_FUNCTION constexpr T operator()(T left, T right) const {
    return static_cast<T>(left | right);
  }
};

/// left ^ right. The identity is 0.
template <class T>
struct BitXor {
  using value_type = T;
  KOKKOS_FUNCTION static constexpr T identity() { return T(0); }
  KOKKOS_FUNCTION constexpr T operator()(T left, T right) const {
    return static_cast<T>(left ^ right);
  }
};

/// Counts the elements that convert to true. On a GPU, a ballot of 32 lanes replaces additions.
template <class Index = std::uint64_t>
struct Count {
  using value_type = Index;
  KOKKOS_FUNCTION static constexpr Index identity() { return Index(0); }
  KOKKOS_FUNCTION constexpr Index operator()(Index left, Index right) const {
    return static_cast<Index>(left + right);
  }
};

/// A monoid made from the caller's operation and its identity: `CustomMonoid{op, identity}`. The
/// operation is a functor or a lambda that kernels can call.
template <class Op, class T>
class CustomMonoid {
 public:
  using value_type = T;

  KOKKOS_FUNCTION constexpr CustomMonoid(Op op, T identity) : op_(op), identity_(identity) {}

  KOKKOS_FUNCTION constexpr T identity() const { return identity_; }
  KOKKOS_FUNCTION constexpr T operator()(T const& left, T const& right) const {
    return op_(left, right);
  }

 private:
  Op op_;
  T identity_;
};

namespace detail {

/// Whether the result is bitwise identical for every order in which values are combined. Then
/// kernels may choose the order.
template <class M>
inline constexpr bool is_exact = std::is_integral_v<typename M::value_type> &&
                                 (is_instance_of<M, Sum> || is_instance_of<M, Product> ||
                                  is_instance_of<M, Min> || is_instance_of<M, Max> ||
                                  is_instance_of<M, BitAnd> || is_instance_of<M, BitOr> ||
                                  is_instance_of<M, BitXor> || is_instance_of<M, Count>);

}  // namespace detail
}  // namespace riffle
